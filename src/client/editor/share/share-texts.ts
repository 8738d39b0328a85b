import { PLACE_NAMES } from "../../../pages/document/place-names.ts";

export const SHARE_TEXTS =
  LOCALE === "ar"
    ? {
        title: "شارك صفحتك",
        is_draft: "صفحتك مسودة: من يفتح عنوانها الآن لا يجد شيئًا. انشرها أولًا.",
        soon: "لم تُنشر صفحتك بعد: تُنشر حين تُحفظ تعديلاتك.",
        publish: "انشر الصفحة",
        published: "صفحتك منشورة، فشاركها",
        where: "أين ستضع العنوان؟",
        anywhere: "أي مكان",
        places: PLACE_NAMES.ar,
        plain: "اختر مكانًا ليكون له عنوان يُحسب وحده في أرقامك.",
        counted: (place: string) =>
          `كل مشاهدة تأتي من هذا العنوان تُحسب في أرقامك لمصدر «${place}»، حتى لو أخفى التطبيق من أين جاء الزائر.`,
        language: "بأي لغة تُفتح؟",
        address: "العنوان",
        open: "افتح الصفحة في نافذة جديدة:",
        copy: "انسخ",
        copied: "نُسخ العنوان",
        by_hand: "لم يسمح المتصفح بالنسخ. العنوان محدَّد، فانسخه بنفسك.",
        code: (where: string) => `رمز QR لهذا العنوان: ${where}`,
        svg: "نزّل الرمز SVG",
        png: "نزّل الرمز PNG",
        code_failed: "لم يصل الرمز. أعد المحاولة بعد قليل.",
        system: "شارك عبر تطبيق…",
      }
    : {
        title: "Share your page",
        is_draft:
          "Your page is a draft: whoever opens its address now finds nothing. Publish it first.",
        soon: "Your page is not published yet: it will be once your changes are saved.",
        publish: "Publish the page",
        published: "Your page is published: share it",
        where: "Where will you put the address?",
        anywhere: "Anywhere",
        places: PLACE_NAMES.en,
        plain: "Choose a place to get an address that is counted by itself in your numbers.",
        counted: (place: string) =>
          `Every view through this address counts for the source “${place}” in your numbers, even if the app hides where the visitor came from.`,
        language: "In which language does it open?",
        address: "Address",
        open: "Open the page in a new window:",
        copy: "Copy",
        copied: "Copied",
        by_hand: "The browser did not allow it. The address is selected: copy it yourself.",
        code: (where: string) => `QR code of this address: ${where}`,
        svg: "Download the code as SVG",
        png: "Download the code as PNG",
        code_failed: "The code did not arrive. Try again in a moment.",
        system: "Share with an app…",
      };
