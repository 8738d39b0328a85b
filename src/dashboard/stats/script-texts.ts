/** Only the texts of the script: all others are in the page. */
import type { Locale } from "../../views/locale.ts";

interface ScriptTexts {
  connecting: string;
  live: string;
  /** `time` is that of the last update, `14:05`. */
  lost: (time: string) => string;
  exact: string;
  drift: (n: string) => string;
  unchecked: string;
  /** Follows one of these: `time` is that of the audit, `14:05`. */
  checked: (time: string) => string;
  whole_page: string;
  views: string;
  gone: string;
  and: string;
  chart_failed: string;
  loading: string;
}

export const SCRIPT_TEXTS: Readonly<Record<Locale, ScriptTexts>> = {
  ar: {
    connecting: "جارٍ الاتصال…",
    live: "مباشر",
    lost: (time) => `انقطع التحديث المباشر. آخر تحديث ${time}، نعيد المحاولة`,
    exact: "الأرقام متطابقة",
    drift: (n) => `فرق قدره ${n}`,
    unchecked: "تعذّر التحقق",
    checked: (time) => `، آخر تحقق ${time}`,
    whole_page: "الصفحة كلها",
    views: "المشاهدات",
    gone: "رابط محذوف",
    and: "، ",
    chart_failed: "تعذّر رسم المخطط، والأرقام كلها في الجدول.",
    loading: "جارٍ جمع الأرقام…",
  },
  en: {
    connecting: "Connecting…",
    live: "Live",
    lost: (time) => `Live updates stopped. Last update ${time}, trying again`,
    exact: "Counts match",
    drift: (n) => `Difference of ${n}`,
    unchecked: "Could not be checked",
    checked: (time) => `, last checked ${time}`,
    whole_page: "The whole page",
    views: "Views",
    gone: "Removed link",
    and: ", ",
    chart_failed: "The chart could not be drawn; all its numbers are in the table.",
    loading: "Adding up…",
  },
};
