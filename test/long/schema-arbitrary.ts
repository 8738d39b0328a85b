/**
 * Values for a JSON schema, by fast-check: valid and invalid ones. It supports the keywords that our
 * document uses and throws on any other, so that none is ignored.
 */
import fc from "fast-check";

type Type = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

/** The part of JSON Schema 2020-12 that zod writes for our schemas. */
export interface Schema {
  $ref?: string;
  type?: Type | Type[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  example?: unknown;
  default?: unknown;
  description?: string;
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["$ref", "type", "const", "enum", "anyOf", "pattern", "minLength", "maxLength", "minimum"],
  ...[
    "maximum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "example",
    "default",
  ],
  // `format` comes with a pattern.
  ...["description", "x-description-ar", "format"],
]);

/** Length of the longest string where the schema has no limit. */
const STRING_CHARS = 3_000;

const ITEMS = 5;

export function allowedBy(schema: Schema): fc.Arbitrary<unknown> {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`no values for ${unknown.join()} in ${JSON.stringify(schema)}`);
  const values = valuesOf(schema);
  return schema.example === undefined ? values : fc.oneof(fc.constant(schema.example), values);
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(allowedBy));
  const { type } = schema;
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => allowedBy({ ...schema, type: one })));
  switch (type) {
    case "string":
      return stringsOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "object":
      return objectsOf(schema);
    case "array":
      return fc.array(allowedBy(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? ITEMS, ITEMS),
      });
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    default:
      throw new Error(`no values for ${JSON.stringify(schema)}`);
  }
}

function stringsOf({ pattern, minLength = 0, maxLength = STRING_CHARS }: Schema) {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u"));
  // JSON Schema counts Unicode characters, so strings at the limit must too.
  const text = fc.string({ unit: "grapheme-ascii", minLength, maxLength });
  const arabic = fc.string({
    unit: fc.constantFrom(..."ابتثجحخد ،؛\u064b😀,;\\\n"),
    minLength: Math.min(minLength, maxLength),
    maxLength: Math.min(maxLength, 40),
  });
  const longest = fc.constantFrom("x", "ص").map((letter) => letter.repeat(maxLength));
  return fc.oneof(
    { weight: 3, arbitrary: text },
    { weight: 3, arbitrary: arbitraryOfLength(arabic, minLength) },
    longest,
  );
}

function arbitraryOfLength(strings: fc.Arbitrary<string>, minLength: number) {
  return strings.filter((text) => text.length >= minLength);
}

function objectsOf({ properties = {}, required = [] }: Schema) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, allowedBy(schema)]);
  return fc.record(Object.fromEntries(entries) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: required,
  });
}

/** Invalid bodies for the schema of an object, as text. */
export function refusedBy(schema: Schema): fc.Arbitrary<string> {
  if (schema.anyOf !== undefined) return refusedByAll(schema.anyOf);
  const { properties = {}, required = [] } = schema;
  const good = allowedBy(schema) as fc.Arbitrary<Record<string, unknown>>;
  const lacking = required.map((name) =>
    good.map((body) => {
      const { [name]: _, ...rest } = body;
      return JSON.stringify(rest);
    }),
  );
  const wrong = fc
    .tuple(good, fc.constantFrom(...Object.entries(properties)))
    .chain(([body, [name, property]]) =>
      notOf(property).map((value) => JSON.stringify({ ...body, [name]: value })),
    );
  const no_object = fc.constantFrom("null", "[]", "1", '"x"', "true");
  const no_json = fc.oneof(fc.constantFrom("", "{", "{]", "undefined", "\u0000"), fc.string());
  return fc.oneof(
    ...(lacking.length === 0 ? [] : [{ weight: 2, arbitrary: fc.oneof(...lacking) }]),
    { weight: 4, arbitrary: wrong },
    no_object,
    no_json.filter((text) => !isObject(text)),
  );
}

function refusedByAll(alternatives: readonly Schema[]): fc.Arbitrary<string> {
  const names = alternatives.flatMap(({ properties = {} }) => Object.entries(properties));
  const wrong = fc
    .constantFrom(...names)
    .chain(([name, property]) => notOf(property).map((value) => JSON.stringify({ [name]: value })))
    .filter((text) => !text.includes(":true"));
  return fc.oneof(wrong, fc.constantFrom("{}", "null", "[]", "1", "{", "", '{"x":1}'));
}

function notOf(schema: Schema): fc.Arbitrary<unknown> {
  const others: fc.Arbitrary<unknown>[] = [
    fc.constantFrom<unknown>(null, 1, 1.5, true, [], {}, [["x"]], { a: 1 }),
  ];
  const { maxLength, pattern } = schema;
  if (maxLength !== undefined) others.push(fc.constant("x".repeat(maxLength + 1)));
  if (pattern !== undefined) {
    const matches = new RegExp(pattern, "u");
    others.push(fc.string().filter((text) => !matches.test(text)));
  }
  if (schema.enum !== undefined) {
    others.push(fc.string().filter((text) => !schema.enum?.includes(text)));
  }
  return fc.oneof(...others);
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
