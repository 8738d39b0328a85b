import type { Locale } from "./locale.ts";

interface Texts {
  direction: "rtl" | "ltr";
  /** Open Graph's locale: language and territory. */
  og_locale: string;
  product: string;
  links: string;
  socials: string;
  no_links: string;
  /** The name of this language, for the link to it and for the list of such links. */
  own_name: string;
  languages: string;
  photo_of: (name: string) => string;
  /** Describes the picture that stands for a page in link previews. */
  page_of: (name: string) => string;
  share: string;
  copied: string;
  more: string;
  less: string;
  /**
   * Stands beside a form whose answer did not come. It holds whatever became of the request, and
   * for forms alone of which a second press does nothing more.
   */
  unanswered: string;
  /** Describes a page without a bio in search results and link previews. */
  all_links_of: (name: string) => string;
  made_with: string;
  back_home: string;
  back_to_page: string;
  sign_in: string;
  request_id: string;
}

export const TEXTS: Readonly<Record<Locale, Texts>> = {
  ar: {
    direction: "rtl",
    og_locale: "ar_AR",
    product: "صلة",
    links: "الروابط",
    socials: "حسابات وطرق تواصل",
    no_links: "لا روابط هنا بعد. نراكم قريبًا.",
    own_name: "العربية",
    languages: "لغة الصفحة",
    photo_of: (name) => `صورة ${name}`,
    page_of: (name) => `صفحة ${name}`,
    share: "مشاركة الصفحة",
    copied: "نُسخ رابط الصفحة",
    more: "المزيد",
    less: "أقل",
    unanswered:
      "إن لم يظهر لك رد، فلا نعلم هل وصل طلبك. سجّل الدخول إلى الشبكة إن طلبته، ثم اضغط مرة أخرى: لا يُنفَّذ الطلب مرتين.",
    all_links_of: (name) => `كل روابط ${name} في صفحة واحدة.`,
    made_with: "صُنعت في صلة",
    back_home: "إلى الصفحة الرئيسية",
    back_to_page: "فتح الصفحة",
    sign_in: "تسجيل الدخول",
    request_id: "رقم الطلب",
  },
  en: {
    direction: "ltr",
    og_locale: "en_US",
    product: "Sila",
    links: "Links",
    socials: "Profiles and contacts",
    no_links: "No links here yet. See you soon.",
    own_name: "English",
    languages: "Language",
    photo_of: (name) => `Photo of ${name}`,
    page_of: (name) => `${name}’s page`,
    share: "Share this page",
    copied: "Address copied",
    more: "Show more",
    less: "Show less",
    unanswered:
      "If no answer has appeared, it is not known whether your request arrived. Sign in to the network if it asks for that, then press again: nothing is done twice.",
    all_links_of: (name) => `All of ${name}’s links on one page.`,
    made_with: "A page on Sila",
    back_home: "Go to the home page",
    back_to_page: "Open the page",
    sign_in: "Sign in",
    request_id: "Request ID",
  },
};
