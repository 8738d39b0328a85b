/**
 * A copy of `part` without references, which point into `document`. Keywords beside a `$ref` win.
 * Schemas in `folded` are not copied: their name in `x-shape` stands for them.
 */
export function dereference(
  part: unknown,
  document: unknown = part,
  folded: readonly string[] = [],
): unknown {
  if (Array.isArray(part)) return part.map((item) => dereference(item, document, folded));
  if (!isObject(part)) return part;
  const { $ref, ...own } = part;
  const members = Object.entries(own).map(([key, value]) => [
    key,
    dereference(value, document, folded),
  ]);
  return Object.assign({}, target($ref, document, folded), Object.fromEntries(members));
}

function target($ref: unknown, document: unknown, folded: readonly string[]): unknown {
  if (typeof $ref !== "string") return {};
  const shape = folded.find((name) => $ref === `#/components/schemas/${name}`);
  if (shape !== undefined) return { type: "object", "x-shape": shape };
  return dereference(find($ref, document), document, folded);
}

/** `#/components/schemas/Stats` and the like. Our names need no escapes (RFC 6901). */
function find($ref: string, document: unknown): unknown {
  const [, ...keys] = $ref.split("/");
  return keys.reduce((part, key) => (isObject(part) ? part[key] : undefined), document);
}

function isObject(part: unknown): part is Record<string, unknown> {
  return typeof part === "object" && part !== null;
}
