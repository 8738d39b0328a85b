import { lookColours } from "../../../views/accent.ts";
import type { Look } from "../../../views/look-values.ts";
import { SCHEMES } from "../../../views/palette.ts";

/** Lines by `axis.value`. Filled where the name says so below. */
const PATHS: Readonly<Record<string, string>> = {
  "background.plain": "M3 3h42v26H3z",
  "background.glow": "M3 3h42v26H3zM9 3a15 12 0 0 0 30 0M15 3a9 7 0 0 0 18 0",
  "background.veil": "M3 3h42v26H3zM3 7h42M3 11h42M3 16h42M3 22h42",
  "background.dots":
    "M3 3h42v26H3zM10 10v.01M19 10v.01M28 10v.01M37 10v.01M10 16v.01M19 16v.01M28 16v.01M37 16v.01M10 22v.01M19 22v.01M28 22v.01M37 22v.01",
  "background.waves": "M3 3h42v26H3zM3 20q7-6 14 0t14 0 14 0M3 26q7-6 14 0t14 0 14 0",
  "background.girih": "M3 3h42v26H3zM17 9h14v14H17zM24 6l10 10-10 10-10-10z",
  "button.raised": "M6 8h36v13H6zM8 25h32",
  "button.filled": "M6 9h36v14H6z",
  "button.outlined": "M6 9h36v14H6z",
  "button.tinted": "M6 9h36v14H6z",
  "button.plain": "M6 12h36M6 20h36",
  "corner.square": "M6 8h36v16H6z",
  "corner.soft": "M11 8h26a5 5 0 0 1 5 5v6a5 5 0 0 1-5 5H11a5 5 0 0 1-5-5v-6a5 5 0 0 1 5-5z",
  "corner.round": "M14 8h20a8 8 0 0 1 0 16H14a8 8 0 0 1 0-16z",
  "density.compact": "M8 9h32M8 14h32M8 19h32M8 24h32",
  "density.cosy": "M8 8h32M8 16h32M8 24h32",
  "density.roomy": "M8 6h32M8 26h32",
  "avatar_shape.star": "M16 8h16v16H16zM24 4.7 35.3 16 24 27.3 12.7 16z",
  "avatar_shape.circle": "M24 5a11 11 0 0 0 0 22 11 11 0 0 0 0-22z",
  "avatar_shape.square":
    "M17 5h14a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H17a4 4 0 0 1-4-4V9a4 4 0 0 1 4-4z",
  "scheme.auto": "M24 6a10 10 0 0 0 0 20zM24 6a10 10 0 0 1 0 20",
  "scheme.light":
    "M24 12a4 4 0 0 0 0 8 4 4 0 0 0 0-8zM24 5v3M24 24v3M13 16h3M32 16h3M16.2 8.2l2.1 2.1M29.7 21.7l2.1 2.1M16.2 23.8l2.1-2.1M29.7 10.3l2.1-2.1",
  "scheme.dark": "M31 18.5A8.5 8.5 0 0 1 20.5 8a8.5 8.5 0 1 0 10.5 10.5z",
  "motion.still": "M8 16h32",
  "motion.gentle": "M8 16q8-10 16 0t16 0",
};

export function Drawing(props: { axis: string; value: string }) {
  const name = `${props.axis}.${props.value}`;
  return (
    <svg class={`drawing ${name.replace(".", "-")}`} viewBox="0 0 48 32" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function PaletteDrawing(props: { palette: Look["palette"]; scheme: Look["scheme"] }) {
  const { palette, scheme } = props;
  const shown = SCHEMES.filter((each) => scheme === "auto" || scheme === each);
  const width = 48 / shown.length;
  return (
    <svg class="drawing palette" viewBox="0 0 48 32" aria-hidden="true">
      {shown.map((each, i) => {
        const colours = lookColours({ palette, accent: null }, each);
        const x = i * width;
        return (
          <>
            <path fill={colours.ground} d={`M${x} 0h${width}v32h-${width}z`} />
            <path fill={colours.surface} d={`M${x + 4} 6h${width - 8}v7h-${width - 8}z`} />
            <path fill={colours.accent} d={`M${x + 4} 18h${width - 8}v8h-${width - 8}z`} />
          </>
        );
      })}
    </svg>
  );
}
