/** Notices of accounts in both languages. Names are isolated: their direction may differ. */
import type { Device, Place } from "./sessions-store.ts";

export interface Notice {
  text: string;
  text_en: string;
}

const isolated = (text: string) => `\u2068${text}\u2069`;

/** A device and its place, in words that need no translation. */
export function originText({ browser, system }: Device, { city, country }: Place) {
  return {
    device: isolated([browser, system].filter(Boolean).join(" · ") || "?"),
    where: isolated([city, country].filter(Boolean).join(", ") || "?"),
  };
}

export const NOTICES = {
  signed_in(of: Device, at: Place): Notice {
    const { device, where } = originText(of, at);
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
      text: "أُنشئت رموز استرداد جديدة لحسابك، ولم تعد القديمة صالحة. إن لم تطلبها أنت، فراجع صفحة حسابك.",
      text_en:
        "New recovery codes were made for your account, and the old ones no longer work. If it was not you, look at your account page.",
    };
  },
  email_changed(email: string | null): Notice {
    return email === null
      ? {
          text: "أُزيل البريد الإلكتروني من حسابك، ولم يعد وسيلة للدخول. إن لم تُزله أنت، فراجع صفحة حسابك.",
          text_en:
            "The email address was removed from your account and no longer signs in. If it was not you, look at your account page.",
        }
      : {
          text: `أصبح البريد الإلكتروني لحسابك ${isolated(email)}، وبه يمكن الدخول. إن لم تضفه أنت، فراجع صفحة حسابك.`,
          text_en: `The email address of your account is now ${isolated(email)}, which can sign in. If it was not you, look at your account page.`,
        };
  },
  identity_added(issuer: string): Notice {
    return {
      text: `رُبط حسابك بحساب في ${isolated(issuer)}، وبه يمكن الدخول. إن لم تربطه أنت، فأزل الربط من صفحة حسابك.`,
      text_en: `An account at ${isolated(issuer)} was connected to yours and can sign in. If it was not you, disconnect it on your account page.`,
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
