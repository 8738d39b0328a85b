/** The script of the list of subscribers has these texts too. */
import type { Locale } from "../views/locale.ts";
import type { Forms } from "../views/numbers.ts";

export const SUBSCRIBERS: Readonly<Record<Locale, Forms>> = {
  ar: {
    zero: "لا مشتركين بعد",
    one: "مشترك واحد",
    two: "مشتركان",
    few: "# مشتركين",
    many: "# مشتركًا",
    other: "# مشترك",
  },
  en: { one: "# subscriber", other: "# subscribers" },
};

export const SUBSCRIBERS_SCRIPT_TEXTS: Readonly<
  Record<Locale, Record<"removing" | "removed" | "failed", string>>
> = {
  ar: {
    removing: "جارٍ الحذف…",
    removed: "حُذف المشترك.",
    failed: "تعذّر الحذف، أعد المحاولة.",
  },
  en: {
    removing: "Deleting…",
    removed: "The subscriber is deleted.",
    failed: "Could not delete, try again.",
  },
};
