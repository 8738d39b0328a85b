/** docs/looks.md, made from the presets by `npm run looks`. */
import type { Locale } from "../../src/views/locale.ts";
import { LOOK_VALUES } from "../../src/views/look-values.ts";
import { PRESETS } from "../../src/views/presets.ts";
import { markdownTable } from "../markdown.ts";

export const SHEETS: Readonly<Record<Locale, string>> = {
  ar: "docs/looks-ar.webp",
  en: "docs/looks-en.webp",
};

const AXES = Object.keys(LOOK_VALUES) as (keyof typeof LOOK_VALUES)[];

export function looksMarkdown(): string {
  return [
    "# Looks",
    "",
    `The ${PRESETS.length} presets that a creator chooses from, each one page on a desktop and on a phone, in light and in dark.`,
    "A preset is one value on every axis of a look ([contract.md](contract/authoring.md)); a creator may change",
    "each of them afterwards, and take an accent colour of their own. `npm run looks` writes this file and its pictures from",
    "`src/views/presets.ts`.",
    "",
    ...[
      ["Arabic", SHEETS.ar],
      ["English", SHEETS.en],
    ].map(([what, path]) => `![Every preset, ${what}](${path?.replace("docs/", "")})\n`),
    markdownTable([
      ["preset", "name", ...AXES.map((axis) => axis.replace("_", " "))],
      ...PRESETS.map(({ id, name, look }) => [
        `\`${id}\``,
        `${name.en} · ${name.ar}`,
        ...AXES.map((axis) => look[axis]),
      ]),
    ]),
    "",
  ].join("\n");
}
