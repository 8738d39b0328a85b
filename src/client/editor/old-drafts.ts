/**
 * Drafts that the editor kept in localStorage until version 3.1. A browser may hold one for the thirty days of
 * `local-drafts.ts`, so this file can go a month after 3.2 is deployed.
 */
import type { Draft, SavedPage } from "./draft.ts";

const PREFIX = "sila-draft:";

interface OldDraft {
  base: SavedPage;
  draft: Draft;
  at: number;
}

export async function moveOldDrafts(
  store: (key: [user_id: string, page_id: string, tab: string], draft: OldDraft) => Promise<void>,
): Promise<void> {
  for (const name of Object.keys(localStorage).filter((each) => each.startsWith(PREFIX))) {
    const [user_id = "", page_id = "", tab = ""] = name.slice(PREFIX.length).split(":");
    const draft = JSON.parse(localStorage.getItem(name) ?? "null") as OldDraft | null;
    if (draft?.base?.links && draft.draft?.links) {
      await store([user_id, page_id, tab], draft);
    }
    localStorage.removeItem(name);
  }
}
