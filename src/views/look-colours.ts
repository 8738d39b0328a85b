/**
 * Tables of the colours that a look puts on each other: the styles are made from them
 * (`src/client/look-rules.ts`), the build checks every combination's contrast by them, and
 * `accent.ts` solves a creator's own accent for them.
 */
import { contrast, EDGE_CONTRAST_MIN, mix, TEXT_CONTRAST_MIN } from "./colour.ts";
import { LOOK_VALUES, type Look } from "./look-values.ts";
import { type Palette, type Palettes, SCHEMES, type Scheme } from "./palette.ts";

export interface Colours extends Palette {
  /** The ground of `on_accent`: the accent, or a creator's own colour just as it was asked for. */
  fill: string;
  /** The backgrounds `dots`, `waves` and `girih` draw with it. */
  pattern: string;
}

/** The accent's part in the colour of the patterns: enough to be seen, too little to be read. */
const PATTERN_SHARE = 0.1;

export function coloursOf(palette: Palette): Colours {
  return {
    ...palette,
    fill: palette.accent,
    pattern: mix(palette.accent, palette.ground, PATTERN_SHARE),
  };
}

type Colour = keyof Colours;

/** The colour at the page's top comes first. A gradient's shades lie between its two ends. */
export const BACKGROUNDS: Readonly<
  Record<Look["background"], readonly [top: Colour, ...others: Colour[]]>
> = {
  plain: ["ground"],
  glow: ["glow", "ground"],
  veil: ["soft", "ground"],
  dots: ["ground", "pattern"],
  waves: ["ground", "pattern"],
  girih: ["ground", "pattern"],
};

/** Null: the page's background is seen. */
export interface LinkColours {
  back: Colour | null;
  edge: Colour | null;
  label: Colour;
  /** The colour of the address below the label, and of the arrow. */
  small: Colour;
  icon: Colour;
  chip: Colour | null;
}

const FILLED = {
  back: "fill",
  edge: "fill",
  label: "on_accent",
  small: "on_accent",
  icon: "on_accent",
  chip: null,
} as const satisfies LinkColours;

export const BUTTONS: Readonly<Record<Look["button"], LinkColours>> = {
  raised: {
    back: "surface",
    edge: "line",
    label: "text",
    small: "muted",
    icon: "accent",
    chip: "soft",
  },
  filled: FILLED,
  outlined: {
    back: null,
    edge: "accent",
    label: "text",
    small: "muted",
    icon: "accent",
    chip: null,
  },
  tinted: {
    back: "soft",
    edge: null,
    label: "text",
    small: "muted",
    icon: "accent",
    chip: "surface",
  },
  plain: { back: null, edge: "line", label: "text", small: "muted", icon: "accent", chip: "soft" },
};

/** A link that its creator put forward. Among filled links it is the one that is not filled. */
export function highlightOf(button: Look["button"]): LinkColours {
  return button === "filled" ? { ...BUTTONS.raised, edge: "accent" } : FILLED;
}

export interface Pair {
  what: string;
  colour: Colour;
  behind: Colour;
  min: number;
}

export function pairsOf(background: Look["background"], button: Look["button"]): Pair[] {
  const shades = BACKGROUNDS[background];
  const texts: [what: string, colour: Colour, behind: readonly Colour[]][] = [
    ["name", "text", shades],
    ["bio", "muted", shades],
    ["icon of the row", "accent", [...shades, "surface"]],
    ["initials", "accent", ["soft", "surface"]],
    ["contact button", "on_accent", ["fill"]],
    ...linkTexts("link", BUTTONS[button], shades),
    ...linkTexts("highlight", highlightOf(button), shades),
  ];
  const pairs = texts.flatMap(([what, colour, behind]) =>
    behind.map((behind) => ({ what, colour, behind, min: TEXT_CONTRAST_MIN })),
  );
  const focus = [...shades, "surface" as const].map(
    (behind): Pair => ({ what: "focus", colour: "accent", behind, min: EDGE_CONTRAST_MIN }),
  );
  return [...pairs, ...focus];
}

function linkTexts(
  what: string,
  { back, label, small, icon, chip }: LinkColours,
  shades: readonly Colour[],
): [what: string, colour: Colour, behind: readonly Colour[]][] {
  const behind = back === null ? shades : [back];
  return [
    [`label of a ${what}`, label, behind],
    [`address of a ${what}`, small, behind],
    [`icon of a ${what}`, icon, chip === null ? behind : [chip]],
  ];
}

export const ALL_PAIRS: readonly Pair[] = [
  ...new Map(
    LOOK_VALUES.background
      .flatMap((background) => LOOK_VALUES.button.flatMap((button) => pairsOf(background, button)))
      .map((pair) => [`${pair.colour} ${pair.behind} ${pair.min}`, pair]),
  ).values(),
];

export function faintPairs(palettes: Palettes): string[] {
  return Object.entries(palettes).flatMap(([palette, sides]) =>
    SCHEMES.flatMap((scheme) => faintIn(`${palette} ${scheme}`, sides[scheme])),
  );
}

function faintIn(side: `${string} ${Scheme}`, palette: Palette): string[] {
  const colours = coloursOf(palette);
  return LOOK_VALUES.background.flatMap((back) =>
    LOOK_VALUES.button.flatMap((links) =>
      pairsOf(back, links).flatMap(({ what, colour, behind, min }) => {
        const ratio = contrast(colours[colour], colours[behind]);
        if (ratio >= min) return [];
        const pair = `${colour} ${colours[colour]} on ${behind} ${colours[behind]}`;
        return [`${side} ${back} ${links}: ${what}, ${pair}: ${ratio.toFixed(2)} < ${min}`];
      }),
    ),
  );
}
