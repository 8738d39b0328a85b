import { type Draft, isSame } from "./draft.ts";
import type { Editing } from "./editing.ts";
import { EDITOR_TEXTS } from "./editor-texts.ts";
import { notify } from "./ui.tsx";

/**
 * An edit with a notice that takes back this edit and no other: as the last step if it still is the
 * last one, else by the opposite edit, so that what was done since then stays.
 *
 * @param opposite returns the same draft where there is nothing to take back, as after an undo
 * @param then called after the notice's button is pressed
 */
export function editWithUndo(
  editing: Editing,
  text: string,
  edits: { change: (draft: Draft) => Draft; opposite: (draft: Draft) => Draft },
  then?: () => void,
): void {
  const before = editing.state.draft;
  editing.edit(edits.change);
  const { draft } = editing.state;
  if (draft === before) return;
  const run = () => {
    const now = editing.state.draft;
    if (now === draft) editing.undo();
    else if (!isSame(now, before)) editing.edit(edits.opposite);
    then?.();
  };
  notify({ text, action: { label: EDITOR_TEXTS.undo, run } });
}

export function setWithUndo(editing: Editing, text: string, members: Partial<Draft>): void {
  const before = editing.state.draft;
  const former = Object.fromEntries(
    Object.keys(members).map((name) => [name, before[name as keyof Draft]]),
  );
  editWithUndo(editing, text, {
    change: (draft) => ({ ...draft, ...members }),
    opposite: (draft) => ({ ...draft, ...former }),
  });
}
