import { PLACE_NAMES } from "../../../pages/document/place-names.ts";

export const SHARE_TEXTS =
  LOCALE === "ar"
    ? {
        title: "مشاركة صفحتك",
        is_draft: "صفحتك مسودة: من يفتح رابطها الآن لا يجد شيئًا. انشرها أولًا.",
        soon: "لم تُنشر صفحتك بعد: تُنشر حين تُحفظ تعديلاتك.",
        publish: "نشر الصفحة",
        published: "صفحتك منشورة، فشاركها",
        where: "أين ستشارك الرابط؟",
        anywhere: "رابط عام",
        places: PLACE_NAMES.ar,
        plain: "اختر المنصة لتعرف كم زائرًا جاءك منها.",
        counted: (place: string) =>
          `كل مشاهدة تأتي من هذا الرابط تُحسب في أرقامك لمصدر «${place}»، حتى لو أخفى التطبيق من أين جاء الزائر.`,
        language: "بأي لغة تُفتح؟",
        address: "الرابط",
        open: "فتح الصفحة في نافذة جديدة:",
        copy: "نسخ",
        copied: "نُسخ الرابط",
        by_hand: "لم يسمح المتصفح بالنسخ. الرابط محدَّد، فانسخه بنفسك.",
        code: (where: string) => `رمز QR لهذا الرابط: ${where}`,
        svg: "تنزيل الرمز SVG",
        png: "تنزيل الرمز PNG",
        code_failed: "تعذّر تحميل الرمز. أعد المحاولة بعد قليل.",
        system: "مشاركة عبر تطبيق…",
      }
    : {
        title: "Share your page",
        is_draft:
          "Your page is a draft: whoever opens its address now finds nothing. Publish it first.",
        soon: "Your page is not published yet: it will be once your changes are saved.",
        publish: "Publish the page",
        published: "Your page is live. Share it",
        where: "Where will you share it?",
        anywhere: "General link",
        places: PLACE_NAMES.en,
        plain: "Pick a place to get its own trackable link.",
        counted: (place: string) =>
          `Every view through this link counts for the source “${place}” in your numbers, even if the app hides where the visitor came from.`,
        language: "In which language does it open?",
        address: "Link",
        open: "Open the page in a new window:",
        copy: "Copy",
        copied: "Copied",
        by_hand: "The browser did not allow it. The link is selected: copy it yourself.",
        code: (where: string) => `QR code of this link: ${where}`,
        svg: "Download QR (SVG)",
        png: "Download QR (PNG)",
        code_failed: "The code could not be loaded. Try again in a moment.",
        system: "Share with an app…",
      };
