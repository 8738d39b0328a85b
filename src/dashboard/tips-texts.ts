import type { Locale } from "../views/locale.ts";

interface TipsTexts {
  tips: string;
  all: string;
  none_why: string;
  somebody: string;
}

export const TIPS_TEXTS: Readonly<Record<Locale, TipsTexts>> = {
  ar: {
    tips: "الإكراميات",
    all: "كل الإكراميات",
    none_why: "حين يرسل إليك زائر نقاطًا من صفحتك، تراها هنا في اللحظة نفسها.",
    somebody: "بلا اسم",
  },
  en: {
    tips: "Tips",
    all: "All tips",
    none_why: "When a visitor sends you points from your page, you see it here at once.",
    somebody: "No name",
  },
};
