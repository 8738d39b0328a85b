/** The texts of the dashboard's pages; those of its script are in `script-texts.ts`. */
import type { Locale } from "../../views/locale.ts";
import type { Interval } from "../stats-shape.ts";
import type { Range } from "./dashboard-query.ts";
import { counted, formatNumber } from "./numbers.ts";

const of = (locale: Locale, n: number) => formatNumber(locale, n);

const ENGLISH = {
  title: "Dashboard",
  skip: "Skip to the numbers",
  signed_in: (name: string) => `Signed in as ${name}`,
  my_pages: "My pages",
  other_page: "Other pages",
  open_page: "Open the page",
  other_language: "العربية",
  sign_out: "Sign out",

  today: "Today",
  last_30_days: "30 days",
  draft_mark: "Draft",
  suspended_mark: "Suspended",
  suspended: "This page is suspended: nobody can see it. Its numbers so far are kept.",
  no_pages: "You have no page yet",
  no_pages_why:
    "Once you have a page on Sila, this is where you see who viewed it and what they clicked.",

  range: "Period",
  ranges: {
    today: "Today",
    "7d": "7 days",
    "30d": "30 days",
    "90d": "90 days",
    custom: "Other days",
  } as Readonly<Record<Range, string>>,
  from: "From",
  to: "To",
  show: "Show",
  interval: "Interval",
  intervals: { hour: "By hour", day: "By day" } as Readonly<Record<Interval, string>>,
  compared: (dates: string) => `Compared with ${dates}`,
  compared_so_far: (dates: string) => `Compared with ${dates}, up to the same hour`,

  summary: "What happened",
  views: "Views",
  clicks: "Clicks",
  visitors: "Visitors",
  rate: "Click rate",

  excluded: "Not in the numbers above",
  bots: "Bots",
  bots_what: "search engines, link previews and the like",
  owner: "Your own visits",
  owner_what: "from a browser you signed in with",
  limited: "Over the limit",
  limited_what: "views and clicks faster than one person makes",

  accepted: "Accepted",
  flushed: "In the reports",
  pending: "On the way",
  drift: "Difference",
  audit: "How the numbers add up",
  audit_what:
    "Everything accepted since the page exists, bots and your own visits included, is either in the reports or on its way there. The difference has to be 0.",
  audit_imported:
    "Imported history and invented sample data were not counted by Sila, and are not in here.",

  chart: "Views and clicks",
  chart_label: "Chart of views and clicks; the arrow keys move along it",
  chart_script: "The chart needs JavaScript. All its numbers are in the table.",
  as_table: "The numbers as a table",
  edited: "Edits",
  edits: (n: number) => `Edits of the page: ${of("en", n)}`,
  hour: "Hour",
  day: "Day",

  links: "Links",
  link: "Link",
  unnamed_link: "Link without a name",
  removed_link: "Removed link",
  removed_link_what: "no longer on the page",
  no_links: "There are no links on this page yet.",

  referrer: "Referrers",
  country: "Countries",
  device: "Devices",
  language: "Language",
  campaigns: "Campaigns",
  utm_source: "Source",
  utm_medium: "Medium",
  utm_campaign: "Campaign",
  direct: "Direct or unknown",
  unknown: "Unknown",
  others: "Others",
  tor: "Tor network",
  devices: {
    mobile: "Phone",
    tablet: "Tablet",
    desktop: "Computer",
    tv: "Television",
  } as Readonly<Record<string, string>>,
  more: (n: number) => `${of("en", n)} more`,
  nothing_known: "No data for these days yet.",
  by_page_days: (hour: string) =>
    `Visitors, referrers, countries, devices, languages and campaigns are counted by the days of the page’s time zone. Such a day begins at ${hour} here, and each visitor counts once in it.`,

  empty: "No visits in these days",
  empty_today: "No visits yet today",
  empty_why:
    "Put your page’s address where people see you, or print its code. With the first visit, the numbers here begin to move.",
  share: "Share your page",
  qr_of: (address: string) => `QR code of ${address}`,
  qr_download: "Download the QR code",
  csv: "Download the numbers (CSV)",
  as_of: (time: string) => `As of ${time}`,
  time_zone: "Time zone",
  imported: (views: number, clicks: number) =>
    `${counted("en", "view", views)} and ${counted("en", "click", clicks)} of these were not counted by Sila: they are imported history or invented sample data.`,
};

type DashboardTexts = typeof ENGLISH;

