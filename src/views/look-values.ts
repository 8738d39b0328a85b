/**
 * The values of a look, one list for each axis: the only lists of them. The schema (`look.ts`), the
 * renderer, the build of the styles and the editor read them from here. No schema in this file: it is
 * part of the editor's script, and the schema's library would be most of that script.
 */

/** Every value of every axis. */
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

/** The look of a bio page: one value on each axis, and an accent colour of its creator's own. */
export type Look = { [Axis in keyof Values]: Values[Axis][number] } & {
  /** `#rrggbb`; null for the palette's own accent. */
  accent: string | null;
};

/** The look of a page whose creator has chosen nothing, and of this service's own pages. */
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
