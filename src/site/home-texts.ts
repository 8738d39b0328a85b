import type { Locale } from "../views/locale.ts";

interface HomeTexts {
  headline: string;
  what: string;
  sign_in: string;
  /** A creator with a session reads it in the place of `sign_in`. */
  dashboard: string;
  address: string;
  placeholder: string;
  make: string;
  hint: string;
  example: string;
  try_look: string;
  example_in: (look: string) => string;
  promise_title: string;
  promise: string;
  /** What "exact" means to somebody who is paid by these numbers. */
  means: readonly (readonly [title: string, text: string])[];
  check: string;
  board: BoardTexts;
  privacy_title: string;
  privacy: string;
  untracked: string;
  more_title: string;
  more: readonly (readonly [icon: BenefitIcon, title: string, text: string])[];
  last_title: string;
  last: string;
  docs: string;
  licenses: string;
}

export type BenefitIcon = "message" | "outward" | "contact" | "check" | "rise" | "save";

/** Numbers of the figure add up, as on the dashboard. */
interface BoardTexts {
  caption: string;
  period: string;
  views: string;
  clicks: string;
  rate: string;
  links: readonly [string, string, string];
}

export const HOME_TEXTS: Readonly<Record<Locale, HomeTexts>> = {
  ar: {
    headline: "كل روابطك في صفحة واحدة، وكل نقرة محسوبة",
    what: "اجمع حساباتك ومتجرك وطرق التواصل معك تحت رابط واحد تضعه في نبذتك. صُمّمت «صلة» للعربية أولًا، وتُفتح في لحظة على كل هاتف.",
    sign_in: "الدخول",
    dashboard: "لوحتك",
    address: "رابط صفحتك",
    placeholder: "اسمك",
    make: "إنشاء صفحتك",
    hint: "تجهز في دقيقة، ولك أن تغيّر كل شيء لاحقًا.",
    example: "مثال حيّ",
    try_look: "تجربة مظهر آخر",
    example_in: (look) => `صفحة خزّافة، بمظهر «${look}»`,
    promise_title: "أرقام تُبنى عليها الصفقات",
    promise:
      "كل زيارة وكل نقرة تصلنا تُحسب مرة واحدة، لا أكثر ولا أقل. فإن حاسبت معلنًا أو شريكًا بالنقرة، فالرقم هو الرقم.",
    means: [
      [
        "لا تُحسب مرتين",
        "ضغطةٌ يعيد هاتفٌ ضعيف الاتصال إرسالها تبقى نقرة واحدة. ولا تُحسب إعادتها إلا في متصفح عُطّلت فيه JavaScript.",
      ],
      ["بلا عيّنات ولا تقدير", "نعدّ واحدةً واحدة، لصفحة يزورها عشرة أو مليون."],
      ["لا تضيع", "لا نؤكّد استلام نقرة إلا بعد حفظها، ولو تعطّل خادم في اللحظة نفسها."],
      ["من الناس وحدهم", "الروبوتات وزياراتك أنت تُعدّ على حدة، فلا تضخّم أرقامك."],
    ],
    check: "وفي لوحتك كشفٌ يطابق ما وصل بما تراه، ويجب أن يكون الفرق صفرًا.",
    board: {
      caption: "مثال لما تراه في لوحتك",
      period: "آخر سبعة أيام",
      views: "مشاهدة",
      clicks: "نقرة",
      rate: "نسبة النقر",
      links: ["المجموعة الجديدة وصلت", "احجز مقعدًا في ورشة السبت", "شاهد: من الطين إلى الفنجان"],
    },
    privacy_title: "وخصوصية زوّارك محفوظة",
    privacy:
      "لا نضع ملفات ارتباط (كوكيز) لدى زوّارك، ولا نخزّن عناوين IP، ولا تُحمّل صفحتك شيئًا من أي شركة أخرى.",
    untracked: "ومن فعّل «عدم التتبّع» نحسب زيارته فقط.",
    more_title: "كل ما تنتظره من صفحتك",
    more: [
      [
        "message",
        "عربية من الأصل",
        "خطوط عربية جميلة، ومن اليمين إلى اليسار في كل تفصيل، ونسخة إنجليزية بالروابط نفسها.",
      ],
      ["rise", "خفيفة", "أخفّ من صورة واحدة، فتظهر قبل أن يملّ زائرك ولو ضعف اتصاله."],
      [
        "contact",
        "بطاقة تُحفظ في الهاتف",
        "بلمسة واحدة يحفظ زائرك اسمك ورقمك وبريدك في جهات اتصاله.",
      ],
      ["check", "روابط في موعدها", "يظهر رابط العرض يوم يبدأ، ويختفي يوم ينتهي، وأنت منشغل بعملك."],
      ["outward", "غيّر باطمئنان", "بدّل رابط صفحتك أو روابطها أو ترتيبها، وتبقى أرقامك كما هي."],
      ["save", "لك، لا لنا", "انقل روابطك من Linktree في دقيقة، وصدّر كل شيء متى شئت."],
    ],
    last_title: "صفحتك على بُعد دقيقة",
    last: "رابط صفحتك، ثم روابطها، ثم مظهرها.",
    docs: "للمطوّرين: الواجهة البرمجية",
    licenses: "التراخيص",
  },
  en: {
    headline: "All your links on one page, and every click counted",
    what: "Gather your profiles, your shop and the ways to reach you under one address for your bio. Sila is made for Arabic first, and opens in an instant on every phone.",
    sign_in: "Sign in",
    dashboard: "Your dashboard",
    address: "Choose your page’s address",
    placeholder: "your-name",
    make: "Make your page",
    hint: "Ready in a minute, and you can change everything later.",
    example: "A live example",
    try_look: "Try another look",
    example_in: (look) => `A potter’s page in the look “${look}”`,
    promise_title: "Numbers you can invoice by",
    promise:
      "Every visit and every click that reaches us is counted once, no more and no less. When you bill a sponsor or a partner by the click, the number is the number.",
    means: [
      [
        "Never twice",
        "A tap that a phone with a weak signal sends again stays one click. Only in a browser without JavaScript can the repeat count too.",
      ],
      ["Never sampled", "We count one by one, for ten visitors or for a million."],
      ["Never lost", "What we confirm is in storage first, even if a server fails that instant."],
      [
        "People only",
        "Bots and your own visits are counted apart, so nothing inflates your numbers.",
      ],
    ],
    check:
      "Your dashboard shows the check itself: what arrived, what you see, and a difference that must be zero.",
    board: {
      caption: "An example of what your dashboard shows",
      period: "Last seven days",
      views: "views",
      clicks: "clicks",
      rate: "click rate",
      links: ["The new collection is here", "Book a seat on Saturday", "Watch: from clay to cup"],
    },
    privacy_title: "And your visitors stay private",
    privacy:
      "We set no cookies in your visitors’ browsers and store no IP addresses, and your page loads nothing from any other company.",
    untracked:
      "A visitor whose browser asks not to be tracked is counted, and nothing else about the visit is kept.",
    more_title: "Everything you expect from a link page",
    more: [
      [
        "message",
        "Arabic from the start",
        "Beautiful Arabic type, right to left in every detail, and an English version with the same links.",
      ],
      [
        "rise",
        "Light",
        "Lighter than a single photo, so it is there before a visitor loses patience, on a weak signal too.",
      ],
      [
        "contact",
        "Saved to the phone",
        "With one tap, visitors keep your name, number and e-mail among their contacts.",
      ],
      [
        "check",
        "Links on time",
        "The link to an offer shows on the day it starts and goes on the day it ends, while you work.",
      ],
      [
        "outward",
        "Change without fear",
        "Change the address, the links or their order: your numbers stay as they are.",
      ],
      [
        "save",
        "Yours, not ours",
        "Bring your links from Linktree in a minute, and take everything with you whenever you like.",
      ],
    ],
    last_title: "Your page is a minute away",
    last: "An address, then links, then a look.",
    docs: "For developers: the API",
    licenses: "Licences",
  },
};
