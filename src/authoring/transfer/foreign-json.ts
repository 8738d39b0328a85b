import { ImportRefused, REASONS } from "./import-reasons.ts";
import { IMPORT_JSON_VALUES_MAX } from "./limits.ts";

/** Throws `ImportRefused` past a number of values: `{}` takes 3 bytes of text and 28 of memory. */
export function parseForeign(text: string): unknown {
  let values = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === COMMA || unit === BRACKET || unit === BRACE) values += 1;
  }
  if (values > IMPORT_JSON_VALUES_MAX) throw new ImportRefused(REASONS.too_many_values);
  try {
    return JSON.parse(text);
  } catch {
    throw new ImportRefused(REASONS.not_json);
  }
}

const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const is_object = typeof value === "object" && value !== null && !Array.isArray(value);
  return is_object ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** A trimmed text, also of a number; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim() : "";
}

export function excerptOf(value: unknown): string {
  const { title, url, link } = objectOf(value);
  const shown = [title, url ?? link].map(textOf).filter((text) => text !== "");
  return shown.join(" ") || (typeof value === "object" ? "" : textOf(value));
}

const TAG = /<[^<>]*>/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#039;": "'",
  "&nbsp;": " ",
};

/** HTML as plain text. It is no sanitizer: pages escape what it returns. */
export function withoutHtml(html: string): string {
  return html
    .replace(/<(?:br|\/p|\/li|\/h\d)\s*\/?>/gi, "\n")
    .replace(TAG, "")
    .replace(/&(?:amp|lt|gt|quot|#0?39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\n{2,}/g, "\n")
    .trim();
}
