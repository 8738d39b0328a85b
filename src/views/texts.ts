/** The texts of the public pages, in both languages. */
import type { Locale } from "./locale.ts";

interface Texts {
  direction: "rtl" | "ltr";
  /** The locale for Open Graph: language and territory. */
  og_locale: string;
  product: string;
  links: string;
  /** The row of icons. */
  socials: string;
  /** Instead of the links of a page that has none. */
  no_links: string;
  /** The name of this language, for the link to it and for the list of such links. */
  own_name: string;
  languages: string;
  photo_of: (name: string) => string;
  /** The description in search results and link previews of a page without a bio. */
  all_links_of: (name: string) => string;
  made_with: string;
  back_home: string;
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
    all_links_of: (name) => `كل روابط ${name} في صفحة واحدة.`,
    made_with: "صفحة على صلة",
    back_home: "إلى الصفحة الرئيسية",
    sign_in: "سجّل الدخول",
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
    all_links_of: (name) => `All of ${name}’s links on one page.`,
    made_with: "A page on Sila",
    back_home: "Go to the home page",
    sign_in: "Sign in",
    request_id: "Request ID",
  },
};

/** The landing page shows both languages at once. */
export const HOME_TEXTS = {
  ar: {
    headline: "كل روابطك في صفحة واحدة",
    what: "صلة صفحة خفيفة تجمع روابطك وطرق التواصل معك تحت عنوان واحد تضعه في نبذة حسابك. صُمّمت للعربية أولًا، وتفتح بسرعة على كل هاتف.",
    promise_title: "عدٌّ بلا تقريب",
    promise:
      "كل زيارة وكل نقرة تصلنا تُحسب مرة واحدة، لا أكثر ولا أقل. لا عيّنات ولا تقديرات، ولا يضيع شيء إن تعطّل خادم أو أُعيد تشغيله.",
    privacy_title: "وخصوصية زوّارك محفوظة",
    privacy: "لا ملفات تعريف ارتباط للزوّار، ولا عناوين IP مخزّنة.",
    dashboard: "افتح لوحة أرقامك",
    docs: "للمطوّرين: الواجهة البرمجية",
    licenses: "التراخيص",
  },
  en: {
    headline: "All your links on one page",
    what: "Sila is a light page that gathers your links and the ways to reach you under one address for your bio. It is made for Arabic first, and opens quickly on every phone.",
    promise_title: "Counted, not estimated",
    promise:
      "Every visit and every click that reaches us is counted once: never twice, never sampled, and not lost when a server fails or restarts.",
    privacy_title: "And your visitors stay private",
    privacy: "No cookies for visitors, and no IP addresses stored.",
    dashboard: "Open your dashboard",
    docs: "For developers: the API",
    licenses: "Licences",
  },
} as const;
