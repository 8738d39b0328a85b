/** The document with every `$ref` replaced by the part that it names. */

/** A copy of `part` without references. `document` is what they point into. Keywords beside a `$ref` win. */
export function dereference(part: unknown, document: unknown = part): unknown {
  if (Array.isArray(part)) return part.map((item) => dereference(item, document));
  if (!isObject(part)) return part;
  const { $ref, ...own } = part;
  const target = typeof $ref === "string" ? dereference(find($ref, document), document) : {};
  const members = Object.entries(own).map(([key, value]) => [key, dereference(value, document)]);
  return Object.assign({}, target, Object.fromEntries(members));
}

/** The part at `#/components/schemas/Stats` and the like. Our names need no escapes (RFC 6901). */
function find($ref: string, document: unknown): unknown {
  const [, ...keys] = $ref.split("/");
  return keys.reduce((part, key) => (isObject(part) ? part[key] : undefined), document);
}

function isObject(part: unknown): part is Record<string, unknown> {
  return typeof part === "object" && part !== null;
}
