import { byReader, type ReaderLocale } from "../views/numbering.ts";

const ENGLISH = {
  skip: "Skip to the content",
  account: "Account",
  signed_in_as: "Signed in as",
  other_language: "العربية",
  other_digits: "Numbers as ٠١٢٣",
  account_page: "Account settings",
  wallet: "Wallet",
  sign_out: "Sign out",
  notifications: "Notifications",
  copy: "Copy link",
  copied: "Copied",
  copy_failed: "Could not copy",
};

type FrameTexts = typeof ENGLISH;

const arabic = (reader: ReaderLocale): FrameTexts => ({
  skip: "الانتقال إلى المحتوى",
  account: "الحساب",
  signed_in_as: "دخلت باسم",
  other_language: "English",
  other_digits: reader === "ar-u-nu-arab" ? "عرض الأرقام هكذا: 0123" : "عرض الأرقام هكذا: ٠١٢٣",
  account_page: "إعدادات الحساب",
  wallet: "المحفظة",
  sign_out: "تسجيل الخروج",
  notifications: "الإشعارات",
  copy: "نسخ الرابط",
  copied: "نُسخ",
  copy_failed: "تعذّر النسخ",
});

export const FRAME_TEXTS = byReader(arabic, ENGLISH);
