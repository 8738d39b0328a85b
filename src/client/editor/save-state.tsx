import { useEffect, useRef, useState } from "hono/jsx/dom";
import { signInAddress } from "../api.ts";
import type { Editing, EditingState, Kept, Saving } from "./editing.ts";
import { EDITOR_TEXTS } from "./editor-texts.ts";
import { reader } from "./locale.ts";
import { ConflictDialog } from "./parts.ts";
import { ToolIcon, type ToolIconName } from "./tool-icon.tsx";
import { useEditing } from "./ui.tsx";
import { hasProblem } from "./wire.ts";

const TEXTS = EDITOR_TEXTS.saving;
/** While somebody types, each key is stored: "kept" is said after the last one. */
const KEPT_AFTER_MS = 400;

export function SaveState(props: { editing: Editing }) {
  const { editing } = props;
  const saving = useEditing(editing, (state) => state.saving);
  const is_opening = useEditing(editing, (state) => state.is_opening) && saving.kind === "saved";
  const kept = useSettled(useEditing(editing, (state) => state.kept));
  const sentence = useEditing(editing, wordsOf);
  const words = [!is_opening && sentence, isInDanger(saving) && TEXTS[kept]]
    .filter(Boolean)
    .join(" ");
  const is_withheld = useEditing(editing, ({ withheld }) => hasProblem(withheld));
  const [is_choosing, setChoosing] = useState(false);
  // Screen readers do not hear "saving" and "saved" every two seconds while the creator types.
  const said = useRef(words);
  const is_passing = isInDanger(saving) && kept === "keeping";
  if (saving.kind !== "waiting" && saving.kind !== "sending" && !is_passing) said.current = words;
  const conflict = saving.kind === "conflict" ? saving : null;
  useEffect(() => setChoosing(conflict !== null), [conflict]);
  return (
    <div class="save-state" data-saving={is_opening ? "opening" : saving.kind}>
      <ToolIcon name={is_opening ? "clock" : iconOf(saving, is_withheld)} />
      <span aria-hidden="true">{words}</span>
      <span class="sr" role="status">
        {said.current}
      </span>
      {saving.kind === "signed_out" || saving.kind === "other_user" ? (
        <a class="save-action" href={signInAddress(location.href)}>
          {TEXTS.sign_in}
        </a>
      ) : null}
      {saving.kind === "retrying" && (
        <button type="button" class="save-action" onClick={() => void editing.retry()}>
          {TEXTS.retry}
        </button>
      )}
      {conflict !== null && (
        <button type="button" class="save-action" onClick={() => setChoosing(true)}>
          {TEXTS.choose}
        </button>
      )}
      {conflict !== null && is_choosing && (
        <ConflictDialog
          editing={editing}
          conflicts={conflict.conflicts}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

/** Typed text is on this device alone, for nobody knows how long. */
function isInDanger({ kind }: Saving): boolean {
  return kind === "retrying" || kind === "signed_out";
}

function useSettled(kept: Kept): Kept {
  const [settled, setSettled] = useState(kept);
  useEffect(() => {
    if (kept === "keeping") return setSettled(kept);
    const timer = setTimeout(() => setSettled(kept), KEPT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [kept]);
  return kept === "keeping" ? kept : settled;
}

function iconOf({ kind }: Saving, is_withheld: boolean): ToolIconName {
  if (kind === "saved") return is_withheld ? "alert" : "done";
  return kind === "waiting" || kind === "sending" ? "clock" : "alert";
}

/** Minutes are enough: a text with seconds would be read to screen readers again and again. */
function timeOf(at_ms: number): string {
  return new Intl.DateTimeFormat(reader, { hour: "numeric", minute: "2-digit" }).format(at_ms);
}

function wordsOf({ saving, saved_at, withheld }: EditingState): string {
  switch (saving.kind) {
    case "saved":
      if (hasProblem(withheld)) return TEXTS.withheld;
      if (withheld.size > 0 && [...withheld.values()].includes("typed")) return TEXTS.typed;
      return saved_at === null ? TEXTS.never : TEXTS.saved(timeOf(saved_at));
    case "retrying":
      return saving.is_offline ? TEXTS.offline : TEXTS.retrying;
    case "refused":
    case "gone":
      return saving.message;
    default:
      return TEXTS[saving.kind];
  }
}
