import type { Numbering } from "./numbering.ts";

/**
 * The countries in which Arabic is written with Arabic-Indic digits: the territories whose Arabic
 * locale has the default numbering system `arab` in Unicode CLDR 48 (common/main/ar_*.xml). In all
 * others, the Emirates and the Maghreb among them, it is `latn`.
 */
const ARABIC_INDIC: ReadonlySet<string> = new Set(
  "BH DJ EG ER IL IQ JO KM KW LB MR OM PS QA SA SD SO SS SY TD YD YE".split(" "),
);

/** ISO 3166; unknown counts as Egypt, the likely one of Arabic in CLDR's likelySubtags.xml. */
export function usualNumbering(country = "EG"): Numbering {
  return ARABIC_INDIC.has(country) ? "arab" : "latn";
}
