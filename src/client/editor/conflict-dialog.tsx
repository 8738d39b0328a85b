import { useEffect, useState } from "hono/jsx/dom";
import { CONFLICT_TEXTS } from "./conflict-texts.ts";
import type { Editing } from "./editing.ts";
import { FieldValue, fieldName } from "./field-words.tsx";
import type { Conflict } from "./merge.ts";
import { Dialog } from "./ui.tsx";

export function ConflictDialog(props: {
  editing: Editing;
  conflicts: readonly Conflict[];
  onClose: () => void;
}) {
  const { editing, conflicts, onClose } = props;
  const [theirs, setTheirs] = useState<ReadonlySet<Conflict>>(new Set());
  // Another save elsewhere brings other conflicts.
  useEffect(() => setTheirs(new Set()), [conflicts]);
  const choose = (conflict: Conflict, is_theirs: boolean) => {
    const next = new Set(theirs);
    if (is_theirs) next.add(conflict);
    else next.delete(conflict);
    setTheirs(next);
  };
  const apply = () => {
    editing.resolve(theirs);
    onClose();
  };
  const { draft, saved, saving } = editing.state;
  const pages = [draft, ...(saving.kind === "conflict" ? [saving.theirs] : []), saved];
  return (
    <Dialog title={CONFLICT_TEXTS.title} class="conflict" onClose={onClose}>
      <p class="hint">{CONFLICT_TEXTS.why}</p>
      {conflicts.length > 1 && (
        <fieldset class="conflict-all">
          <legend class="sr">{CONFLICT_TEXTS.all}</legend>
          <button type="button" class="secondary" onClick={() => setTheirs(new Set())}>
            {CONFLICT_TEXTS.all_mine}
          </button>
          <button type="button" class="secondary" onClick={() => setTheirs(new Set(conflicts))}>
            {CONFLICT_TEXTS.all_theirs}
          </button>
        </fieldset>
      )}
      {conflicts.map((conflict, i) => (
        <fieldset class="conflict-field" key={conflict.path} data-path={conflict.path}>
          <legend>
            <bdi>{fieldName(conflict.path, pages)}</bdi>
          </legend>
          {([false, true] as const).map((is_theirs) => (
            <label
              class={
                theirs.has(conflict) === is_theirs ? "version-choice is-chosen" : "version-choice"
              }
            >
              <input
                type="radio"
                name={`conflict-${i}`}
                checked={theirs.has(conflict) === is_theirs}
                onChange={() => choose(conflict, is_theirs)}
              />
              <span class="version-whose">
                {is_theirs ? CONFLICT_TEXTS.theirs : CONFLICT_TEXTS.mine}
              </span>
              <span class="version-value">
                <FieldValue
                  path={conflict.path}
                  value={is_theirs ? conflict.theirs : conflict.mine}
                  time_zone={draft.time_zone}
                />
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <button type="button" class="primary" onClick={apply}>
        {CONFLICT_TEXTS.apply}
      </button>
    </Dialog>
  );
}
