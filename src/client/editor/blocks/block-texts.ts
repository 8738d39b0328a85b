import { number } from "../links/links-texts.ts";

export const BLOCK_TEXTS =
  LOCALE === "ar"
    ? {
        amounts: "عدد النقاط",
        amounts_hint: (max: number) =>
          `حتى ${number(max)} أعداد، بينها مسافات. ويمكن للزائر أن يكتب عددًا آخر.`,
        amounts_wrong: (max: number, points: number) =>
          `اكتب من عدد إلى ${number(max)} أعداد مختلفة، كل منها صحيح من ${number(1)} إلى ${number(points)}.`,
        newsletter_hint: "يكتب الزائر بريده ثم يؤكّده من رسالة تصله. تجد المشتركين في لوحة التحكم.",
      }
    : {
        amounts: "Amounts, in points",
        amounts_hint: (max: number) =>
          `Up to ${number(max)} amounts with spaces between them. Visitors may also write another one.`,
        amounts_wrong: (max: number, points: number) =>
          `Write one to ${number(max)} different amounts, each a whole number from ${number(1)} to ${number(points)}.`,
        newsletter_hint:
          "Visitors write their address and confirm it from a mail. You find your subscribers in the dashboard.",
      };
