import { lookColours } from "../views/accent.ts";
import { BACKGROUNDS } from "../views/look-colours.ts";
import { PRESETS } from "../views/presets.ts";

export function swatchRules(): string {
  return PRESETS.map(({ id, look }) => {
    const colours = lookColours(look, look.scheme === "dark" ? "dark" : "light");
    const [top] = BACKGROUNDS[look.background];
    return `.swatch-${id}{--swatch-ground:${colours[top]};--swatch-fill:${colours.fill}}`;
  }).join("");
}
