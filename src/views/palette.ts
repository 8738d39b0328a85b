/**
 * The colours of the four themes, light and dark. The build writes them into bio.css as custom
 * properties, and fails if the contrast of a pair is too low. Pages use `glow` for `theme-color`.
 */

/** Colours by their purpose, each as `#rrggbb`. */
interface Palette {
  ground: string;
  /** The background at its top, where the gradient begins. */
  glow: string;
  surface: string;
  line: string;
  text: string;
  /** Secondary text: bio, addresses, footer. */
  muted: string;
  /** The theme's one colour: the contact button, icons, focus. */
  accent: string;
  on_accent: string;
  /** A tint of the accent: behind icons and initials, and the star behind the picture. */
  soft: string;
}

export const PALETTES = {
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
} as const satisfies Readonly<Record<string, { light: Palette; dark: Palette }>>;

/** The looks that a creator can choose from. */
export type Theme = keyof typeof PALETTES;

/** WCAG 2.2, 1.4.3: the least contrast of text and its background. */
export const CONTRAST_MIN = 4.5;

/** Text colours with their backgrounds. Every shade of the gradient lies between `glow` and `ground`. */
const TEXT_PAIRS: readonly (readonly [keyof Palette, keyof Palette])[] = [
  ["text", "ground"],
  ["text", "glow"],
  ["text", "surface"],
  ["text", "soft"],
  ["muted", "ground"],
  ["muted", "glow"],
  ["muted", "surface"],
  ["accent", "ground"],
  ["accent", "glow"],
  ["accent", "surface"],
  ["accent", "soft"],
  ["on_accent", "accent"],
];

/** Every text pair of every theme and scheme with its contrast, the lowest first. */
export function contrasts(): { pair: string; ratio: number }[] {
  return Object.entries(PALETTES)
    .flatMap(([theme, schemes]) =>
      Object.entries(schemes).flatMap(([scheme, palette]) =>
        TEXT_PAIRS.map(([text, behind]) => ({
          pair: `${theme} ${scheme}: ${text} on ${behind}`,
          ratio: contrast(palette[text], palette[behind]),
        })),
      ),
    )
    .sort((a, b) => a.ratio - b.ratio);
}

/** The custom properties of all themes. Sand is the default. */
export function paletteRules(): string {
  const rule = (theme: string, palette: Palette) => {
    const selector = theme === "sand" ? ":root" : `:root[data-theme=${theme}]`;
    const properties = Object.entries(palette).map(([name, value]) => `--${name}:${value}`);
    return `${selector}{${properties.join(";").replaceAll("_", "-")}}`;
  };
  const rules = (scheme: "light" | "dark") =>
    Object.entries(PALETTES).map(([theme, schemes]) => rule(theme, schemes[scheme]));
  return `${rules("light").join("")}@media (prefers-color-scheme:dark){${rules("dark").join("")}}`;
}

/** Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance, 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminance(colour: string): number {
  const channel = (start: number) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
