/** The page with blocks: a tip jar, a limited download and a newsletter. */
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { plainPage } from "../../plain-page.ts";

export const BLOCKS_PAGE = "blocks";
export const JAR = "jar";
export const DOWNLOAD = "download";
export const NEWSLETTER = "newsletter";

/** Accounts of the demo hub. */
export const OWNER = "demo-pro";
/** The first has few points and a small quota of suggestions: both run out. */
export const VISITORS = ["demo-free", "demo-business"] as const;
export type Visitor = (typeof VISITORS)[number];

export const BLOCKS_FILE = { file_id: "blocks-file", owner_id: OWNER, size: 20_000 } as const;

/** The download's uses: half of the people who want it. */
export function usesMax(blocks: number): number {
  return Math.max(1, Math.floor(blocks / 2));
}

export function blocksPage(blocks: number): Page {
  const { file_id } = BLOCKS_FILE;
  return plainPage({
    page_id: BLOCKS_PAGE,
    owner_id: OWNER,
    links: [
      { link_id: JAR, kind: "tip", label: "tips", block: { amounts: [1, 5] } },
      {
        ...{ link_id: DOWNLOAD, kind: "download", label: "file" },
        block: { file_id, access: "free", uses_max: usesMax(blocks) },
      },
      { link_id: NEWSLETTER, kind: "newsletter", label: "news", block: {} },
    ],
  });
}
