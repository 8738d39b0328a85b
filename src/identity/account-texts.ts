import { UNDO_MINUTES } from "../pages/document/limits.ts";
import { byReader, type ReaderLocale } from "../views/numbering.ts";
import { type Forms, formatNumber, inForm } from "../views/numbers.ts";

const LEFT: Forms = {
  zero: "You have no recovery codes.",
  one: "# recovery code is left.",
  other: "# recovery codes are left.",
};

const ENGLISH = {
  title: "Your account",
  saved: "Saved.",
  needs_script:
    "Changes on this page need JavaScript. Switch it on in your browser and reload the page.",

  ends: (time: string) => `Your account and its pages will be deleted on ${time}.`,
  keep: "Keep my account",

  only_way:
    "If you lose this device, you lose your account. Add a passkey on a second device, or make recovery codes.",
  no_way: "You have no passkey yet. Add one now, so that you can sign in again.",

  profile: "About you",
  name: "Name",
  language: "Language",
  email: "Email",
  plan: "Plan",
  plans: { free: "Free", pro: "Pro", business: "Business" } as Readonly<Record<string, string>>,
  save: "Save",

  passkeys: "Passkeys",
  passkeys_why:
    "You sign in with any of these. Each stays on its device or in your password manager.",
  synced: "Synced",
  one_device: "This device only",
  added: (time: string) => `Added ${time}`,
  used: (time: string) => `Last used ${time}`,
  never_used: "Not used yet",
  add: "Add a passkey",
  added_done: "The passkey is added.",
  rename: "Rename",
  rename_which: (name: string) => `Rename ${name}`,
  remove: "Remove",
  remove_which: (name: string) => `Remove ${name}`,
  remove_sure:
    "You can no longer sign in with it. Your device may still offer it: delete it there, too.",
  remove_yes: "Remove the passkey",
  removed: "The passkey is removed.",
  last: "The only passkey cannot be removed, because it is your way in. Add another one first.",

  email_why:
    "You can sign in with a code that is mailed to it, and get news of your account there.",
  email_unused: "This site sends no mail at the moment.",
  email_new: "New email",
  email_send: "Mail me a code",
  email_sent: "A six-digit code is on its way to this address. Look in your spam folder, too.",
  email_code: "Code",
  email_done: "The email address is saved.",
  email_remove_sure: "You can no longer sign in with it.",
  email_remove_yes: "Remove the email address",
  email_removed: "The email address is removed.",

  identities: "Connected accounts",
  identities_why: "You can sign in with any of these.",
  connect: (issuer: string) => `Connect ${issuer}`,
  identity_remove_sure: "You can no longer sign in with it.",
  identity_remove_yes: "Disconnect",
  identity_removed: "The account is disconnected.",

  codes: "Recovery codes",
  codes_why:
    "Each code signs you in once, for when you have no passkey at hand. Keep them on paper or in your password manager.",
  codes_left: (n: number) => (n === 0 ? (LEFT.zero ?? "") : inForm("en", LEFT, n)),
  make_codes: "Make ten codes",
  make_new_codes: "Make ten new codes",
  codes_sure: "The codes that you have now stop working.",
  codes_shown: "Save these codes now. They are not shown again.",
  copy: "Copy",
  copied: "Copied",
  copy_failed: "Could not copy",
  download: "Download",
  print: "Print",
  codes_of: (host: string) => `Recovery codes of ${host}`,

  sessions: "Where you are signed in",
  sessions_why: "If you do not recognize one, sign it out, then look through your passkeys.",
  this_one: "This device",
  on: (browser: string, system: string) => `${browser} on ${system}`,
  unknown_device: "Unknown device",
  unknown_place: "Unknown place",
  since: (time: string) => `Signed in ${time}`,
  active: (time: string) => `Last active ${time}`,
  end: "Sign out",
  end_which: (device: string) => `Sign out: ${device}`,
  ended: "That device is signed out.",
  end_others: "Sign out everywhere else",
  ended_others: "All other devices are signed out.",

  export: "Your data",
  export_why:
    "Each page can be downloaded whole, with its links, pictures and numbers: open its editor, then Settings.",
  my_pages: "My pages",
  account_file: "Download your account’s data",

  delete: "Delete your account",
  delete_what: `You are signed out everywhere, and after ${formatNumber("en", UNDO_MINUTES)} minutes your account is deleted for good with all its pages, links, pictures and numbers. Until then you can sign in and keep it.`,
  delete_open: "Delete…",
  delete_yes: "Delete my account",
  deleted: "Your account is being deleted",
  deleted_what: `You are signed out. For ${formatNumber("en", UNDO_MINUTES)} minutes you can still sign in and choose “Keep my account”.`,
  sign_in: "Sign in",
};

export type AccountTexts = typeof ENGLISH;

const LEFT_ARABIC: Forms = {
  zero: "ليست لديك رموز استرداد.",
  one: "بقي لديك رمز استرداد واحد.",
  two: "بقي لديك رمزا استرداد.",
  few: "بقيت لديك # رموز استرداد.",
  other: "بقي لديك # رمز استرداد.",
};

