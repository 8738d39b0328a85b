import type { Locale } from "../../../views/locale.ts";
import { formatNumber } from "../../../views/numbers.ts";
import { reader } from "../locale.ts";

const rules = new Intl.PluralRules(LOCALE === "ar" ? "ar" : "en");
const number = (n: number) => formatNumber(reader, n);

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

function plural(n: number, forms: Forms): string {
  return (forms[rules.select(n)] ?? forms.other).replace("#", number(n));
}

/** Tells the day too, because the next suggestion may be tomorrow's. The clock is the device's. */
function moment(at_ms: number): string {
  return new Intl.DateTimeFormat(reader, {
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at_ms);
}

export const AI_TEXTS =
  LOCALE === "ar"
    ? {
        asking: "نبحث عن اقتراحات…",
        found: (n: number) =>
          plural(n, {
            zero: "لا اقتراحات هذه المرة.",
            one: "وصل اقتراح واحد.",
            two: "وصل اقتراحان.",
            few: "وصلت # اقتراحات.",
            many: "وصل # اقتراحًا.",
            other: "وصل # اقتراح.",
          }),
        use: "استعمال",
        use_this: (text: string) => `استعمال: ${text}`,
        refuse: "لا شكرًا",
        refuse_this: (text: string) => `رفض: ${text}`,
        used: "أُضيف الاقتراح.",
        notice:
          "اقتراحات من ذكاء اصطناعي، لا يصله إلا ما تطلب له اقتراحًا: النص أو الرابط أو الصورة. راجعها قبل نشرها.",
        left: (n: number, of: number) =>
          n === 0
            ? `لم يبقَ لك طلب من أصل ${number(of)} كل ${number(24)} ساعة.`
            : `${plural(n, {
                one: "بقي لك طلب واحد",
                two: "بقي لك طلبان",
                few: "بقيت لك # طلبات",
                many: "بقي لك # طلبًا",
                other: "بقي لك # طلب",
              })} من أصل ${number(of)} كل ${number(24)} ساعة.`,
        used_up: (at_ms: number) =>
          `استعملت كل اقتراحات باقتك لهذه الساعات. يعود لك طلب يوم ${moment(at_ms)}.`,
        unavailable: "الاقتراحات غير متاحة الآن. أعد المحاولة بعد قليل.",
        no_answer: "لم يستجب الخادم. تحقّق من اتصالك ثم أعد المحاولة.",
        bio: "اقتراح نبذة",
        bio_in: { ar: "اقتراح نبذة بالعربية", en: "اقتراح نبذة بالإنجليزية" } as Readonly<
          Record<Locale, string>
        >,
        bio_about: "عمّ تتحدث صفحتك؟",
        bio_about_hint: "بضع كلمات تكفي: ما تفعله، ولمن، وأين.",
        bio_ask: "اقتراح",
        bio_close: "إغلاق الاقتراحات",
        label: "اقتراح اسم",
        label_in: { ar: "اقتراح اسم بالعربية", en: "اقتراح اسم بالإنجليزية" } as Readonly<
          Record<Locale, string>
        >,
        alt: "وصف الصورة",
        alt_in: {
          ar: "وصف الصورة بالعربية",
          en: "وصف الصورة بالإنجليزية",
        } as Readonly<Record<Locale, string>>,
        alt_hint: "لمن لا يرى الصورة: يقرؤه قارئ الشاشة.",
        describe: "اقتراح وصف",
        describe_in: {
          ar: "اقتراح وصف بالعربية",
          en: "اقتراح وصف بالإنجليزية",
        } as Readonly<Record<Locale, string>>,
        picture_of: (name: string) => `صورة «${name}»`,
        fill: "اقتراح النصوص الناقصة",
        use_all: (n: number) =>
          plural(n, {
            one: "استعمال الاقتراح",
            two: "استعمال الاقتراحين",
            few: "استعمال الاقتراحات كلها (#)",
            many: "استعمال الاقتراحات كلها (#)",
            other: "استعمال الاقتراحات كلها (#)",
          }),
        refuse_all: "إخفاء الاقتراحات",
        filled: (n: number) =>
          plural(n, {
            one: "أُضيف نص واحد.",
            two: "أُضيف نصّان.",
            few: "أُضيفت # نصوص.",
            many: "أُضيف # نصًا.",
            other: "أُضيف # نص.",
          }),
        suggestion: "اقتراح",
      }
    : {
        asking: "Looking for suggestions…",
        found: (n: number) =>
          n === 0
            ? "No suggestions this time."
            : plural(n, { one: "1 suggestion.", other: "# suggestions." }),
        use: "Use it",
        use_this: (text: string) => `Use it: ${text}`,
        refuse: "No, thanks",
        refuse_this: (text: string) => `Do not use: ${text}`,
        used: "The suggestion is added.",
        notice:
          "Suggested by AI, which gets only what you ask about: the text, the link or the picture. Read them before you publish.",
        left: (n: number, of: number) =>
          n === 0
            ? `No requests left of ${number(of)} in 24 hours.`
            : `${plural(n, { one: "1 request", other: "# requests" })} left of ${number(of)} in 24 hours.`,
        used_up: (at_ms: number) =>
          `You have used all suggestions of your plan for now. You have another one on ${moment(at_ms)}.`,
        unavailable: "Suggestions are not available now. Try again in a while.",
        no_answer: "The server did not respond. Check your connection and try again.",
        bio: "Suggest a bio",
        bio_in: { ar: "Suggest a bio in Arabic", en: "Suggest a bio in English" } as Readonly<
          Record<Locale, string>
        >,
        bio_about: "What is your page about?",
        bio_about_hint: "A few words are enough: what you do, for whom, and where.",
        bio_ask: "Suggest",
        bio_close: "Close suggestions",
        label: "Suggest a name",
        label_in: {
          ar: "Suggest a name in Arabic",
          en: "Suggest a name in English",
        } as Readonly<Record<Locale, string>>,
        alt: "Description of the picture",
        alt_in: {
          ar: "Description of the picture in Arabic",
          en: "Description of the picture in English",
        } as Readonly<Record<Locale, string>>,
        alt_hint: "For those who do not see the picture: a screen reader reads it out.",
        describe: "Suggest a description",
        describe_in: {
          ar: "Suggest a description in Arabic",
          en: "Suggest a description in English",
        } as Readonly<Record<Locale, string>>,
        picture_of: (name: string) => `Picture of “${name}”`,
        fill: "Suggest the missing texts",
        use_all: (n: number) =>
          plural(n, { one: "Use the suggestion", other: "Use all suggestions (#)" }),
        refuse_all: "Hide the suggestions",
        filled: (n: number) => plural(n, { one: "1 text is added.", other: "# texts are added." }),
        suggestion: "Suggestion",
      };
