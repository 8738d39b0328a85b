import { byReader, type ReaderLocale } from "../views/numbering.ts";
import { type Forms, formatNumber, inForm } from "../views/numbers.ts";

const ROOM: Forms = { one: "# page", other: "# pages" };

const ENGLISH = {
  title: "My pages",
  new_page: "New page",
  plan_full: (n: number) => `Your plan has room for ${inForm("en", ROOM, n)}.`,
  today: "Today",
  last_30_days: "30 days",
  statistics: "Statistics",
  edit: "Edit",
  open: "Open",
  draft: "Draft",
  draft_what: "Only you can see it until you publish it.",
  finish: "Finish and publish it",
  suspended: "Suspended",
  suspended_what: "Nobody can see it. Its numbers so far are kept.",
  takedown_reason: "Reason:",
  deleted: "Deleted",
  deleted_what: (time: string) => `The page and its numbers are gone for good at ${time}.`,
  undelete: "Undo the deletion",

  none: "You have no page yet",
  none_why:
    "Once you have a page, this is where you see how many people viewed it and what they clicked.",
  none_steps: [
    "Choose a name and an address",
    "Paste your links, each becomes a button",
    "Pick a look, publish and share",
  ] as readonly string[],
  first_page: "Make your page",
};

type PagesTexts = typeof ENGLISH;

const ROOM_ARABIC: Forms = {
  one: "لصفحة واحدة",
  two: "لصفحتين",
  few: "لـ# صفحات",
  other: "لـ# صفحة",
};

const arabic = (reader: ReaderLocale): PagesTexts => ({
  title: "صفحاتي",
  new_page: "صفحة جديدة",
  plan_full: (n) => `تتسع باقتك ${inForm(reader, ROOM_ARABIC, n)}.`,
  today: "اليوم",
  last_30_days: `آخر ${formatNumber(reader, 30)} يومًا`,
  statistics: "الأرقام",
  edit: "تعديل",
  open: "فتح",
  draft: "مسودة",
  draft_what: "لا يراها أحد سواك حتى تنشرها.",
  finish: "إكمالها ونشرها",
  suspended: "موقوفة",
  suspended_what: "لا يراها أحد، وأرقامها حتى الآن محفوظة.",
  takedown_reason: "السبب:",
  deleted: "محذوفة",
  deleted_what: (time) => `تُحذف الصفحة وأرقامها نهائيًا في الساعة ${time}.`,
  undelete: "التراجع عن الحذف",

  none: "ليست لديك صفحة بعد",
  none_why: "حين تكون لك صفحة، سترى هنا عدد من شاهدوها وما نقروا عليه.",
  none_steps: ["اختر اسمًا ورابطًا", "الصق روابطك، فيصبح كل منها زرًّا", "اختر مظهرًا، وانشر وشارك"],
  first_page: "إنشاء صفحتك",
});

export const PAGES_TEXTS = byReader(arabic, ENGLISH);
