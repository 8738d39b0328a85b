/**
 * Cities in Arabic of zones whose country has several. Browsers have no names of cities; those that are
 * not here stay in Latin letters.
 */
export const CITIES: Readonly<Record<string, string>> =
  LOCALE === "ar"
    ? {
        "Asia/Gaza": "غزة",
        "Asia/Hebron": "الخليل",
        "Africa/Ceuta": "سبتة",
        "Atlantic/Canary": "جزر الكناري",
        "Europe/Madrid": "مدريد",
        "Europe/Berlin": "برلين",
        "Europe/Lisbon": "لشبونة",
        "Europe/Moscow": "موسكو",
        "Europe/Kyiv": "كييف",
        "Asia/Nicosia": "نيقوسيا",
        "Asia/Jakarta": "جاكرتا",
        "Asia/Kuala_Lumpur": "كوالالمبور",
        "Asia/Shanghai": "شنغهاي",
        "Asia/Tashkent": "طشقند",
        "Australia/Sydney": "سيدني",
        "Australia/Melbourne": "ملبورن",
        "Australia/Perth": "بيرث",
        "Pacific/Auckland": "أوكلاند",
        "America/New_York": "نيويورك",
        "America/Chicago": "شيكاغو",
        "America/Denver": "دنفر",
        "America/Detroit": "ديترويت",
        "America/Los_Angeles": "لوس أنجلوس",
        "America/Phoenix": "فينيكس",
        "America/Toronto": "تورونتو",
        "America/Vancouver": "فانكوفر",
        "America/Edmonton": "إدمنتون",
        "America/Halifax": "هاليفاكس",
        "America/Winnipeg": "وينيبيغ",
        "America/Mexico_City": "مكسيكو",
        "America/Sao_Paulo": "ساو باولو",
        "America/Argentina/Buenos_Aires": "بوينس آيرس",
        "America/Buenos_Aires": "بوينس آيرس",
        "America/Santiago": "سانتياغو",
      }
    : {};
