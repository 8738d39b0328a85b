import type { Locale } from "../../views/locale.ts";

interface TipTexts {
  send_to: (points: string, name: string) => string;
  message: string;
  as: (name: string) => string;
  seen: (name: string) => string;
  send: string;
  sign_in_first: string;
  sign_in: string;
  own_page: string;
  correct: string;
  not_an_amount: (max: string) => string;
  points: string;
  optional_message: string;
  proceed: string;
  sent: string;
  sent_to: (points: string, name: string) => string;
  not_enough: string;
  not_enough_what: (points: string) => string;
  wallet: string;
  other_amount: string;
  over: string;
  over_why: string;
  anew: string;
  /** A tip to this page in the last minutes. */
  sent_before: (points: string) => string;
  asked_before: (points: string) => string;
  not_known: string;
  not_twice: string;
  again: string;
  back_to: (name: string) => string;
  /** Stands for a page without a name. */
  this_page: string;
}

export const TIP_TEXTS: Readonly<Record<Locale, TipTexts>> = {
  ar: {
    send_to: (points, name) => `إرسال ${points} إلى ${name}`,
    message: "رسالتك",
    as: (name) => `باسم ${name}`,
    seen: (name) => `يصل اسمك ورسالتك إلى ${name}. ولا يمكن استرداد ما أُرسل.`,
    send: "إرسال الآن",
    sign_in_first: "سجّل الدخول لترسلها. ما اخترته وكتبته يبقى كما هو.",
    sign_in: "تسجيل الدخول",
    own_page: "هذه صفحتك أنت. لا يمكنك أن ترسل إكرامية إلى نفسك.",
    correct: "كم نقطة ترسل؟",
    not_an_amount: (max) => `اكتب عددًا صحيحًا من النقاط، أقصاه ${max}.`,
    points: "عدد النقاط",
    optional_message: "رسالة (اختيارية)",
    proceed: "متابعة",
    sent: "وصلت إكراميتك. شكرًا لك!",
    sent_to: (points, name) => `أرسلت ${points} إلى ${name}.`,
    not_enough: "نقاطك لا تكفي",
    not_enough_what: (points) => `لم يُرسل شيء. تحتاج إلى ${points} في محفظتك.`,
    wallet: "محفظتك",
    other_amount: "اختيار عدد آخر",
    over: "لم يعد هذا التأكيد صالحًا",
    over_why:
      "مرّ عليه نحو يوم، أو استُعمل لإكرامية أخرى. لم يُرسل شيء الآن. تفقّد محفظتك: فيها كل ما أرسلته.",
    anew: "تأكيد جديد",
    sent_before: (points) =>
      `أرسلت قبل قليل ${points} إلى هذه الصفحة. إن أرسلت الآن فهي إكرامية أخرى.`,
    asked_before: (points) =>
      `طلبت قبل قليل إرسال ${points} إلى هذه الصفحة، ولا نعرف بعد هل أُرسلت. إن أرسلت الآن فهي إكرامية أخرى.`,
    not_known: "لا نعرف بعد هل أُرسلت",
    not_twice: "أعد المحاولة من هنا: لن تُرسل الإكرامية مرتين.",
    again: "إعادة المحاولة",
    back_to: (name) => `العودة إلى صفحة ${name}`,
    this_page: "هذه الصفحة",
  },
  en: {
    send_to: (points, name) => `Send ${points} to ${name}`,
    message: "Your message",
    as: (name) => `As ${name}`,
    seen: (name) => `Your name and message reach ${name}. What is sent cannot be taken back.`,
    send: "Send now",
    sign_in_first: "Sign in to send it. What you have chosen and written stays as it is.",
    sign_in: "Sign in",
    own_page: "This is your own page. You cannot send a tip to yourself.",
    correct: "How many points do you send?",
    not_an_amount: (max) => `Write a whole number of points, at most ${max}.`,
    points: "Number of points",
    optional_message: "Message (optional)",
    proceed: "Continue",
    sent: "Your tip has arrived. Thank you!",
    sent_to: (points, name) => `You have sent ${points} to ${name}.`,
    not_enough: "You do not have enough points",
    not_enough_what: (points) => `Nothing was sent. You need ${points} in your wallet.`,
    wallet: "Your wallet",
    other_amount: "Choose another amount",
    over: "This confirmation is no longer valid",
    over_why:
      "It is about a day old, or was used for another tip. Nothing was sent now. Look into your wallet: it has all that you have sent.",
    anew: "Confirm anew",
    sent_before: (points) =>
      `A short while ago you sent ${points} to this page. What you send now is another tip.`,
    asked_before: (points) =>
      `A short while ago you asked for ${points} to be sent to this page, and it is not known yet whether they were. What you send now is another tip.`,
    not_known: "We do not know yet whether it was sent",
    not_twice: "Try again from here: the tip is not sent twice.",
    again: "Try again",
    back_to: (name) => `Back to ${name}’s page`,
    this_page: "this page",
  },
};