const arabic = (reader: ReaderLocale): AccountTexts => ({
  title: "حسابك",
  saved: "حُفظ.",
  needs_script: "يحتاج التعديل في هذه الصفحة إلى JavaScript. فعّلها في متصفحك ثم حدّث الصفحة.",

  ends: (time) => `سيُحذف حسابك وصفحاته يوم ${time}.`,
  keep: "إبقاء حسابي",

  only_way: "إن ضاع هذا الجهاز ضاع حسابك. أضف مفتاح مرور على جهاز آخر، أو أنشئ رموز استرداد.",
  no_way: "ليس لديك مفتاح مرور بعد. أضف واحدًا الآن لتستطيع الدخول مرة أخرى.",

  profile: "معلوماتك",
  name: "الاسم",
  language: "اللغة",
  email: "البريد الإلكتروني",
  plan: "الباقة",
  plans: { free: "المجانية", pro: "الاحترافية", business: "الأعمال" },
  save: "حفظ",

  passkeys: "مفاتيح المرور",
  passkeys_why: "يكفي أي منها للدخول. يبقى كل مفتاح في جهازه أو في مدير كلمات المرور.",
  synced: "متزامن",
  one_device: "على جهاز واحد فقط",
  added: (time) => `أُضيف يوم ${time}`,
  used: (time) => `آخر استخدام يوم ${time}`,
  never_used: "لم يُستخدم بعد",
  add: "إضافة مفتاح مرور",
  added_done: "أُضيف مفتاح المرور.",
  rename: "تغيير الاسم",
  rename_which: (name) => `تغيير اسم ${name}`,
  remove: "إزالة",
  remove_which: (name) => `إزالة ${name}`,
  remove_sure: "لن يمكنك الدخول به بعد الآن. وقد يعرضه جهازك مع ذلك، فاحذفه منه أيضًا.",
  remove_yes: "إزالة مفتاح المرور",
  removed: "أُزيل مفتاح المرور.",
  last: "لا يمكن إزالة مفتاح المرور الوحيد، فبه تدخل إلى حسابك. أضف مفتاحًا آخر أولًا.",

  email_why: "به تدخل برمز يصلك في البريد، وعليه تصلك أخبار حسابك.",
  email_unused: "لا يرسل هذا الموقع بريدًا الآن.",
  email_new: "البريد الإلكتروني الجديد",
  email_send: "إرسال رمز إليه",
  email_sent: "في الطريق إلى هذا العنوان رمز من ستة أرقام. تفقّد الرسائل غير المرغوبة أيضًا.",
  email_code: "الرمز",
  email_done: "حُفظ البريد الإلكتروني.",
  email_remove_sure: "لن يمكنك الدخول به بعد الآن.",
  email_remove_yes: "إزالة البريد الإلكتروني",
  email_removed: "أُزيل البريد الإلكتروني.",

  identities: "حسابات مربوطة",
  identities_why: "يكفي أي منها للدخول.",
  connect: (issuer) => `ربط حساب \u2068${issuer}\u2069`,
  identity_remove_sure: "لن يمكنك الدخول به بعد الآن.",
  identity_remove_yes: "إزالة الربط",
  identity_removed: "أُزيل الربط.",

  codes: "رموز الاسترداد",
  codes_why:
    "يكفي كل رمز للدخول مرة واحدة، حين لا يكون مفتاح المرور معك. احفظها على ورقة أو في مدير كلمات المرور.",
  codes_left: (n) => inForm(reader, LEFT_ARABIC, n),
  make_codes: "إنشاء عشرة رموز",
  make_new_codes: "إنشاء عشرة رموز جديدة",
  codes_sure: "لن تعمل الرموز التي لديك الآن.",
  codes_shown: "احفظ هذه الرموز الآن، فلن تظهر مرة أخرى.",
  copy: "نسخ",
  copied: "نُسخت",
  copy_failed: "تعذّر النسخ",
  download: "تنزيل",
  print: "طباعة",
  codes_of: (host) => `رموز الاسترداد في \u2066${host}\u2069`,

  sessions: "جلساتك",
  sessions_why:
    "الأجهزة التي سجّلت الدخول منها. إن لم تعرف أحدها فأنهِ جلسته، ثم راجع مفاتيح المرور.",
  this_one: "هذا الجهاز",
  on: (browser, system) => `\u2068${browser}\u2069 على \u2068${system}\u2069`,
  unknown_device: "جهاز غير معروف",
  unknown_place: "مكان غير معروف",
  since: (time) => `بدأت يوم ${time}`,
  active: (time) => `آخر نشاط يوم ${time}`,
  end: "إنهاء الجلسة",
  end_which: (device) => `إنهاء الجلسة: ${device}`,
  ended: "انتهت الجلسة.",
  end_others: "إنهاء كل الجلسات الأخرى",
  ended_others: "انتهت كل الجلسات الأخرى.",

  export: "بياناتك",
  export_why: "يمكن تنزيل كل صفحة كاملةً بروابطها وصورها وأرقامها: افتح تعديل الصفحة ثم الإعدادات.",
  my_pages: "صفحاتي",
  account_file: "تنزيل بيانات حسابك",

  delete: "حذف الحساب",
  delete_what: `تنتهي كل جلساتك حالًا، وبعد ${formatNumber(reader, UNDO_MINUTES)} دقيقة يُحذف حسابك نهائيًا بكل صفحاته وروابطه وصوره وأرقامه. ويمكنك قبل ذلك أن تسجّل الدخول وتُبقيه.`,
  delete_open: "حذف…",
  delete_yes: "حذف حسابي",
  deleted: "سيُحذف حسابك",
  deleted_what: `انتهت كل جلساتك. يمكنك خلال ${formatNumber(reader, UNDO_MINUTES)} دقيقة أن تسجّل الدخول وتختار «إبقاء حسابي».`,
  sign_in: "تسجيل الدخول",
});

export const ACCOUNT_TEXTS = byReader(arabic, ENGLISH);
