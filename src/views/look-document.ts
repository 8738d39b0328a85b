import { assetUrl } from "./assets.ts";
import { LOOK_VALUES, type Look, USUAL_LOOK } from "./look-values.ts";

/** `data-button="filled"` and so on, for every axis on which the look is not the usual one. */
export function lookAttributes(look: Look): Record<string, string> {
  const axes = Object.keys(LOOK_VALUES) as (keyof typeof LOOK_VALUES)[];
  return Object.fromEntries(
    axes
      .filter((axis) => look[axis] !== USUAL_LOOK[axis])
      .map((axis) => [`data-${axis.replace("_", "-")}`, look[axis]]),
  );
}

/** The sheet of every page, which has the usual look in it, then what replaces parts of it. */
export function lookSheets({ palette, scheme, type }: Look): string[] {
  const sheets = [assetUrl("bio.css")];
  if (type !== USUAL_LOOK.type) sheets.push(assetUrl(`type-${type}.css`));
  if (palette !== USUAL_LOOK.palette || scheme !== USUAL_LOOK.scheme) {
    sheets.push(assetUrl(`palette-${palette}-${scheme}.css`));
  }
  return sheets;
}
