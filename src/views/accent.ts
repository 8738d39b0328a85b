/** A creator's own accent as readable colours in a style sheet (docs/contract.md section 10). */
import { contrast, difference, fromOklch, mix, TEXT_CONTRAST_MIN, toOklch } from "./colour.ts";
import { ALL_PAIRS, type Colours, coloursOf } from "./look-colours.ts";
import type { Look } from "./look-values.ts";
import { PALETTES, type Palette, type Scheme } from "./palette.ts";

/** Steps of lightness from black to white. A step is smaller than the eye can tell apart. */
const STEPS = 256;
/** How much of a tint is left where a whole one would make a text faint. 0 is the ground itself. */
const SHARES = [1, 0.75, 0.5, 0.25, 0];
/** A tint with more chroma would be a second accent. */
const TINT_CHROMA_MAX = 0.045;
/** Dark text on a light accent: its lightness and most chroma. */
const DARK_TEXT = { l: 0.2, c: 0.06 };
/**
 * A filled button that differs less from what is behind it has no shape. WCAG asks for no contrast
 * here, because the text identifies the button.
 */
const SHAPE_DIFFERENCE_MIN = 0.08;

export function lookColours(look: Pick<Look, "palette" | "accent">, scheme: Scheme): Colours {
  const palette = PALETTES[look.palette][scheme];
  return look.accent === null ? coloursOf(palette) : withAccent(palette, look.accent);
}

/**
 * The palette with another accent, in which every pair of colours has its contrast (WCAG 2.2, AA).
 *
 * Buttons are filled with the colour as it was asked for, and their text is solved. Where the accent is
 * text itself, its lightness moves as little as it must; its hue and, as far as sRGB has it, its chroma
 * stay. Tints have the lightness of the palette's own and the accent's hue. A solution always exists:
 * on every ground either black or white has the contrast, and a tint may be the ground.
 */
export function withAccent(palette: Palette, asked: string): Colours {
  const { c, h } = toOklch(asked);
  const tint = fromOklch({ l: toOklch(palette.soft).l, c: Math.min(c, TINT_CHROMA_MAX), h });
  const hasShape = [palette.ground, palette.glow, palette.surface].every(
    (behind) => difference(asked, behind) >= SHAPE_DIFFERENCE_MIN,
  );
  for (const share of SHARES) {
    const soft = mix(tint, palette.ground, share);
    for (const accent of byNearness(asked)) {
      const fill = hasShape ? asked : accent;
      const { pattern } = coloursOf({ ...palette, accent });
      const colours: Colours = {
        ...palette,
        accent,
        fill,
        on_accent: readableOn(fill),
        soft,
        pattern: mix(pattern, palette.ground, share),
      };
      if (isReadable(colours)) return colours;
    }
  }
  throw new Error(`no accent like ${asked} is readable on ${palette.ground}`);
}

/** The colour itself, then its hue in every lightness, the nearest first. */
function* byNearness(asked: string): Generator<string> {
  yield asked;
  const { l, c, h } = toOklch(asked);
  for (let step = 1; step <= STEPS; step += 1) {
    for (const lightness of [l - step / STEPS, l + step / STEPS]) {
      if (lightness >= 0 && lightness <= 1) yield fromOklch({ l: lightness, c, h });
    }
  }
}

/** White, or else a dark shade of the same hue, or else black. One of them has the contrast. */
function readableOn(accent: string): string {
  const { c, h } = toOklch(accent);
  const shade = fromOklch({ l: DARK_TEXT.l, c: Math.min(c, DARK_TEXT.c), h });
  const isEnough = (colour: string) => contrast(colour, accent) >= TEXT_CONTRAST_MIN;
  return ["#ffffff", shade].find(isEnough) ?? "#000000";
}

/** An accent replaces these colours, as custom properties. */
const REPLACED = ["accent", "fill", "on_accent", "soft", "pattern"] as const;

/** The other pairs are the palette's own, which the build checks. */
const REPLACED_PAIRS = ALL_PAIRS.filter(({ colour, behind }) =>
  REPLACED.some((name) => name === colour || name === behind),
);

function isReadable(colours: Colours): boolean {
  return REPLACED_PAIRS.every(
    ({ colour, behind, min }) => contrast(colours[colour], colours[behind]) >= min,
  );
}

export function accentRules(look: Pick<Look, "palette" | "accent" | "scheme">): string | null {
  if (look.accent === null) return null;
  const rule = (scheme: Scheme) => {
    const colours = lookColours(look, scheme);
    const properties = REPLACED.map((name) => `--${name.replace("_", "-")}:${colours[name]}`);
    return `:root{${properties.join(";")}}`;
  };
  return look.scheme === "auto"
    ? `${rule("light")}@media (prefers-color-scheme:dark){${rule("dark")}}`
    : rule(look.scheme);
}
