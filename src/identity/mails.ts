import { linkParagraph, mailHtml, paragraph } from "../../objects/mail/mail-html.ts";
import type { AccountMail } from "../accounts/account-mails.ts";
import { ACCOUNT_PAGE } from "../http/endpoints.ts";
import type { Locale } from "../views/locale.ts";
import { TEXTS } from "../views/texts.ts";
import { type Asked, relyingParty } from "./context.ts";
import { type Notice, originText } from "./notices.ts";
import type { Device, Place } from "./sessions-store.ts";

interface CodeWords {
  subject: string;
  before: string;
  after: string[];
}

const CODE_WORDS: Readonly<
  Record<Locale, (code: string, host: string, device: string, where: string) => CodeWords>
> = {
  ar: (code, host, device, where) => ({
    subject: `رمزك في صلة: \u2066${code}\u2069`,
    before: `طلب أحدهم رمزًا لهذا العنوان في ${host} (من ${device}، ${where}). إن كنت أنت، فاكتب هذا الرمز في الصفحة التي طلبته منها:`,
    after: [
      "الرمز صالح عشر دقائق، ولا يعمل إلا في المتصفح الذي طُلب منه.",
      "لا تعطه لأحد: لا يطلبه منك أحد من الموقع. وإن لم تطلبه أنت فأهمل هذه الرسالة، فلا يدخل أحد من دون الرمز.",
    ],
  }),
  en: (code, host, device, where) => ({
    subject: `Your Sila code: ${code}`,
    before: `Somebody asked for a code for this address at ${host} (from ${device}, ${where}). If it was you, type this code on the page on which you asked for it:`,
    after: [
      "The code works for ten minutes, and only in the browser that asked for it.",
      "Do not give it to anybody: nobody from the site will ask you for it. If it was not you, ignore this mail: without the code nobody gets in.",
    ],
  }),
};

export function codeMail(
  c: Asked,
  {
    to,
    locale,
    code,
    whose,
  }: Pick<AccountMail, "to" | "whose"> & {
    locale: Locale;
    code: string;
  },
  { device, place }: { device: Device; place: Place },
): AccountMail {
  const host = `\u2066${new URL(relyingParty(c).origin).host}\u2069`;
  const from = originText(device, place);
  const words = CODE_WORDS[locale](code, host, from.device, from.where);
  return {
    ...{ to, whose, is_code: true, sender: TEXTS[locale].product, subject: words.subject },
    text: [words.before, code, ...words.after].join("\n\n"),
    html: mailHtml(locale, [
      paragraph(words.before),
      `<p dir="ltr"><strong>${code}</strong></p>`,
      ...words.after.map(paragraph),
    ]),
  };
}

const NOTICE_WORDS: Readonly<Record<Locale, { subject: string; link: string }>> = {
  ar: { subject: "حسابك في صلة", link: "صفحة حسابك" },
  en: { subject: "Your Sila account", link: "Your account page" },
};

export function noticeMail(
  c: Asked,
  to: string,
  locale: Locale,
  { text, text_en }: Notice,
): AccountMail {
  const { subject, link } = NOTICE_WORDS[locale];
  const words = locale === "ar" ? text : text_en;
  const url = relyingParty(c).origin + ACCOUNT_PAGE;
  return {
    ...{ to, whose: "user", is_code: false, sender: TEXTS[locale].product, subject },
    text: `${words}\n\n${link}:\n${url}`,
    html: mailHtml(locale, [paragraph(words), linkParagraph(url, link)]),
  };
}
