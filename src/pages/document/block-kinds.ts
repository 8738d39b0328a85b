/**
 * Kinds of links that visitors act on at this service: they have a `block` in place of an address.
 * The editor's script has this file too, so there is no schema in it.
 */
export const BLOCK_KINDS = ["tip", "download", "newsletter"] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(BLOCK_KINDS);

export function isBlock(kind: string): kind is BlockKind {
  return KINDS.has(kind);
}
