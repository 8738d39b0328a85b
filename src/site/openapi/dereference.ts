/** The document with every `$ref` replaced by what it names, for readers that want each part whole. */
import * as z from "zod";

const Reference = z.looseObject({ $ref: z.string().startsWith("#/") });

/** A copy of `part` without references; `document` is where they point. Keywords beside a `$ref` win. */
export function dereference(part: unknown, document: unknown = part): unknown {
  if (Array.isArray(part)) return part.map((item) => dereference(item, document));
  if (typeof part !== "object" || part === null) return part;
  const { data: reference } = Reference.safeParse(part);
  if (reference !== undefined) {
    const { $ref, ...beside } = reference;
    const target = dereference(targetOf($ref, document), document);
    return Object.assign({}, target, dereference(beside, document));
  }
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, dereference(value, document)]),
  );
}

/** Our names need no escapes of JSON Pointer (RFC 6901). */
function targetOf($ref: string, document: unknown): unknown {
  return $ref
    .slice("#/".length)
    .split("/")
    .reduce((part, key) => z.record(z.string(), z.unknown()).parse(part)[key], document);
}
