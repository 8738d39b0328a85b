/** Links with a `block` in place of an address. No schema, because the editor has this file. */
export const BLOCK_KINDS = ["tip", "download", "newsletter"] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(BLOCK_KINDS);

export function isBlock(kind: string): kind is BlockKind {
  return KINDS.has(kind);
}
