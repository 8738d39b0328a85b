import { withAccent } from "../../../views/accent.ts";
import { contrast, TEXT_CONTRAST_MIN } from "../../../views/colour.ts";
import { ALL_PAIRS, type Colours } from "../../../views/look-colours.ts";
import type { Look } from "../../../views/look-values.ts";
import { PALETTES, SCHEMES, type Scheme } from "../../../views/palette.ts";

/** Reads `#RGB`, `rrggbb` and the like as `#rrggbb`; null for anything else. */
export function parseColour(text: string): string | null {
  const [, digits = ""] = /^\s*#?([\da-f]{3}|[\da-f]{6})\s*$/i.exec(text) ?? [];
  if (digits === "") return null;
  const six = digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join("");
  return `#${six.toLowerCase()}`;
}

export interface Verdict {
  scheme: Scheme;
  colours: Colours;
  asked_ratio: number;
  text_ratio: number;
  button_ratio: number;
}

const BEHIND_ACCENT = ALL_PAIRS.filter(
  ({ colour, min }) => colour === "accent" && min === TEXT_CONTRAST_MIN,
).map(({ behind }) => behind);

export function verdictsOn({ palette, scheme }: Look, asked: string): Verdict[] {
  return SCHEMES.filter((each) => scheme === "auto" || scheme === each).map((each) => {
    const colours = withAccent(PALETTES[palette][each], asked);
    const least = (colour: string) =>
      Math.min(...BEHIND_ACCENT.map((behind) => contrast(colour, colours[behind])));
    return {
      scheme: each,
      colours,
      asked_ratio: least(asked),
      text_ratio: least(colours.accent),
      button_ratio: contrast(colours.on_accent, colours.fill),
    };
  });
}
