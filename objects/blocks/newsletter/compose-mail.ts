/** The mails to a subscriber. Pure: a mail that is sent again is the same. */

import type { ComposedMail, MailLocale } from "../../mail/mail.ts";
import { linkParagraph, mailHtml, paragraph } from "../../mail/mail-html.ts";

export type MailKind = "confirm" | "welcome";

export interface MailParts {
  kind: MailKind;
  locale: MailLocale;
  /** Stays when a mail is sent again. The platform sets `Message-ID` by itself. */
  mail_id: string;
  from: string;
  to: string;
  site: string;
  page_name: string;
  token: string;
}

interface Words {
  sender: string;
  subject: string;
  before: readonly string[];
  link: string;
  after: readonly string[];
  leave: string;
}

const NAME_CHARACTERS_MAX = 80;
/** Mail programs make a link of this: a stranger's name must not send readers anywhere. */
const LIKE_A_LINK = /:\/\/|www\.|@|[\p{L}\p{N}]\.\p{L}{2}/iu;
/** A name may be in the other script: FIRST STRONG ISOLATE and its end are around it. */
const isolated = (name: string) => `\u2068${name}\u2069`;

const WORDS: Readonly<Record<MailKind, Readonly<Record<MailLocale, (name: string) => Words>>>> = {
  confirm: {
    ar: (name) => ({
      sender: "صلة",
      subject: `أكّد اشتراكك في نشرة ${name}`,
      before: [
        "مرحبًا،",
        `طلب أحدهم إرسال نشرة ${name} إلى هذا البريد. إن كنت أنت، فافتح هذا الرابط واضغط زر التأكيد:`,
      ],
      link: "تأكيد الاشتراك",
      after: [
        "الرابط صالح ٢٤ ساعة. وإن لم تطلب شيئًا فلا تفعل شيئًا: لن تصلك النشرة، وسنحذف بريدك بعد هذه المدة.",
      ],
      leave: "لا أريدها، احذفوا بريدي الآن",
    }),
    en: (name) => ({
      sender: "Sila",
      subject: `Confirm your subscription to ${name}`,
      before: [
        "Hello,",
        `somebody asked for the newsletter of ${name} to be sent to this address. If it was you, open this link and press the button to confirm:`,
      ],
      link: "Confirm the subscription",
      after: [
        "The link works for 24 hours. If it was not you, do nothing: you will get no newsletter, and we delete your address after these 24 hours.",
      ],
      leave: "I do not want it, delete my address now",
    }),
  },
  welcome: {
    ar: (name) => ({
      sender: "صلة",
      subject: `اشتركت في نشرة ${name}`,
      before: [
        "مرحبًا،",
        `تأكّد اشتراكك في نشرة ${name}. احتفظ بهذه الرسالة: بها تلغي اشتراكك متى شئت.`,
      ],
      link: "اشتراكك وما فيه من ملفات للمشتركين",
      after: ["لا يرى عنوانك إلا صاحب الصفحة."],
      leave: "إلغاء الاشتراك",
    }),
    en: (name) => ({
      sender: "Sila",
      subject: `You subscribe to ${name}`,
      before: [
        "Hello,",
        `your subscription to the newsletter of ${name} is confirmed. Keep this mail: it lets you unsubscribe at any time.`,
      ],
      link: "Your subscription, with its files for subscribers",
      after: ["Only the owner of the page sees your address."],
      leave: "Unsubscribe",
    }),
  },
};

export function composeMail(parts: MailParts): ComposedMail {
  const { kind, locale, mail_id, from, to, site, token } = parts;
  const words = WORDS[kind][locale](isolated(nameOf(parts)));
  const leave_url = `${site}/newsletter/unsubscribe?token=${token}`;
  const url = `${site}/newsletter/confirm?token=${token}`;
  const html = [
    ...words.before.map(paragraph),
    linkParagraph(url, words.link),
    ...words.after.map(paragraph),
    linkParagraph(leave_url, words.leave),
  ];
  return {
    from: { email: from, name: words.sender },
    to,
    subject: words.subject,
    text: [
      ...words.before,
      `${words.link}:\n${url}`,
      ...words.after,
      `${words.leave}:\n${leave_url}`,
    ].join("\n\n"),
    html: mailHtml(locale, html),
    headers: {
      "X-Sila-Mail-Id": mail_id,
      // RFC 8058: mail programs leave by one POST, without opening a page.
      "List-Unsubscribe": `<${leave_url}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

/** One line; the service's own name if the page's cannot be shown. */
function nameOf({ page_name, site }: MailParts): string {
  const line = page_name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  const name = [...line].slice(0, NAME_CHARACTERS_MAX).join("");
  return name === "" || LIKE_A_LINK.test(name) ? new URL(site).host : name;
}
