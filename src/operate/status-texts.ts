import type { Locale } from "../views/locale.ts";
import type { Component, State } from "./status.ts";

interface StatusTexts {
  title: string;
  whole: Readonly<Record<State, string>>;
  states: Readonly<Record<State, string>>;
  components: Readonly<Record<Component, string>>;
  as_of: string;
  never: string;
  days: string;
  up: (share: string) => string;
  no_days: string;
  measured_days: (n: string) => string;
  incidents: string;
  none: string;
  ongoing: string;
  times: string;
  other: string;
}

export const STATUS_TEXTS: Readonly<Record<Locale, StatusTexts>> = {
  ar: {
    title: "حالة الخدمة",
    whole: {
      up: "كل شيء يعمل",
      unstable: "بعض الأجزاء لا يستجيب أحيانًا",
      down: "بعض الأجزاء لا يعمل الآن",
      unknown: "لا نعرف حالة الخدمة الآن",
    },
    states: { up: "يعمل", unstable: "يتعثّر أحيانًا", down: "لا يعمل", unknown: "غير معروف" },
    components: {
      pages: "الصفحات",
      counting: "العدّ",
      dashboard: "لوحة التحكم والأرقام",
      sign_in: "تسجيل الدخول",
    },
    as_of: "آخر قياس",
    never: "لم يُقَس شيء بعد.",
    days: "آخر ٩٠ يومًا",
    up: (share) => `استجاب في ${share} من الفحوص`,
    no_days: "لا بيانات لهذه الأيام بعد",
    measured_days: (n) => `أيام فيها بيانات: ${n}`,
    incidents: "الانقطاعات",
    none: "لم يُسجَّل أي انقطاع.",
    ongoing: "مستمر",
    times: "كل الأوقات بالتوقيت العالمي UTC.",
    other: "English",
  },
  en: {
    title: "Status",
    whole: {
      up: "Everything works",
      unstable: "Some parts fail now and then",
      down: "Some parts do not work now",
      unknown: "The state of the service is not known",
    },
    states: {
      up: "Works",
      unstable: "Fails now and then",
      down: "Does not work",
      unknown: "Not known",
    },
    components: {
      pages: "Pages",
      counting: "Counting",
      dashboard: "Dashboard and numbers",
      sign_in: "Sign-in",
    },
    as_of: "Last measured",
    never: "Nothing has been measured yet.",
    days: "The last 90 days",
    up: (share) => `${share} of the probes were answered`,
    no_days: "No data for these days yet",
    measured_days: (n) => `Days with data: ${n}`,
    incidents: "Incidents",
    none: "No incident was recorded.",
    ongoing: "ongoing",
    times: "All times are UTC.",
    other: "العربية",
  },
};
