/**
 * Which colours of a palette a look puts on which: the tables that the styles are made from
 * (`src/client/look-rules.ts`), and the contrast that every combination must have. The build checks
 * the palettes with them, and `accent.ts` solves a creator's own accent for them.
 */
import { contrast, EDGE_CONTRAST_MIN, mix, TEXT_CONTRAST_MIN } from "./colour.ts";
import { LOOK_VALUES, type Look } from "./look-values.ts";
import { type Palette, type Palettes, SCHEMES, type Scheme } from "./palette.ts";

/** The colours of a palette in one scheme, with those that follow from them. */
export interface Colours extends Palette {
  /** Behind `on_accent`: the accent, or a creator's own colour just as it was asked for. */
  fill: string;
  /** What the backgrounds `dots`, `waves` and `girih` draw with. */
  pattern: string;
}

/** How much of the accent is in the colour of the patterns: enough to be seen, too little to be read. */
const PATTERN_SHARE = 0.1;

export function coloursOf(palette: Palette): Colours {
  return {
    ...palette,
    fill: palette.accent,
    pattern: mix(palette.accent, palette.ground, PATTERN_SHARE),
  };
}

type Colour = keyof Colours;

/**
 * What may be behind a text of the page, the colour at its top first. Every shade of a gradient lies
 * between its two ends.
 */
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

/** The colours of a link. Null: none, so that the page's background is seen. */
export interface LinkColours {
  back: Colour | null;
  /** The border. */
  edge: Colour | null;
  label: Colour;
  /** The address below the label, and the arrow. */
  small: Colour;
  icon: Colour;
  /** Behind the icon. */
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

/** A link that its creator put forward. Between filled ones it is the one that is not filled. */
export function highlightOf(button: Look["button"]): LinkColours {
  return button === "filled" ? { ...BUTTONS.raised, edge: "accent" } : FILLED;
}

/** A colour, what is behind it, and the least contrast of the two. */
export interface Pair {
  what: string;
  colour: Colour;
  behind: Colour;
  min: number;
}

/** Every pair of colours of a page with this background and these links. */
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

/** The pairs of all backgrounds and all links, each once. */
export const ALL_PAIRS: readonly Pair[] = [
  ...new Map(
    LOOK_VALUES.background
      .flatMap((background) => LOOK_VALUES.button.flatMap((button) => pairsOf(background, button)))
      .map((pair) => [`${pair.colour} ${pair.behind} ${pair.min}`, pair]),
  ).values(),
];

/** Names every pair whose contrast is too low, in every combination of palette, scheme, background and links. */
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
