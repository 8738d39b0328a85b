/** Edits while events arrive: a page is suspended or loses a link, and nothing may count there afterwards. */
import { setTimeout as pause } from "node:timers/promises";
import type { Serving } from "../server/serving.ts";

/** Nothing counts any more so long after an edit, whatever fails (docs/contract.md section 10). */
export const EDIT_HOLDS_MS = 60_000;
const DELIVER_AGAIN_MS = 500;

/** One edit, with its times in milliseconds of `performance.now`. */
export interface Edit {
  page_id: string;
  /** The removed link; null if the page was suspended. */
  link_id: string | null;
  /** Before and after D1 was changed. */
  begun_ms: number;
  made_ms: number;
  /** When the page object had certainly been notified; null if that took too long. */
  told_ms: number | null;
}

/** `begun` gets the edit at once; its times are filled in later. */
export async function makeEdit(
  serving: Serving,
  { page_id, link_id }: Pick<Edit, "page_id" | "link_id">,
  begun: (edit: Edit) => void,
): Promise<void> {
  const begun_ms = performance.now();
  const edit: Edit = {
    page_id,
    link_id,
    begun_ms,
    made_ms: Number.POSITIVE_INFINITY,
    told_ms: null,
  };
  begun(edit);
  // Repeated after a kill; the edit is idempotent.
  while (!(await succeeds(serving.call("edit", page_id, link_id)))) await pause(DELIVER_AGAIN_MS);
  edit.made_ms = performance.now();
  while (performance.now() < edit.made_ms + EDIT_HOLDS_MS) {
    if (await serving.call("deliverEdits", page_id).catch(() => false)) {
      edit.told_ms = performance.now();
      return;
    }
    await pause(DELIVER_AGAIN_MS);
  }
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

export function concerns(edit: Edit, { page_id, link_id }: Pick<Edit, "page_id" | "link_id">) {
  return edit.page_id === page_id && (edit.link_id === null || edit.link_id === link_id);
}
