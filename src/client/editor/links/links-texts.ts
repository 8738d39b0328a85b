/** The texts of the links panel. */
import { reader } from "../locale.ts";

const rules = new Intl.PluralRules(LOCALE === "ar" ? "ar" : "en");
const numbers = new Intl.NumberFormat(reader);

/** The number as the reader writes it. */
export function number(n: number): string {
  return numbers.format(n);
}

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** `#` is the number. */
function plural(n: number, forms: Forms): string {
  return (forms[rules.select(n)] ?? forms.other).replace("#", number(n));
}

const place = (at: number, of: number) =>
  LOCALE === "ar"
    ? `المكان ${number(at)} من ${number(of)}`
    : `place ${number(at)} of ${number(of)}`;

export const LINKS_TEXTS =
  LOCALE === "ar"
    ? {
        add: "أضف روابط",
        add_hint: "الصق رابطًا، أو اكتب اسم حساب أو رقم هاتف. ويمكنك لصق عدة أسطر معًا.",
        add_button: "أضف",
        add_all: (n: number) =>
          plural(n, {
            one: "أضف رابطًا واحدًا",
            two: "أضف رابطين",
            few: "أضف # روابط",
            many: "أضف # رابطًا",
            other: "أضف # رابط",
          }),
        unclear: (n: number) =>
          plural(n, {
            one: "يبقى سطر لم تختر نوعه.",
            two: "يبقى سطران لم تختر نوعهما.",
            few: "تبقى # أسطر لم تختر نوعها.",
            many: "يبقى # سطرًا لم تختر نوعها.",
            other: "يبقى # سطر لم تختر نوعها.",
          }),
        add_heading: "عنوان قسم",
        add_text: "نص",
        found: (n: number) =>
          plural(n, {
            zero: "لم نجد شيئًا",
            one: "وجدنا شيئًا واحدًا",
            two: "وجدنا شيئين",
            few: "وجدنا # أشياء",
            many: "وجدنا # شيئًا",
            other: "وجدنا # شيء",
          }),
        choose: "اختر نوع ما كتبته، ثم يُضاف.",
        what_is: (text: string) => `ما «${text}»؟`,
        add_as: "كيف تريد إضافته؟",
        which_service: "في أي خدمة هذا الحساب؟",
        as_icon: "أيقونة",
        as_link: "رابط",
        as_heading: "عنوان قسم",
        as_text: "نص",
        call: "اتصال",
        whatsapp: "واتساب",
        no_country: "للواتساب اكتب الرقم مع رمز الدولة، مثل \u2066+20\u2069.",
        refused:
          "لا يمكن أن تقود الصفحة إلى هذا العنوان. استعمل عنوانًا يبدأ بـ https وبلا كلمة مرور، أو بريدًا أو رقم هاتف.",
        heading_letter: "ع",
        added: (n: number) =>
          `${plural(n, {
            one: "أُضيف عنصر",
            two: "أُضيف عنصران",
            few: "أُضيفت # عناصر",
            many: "أُضيف # عنصرًا",
            other: "أُضيف # عنصر",
          })} إلى صفحتك.`,
        full: (max: number) =>
          `بلغت صفحتك الحد الأقصى: ${plural(max, { few: "# روابط", many: "# رابطًا", other: "# رابط" })}. احذف ما لم تعد تحتاجه لتضيف غيره.`,
        not_all: (left: number, max: number) =>
          `بقي مكان لـ${number(left)} فقط من أصل ${number(max)}، فلم يُضف الباقي.`,
        first: "أين يجدك الناس؟",
        first_hint: "الصق أعلاه أول رابط: حسابك في إنستغرام، متجرك، رقم الواتساب… أو اختر:",
        website: "موقع أو متجر",
        socials: "صف الأيقونات",
        socials_hint: "تظهر أيقونات صغيرة في صف واحد.",
        list: "قائمة الروابط",
        counts_stay: "النقرات تبقى: عدد نقرات كل رابط يبقى معه مهما عدّلت اسمه أو عنوانه أو مكانه.",
        arrange: (name: string) => `رتّب «${name}»`,
        arrange_help:
          "اضغط مفتاح المسافة لرفع الرابط، ثم حرّكه بالسهمين، وأنزله بالمسافة، أو ألغِ بمفتاح Escape.",
        lifted: (name: string, at: number, of: number) =>
          `رُفع «${name}» من ${place(at, of)}. حرّكه بالسهمين، وأنزله بالمسافة، أو ألغِ بمفتاح Escape.`,
        moved: (name: string, at: number, of: number) => `انتقل «${name}» إلى ${place(at, of)}`,
        stays: (name: string, at: number, of: number) => `«${name}» باقٍ في ${place(at, of)}`,
        dropped: (name: string, at: number, of: number) => `استقر «${name}» في ${place(at, of)}`,
        cancelled: (name: string, at: number, of: number) => `عاد «${name}» إلى ${place(at, of)}`,
        order: "المكان",
        up: "إلى أعلى",
        down: "إلى أسفل",
        to_top: "إلى الأول",
        to_end: "إلى الأخير",
        edit: (name: string) => `عدّل «${name}»`,
        shown: (name: string) => `أظهر «${name}» في الصفحة`,
        off: "مخفي",
        no_address: "بلا عنوان بعد",
        no_words: "بلا نص بعد",
        no_file: "بلا ملف بعد",
        bad_address: "العنوان غير صالح",
        bad_times: "الموعد غير صالح",
        missing: { ar: "ينقصه النص العربي", en: "ينقصه النص الإنجليزي" },
        kinds: {
          link: "رابط",
          card: "بطاقة بصورة",
          social: "أيقونة",
          heading: "عنوان",
          text: "نص",
          tip: "إكرامية",
          download: "ملف للتنزيل",
          newsletter: "نشرة بريدية",
        },
        kind: "الشكل",
        label: "الاسم الظاهر",
        labels: { ar: "الاسم بالعربية", en: "الاسم بالإنجليزية" },
        words: "النص",
        words_in: { ar: "النص بالعربية", en: "النص بالإنجليزية" },
        label_hint: "إن تركته فارغًا ظهر اسم الموقع.",
        block_label: "العنوان الظاهر",
        block_labels: { ar: "العنوان الظاهر بالعربية", en: "العنوان الظاهر بالإنجليزية" },
        block_label_hint: "إن تركته فارغًا ظهر عنوان معتاد.",
        falls_back: (text: string) => `ناقص. سيظهر مكانه: ${text}`,
        address: "العنوان",
        address_hint: "رابط أو بريد أو رقم هاتف.",
        emptied: "اكتب عنوانًا.",
        not_an_address: "ليس هذا عنوانًا يمكن فتحه.",
        saved_stays: (address: string) => `زوّارك ما زالوا يصلون إلى العنوان المحفوظ: ${address}`,
        not_shown_yet: "لن يظهر في صفحتك قبل أن يصحّ.",
        highlight: "أبرزه",
        highlight_hint: "يظهر بلون صفحتك، فتقع عليه العين أولًا.",
        picture: "الصورة",
        add_picture: "أضف صورة",
        change_picture: "غيّر الصورة",
        schedule: "موعد الظهور",
        from: "يظهر من",
        until: "يختفي في",
        clear: "امسح",
        clock: (zone: string) => `التوقيت: ${zone}`,
        clock_choice: "بأي توقيت تكتب؟",
        page_clock: "توقيت الصفحة",
        device_clock: "توقيت جهازك",
        skipped: (time: string) => `تُقدَّم الساعة في ذلك الوقت فلا وجود له، واعتمدنا ${time}.`,
        twice: "تتكرر هذه الساعة في ذلك اليوم. المقصود الثانية",
        not_a_time: "هذا التاريخ بعيد جدًا. راجع السنة.",
        ends_before: "يختفي قبل أن يظهر. اختر وقتًا بعد بدايته.",
        appears: (when: string) => `يظهر ${when}`,
        ends: (when: string) => `يختفي ${when}`,
        ended: (when: string) => `انتهى ${when}`,
        on: (date: string) => `في ${date}`,
        now: "الآن",
        always: "يظهر دائمًا ما دام مفعّلًا.",
        remove: "احذف",
        removed: (name: string) => `حُذف «${name}».`,
        untitled: "بلا اسم",
      }
    : {
        add: "Add links",
        add_hint:
          "Paste a link, or type a username or a phone number. You can paste several lines at once.",
        add_button: "Add",
        add_all: (n: number) => plural(n, { one: "Add 1 link", other: "Add # links" }),
        unclear: (n: number) =>
          plural(n, {
            one: "One line stays until you choose what it is.",
            other: "# lines stay until you choose what they are.",
          }),
        add_heading: "Heading",
        add_text: "Text",
        found: (n: number) => plural(n, { one: "Found one thing", other: "Found # things" }),
        choose: "Choose what it is to add it.",
        what_is: (text: string) => `What is “${text}”?`,
        add_as: "How do you want to add it?",
        which_service: "Which service is this account on?",
        as_icon: "Icon",
        as_link: "Link",
        as_heading: "Heading",
        as_text: "Text",
        call: "Call",
        whatsapp: "WhatsApp",
        no_country: "For WhatsApp, write the number with its country code, such as +44.",
        refused:
          "A page may not lead to this address. Use one that begins with https and has no password, an e-mail address or a phone number.",
        heading_letter: "A",
        added: (n: number) =>
          plural(n, { one: "Added to your page.", other: "Added # items to your page." }),
        full: (max: number) =>
          `Your page has as many links as it can have: ${number(max)}. Remove what you no longer need to add others.`,
        not_all: (left: number, max: number) =>
          `There was room for ${number(left)} only, of ${number(max)}; the rest was not added.`,
        first: "Where do people find you?",
        first_hint:
          "Paste your first link above: your Instagram, your shop, your WhatsApp… or choose:",
        website: "Website or shop",
        socials: "Row of icons",
        socials_hint: "Small icons in one row.",
        list: "Links",
        counts_stay:
          "Counts stay: each link keeps its clicks, however you change its name, address or place.",
        arrange: (name: string) => `Move “${name}”`,
        arrange_help:
          "Press Space to pick the link up, move it with the arrow keys, drop it with Space, or cancel with Escape.",
        lifted: (name: string, at: number, of: number) =>
          `Picked up “${name}” from ${place(at, of)}. Move it with the arrow keys, drop it with Space, or cancel with Escape.`,
        moved: (name: string, at: number, of: number) => `“${name}” moved to ${place(at, of)}`,
        stays: (name: string, at: number, of: number) => `“${name}” stays at ${place(at, of)}`,
        dropped: (name: string, at: number, of: number) => `Dropped “${name}” at ${place(at, of)}`,
        cancelled: (name: string, at: number, of: number) =>
          `“${name}” is back at ${place(at, of)}`,
        order: "Place",
        up: "Up",
        down: "Down",
        to_top: "To the top",
        to_end: "To the end",
        edit: (name: string) => `Edit “${name}”`,
        shown: (name: string) => `Show “${name}” on the page`,
        off: "Hidden",
        no_address: "No address yet",
        no_words: "No words yet",
        no_file: "No file yet",
        bad_address: "Not a valid address",
        bad_times: "Not a valid schedule",
        missing: { ar: "Arabic text missing", en: "English text missing" },
        kinds: {
          link: "Link",
          card: "Card",
          social: "Icon",
          heading: "Heading",
          text: "Text",
          tip: "Tip jar",
          download: "Download",
          newsletter: "Newsletter",
        },
        kind: "Form",
        label: "Name",
        labels: { ar: "Name in Arabic", en: "Name in English" },
        words: "Words",
        words_in: { ar: "Words in Arabic", en: "Words in English" },
        label_hint: "Left empty, the site’s name is shown.",
        block_label: "Title",
        block_labels: { ar: "Title in Arabic", en: "Title in English" },
        block_label_hint: "Left empty, a usual title is shown.",
        falls_back: (text: string) => `Missing. Shown in its place: ${text}`,
        address: "Address",
        address_hint: "A link, an e-mail address or a phone number.",
        emptied: "Write an address.",
        not_an_address: "This is not an address that can be opened.",
        saved_stays: (address: string) => `Visitors still get the saved address: ${address}`,
        not_shown_yet: "It is not on your page before it is right.",
        highlight: "Highlight",
        highlight_hint: "Shown in the colour of your page, so that it is seen first.",
        picture: "Picture",
        add_picture: "Add a picture",
        change_picture: "Change the picture",
        schedule: "Schedule",
        from: "Shown from",
        until: "Hidden from",
        clear: "Clear",
        clock: (zone: string) => `Times are in ${zone}`,
        clock_choice: "Whose clock?",
        page_clock: "The page’s clock",
        device_clock: "This device’s clock",
        skipped: (time: string) =>
          `Clocks are set forward then, so this time does not exist; ${time} is taken.`,
        twice: "This hour comes twice on that day. The second one is meant",
        not_a_time: "This date is too far away. Check the year.",
        ends_before: "It ends before it begins. Choose a time after its beginning.",
        appears: (when: string) => `Appears ${when}`,
        ends: (when: string) => `Ends ${when}`,
        ended: (when: string) => `Ended ${when}`,
        on: (date: string) => `on ${date}`,
        now: "now",
        always: "Always shown while it is switched on.",
        remove: "Remove",
        removed: (name: string) => `Removed “${name}”.`,
        untitled: "Untitled",
      };
