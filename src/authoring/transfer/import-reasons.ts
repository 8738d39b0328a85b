import type * as z from "zod/mini";
import {
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
  LINKS_MAX,
} from "../../pages/document/limits.ts";
import type { Bilingual } from "../../views/bilingual.ts";
import { IMPORT_LINES_MAX } from "./limits.ts";
import type { Remark } from "./remarks.ts";

export const REASONS = {
  no_links: {
    ar: "لا يوجد في الملف رابط يمكن استيراده.",
    en: "The file has no link that can be imported.",
  },
  not_text: {
    ar: "الملف ليس نصًا بترميز UTF-8 أو UTF-16، ولا يذكر ترميزًا آخر نعرفه.",
    en: "The file is not text in UTF-8 or UTF-16, and names no other encoding that is known here.",
  },
  not_json: { ar: "الملف ليس JSON صحيحًا.", en: "The file is not valid JSON." },
  too_many_values: {
    ar: "في الملف قيم أكثر من المسموح به.",
    en: "The file has more values than allowed.",
  },
  unknown_json: {
    ar: "ليس تصديرًا من LinkStack ولا من صلة: لا توجد قائمة `links`.",
    en: "Neither an export of LinkStack nor of Sila: there is no list `links`.",
  },
  unreadable_page: {
    ar: "تعذّرت قراءة الصفحة: عناصر كثيرة داخل عناصر.",
    en: "The page cannot be read: too many elements are inside others.",
  },
  open_quote: {
    ar: "علامة اقتباس فُتحت في هذا السطر ولم تُغلق.",
    en: "A quote that opens in this line is never closed.",
  },
  broken_zip: { ar: "الملف المضغوط تالف.", en: "The zip is damaged." },
  zip_encrypted: {
    ar: "الملف المضغوط مشفّر.",
    en: "The zip is encrypted.",
  },
  zip_too_large: {
    ar: "في الملف المضغوط محتوى أكثر من المسموح به.",
    en: "The zip has more in it than allowed.",
  },
  not_export: {
    ar: "الملف المضغوط ليس تصديرًا من صلة: لا يوجد فيه `page.json`.",
    en: "The zip is not an export of Sila: it has no `page.json`.",
  },
  newer_export: {
    ar: "صُدّر الملف من إصدار أحدث لا نعرف قراءته.",
    en: "The file was exported by a newer version that this one cannot read.",
  },

  of_service: {
    ar: "رابط للخدمة التي عليها الصفحة، لا لصاحبها.",
    en: "A link of the service that has the page, not of its owner.",
  },
  no_address: {
    ar: "لا يوجد رابط في هذا السطر.",
    en: "There is no address in this line.",
  },
  bad_address: {
    ar: "الرابط غير مقبول: يلزم http أو https أو mailto أو tel أو sms بلا اسم مستخدم ولا كلمة سر.",
    en: "The address is not accepted: it must be http, https, mailto, tel or sms, without user and password.",
  },
  long_line: { ar: "السطر طويل جدًا.", en: "The line is too long." },
  too_many_lines: {
    ar: `لم يُقرأ ما بعد السطر ${IMPORT_LINES_MAX}.`,
    en: `What comes after line ${IMPORT_LINES_MAX} was not read.`,
  },
  no_text: { ar: "لا يوجد نص.", en: "There is no text." },
  long_label: {
    ar: `النص أطول من ${LINK_LABEL_CHARS_MAX} حرف (${LINK_TEXT_CHARS_MAX} لعناصر النص).`,
    en: `The text is longer than ${LINK_LABEL_CHARS_MAX} characters (${LINK_TEXT_CHARS_MAX} for a paragraph).`,
  },
  bad_times: {
    ar: "وقت النهاية ليس بعد وقت البداية.",
    en: "The end is not after the start.",
  },
  bad_time: {
    ar: "الوقت غير مفهوم: اكتبه بصيغة ISO 8601 مع المنطقة، أو بثواني يونكس.",
    en: "The time cannot be read: write it as ISO 8601 with a zone, or in unix seconds.",
  },
  bad_switch: {
    ar: "القيمة ليست نعم ولا لا.",
    en: "The value is neither yes nor no.",
  },
  unknown_kind: {
    ar: "نوع لا نعرفه.",
    en: "A kind that is not known here.",
  },
  no_counterpart: {
    ar: "لا مقابل لهذا النوع هنا.",
    en: "Pages have no such thing here.",
  },
  not_object: { ar: "ليس مدخلًا مفهومًا.", en: "Not an entry that can be read." },
  nested: { ar: "المدخل داخل مجموعات كثيرة.", en: "The entry is inside too many groups." },
  too_many: {
    ar: `للصفحة ${LINKS_MAX} رابط على الأكثر.`,
    en: `A page has at most ${LINKS_MAX} links.`,
  },
  large_page: {
    ar: "نصوص الصفحة أكبر من المسموح به، فتُرك هذا الرابط.",
    en: "The texts of the page are larger than allowed, so this link was left out.",
  },
  second_card: {
    ar: "للصفحة بطاقة تواصل واحدة.",
    en: "A page has one contact card.",
  },
  invalid: { ar: "قيمة غير صحيحة.", en: "A value is not valid." },

  shortened: { ar: "النص أطول من المسموح به فاختُصر.", en: "The text was too long and was cut." },
  picture_not_fetched: {
    ar: "لا نجلب صورًا من روابط؛ ارفع الصورة بعد الاستيراد.",
    en: "Pictures are not fetched from addresses; upload the picture after the import.",
  },
  look_replaced: {
    ar: "في مظهر الصفحة قيم لا نعرفها، فأخذت المظهر الافتراضي.",
    en: "The look has values that are not known here, so the page got the usual look.",
  },
  picture_missing: {
    ar: "الصورة ليست في الملف.",
    en: "The picture is not in the file.",
  },
  picture_refused: {
    ar: "الصورة غير مقبولة: يلزم JPEG أو PNG أو WebP، حتى 5 ميغابايت و4096 بكسل لكل جانب.",
    en: "The picture is not accepted: it must be JPEG, PNG or WebP, of at most 5 MB and 4,096 pixels a side.",
  },
  large_pictures: {
    ar: "صور الملف معًا أكبر من المسموح به، فتُركت هذه الصورة.",
    en: "The pictures of the file are larger together than allowed, so this one was left out.",
  },
  column_ignored: { ar: "تُرك هذا العمود.", en: "This column was ignored." },
  html_removed: { ar: "أُزيل تنسيق HTML.", en: "HTML was removed." },
  bad_count: {
    ar: "صف أعداد غير مفهوم، أو فيه عدد أكبر من المسموح به أو وقت لم يأتِ بعد.",
    en: "A row of counts that cannot be read, or with a larger number than allowed or a later time.",
  },
  bad_counts: {
    ar: "صفوف كثيرة من الأعداد غير مفهومة.",
    en: "Too many rows of counts cannot be read.",
  },
  counts_left_out: {
    ar: "ملف الأعداد أكبر من المسموح به، فلم تُستورد أعداده.",
    en: "The file of counts is larger than allowed, so its counts were not imported.",
  },
  folded: {
    ar: "الأعداد كثيرة الصفوف فجُمعت في مدد أطول؛ والمجاميع كما هي.",
    en: "There are too many rows of counts, so they were added up by longer spans; the totals are the same.",
  },
} as const satisfies Record<string, Bilingual>;

export function reasonOf({ issues }: z.core.$ZodError): Bilingual {
  const paths = issues.map(({ path }) => path[0]);
  if (paths.includes("url")) return REASONS.bad_address;
  if (paths.includes("label")) return REASONS.long_label;
  if (paths.includes("until")) return REASONS.bad_times;
  return REASONS.invalid;
}

/** A file that cannot be imported at all. */
export class ImportRefused extends Error {
  readonly reason: Bilingual;
  /** The line, or the number of an entry; null where the file does not tell. */
  readonly line: number | null;
  readonly remarks: readonly Remark[];

  constructor(reason: Bilingual, line: number | null = null, remarks: readonly Remark[] = []) {
    super(reason.en);
    this.name = "ImportRefused";
    this.reason = reason;
    this.line = line;
    this.remarks = remarks;
  }
}
