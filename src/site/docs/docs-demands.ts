/** What a schema demands of a value, in Arabic and English. */
import type { Words } from "../openapi/outline.ts";
import type { Schema } from "../openapi/shape.ts";
import { characters, number } from "./docs-texts.ts";

/** Words, and the values they are about. */
export interface Demand {
  words: Words;
  values: string[];
}

export function demandsOf(schema: Schema): Demand[] {
  const { minLength, maxLength, pattern, format } = schema;
  const demands: (Demand | null)[] = [
    valued({ ar: "دائمًا", en: "always" }, schema.const),
    valued({ ar: "إحدى القيم", en: "one of" }, ...(schema.enum ?? [])),
    lengths(minLength, maxLength),
    bounds(schema.minimum, schema.maximum),
    bounds(schema.minItems, schema.maxItems),
    valued({ ar: "الصيغة", en: "format" }, format),
    valued({ ar: "النمط", en: "pattern" }, pattern),
    valued({ ar: "الافتراضي", en: "default" }, schema.default),
    valued({ ar: "مثال", en: "example" }, schema.example ?? schema.examples?.[0]),
  ];
  return [
    ...demands.filter((demand) => demand !== null),
    ...(schema.anyOf ?? []).flatMap(demandsOf),
  ];
}

function valued(words: Words, ...values: unknown[]): Demand | null {
  const given = values.filter((value) => value !== undefined && value !== "").map(String);
  return given.length === 0 ? null : { words, values: given };
}

function lengths(min: number | undefined, max: number | undefined): Demand | null {
  if (max !== undefined) {
    const to = characters(max);
    if (min === undefined) return plain(`حتى ${to.ar}`, `up to ${to.en}`);
    const from = number(min);
    return plain(`من ${from.ar} إلى ${to.ar}`, `${from.en} to ${to.en}`);
  }
  if (min === undefined) return null;
  if (min === 1) return plain("غير فارغ", "not empty");
  const from = characters(min);
  return plain(`لا يقل عن ${from.ar}`, `at least ${from.en}`);
}

/** The bounds of all safe integers are what zod says of any integer, and no demand. */
function bounds(minimum: number | undefined, maximum: number | undefined): Demand | null {
  const has_max = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const has_min = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  if (has_min && has_max) {
    const [from, to] = [number(minimum), number(maximum)];
    return plain(`من ${from.ar} إلى ${to.ar}`, `${from.en} to ${to.en}`);
  }
  if (has_max) return plain(`حتى ${number(maximum).ar}`, `up to ${number(maximum).en}`);
  return has_min ? atLeast(minimum) : null;
}

function atLeast(n: number | undefined): Demand | null {
  return n === undefined ? null : plain(`لا يقل عن ${number(n).ar}`, `at least ${number(n).en}`);
}

function plain(ar: string, en: string): Demand {
  return { words: { ar, en }, values: [] };
}