const ARABIC: DashboardTexts = {
  title: "لوحة المتابعة",
  skip: "انتقل إلى الأرقام",
  signed_in: (name) => `دخلت باسم ${name}`,
  my_pages: "صفحاتي",
  other_page: "صفحاتك الأخرى",
  open_page: "افتح الصفحة",
  other_language: "English",
  sign_out: "تسجيل الخروج",

  today: "اليوم",
  last_30_days: "آخر ٣٠ يومًا",
  draft_mark: "مسودة",
  suspended_mark: "موقوفة",
  suspended: "هذه الصفحة موقوفة ولا يراها أحد، وأرقامها حتى الآن محفوظة.",
  no_pages: "لا صفحة لك بعد",
  no_pages_why: "عندما تصير لك صفحة على صلة، ترى هنا كم شاهدها من الناس وعلى ماذا نقروا.",

  range: "المدة",
  ranges: {
    today: "اليوم",
    "7d": "٧ أيام",
    "30d": "٣٠ يومًا",
    "90d": "٩٠ يومًا",
    custom: "أيام أخرى",
  },
  from: "من",
  to: "إلى",
  show: "اعرض",
  interval: "التفصيل",
  intervals: { hour: "بالساعات", day: "بالأيام" },
  compared: (dates) => `مقارنةً بـ ${dates}`,
  compared_so_far: (dates) => `مقارنةً بـ ${dates} حتى الساعة نفسها`,

  summary: "ما الذي حدث",
  views: "المشاهدات",
  clicks: "النقرات",
  visitors: "الزوّار",
  rate: "نسبة النقر",

  excluded: "ما لم يدخل في الأرقام أعلاه",
  bots: "برامج آلية",
  bots_what: "محركات بحث ومعاينات روابط وما شابهها",
  owner: "زياراتك أنت",
  owner_what: "من متصفح سجّلت الدخول فيه",
  limited: "فوق الحد",
  limited_what: "مشاهدات ونقرات أسرع مما يفعله إنسان",

  accepted: "المقبول",
  flushed: "في التقارير",
  pending: "في الطريق",
  drift: "الفرق",
  audit: "حساب الأرقام",
  audit_what:
    "كل ما قُبل منذ أن وُجدت الصفحة، ومنه البرامج الآلية وزياراتك أنت، إما في التقارير وإما في الطريق إليها. ولا يصح أن يكون الفرق إلا صفرًا.",
  audit_imported: "أما البيانات المستوردة والتجريبية فلم تحسبها صلة، وليست في هذا الحساب.",

  chart: "المشاهدات والنقرات",
  chart_label: "مخطط المشاهدات والنقرات، وتتنقل فيه بأسهم لوحة المفاتيح",
  chart_script: "يحتاج المخطط إلى جافاسكربت، وأرقامه كلها في الجدول.",
  as_table: "الأرقام في جدول",
  edited: "تعديلات الصفحة",
  edits: (n) => `تعديلات الصفحة: ${of("ar", n)}`,
  hour: "الساعة",
  day: "اليوم",

  links: "الروابط",
  link: "الرابط",
  unnamed_link: "رابط بلا اسم",
  removed_link: "رابط محذوف",
  removed_link_what: "لم يعد في الصفحة",
  no_links: "لا روابط في هذه الصفحة بعد.",

  referrer: "من أين جاؤوا",
  country: "البلدان",
  device: "الأجهزة",
  language: "اللغة",
  campaigns: "الحملات",
  utm_source: "المصدر",
  utm_medium: "الوسيلة",
  utm_campaign: "الحملة",
  direct: "مباشرةً أو غير معروف",
  unknown: "غير معروف",
  others: "غير ذلك",
  tor: "شبكة تور",
  devices: { mobile: "هاتف", tablet: "جهاز لوحي", desktop: "حاسوب", tv: "تلفاز" },
  more: (n) => `البقية: ${of("ar", n)}`,
  nothing_known: "لا يُعرف شيء عن هذه الأيام بعد.",
  by_page_days: (hour) =>
    `يُحسب الزوّار ومصادرهم وبلدانهم وأجهزتهم ولغاتهم والحملات بأيام المنطقة الزمنية للصفحة. ويبدأ اليوم منها هنا في الساعة ${hour}، ولا يُحسب الزائر فيه إلا مرة.`,

  empty: "لا زيارات في هذه الأيام",
  empty_today: "لا زيارات اليوم بعد",
  empty_why:
    "ضع عنوان صفحتك حيث يراك الناس، أو اطبع رمزها. ومع أول زيارة تبدأ الأرقام هنا بالحركة.",
  share: "شارك صفحتك",
  qr_of: (address) => `رمز QR للعنوان ${address}`,
  qr_download: "نزّل رمز QR",
  csv: "نزّل الأرقام (CSV)",
  as_of: (time) => `الأرقام حتى الساعة ${time}`,
  time_zone: "المنطقة الزمنية",
  imported: (views, clicks) =>
    `من هذه الأرقام ما لم تحسبه صلة، وهو بيانات مستوردة أو تجريبية: ${counted("ar", "view", views)}، ${counted("ar", "click", clicks)}.`,
};

export const DASHBOARD_TEXTS: Readonly<Record<Locale, DashboardTexts>> = {
  ar: ARABIC,
  en: ENGLISH,
};
