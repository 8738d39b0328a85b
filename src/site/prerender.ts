/**
 * Makes texts that differ between requests only in the address. `src/client/build.ts` runs it in Node, so
 * the Worker is without the OpenAPI document, its sources, and the words of these pages.
 */
import { LOCALES, type Locale } from "../views/locale.ts";
import { PRESETS } from "../views/presets.ts";
import { docsPage } from "./docs/docs-page.tsx";
import { examplePage } from "./example-page.tsx";
import { homePage } from "./home-page.tsx";
import { llmsTxt } from "./llms.ts";
import { manifestJson } from "./manifest.ts";
import { openApiJson } from "./openapi/openapi-document.ts";
import { PLACEHOLDER } from "./prerendered.ts";

export function prerender(): Record<string, string> {
  const pages = LOCALES.flatMap((locale) => [
    [`prerendered-docs-${locale}.txt`, docsPage(PLACEHOLDER.origin, locale)],
    [`prerendered-home-${locale}.txt`, homePage(PLACEHOLDER, locale, false)],
    [`prerendered-creator-home-${locale}.txt`, homePage(PLACEHOLDER, locale, true)],
    [`prerendered-examples-${locale}.txt`, JSON.stringify(examples(locale))],
  ]);
  return {
    "prerendered-openapi.txt": openApiJson(),
    "prerendered-manifest.txt": manifestJson(),
    "prerendered-llms.txt": llmsTxt(PLACEHOLDER.origin),
    ...Object.fromEntries(pages),
  };
}

function examples(locale: Locale): [preset: string, html: string][] {
  return PRESETS.map((preset) => [preset.id, examplePage(preset, locale, PLACEHOLDER.origin)]);
}
