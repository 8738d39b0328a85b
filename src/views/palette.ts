/**
 * The colours of the palettes, light and dark. The build writes each into a style sheet, and fails if
 * the contrast of a pair is too low in any look (`look-colours.ts`).
 *
 * Three palettes have a ground of full colour in the light scheme too: saffron, pomegranate, lapis.
 */
import type { Look } from "./look-values.ts";

/** Colours by their purpose, each as `#rrggbb`. */
export interface Palette {
  ground: string;
  glow: string;
  surface: string;
  line: string;
  text: string;
  /** Secondary text: bio, addresses, footer. */
  muted: string;
  /** The palette's one colour: the contact button, icons, focus. */
  accent: string;
  on_accent: string;
  /** A tint of the accent: behind icons and initials, and the star behind the picture. */
  soft: string;
}

/** A page whose look says `auto` has both. */
export const SCHEMES = ["light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];

export type Palettes = Readonly<Record<Look["palette"], Readonly<Record<Scheme, Palette>>>>;

export const PALETTES: Palettes = {
  sand: {
    light: {
      ground: "#f8f3ea",
      glow: "#fdf9f1",
      surface: "#fffdf9",
      line: "#e7dccb",
      text: "#2b2118",
      muted: "#6b5c4c",
      accent: "#99481f",
      on_accent: "#fffaf4",
      soft: "#f1e2cf",
    },
    dark: {
      ground: "#191410",
      glow: "#2a2018",
      surface: "#231c16",
      line: "#3b3026",
      text: "#f5ede2",
      muted: "#bfae9b",
      accent: "#eda873",
      on_accent: "#2a1607",
      soft: "#3a2a1d",
    },
  },
  sea: {
    light: {
      ground: "#eef5f4",
      glow: "#f9fdfc",
      surface: "#fcfefe",
      line: "#d2e2e1",
      text: "#10262a",
      muted: "#4a6468",
      accent: "#0b6670",
      on_accent: "#f4fdfd",
      soft: "#d5eae8",
    },
    dark: {
      ground: "#0b1618",
      glow: "#12282b",
      surface: "#122124",
      line: "#22383c",
      text: "#e6f3f3",
      muted: "#9db8ba",
      accent: "#74cdd1",
      on_accent: "#04272b",
      soft: "#16363a",
    },
  },
  rose: {
    light: {
      ground: "#fbf1f1",
      glow: "#fffafa",
      surface: "#fffdfd",
      line: "#efd9db",
      text: "#301a1f",
      muted: "#75565c",
      accent: "#a5304f",
      on_accent: "#fff7f8",
      soft: "#f6dfe2",
    },
    dark: {
      ground: "#1a1114",
      glow: "#2d1a20",
      surface: "#24181c",
      line: "#402a31",
      text: "#f8e9ec",
      muted: "#c7a9b0",
      accent: "#f4a0b3",
      on_accent: "#340a18",
      soft: "#422430",
    },
  },
  ink: {
    light: {
      ground: "#f3f3f1",
      glow: "#fcfcfb",
      surface: "#ffffff",
      line: "#dededa",
      text: "#17181b",
      muted: "#56585f",
      accent: "#24262b",
      on_accent: "#fafaf8",
      soft: "#e5e5e1",
    },
    dark: {
      ground: "#0f1012",
      glow: "#1c1e22",
      surface: "#18191c",
      line: "#2e3036",
      text: "#f1f1ef",
      muted: "#a9abb2",
      accent: "#e4e4df",
      on_accent: "#17181b",
      soft: "#2a2c31",
    },
  },
  olive: {
    light: {
      ground: "#f3f4e6",
      glow: "#fcfdf2",
      surface: "#fefef8",
      line: "#dfe2c8",
      text: "#23260f",
      muted: "#5a5f3e",
      accent: "#556012",
      on_accent: "#fbfceb",
      soft: "#e3e8c4",
    },
    dark: {
      ground: "#13150c",
      glow: "#222613",
      surface: "#1c1f12",
      line: "#33371f",
      text: "#f0f2df",
      muted: "#b3b896",
      accent: "#c3d065",
      on_accent: "#20250a",
      soft: "#2c3118",
    },
  },
  mint: {
    light: {
      ground: "#e9f7f0",
      glow: "#f8fffb",
      surface: "#fbfffd",
      line: "#c9e8da",
      text: "#0d2b20",
      muted: "#41665a",
      accent: "#0b6b4b",
      on_accent: "#f0fff8",
      soft: "#ccefdf",
    },
    dark: {
      ground: "#0a1712",
      glow: "#10291f",
      surface: "#10221b",
      line: "#1f3b30",
      text: "#e3f6ed",
      muted: "#97bcac",
      accent: "#68d6a8",
      on_accent: "#032b1c",
      soft: "#143a2c",
    },
  },
  sky: {
    light: {
      ground: "#edf4fc",
      glow: "#fafdff",
      surface: "#fcfeff",
      line: "#d0e0f2",
      text: "#0f2138",
      muted: "#4b617d",
      accent: "#175fb0",
      on_accent: "#f5faff",
      soft: "#d3e5fa",
    },
    dark: {
      ground: "#0b131d",
      glow: "#12233a",
      surface: "#121d2b",
      line: "#22344b",
      text: "#e6effa",
      muted: "#9db3cd",
      accent: "#84bbf5",
      on_accent: "#05233f",
      soft: "#17304e",
    },
  },
  plum: {
    light: {
      ground: "#f5f0f9",
      glow: "#fdfaff",
      surface: "#fefcff",
      line: "#e2d6ec",
      text: "#241530",
      muted: "#645371",
      accent: "#70349c",
      on_accent: "#fbf6ff",
      soft: "#e9dcf4",
    },
    dark: {
      ground: "#150f1b",
      glow: "#271a35",
      surface: "#1e1627",
      line: "#372944",
      text: "#f2e9f9",
      muted: "#b8a6c7",
      accent: "#cf9ff2",
      on_accent: "#2a0d40",
      soft: "#36234a",
    },
  },
  dusk: {
    light: {
      ground: "#efeaf8",
      glow: "#ffeee3",
      surface: "#fffbfa",
      line: "#e1d6e6",
      text: "#2a1a35",
      muted: "#65546f",
      accent: "#a33a62",
      on_accent: "#fff6f7",
      soft: "#f5dcdf",
    },
    dark: {
      ground: "#141120",
      glow: "#33202f",
      surface: "#201a2d",
      line: "#3a304a",
      text: "#f5eaf4",
      muted: "#bba9c0",
      accent: "#f5a48b",
      on_accent: "#38120a",
      soft: "#3a2438",
    },
  },
  coffee: {
    light: {
      ground: "#efe7df",
      glow: "#f9f4ee",
      surface: "#fcf8f4",
      line: "#d9cbbd",
      text: "#2a1b12",
      muted: "#63503f",
      accent: "#6b4226",
      on_accent: "#fdf6ef",
      soft: "#e6d5c3",
    },
    dark: {
      ground: "#15100d",
      glow: "#261d17",
      surface: "#1f1813",
      line: "#392d25",
      text: "#f3e9e0",
      muted: "#b9a697",
      accent: "#d9b08c",
      on_accent: "#2b1708",
      soft: "#362820",
    },
  },
  saffron: {
    light: {
      ground: "#ffd24a",
      glow: "#ffe07a",
      surface: "#ffe9a8",
      line: "#e0ad1c",
      text: "#2b1d00",
      muted: "#574004",
      accent: "#5d2a00",
      on_accent: "#fff3d0",
      soft: "#ffdf80",
    },
    dark: {
      ground: "#191305",
      glow: "#33260a",
      surface: "#251c09",
      line: "#453513",
      text: "#fdf1cf",
      muted: "#cdb67c",
      accent: "#ffc93c",
      on_accent: "#2b1d00",
      soft: "#40300d",
    },
  },
  pomegranate: {
    light: {
      ground: "#8c1a35",
      glow: "#a32343",
      surface: "#9c2140",
      line: "#b84a66",
      text: "#fff4ee",
      muted: "#f6d3d3",
      accent: "#ffd9a3",
      on_accent: "#4d0a1a",
      soft: "#7a142c",
    },
    dark: {
      ground: "#1e060c",
      glow: "#3d0c1a",
      surface: "#2d0a14",
      line: "#521a2a",
      text: "#ffece6",
      muted: "#dba9ac",
      accent: "#ffb98a",
      on_accent: "#3a0a0c",
      soft: "#481322",
    },
  },
  lapis: {
    light: {
      ground: "#1c3a94",
      glow: "#2648ad",
      surface: "#2445a6",
      line: "#4a69c4",
      text: "#f4f7ff",
      muted: "#ccd8fb",
      accent: "#ffdd7f",
      on_accent: "#2b2300",
      soft: "#173180",
    },
    dark: {
      ground: "#080f28",
      glow: "#101d4a",
      surface: "#0e1838",
      line: "#213061",
      text: "#e8eefe",
      muted: "#a3b3df",
      accent: "#f6cf6a",
      on_accent: "#2b2100",
      soft: "#182757",
    },
  },
};
