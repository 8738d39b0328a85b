import type { Locale } from "../../views/locale.ts";

interface Texts {
  title: (name: string) => string;
  loading: string;
  /** Shown when the script is late: it may be lost, still loading, or too new for the browser. */
  not_open: string;
  again: string;
  too_old: string;
  no_script: string;
}

export const EDITOR_PAGE_TEXTS: Readonly<Record<Locale, Texts>> = {
  ar: {
    title: (name) => `تحرير ${name}`,
    loading: "جارٍ فتح المحرّر…",
    not_open: "لم يُفتح المحرّر بعد، وربما ضاع شيء منه في الطريق.",
    again: "إعادة المحاولة",
    too_old:
      "فإن لم يُفتح فقد يكون متصفحك قديمًا: يعمل المحرّر في Chrome 112 وFirefox 125 وSafari 16.4 وما بعدها.",
    no_script: "يحتاج المحرّر إلى JavaScript. فعّلها في متصفحك ثم حدّث الصفحة.",
  },
  en: {
    title: (name) => `Edit ${name}`,
    loading: "Opening the editor…",
    not_open: "The editor is not open yet. A part of it may have been lost on the way.",
    again: "Try again",
    too_old:
      "If it still does not open, this browser may be too old: the editor works in Chrome 112, Firefox 125, Safari 16.4 and newer.",
    no_script: "The editor needs JavaScript. Switch it on in your browser and reload the page.",
  },
};

interface StartTexts {
  title: string;
  lede: string;
  name: string;
  name_example: string;
  slug: string;
  slug_hint: string;
  suggestions: string;
  free: string;
  taken: string;
  checking: string;
  impossible: string;
  next: string;
  refused: string;
  no_answer: string;
  not_ready: string;
  again: string;
  no_script: string;
  /** Bringing a page from elsewhere. */
  bring: {
    title: string;
    hint: string;
    address: string;
    read: string;
    reading: string;
    found: string;
    picture: string;
    /** `{n}` is the number of links. */
    left_out: string;
    saved_file: string;
    no_answer: string;
  };
}

export const START_TEXTS: Readonly<Record<Locale, StartTexts>> = {
  ar: {
    title: "إنشاء صفحتك",
    lede: "اسم ورابط، ثم روابطك ومظهرها. دقيقة واحدة وتكون منشورة.",
    name: "ما اسمك أو اسم مشروعك؟",
    name_example: "نور العلي",
    slug: "رابط صفحتك",
    slug_hint: "نقترحه من اسمك، ولك أن تغيّره متى شئت.",
    suggestions: "روابط متاحة",
    free: "هذا الرابط متاح.",
    taken: "هذا الرابط محجوز. هذه متاحة:",
    checking: "نتحقق من الرابط…",
    impossible: "حروف وأرقام من لغة واحدة، ويجوز بينها - أو _ أو نقطة.",
    next: "التالي: الصورة",
    refused: "لم تُنشأ الصفحة.",
    no_answer: "لم يستجب الخادم. ما كتبته باقٍ هنا، فأعد المحاولة بعد قليل.",
    not_ready: "هذه الخطوة ليست جاهزة بعد، وربما ضاع شيء منها في الطريق.",
    again: "إعادة المحاولة",
    no_script: "تحتاج هذه الخطوة إلى JavaScript. فعّلها في متصفحك ثم حدّث الصفحة.",
    bring: {
      title: "إحضار صفحة من موقع آخر",
      hint: "صفحة على Linktree أو أي موقع: نقرأ روابطها وصورتها، وتبقى هي كما هي.",
      address: "رابط الصفحة",
      read: "قراءة الصفحة",
      reading: "نقرأ الصفحة…",
      found: "هذا ما وجدناه. ما تبقى علامته يأتي إلى صفحتك الجديدة.",
      picture: "الصورة",
      left_out: "روابط في الصفحة لا تصلح هنا: {n}",
      saved_file: "اختيار ملف الصفحة المحفوظ",
      no_answer: "لم يستجب الخادم. أعد المحاولة بعد قليل.",
    },
  },
  en: {
    title: "Let’s make your page",
    lede: "A name and an address, then your links and their look. A minute, and it is published.",
    name: "What is your name, or your project’s?",
    name_example: "Nour Al-Ali",
    slug: "The address of your page",
    slug_hint: "We suggest one from your name; you can change it at any time.",
    suggestions: "Free addresses",
    free: "This address is free.",
    taken: "This address is taken. These are free:",
    checking: "Checking the address…",
    impossible: "Use Arabic or Latin letters and numbers; - _ . are fine in between.",
    next: "Next: photo",
    refused: "The page was not made.",
    no_answer: "The server did not respond. What you typed stays here; try again in a moment.",
    not_ready: "This step is not ready yet. A part of it may have been lost on the way.",
    again: "Try again",
    no_script: "This step needs JavaScript. Switch it on in your browser and reload the page.",
    bring: {
      title: "Bring a page from elsewhere",
      hint: "A page on Linktree or any site: we read its links and its picture. It stays as it is.",
      address: "Address of the page",
      read: "Read the page",
      reading: "Reading the page…",
      found: "This is what we found. What stays ticked comes to your new page.",
      picture: "Picture",
      left_out: "Links of the page that cannot be used here: {n}",
      saved_file: "Choose the saved page’s file",
      no_answer: "The server did not answer. Try again in a moment.",
    },
  },
};
