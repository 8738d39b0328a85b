/** Why a page elsewhere could not be read. */
import type { Bilingual } from "../../views/bilingual.ts";

export const PAGE_FAULTS = {
  own_page: {
    ar: "هذه الصفحة هنا أصلًا.",
    en: "This page is already here.",
  },
  not_found: {
    ar: "لا توجد صفحة في هذا العنوان.",
    en: "There is no page at this address.",
  },
  blocked: {
    ar: "يمنع الموقع قراءة صفحاته آليًا، أو يطلب الدخول أولًا. احفظ الصفحة من متصفحك وارفع الملف.",
    en: "The site does not let programs read its pages, or asks to sign in first. Save the page in your browser and upload the file.",
  },
  failed: {
    ar: "لم يُجب الموقع كما ينبغي. أعد المحاولة لاحقًا، أو احفظ الصفحة من متصفحك وارفع الملف.",
    en: "The site did not answer as it should. Try again later, or save the page in your browser and upload the file.",
  },
  late: {
    ar: "تأخّر الموقع في الرد. أعد المحاولة لاحقًا، أو احفظ الصفحة من متصفحك وارفع الملف.",
    en: "The site took too long to answer. Try again later, or save the page in your browser and upload the file.",
  },
  not_html: {
    ar: "ليس في هذا العنوان صفحة ويب.",
    en: "What is at this address is not a web page.",
  },
  too_large: {
    ar: "الصفحة أكبر من أن تُقرأ من هنا. احفظها من متصفحك وارفع الملف.",
    en: "The page is too large to be read from here. Save it in your browser and upload the file.",
  },
  no_links: {
    ar: "لم نجد في الصفحة روابط: قد تظهر بعد فتحها فقط. احفظها من متصفحك وارفع الملف.",
    en: "No links were found in the page: they may appear only once it is open. Save it in your browser and upload the file.",
  },
  unreadable: {
    ar: "تعذّرت قراءة الصفحة: ترميزها أو بنيتها غير معروفة. احفظها من متصفحك وارفع الملف.",
    en: "The page cannot be read: its encoding or its structure is not known here. Save it in your browser and upload the file.",
  },
} as const satisfies Record<string, Bilingual>;

export type PageFault = keyof typeof PAGE_FAULTS;

export class PageUnreadable extends Error {
  readonly fault: PageFault;

  constructor(fault: PageFault) {
    super(fault);
    this.name = "PageUnreadable";
    this.fault = fault;
  }
}
