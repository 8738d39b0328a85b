/** What users are told of their accounts, in both languages. Names are isolated: they may be of another direction. */
import type { Device, Place } from "./sessions-store.ts";

interface Notice {
  text: string;
  text_en: string;
}

const isolated = (text: string) => `\u2068${text}\u2069`;

export const NOTICES = {
  signed_in({ browser, system }: Device, { city, country }: Place): Notice {
    const device = isolated([browser, system].filter(Boolean).join(" · ") || "?");
    const where = isolated([city, country].filter(Boolean).join(", ") || "?");
    return {
      text: `دخل أحد إلى حسابك من جهاز جديد: ${device}، ${where}. إن لم يكن أنت، فأنهِ الجلسة من صفحة حسابك.`,
      text_en: `Your account was signed in to on a new device: ${device}, ${where}. If it was not you, end the session on your account page.`,
    };
  },
  passkey_added(name: string): Notice {
    return {
      text: `أُضيف مفتاح مرور إلى حسابك: ${isolated(name)}. إن لم تضفه أنت، فاحذفه من صفحة حسابك.`,
      text_en: `A passkey was added to your account: ${isolated(name)}. If it was not you, remove it on your account page.`,
    };
  },
  codes_made(): Notice {
    return {
      text: "صُنعت رموز استرداد جديدة لحسابك، ولم تعد القديمة صالحة. إن لم تطلبها أنت، فراجع صفحة حسابك.",
      text_en:
        "New recovery codes were made for your account, and the old ones no longer work. If it was not you, look at your account page.",
    };
  },
  way_in_used(): Notice {
    return {
      text: "دخل أحد إلى حسابك برمز استرداد أو برابط من المشغّل. إن لم يكن أنت، فأنهِ الجلسة من صفحة حسابك.",
      text_en:
        "Your account was signed in to with a recovery code or an operator’s link. If it was not you, end the session on your account page.",
    };
  },
  passkey_cloned(): Notice {
    return {
      text: "رُفض دخول إلى حسابك لأن مفتاح المرور ربما نُسخ. احذفه وأضف غيره.",
      text_en:
        "A sign-in to your account was refused, because its passkey may have been copied. Remove it and add another one.",
    };
  },
} as const;
