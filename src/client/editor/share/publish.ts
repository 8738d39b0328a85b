import type { Editing } from "../editing.ts";
import { saveDraft } from "../send-change.ts";

/** True if visitors find the page now; else it is published with the next save that arrives. */
export async function publish(editing: Editing): Promise<boolean> {
  editing.edit((draft) => ({ ...draft, status: "published" }));
  await saveDraft(editing);
  return editing.state.saved.status === "published";
}
