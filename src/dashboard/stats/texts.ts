/** The texts of the script are in `script-texts.ts`. */

import type { Interval } from "../../stats/stats-shape.ts";
import { byReader, type ReaderLocale } from "../../views/numbering.ts";
import { counted, formatNumber } from "../../views/numbers.ts";
import type { DaysNotice, Range } from "./dashboard-query.ts";

const ENGLISH = {
  other_page: "Other pages",
  open_page: "Open the page",

  suspended: "This page is suspended: nobody can see it. Its numbers so far are kept.",
  takedown_reason: "Reason:",
  draft: "This page is a draft: only you can see it.",
  publish: "Open it in the editor and publish it",

  range: "Period",
  ranges: {
    today: "Today",
    yesterday: "Yesterday",
    "7d": "7 days",
    "30d": "30 days",
    "90d": "90 days",
    all: "All time",
    custom: "Custom range",
  } as Readonly<Record<Range, string>>,
  from: "From",
  to: "To",
  show: "Show",
  notices: {
    no_such_days: "One of these days does not exist. Here are the last 30 days.",
    too_many_days: "These are more days than fit here. Here are the last of them.",
  } as Readonly<Record<DaysNotice, string>>,
  interval: "Group by",
  intervals: { hour: "Hours", day: "Days", month: "Months" } as Readonly<Record<Interval, string>>,
  compared: (dates: string) => `Compared with ${dates}`,
  compared_so_far: (dates: string) => `Compared with ${dates}, up to the same hour`,

  summary: "Summary",
  views: "Views",
  clicks: "Clicks",
  visitors: "Visitors",
  rate: "Click rate",

  excluded: "Not counted above",
  bots: "Bots",
  bots_what: "search engines, link previews and the like",
  owner: "Your own visits",
  owner_what: "from a browser you signed in with",
  limited: "Over the limit",
  limited_what: "faster than people click",

  accepted: "Recorded",
  flushed: "In the reports",
  pending: "On the way",
  drift: "Difference",
  audit: "How the numbers add up",
  audit_what:
    "Everything recorded since the page was created, bots and your own visits included, is either in the reports or on its way there. The difference has to be 0.",
  audit_imported: "Imported history and sample data were not counted by Sila, and are not in here.",

  chart: "Views and clicks",
  chart_label: "Chart of views and clicks; the arrow keys move along it",
  chart_script: "The chart needs JavaScript. All its numbers are in the table.",
  as_table: "The numbers as a table",
  edited: "Edits",
  edits: (n: number) => `Edits of the page: ${formatNumber("en", n)}`,
  hour: "Hour",
  day: "Day",
  month: "Month",

  links: "Links",
  link: "Link",
  unnamed_link: "Link without a name",
  removed_link: "Removed link",
  removed_link_what: "no longer on the page",
  downloads: "Downloads",
  downloads_what: "Of all time. Resumed downloads count once.",
  file: "File",
  bytes_sent: "Sent",
  /** `n` is a formatted number; the script puts others in its place. */
  bytes: (n: string) => `${n} bytes`,
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
  more: (n: number) => `Show ${formatNumber("en", n)} more`,
  nothing_known: "No data for these days yet.",
  by_page_days: (hour: string) =>
    `Visitors, referrers, countries, devices, languages and campaigns are counted by the days of the page’s time zone. Such a day begins at ${hour} here, and each visitor counts once in it.`,

  empty: "No visits in these days",
  empty_today: "No visits yet today",
  empty_why:
    "Put your page’s address where people see you, or print its code. With the first visit, the numbers begin to move.",
  share: "Share your page",
  qr_of: (address: string) => `QR code of ${address}`,
  qr_download: "Download the QR code",
  csv: "Download the numbers (CSV)",
  behind: (since: string, views: number, clicks: number) =>
    `The reports have been running late since ${since}: ${counted("en", "view", views)} and ${counted("en", "click", clicks)} are counted and safe, but not in all numbers below yet. They follow by themselves.`,
  used_up: (since: string, until: string) =>
    `The service has reached its limit for the day: views and clicks are not counted from ${since} until ${until}. Links work.`,
  as_of: (time: string) => `As of ${time}`,
  time_zone: "Time zone",
  imported: (views: number, clicks: number) =>
    `${counted("en", "view", views)} and ${counted("en", "click", clicks)} of these were not counted by Sila: they are imported history or sample data.`,
};

type DashboardTexts = typeof ENGLISH;

