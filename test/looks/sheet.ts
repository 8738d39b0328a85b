/** The contact sheet of looks as a page of HTML, for a browser to draw. */
import type { Locale } from "../../src/views/locale.ts";
import { PRESETS } from "../../src/views/presets.ts";
import { TEXTS } from "../../src/views/texts.ts";

export const SHEET_WIDTH_PX = 2_240;
const SHOT_HEIGHT_PX = 600;

/** PNGs in the order of the presets. */
export interface Shots {
  desktop: readonly Buffer[];
  light: readonly Buffer[];
  dark: readonly Buffer[];
}

const STYLE = `
  body { display: grid; grid-template-columns: 1fr 1fr; gap: 48px 40px; padding: 48px; background: #ffffff; }
  figcaption { margin-block-end: 12px; color: #17181b; font-size: 26px; font-weight: 600; }
  .shots { display: flex; gap: 16px; }
  .shots > img { block-size: ${SHOT_HEIGHT_PX}px; border-radius: 18px; box-shadow: 0 0 0 1px #00000022; }
`;

export function sheetHtml(locale: Locale, shots: Shots, bio_css: string): string {
  const image = (png: Buffer | undefined) =>
    `<img alt="" src="data:image/png;base64,${png?.toString("base64")}">`;
  const cells = PRESETS.map(({ name }, i) => {
    const pictures = [shots.desktop[i], shots.light[i], shots.dark[i]].map(image).join("");
    return `<figure><figcaption>${name[locale]}</figcaption><div class="shots">${pictures}</div></figure>`;
  });
  return `<!DOCTYPE html><html lang="${locale}" dir="${TEXTS[locale].direction}">
    <head><link rel="stylesheet" href="${bio_css}"><style>${STYLE}</style></head>
    <body>${cells.join("")}</body></html>`;
}
