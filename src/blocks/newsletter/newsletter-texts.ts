import type { Locale } from "../../views/locale.ts";

export type NewsletterState =
  /** The form was sent. The text is the same for known and unknown addresses. */
  | "asked"
  | "invalid"
  | "confirm"
  | "confirmed"
  /** The link to confirm is older than 24 hours, or its subscription has ended. */
  | "gone"
  | "unsubscribe"
  | "unsubscribed";

interface StateTexts {
  title: (name: string | null) => string;
  text: string;
}

interface NewsletterTexts extends Record<NewsletterState, StateTexts> {
  confirm_button: string;
  unsubscribe_button: string;
  files: string;
  file: string;
  back: (name: string | null) => string;
}

const english = (name: string | null) =>
  name === null ? "the newsletter" : `the newsletter of ${name}`;
const arabic = (name: string | null) => (name === null ? "النشرة" : `نشرة ${name}`);

export const NEWSLETTER_TEXTS: Readonly<Record<Locale, NewsletterTexts>> = {
  ar: {
    asked: {
      title: () => "تفقّد بريدك",
      text: "تصلك رسالة فيها رابط: اضغطه خلال ٢٤ ساعة لتأكيد اشتراكك. إن لم تجدها بعد دقائق، فتفقّد البريد غير المرغوب فيه. ولا نرسل إلى البريد الواحد أكثر من رسالة في الساعة.",
    },
    invalid: {
      title: () => "هذا ليس بريدًا إلكترونيًا",
      text: "ارجع إلى الصفحة واكتب بريدك كاملًا، مثل name@example.com.",
    },
    confirm: {
      title: (name) => `هل تؤكد اشتراكك في ${arabic(name)}؟`,
      text: "إن لم تطلب هذا الاشتراك فأغلق هذه الصفحة، ويُحذف بريدك بعد ٢٤ ساعة من إرسال رسالتنا.",
    },
    confirmed: {
      title: (name) => `أنت الآن مشترك في ${arabic(name)}`,
      text: "يمكنك إلغاء الاشتراك متى شئت: من هنا، أو من الرابط في رسالتنا.",
    },
    gone: {
      title: () => "لم يعد هذا الرابط صالحًا",
      text: "رابط التأكيد صالح ٢٤ ساعة من إرسال رسالته. إن أردت الاشتراك فاكتب بريدك في الصفحة من جديد.",
    },
    unsubscribe: {
      title: (name) => `هل تلغي اشتراكك في ${arabic(name)}؟`,
      text: "نحذف بريدك فورًا.",
    },
    unsubscribed: {
      title: (name) => `لست مشتركًا في ${arabic(name)}`,
      text: "حُذف بريدك من القائمة، ولن نرسل إليه رسائل أخرى.",
    },
    confirm_button: "تأكيد الاشتراك",
    unsubscribe_button: "إلغاء الاشتراك",
    files: "ملفات للمشتركين",
    file: "تنزيل الملف",
    back: (name) => (name === null ? "إلى الصفحة الرئيسية" : `إلى صفحة ${name}`),
  },
  en: {
    asked: {
      title: () => "One step is left",
      text: "Check your inbox and confirm within 24 hours. If you do not find our mail after some minutes, look among the junk mail. An address gets one such mail an hour at most.",
    },
    invalid: {
      title: () => "This is no email address",
      text: "Go back to the page and write your whole address, like name@example.com.",
    },
    confirm: {
      title: (name) => `Subscribe to ${english(name)}?`,
      text: "If you did not ask for this, close this page. Your address is deleted 24 hours after our mail.",
    },
    confirmed: {
      title: (name) => `You are subscribed to ${english(name)}`,
      text: "You can unsubscribe at any time: here, or by the link in our mail.",
    },
    gone: {
      title: () => "This link is no longer valid",
      text: "A link to confirm works for 24 hours from when its mail was sent. To subscribe, write your address on the page again.",
    },
    unsubscribe: {
      title: (name) => `Unsubscribe from ${english(name)}?`,
      text: "We delete your address at once.",
    },
    unsubscribed: {
      title: (name) => `You are not subscribed to ${english(name)}`,
      text: "Your address is deleted from the list, and we send no more mails to it.",
    },
    confirm_button: "Confirm the subscription",
    unsubscribe_button: "Unsubscribe",
    files: "Files for subscribers",
    file: "Download the file",
    back: (name) => (name === null ? "Go to the home page" : `Go to ${name}’s page`),
  },
};
