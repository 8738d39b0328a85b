/**
 * The only lists of a look's values, one for each axis. The schema (`look.ts`), the renderer, the
 * build of the styles and the editor read them from here. No schema in this file: it is part of the
 * editor's script, and the schema's library would be most of that script.
 */

export const LOOK_VALUES = {
  palette: [
    "sand",
    "sea",
    "rose",
    "ink",
    "olive",
    "mint",
    "sky",
    "plum",
    "dusk",
    "coffee",
    "saffron",
    "pomegranate",
    "lapis",
  ],
  background: ["plain", "glow", "veil", "dots", "waves", "girih"],
  button: ["raised", "filled", "outlined", "tinted", "plain"],
  corner: ["square", "soft", "round"],
  type: ["plex", "readex", "alexandria", "kufi", "naskh", "messiri"],
  density: ["compact", "cosy", "roomy"],
  avatar_shape: ["star", "circle", "square"],
  scheme: ["auto", "light", "dark"],
  motion: ["still", "gentle"],
} as const;

type Values = typeof LOOK_VALUES;

export type Look = { [Axis in keyof Values]: Values[Axis][number] } & {
  /** `#rrggbb`; null for the palette's own accent. */
  accent: string | null;
};

/** A page whose creator has chosen nothing has this look, as this service's own pages have. */
export const USUAL_LOOK: Look = {
  palette: "sand",
  background: "glow",
  button: "raised",
  corner: "soft",
  type: "plex",
  density: "cosy",
  avatar_shape: "star",
  scheme: "auto",
  motion: "still",
  accent: null,
};
