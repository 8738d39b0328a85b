import type { Change } from "../../pages/document/revisions-store.ts";
import { STATS_REVISIONS_MAX } from "../../stats/limits.ts";
import { byReader, type ReaderLocale } from "../../views/numbering.ts";
import { formatNumber } from "../../views/numbers.ts";

const ENGLISH = {
  all_what: "From the first day of the page",
  all_numbers: "All numbers of the page",
  edit_page: "Edit page",
  subscribers: "Newsletter",
  webhooks: "Webhooks",
  present: "# in the last 5 minutes",

  filter_what:
    "These are the views of this value alone, by the days of the page’s time zone. Visitors, links and the other lists are not stored for each value, so they are not shown here.",
  filter_what_clicks:
    "These are the views and clicks of this value alone, by the days of the page’s time zone. Visitors, links and the other lists are not stored for each value, so they are not shown here.",
  share_of_views: "Share of all views",
  share_of_clicks: "Share of all clicks",

  link_views: "Views of the page",
  link_clicks: "Clicks on the link",
  open_link: "Open",

  earlier_edits: `Only the newest ${STATS_REVISIONS_MAX} edits are marked.`,
  changes: {
    created: "page created",
    imported: "imported",
    restored: "earlier version restored",
    deleted: "deleted",
    undeleted: "deletion undone",
    suspended: "suspended",
    reinstated: "reinstated",
    slug: "address",
    status: "visibility",
    locales: "languages",
    time_zone: "time zone",
    indexed: "search engines",
    name: "name",
    bio: "bio",
    avatar: "picture",
    contact: "contact card",
    look: "look",
    links: "links",
  } as Readonly<Record<Change, string>>,
};

type PartTexts = typeof ENGLISH;

const arabic = (reader: ReaderLocale): PartTexts => ({
  all_what: "منذ أول يوم للصفحة",
  all_numbers: "كل أرقام الصفحة",
  edit_page: "تعديل الصفحة",
  subscribers: "النشرة البريدية",
  webhooks: "Webhooks (ربط بخادمك)",
  present: `# في آخر ${formatNumber(reader, 5)} دقائق`,

  filter_what:
    "هذه مشاهدات هذه القيمة وحدها، بأيام المنطقة الزمنية للصفحة. أما الزوّار والروابط وبقية القوائم فلا تُخزَّن لكل قيمة، ولذلك لا تظهر هنا.",
  filter_what_clicks:
    "هذه مشاهدات هذه القيمة ونقراتها وحدها، بأيام المنطقة الزمنية للصفحة. أما الزوّار والروابط وبقية القوائم فلا تُخزَّن لكل قيمة، ولذلك لا تظهر هنا.",
  share_of_views: "من كل المشاهدات",
  share_of_clicks: "من كل النقرات",

  link_views: "مشاهدات الصفحة",
  link_clicks: "نقرات الرابط",
  open_link: "فتح",

  earlier_edits: `لا تظهر إلا علامات أحدث ${formatNumber(reader, STATS_REVISIONS_MAX)} تعديل.`,
  changes: {
    created: "إنشاء الصفحة",
    imported: "استيراد",
    restored: "استعادة نسخة سابقة",
    deleted: "حذف",
    undeleted: "تراجع عن الحذف",
    suspended: "إيقاف",
    reinstated: "رفع الإيقاف",
    slug: "رابط الصفحة",
    status: "النشر",
    locales: "اللغات",
    time_zone: "المنطقة الزمنية",
    indexed: "الظهور في محركات البحث",
    name: "الاسم",
    bio: "النبذة",
    avatar: "الصورة",
    contact: "بطاقة التواصل",
    look: "المظهر",
    links: "الروابط",
  },
});

export const PART_TEXTS = byReader(arabic, ENGLISH);
