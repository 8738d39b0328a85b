/**
 * Colours that signed-in pages add to their palette: for clicks in the chart, and for a fall or a
 * drift. The build writes them into frame.css, and fails if their contrast is too low.
 */
import { contrast, TEXT_CONTRAST_MIN } from "../views/colour.ts";
import { PALETTES } from "../views/palette.ts";

const PALETTE = PALETTES.sea;

const COLOURS = {
  light: { clicks: "#99481f", clicks_soft: "#f3e4d6", fall: "#a5304f", fall_soft: "#f8e3e7" },
  dark: { clicks: "#eda873", clicks_soft: "#38291c", fall: "#f4a0b3", fall_soft: "#3f2129" },
} as const;

export function dashboardPalette(): string {
  const rule = (scheme: keyof typeof COLOURS) => {
    const { clicks, clicks_soft, fall, fall_soft } = COLOURS[scheme];
    const { ground, glow, surface } = PALETTE[scheme];
    const pairs = [
      ...[ground, glow, surface, clicks_soft].map((behind) => [clicks, behind] as const),
      ...[ground, glow, surface, fall_soft].map((behind) => [fall, behind] as const),
    ];
    for (const [text, behind] of pairs) {
      const ratio = contrast(text, behind);
      if (ratio < TEXT_CONTRAST_MIN)
        throw new Error(`${text} on ${behind} has a contrast of ${ratio}`);
    }
    const properties = Object.entries(COLOURS[scheme]).map(
      ([name, colour]) => `--${name.replaceAll("_", "-")}:${colour}`,
    );
    return `:root{${properties.join(";")}}`;
  };
  return `${rule("light")}@media (prefers-color-scheme:dark){${rule("dark")}}`;
}
