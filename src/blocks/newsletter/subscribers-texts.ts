import type { Locale } from "../../views/locale.ts";
import { byReader, type ReaderLocale } from "../../views/numbering.ts";
import { type Forms, inForm } from "../../views/numbers.ts";

const WAITING: Readonly<Record<Locale, Forms>> = {
  ar: {
    one: "وواحد لم يؤكد اشتراكه بعد",
    two: "واثنان لم يؤكدا اشتراكهما بعد",
    few: "و# لم يؤكدوا اشتراكهم بعد",
    many: "و# لم يؤكدوا اشتراكهم بعد",
    other: "و# لم يؤكدوا اشتراكهم بعد",
  },
  en: { one: "# has not confirmed yet", other: "# have not confirmed yet" },
};

const ENGLISH = {
  title: "Newsletter",
  numbers: "Numbers of the page",
  waiting: (n: number) => inForm("en", WAITING.en, n),
  search: "Search addresses",
  search_button: "Search",
  all: "All subscribers",
  found: (q: string) => `Addresses with “${q}”`,
  none_found: "No subscriber has this in their address.",
  none: "Nobody has subscribed yet",
  none_why:
    "Whoever writes their address in the block “Newsletter” of your page gets a mail, and appears here once they confirm.",
  no_block:
    "Your page has no block for its newsletter. Add one among the links, so that visitors can subscribe.",
  add_block: "Edit the page",
  list: "Subscribers",
  address: "Address",
  since: "Subscribed",
  from: "Where",
  from_block: (label: string) => label || "Newsletter",
  in_language: { ar: "in Arabic", en: "in English" } as Readonly<Record<Locale, string>>,
  csv: "Download as CSV",
  csv_links:
    "Each row of the file has the subscriber’s own link to unsubscribe. Put it in every newsletter that you send them.",
  remove: "Delete",
  remove_which: (email: string) => `Delete ${email}`,
  sure: "Delete this subscriber?",
  sure_what: "The address gets no more mails and is deleted for good. This cannot be undone.",
  sure_yes: "Delete for good",
  sure_no: "Keep",
  fresh: "Show the newest",
};

export type SubscribersTexts = typeof ENGLISH;

const arabic = (reader: ReaderLocale): SubscribersTexts => ({
  title: "النشرة البريدية",
  numbers: "أرقام الصفحة",
  waiting: (n) => inForm(reader, WAITING.ar, n),
  search: "البحث في القائمة",
  search_button: "بحث",
  all: "كل المشتركين",
  found: (q) => `ما فيه «${q}»`,
  none_found: "لا مشترك في بريده هذا.",
  none: "لا مشتركين بعد",
  none_why:
    "من يكتب بريده في قسم «النشرة البريدية» في صفحتك تصله رسالة، ويظهر هنا حين يؤكد اشتراكه.",
  no_block: "ليس في صفحتك قسم لنشرتها. أضفه بين الروابط ليشترك الزوّار.",
  add_block: "تعديل الصفحة",
  list: "المشتركون",
  address: "البريد الإلكتروني",
  since: "تاريخ الاشتراك",
  from: "من أين",
  from_block: (label) => label || "النشرة البريدية",
  in_language: { ar: "بالعربية", en: "بالإنجليزية" },
  csv: "تنزيل القائمة (CSV)",
  csv_links: "في كل صف من الملف رابط خاص بالمشترك لإلغاء اشتراكه. ضعه في كل نشرة ترسلها إليه.",
  remove: "حذف",
  remove_which: (email) => `حذف ${email}`,
  sure: "هل تحذف هذا المشترك؟",
  sure_what: "لن تصل إلى هذا البريد رسائل أخرى، ويُحذف نهائيًا. لا رجوع عن هذا.",
  sure_yes: "حذفه نهائيًا",
  sure_no: "إبقاؤه",
  fresh: "عرض الأحدث",
});

export const SUBSCRIBERS_TEXTS = byReader(arabic, ENGLISH);
