/** Visitors act on blocks at this service (`src/pages/document/block-kinds.ts`). */
import { BLOCK_KINDS, type BlockKind } from "../../../pages/document/block-kinds.ts";
import type { BlockByKind } from "../../../pages/document/page-document.ts";
import { type Link, newLink } from "../draft.ts";

const BLANK: BlockByKind = {
  tip: { amounts: [10, 50, 100] },
  // Nothing of it is saved before a file is chosen (`wire.ts`).
  download: { file_id: "", access: "free", uses_max: null },
  newsletter: {},
};

/** A tip jar is not offered while nobody has points; a page that has one keeps it. */
export function offeredKinds(has_points: boolean): readonly BlockKind[] {
  return BLOCK_KINDS.filter((kind) => kind !== "tip" || has_points);
}

/** Off, so that visitors do not see it half made: `Desk` switches it on. */
export function newBlock(kind: BlockKind): Link {
  return newLink(kind, { block: BLANK[kind], enabled: false });
}

export function isComplete({ block }: Pick<Link, "block">): boolean {
  return !(block !== undefined && "file_id" in block && block.file_id === "");
}
