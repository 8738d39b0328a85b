import { BUTTONS, coloursOf, highlightOf, type LinkColours } from "../views/look-colours.ts";
import { LOOK_VALUES, type Look } from "../views/look-values.ts";
import { PALETTES, type Scheme } from "../views/palette.ts";

/** Raised things cast a shadow in the light. */
const RISE: Readonly<Record<Scheme, string>> = {
  light: "0 1px 2px rgb(0 0 0/4%),0 8px 24px -12px rgb(0 0 0/10%)",
  dark: "none",
};

/** Both sides by the device's setting, or one side only. */
export function paletteRules(palette: Look["palette"], scheme: Look["scheme"]): string {
  const rule = (side: Scheme, color_scheme: string) => {
    const colours = Object.entries(coloursOf(PALETTES[palette][side]));
    const properties = colours.map(([name, colour]) => `${property(name)}:${colour}`);
    return `:root{color-scheme:${color_scheme};--rise:${RISE[side]};${properties.join(";")}}`;
  };
  if (scheme !== "auto") return rule(scheme, scheme);
  const both = "light dark";
  return `${rule("light", both)}@media (prefers-color-scheme:dark){${rule("dark", both)}}`;
}

export function linkRules(): string {
  return LOOK_VALUES.button
    .map((button) => {
      const root = button === "raised" ? ":root" : `:root[data-button=${button}]`;
      return (
        `${root}{${linkProperties(BUTTONS[button])}}` +
        `${root} .highlight{${linkProperties(highlightOf(button))}}`
      );
    })
    .join("");
}

function linkProperties(colours: LinkColours): string {
  return Object.entries(colours)
    .map(
      ([part, colour]) =>
        `--link-${part}:${colour === null ? "transparent" : `var(${property(colour)})`}`,
    )
    .join(";");
}

function property(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}
