import type { BlockKind } from "./block-kinds.ts";
import type { BlockByKind, Link } from "./page-document.ts";

export function blockOf<K extends BlockKind>(
  link: Pick<Link, "kind" | "block">,
  kind: K,
): BlockByKind[K] | null {
  return link.kind === kind && link.block !== undefined ? (link.block as BlockByKind[K]) : null;
}
