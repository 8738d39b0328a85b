export const UI_TEXTS =
  LOCALE === "ar"
    ? {
        close: "إغلاق",
        loading: "جارٍ الفتح…",
        not_loaded: "تعذّر فتح هذا القسم.",
        retry: "إعادة المحاولة",
      }
    : {
        close: "Close",
        loading: "Opening…",
        not_loaded: "This part could not be opened.",
        retry: "Try again",
      };
