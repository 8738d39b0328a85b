/** Edits while events arrive: a page is suspended, or loses a link, and then nothing counts there any more. */
import { setTimeout as pause } from "node:timers/promises";
import type { Serving } from "../server/serving.ts";

/** So long after an edit nothing counts any more, whatever fails (docs/contract.md section 10). */
export const EDIT_HOLDS_MS = 60_000;
/** Between two tries to have an edit delivered. */
const DELIVER_AGAIN_MS = 500;

/** One edit, with its times in milliseconds of `performance.now`. */
export interface Edit {
  page_id: string;
  /** The link that was taken away; null where the page was suspended. */
  link_id: string | null;
  /** Before D1 was asked to change anything, and after it had. */
  begun_ms: number;
  made_ms: number;
  /** When the page's object was known to have been told; null where that took too long. */
  told_ms: number | null;
}

/** Makes an edit and has it delivered, through whatever fails meanwhile; `begun` gets it at once, its times follow. */
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
  // Asked again after a kill: it changes nothing a second time.
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

/** Whether an edit concerns events of this page and link. */
export function concerns(edit: Edit, { page_id, link_id }: Pick<Edit, "page_id" | "link_id">) {
  return edit.page_id === page_id && (edit.link_id === null || edit.link_id === link_id);
}
