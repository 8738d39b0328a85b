import type { Locale } from "../views/locale.ts";
import type { Forms } from "../views/numbers.ts";

interface PasskeyScriptTexts {
  waiting: string;
  opening: string;
  go_on: string;
  not_signed_in: string;
  not_made: string;
  not_accepted: string;
  unknown: string;
  unsupported: string;
  insecure: string;
  already: string;
  device_failed: string;
  bad_setup_code: string;
  bad_invitation: string;
  bad_code: string;
  bad_mail_code: string;
  taken_email: string;
  no_answer: string;
  wait: Forms;
}

export const PASSKEY_SCRIPT_TEXTS: Readonly<Record<Locale, PasskeyScriptTexts>> = {
  ar: {
    waiting: "بانتظار جهازك…",
    opening: "لحظة…",
    go_on: "متابعة",
    not_signed_in:
      "لم يكتمل الدخول، ويمكنك المحاولة مرة أخرى. إن كان مفتاح المرور على جهاز آخر فاختر «جهاز آخر» في نافذة المتصفح.",
    not_made: "لم يُنشأ مفتاح مرور، ويمكنك المحاولة مرة أخرى.",
    not_accepted: "لم يُقبل مفتاح المرور. أعد المحاولة.",
    unknown: "لا نعرف مفتاح المرور هذا. ربما أُزيل من الحساب، أو كان لموقع آخر. جرّب مفتاحًا غيره.",
    unsupported:
      "لا يدعم هذا المتصفح مفاتيح المرور. إن فتحت الصفحة من داخل تطبيق فافتحها في متصفحك، وإلا فحدّثه أو جرّب متصفحًا آخر.",
    insecure: "لا تعمل مفاتيح المرور إلا على رابط يبدأ بـ \u2066https://\u2069",
    already: "لهذا الحساب مفتاح مرور على هذا الجهاز.",
    device_failed: "لم يستطع جهازك استخدام مفتاح مرور هنا. جرّب متصفحًا آخر أو جهازًا آخر.",
    bad_setup_code: "رمز الإعداد هذا غير صحيح، أو استُخدم من قبل.",
    bad_invitation:
      "هذه الدعوة لا تعمل: ربما استُخدمت من قبل أو انتهت مدتها. اطلب دعوة جديدة ممن أرسلها.",
    bad_code: "هذا الرمز غير صحيح، أو استُخدم من قبل.",
    bad_mail_code:
      "هذا الرمز غير صحيح، أو لم يعد صالحًا. الرمز صالح عشر دقائق وخمس محاولات، ثم اطلب غيره.",
    taken_email: "هذا العنوان لحساب آخر هنا. أزله من ذلك الحساب أولًا.",
    no_answer: "لم يستجب الخادم. تحقّق من اتصالك ثم أعد المحاولة.",
    wait: {
      one: "محاولات كثيرة. أعد المحاولة بعد ثانية واحدة.",
      two: "محاولات كثيرة. أعد المحاولة بعد ثانيتين.",
      few: "محاولات كثيرة. أعد المحاولة بعد # ثوانٍ.",
      other: "محاولات كثيرة. أعد المحاولة بعد # ثانية.",
    },
  },
  en: {
    waiting: "Waiting for your device…",
    opening: "One moment…",
    go_on: "Continue",
    not_signed_in:
      "The sign-in was not completed. You can try again. If your passkey is on another device, choose “another device” in the browser’s dialog.",
    not_made: "No passkey was created. You can try again.",
    not_accepted: "The passkey was not accepted. Try again.",
    unknown:
      "We do not know this passkey. It may have been removed from the account, or belong to another site. Try another one.",
    unsupported:
      "This browser does not support passkeys. If you opened this page inside an app, open it in your browser; otherwise update the browser or try another one.",
    insecure: "Passkeys work only at an address that starts with https://",
    already: "This device already has a passkey for this account.",
    device_failed: "Your device could not use a passkey here. Try another browser or device.",
    bad_setup_code: "This setup code is wrong or has been used.",
    bad_invitation:
      "This invitation does not work: it may have been used or have expired. Ask for a new one.",
    bad_code: "This code is wrong or has been used.",
    bad_mail_code:
      "This code is wrong or no longer works. A code works for ten minutes and five tries; then ask for a new one.",
    taken_email: "This address belongs to another account here. Remove it there first.",
    no_answer: "The server did not respond. Check your connection and try again.",
    wait: {
      one: "Too many attempts. Try again in # second.",
      other: "Too many attempts. Try again in # seconds.",
    },
  },
};
