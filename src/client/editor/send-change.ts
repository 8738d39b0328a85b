/** Changes that are not edits of the draft: an address, a restored revision, a deletion. */
import type { Answer, Refusal } from "../api.ts";
import type { SavedPage } from "./draft.ts";
import type { Editing } from "./editing.ts";

/** The draft has changes that cannot be saved now; its own state says why. */
export interface Unsaved {
  ok: false;
  code: "UNSAVED";
  message: "";
}

/** `from_version` is the version that the change was made of. */
export type Changed<T> = Extract<Answer<T>, { ok: true }> & { from_version: number };

/** False where the draft stays unsaved. */
export async function saveDraft(editing: Editing): Promise<boolean> {
  const kindNow = () => editing.state.saving.kind;
  if (kindNow() === "sending") await sent(editing);
  if (kindNow() === "waiting" || kindNow() === "retrying") await editing.retry();
  return kindNow() === "saved";
}

function sent(editing: Editing): Promise<void> {
  return new Promise((resolve) => {
    const stop = editing.subscribe(() => {
      if (editing.state.saving.kind === "sending") return;
      stop();
      resolve();
    });
  });
}

/**
 * Saves the draft, then sends the change with the version on which it is based, and puts the page
 * that it makes into the editor. Where another tab was first, its changes are taken over and the
 * change is sent once more. `suffix` follows the page's path in the API.
 */
export async function sendChange<T extends { page: SavedPage }>(
  editing: Editing,
  method: "PATCH" | "POST" | "DELETE",
  suffix = "",
  json?: unknown,
): Promise<Changed<T> | Refusal | Unsaved> {
  for (let is_repeated = false; ; is_repeated = true) {
    if (!(await saveDraft(editing))) return { ok: false, code: "UNSAVED", message: "" };
    const { page_id, version } = editing.state.saved;
    const answer = await editing.api.call<T>(`/api/me/pages/${page_id}${suffix}`, {
      method,
      headers: { "If-Match": `"v${version}"` },
      ...(json === undefined ? {} : { json }),
    });
    if (answer.ok) {
      editing.adopt(answer.body.page);
      return { ...answer, from_version: version };
    }
    const { page } = answer.details as { page?: SavedPage };
    if (answer.code !== "VERSION_CONFLICT" || page === undefined || is_repeated) return answer;
    editing.adopt(page);
  }
}
