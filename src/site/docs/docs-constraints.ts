import type { Bilingual } from "../../views/bilingual.ts";
import type { Schema } from "../openapi/shape.ts";
import { characters, number } from "./docs-texts.ts";

interface Constraint {
  words: Bilingual;
  values: string[];
}

export function constraintsOf(schema: Schema): Constraint[] {
  const { minLength, maxLength, pattern, format } = schema;
  const constraints: (Constraint | null)[] = [
    valued({ ar: "دائمًا", en: "always" }, schema.const),
    valued({ ar: "إحدى القيم", en: "one of" }, ...(schema.enum ?? [])),
    lengths(minLength, maxLength),
    bounds(schema.minimum, schema.maximum),
    bounds(schema.minItems, schema.maxItems),
    valued({ ar: "الصيغة", en: "format" }, format),
    // A format says the same in a word.
    valued({ ar: "النمط", en: "pattern" }, format === undefined ? pattern : undefined),
    valued({ ar: "الافتراضي", en: "default" }, schema.default),
    valued({ ar: "مثال", en: "example" }, schema.example ?? schema.examples?.[0]),
  ];
  return [
    ...constraints.filter((constraint) => constraint !== null),
    ...(schema.anyOf ?? []).flatMap(constraintsOf),
  ];
}

function valued(words: Bilingual, ...values: unknown[]): Constraint | null {
  const given = values.filter((value) => value !== undefined && value !== "").map(textOf);
  return given.length === 0 ? null : { words, values: given };
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function lengths(min: number | undefined, max: number | undefined): Constraint | null {
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

/** zod gives every integer the bounds of all safe integers; those are left out. */
function bounds(minimum: number | undefined, maximum: number | undefined): Constraint | null {
  const has_max = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const has_min = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  if (has_min && has_max) {
    const [from, to] = [number(minimum), number(maximum)];
    return plain(`من ${from.ar} إلى ${to.ar}`, `${from.en} to ${to.en}`);
  }
  if (has_max) return plain(`حتى ${number(maximum).ar}`, `up to ${number(maximum).en}`);
  return has_min ? atLeast(minimum) : null;
}

function atLeast(n: number | undefined): Constraint | null {
  return n === undefined ? null : plain(`لا يقل عن ${number(n).ar}`, `at least ${number(n).en}`);
}

function plain(ar: string, en: string): Constraint {
  return { words: { ar, en }, values: [] };
}