const arabic = (reader: ReaderLocale): DashboardTexts => ({
  other_page: "صفحاتك الأخرى",
  open_page: "فتح الصفحة",

  suspended: "هذه الصفحة موقوفة ولا يراها أحد، وأرقامها حتى الآن محفوظة.",
  takedown_reason: "السبب:",
  draft: "هذه الصفحة مسودة لا يراها أحد سواك.",
  publish: "فتحها في المحرّر لنشرها",

  range: "الفترة",
  ranges: {
    today: "اليوم",
    yesterday: "أمس",
    "7d": `${formatNumber(reader, 7)} أيام`,
    "30d": `${formatNumber(reader, 30)} يومًا`,
    "90d": `${formatNumber(reader, 90)} يومًا`,
    all: "منذ البداية",
    custom: "فترة أخرى",
  },
  from: "من",
  to: "إلى",
  show: "عرض",
  notices: {
    no_such_days: `أحد اليومين غير موجود في التقويم. هذه أرقام آخر ${formatNumber(reader, 30)} يومًا.`,
    too_many_days: "الفترة أطول من الحد، فعرضنا أحدث أيامها.",
  },
  interval: "العرض",
  intervals: { hour: "بالساعات", day: "بالأيام", month: "بالأشهر" },
  compared: (dates) => `مقارنةً بالفترة: ${dates}`,
  compared_so_far: (dates) => `مقارنةً بالفترة: ${dates}، حتى الساعة نفسها`,

  summary: "الملخّص",
  views: "المشاهدات",
  clicks: "النقرات",
  visitors: "الزوّار",
  rate: "نسبة النقر",

  excluded: "لم يُحسب في الأرقام أعلاه",
  bots: "روبوتات",
  bots_what: "محركات بحث ومعاينات روابط وما شابهها",
  owner: "زياراتك أنت",
  owner_what: "من متصفح سجّلت الدخول منه",
  limited: "تجاوزت الحد",
  limited_what: "نقرات أسرع من قدرة البشر",

  accepted: "المسجَّل",
  flushed: "في التقارير",
  pending: "في الطريق",
  drift: "الفرق",
  audit: "كيف تتطابق الأرقام",
  audit_what:
    "كل ما سُجّل منذ إنشاء الصفحة، ومنه الروبوتات وزياراتك أنت، إما في التقارير وإما في الطريق إليها. ويجب أن يكون الفرق صفرًا.",
  audit_imported: "أما البيانات المستوردة والتجريبية فلم تحسبها صلة، وليست هنا.",

  chart: "المشاهدات والنقرات",
  chart_label: "مخطط المشاهدات والنقرات، وتتنقل فيه بأسهم لوحة المفاتيح",
  chart_script: "يحتاج المخطط إلى JavaScript، وأرقامه كلها في الجدول.",
  as_table: "الأرقام في جدول",
  edited: "تعديلات الصفحة",
  edits: (n) => `تعديلات الصفحة: ${formatNumber(reader, n)}`,
  hour: "الساعة",
  day: "اليوم",
  month: "الشهر",

  links: "الروابط",
  link: "الرابط",
  unnamed_link: "رابط بلا اسم",
  removed_link: "رابط محذوف",
  removed_link_what: "لم يعد في الصفحة",
  downloads: "التنزيلات",
  downloads_what: "منذ إنشاء الصفحة. استئناف التنزيل لا يُحسب مرة ثانية.",
  file: "الملف",
  bytes_sent: "حجم ما أُرسل",
  bytes: (n) => `${n} بايت`,
  no_links: "لا روابط في هذه الصفحة بعد.",

  referrer: "من أين جاؤوا",
  country: "البلدان",
  device: "الأجهزة",
  language: "اللغة",
  campaigns: "الحملات",
  utm_source: "المصدر",
  utm_medium: "الوسيلة",
  utm_campaign: "الحملة",
  direct: "زيارة مباشرة أو مصدر غير معروف",
  unknown: "غير معروف",
  others: "غير ذلك",
  tor: "شبكة تور",
  devices: { mobile: "هاتف", tablet: "جهاز لوحي", desktop: "حاسوب", tv: "تلفاز" },
  more: (n) => `عرض البقية (${formatNumber(reader, n)})`,
  nothing_known: "لا بيانات عن هذه الأيام بعد.",
  by_page_days: (hour) =>
    `يُحسب الزوّار ومصادرهم وبلدانهم وأجهزتهم ولغاتهم والحملات بأيام المنطقة الزمنية للصفحة. ويبدأ اليوم منها هنا في الساعة ${hour}، ولا يُحسب الزائر فيه إلا مرة.`,

  empty: "لا زيارات في هذه الأيام",
  empty_today: "لا زيارات اليوم بعد",
  empty_why: "ضع رابط صفحتك حيث يراك الناس، أو اطبع رمزها. ومع أول زيارة تبدأ الأرقام بالتحرّك.",
  share: "مشاركة صفحتك",
  qr_of: (address) => `رمز QR للرابط ${address}`,
  qr_download: "تنزيل رمز QR",
  csv: "تنزيل الأرقام (CSV)",
  behind: (since, views, clicks) =>
    `التقارير متأخّرة منذ ${since}. ما وصل بعد ذلك محسوب ومحفوظ، ولم يدخل بعد في كل الأرقام أدناه: ${counted(reader, "view", views)}، ${counted(reader, "click", clicks)}. وسيظهر من تلقاء نفسه.`,
  used_up: (since, until) =>
    `بلغت الخدمة حدّها اليومي: لا تُحسب المشاهدات والنقرات من الساعة ${since} حتى الساعة ${until}. والروابط تعمل.`,
  as_of: (time) => `الأرقام حتى الساعة ${time}`,
  time_zone: "المنطقة الزمنية",
  imported: (views, clicks) =>
    `من هذه الأرقام ما لم تحسبه صلة، وهو بيانات مستوردة أو تجريبية: ${counted(reader, "view", views)}، ${counted(reader, "click", clicks)}.`,
});

export const DASHBOARD_TEXTS = byReader(arabic, ENGLISH);
