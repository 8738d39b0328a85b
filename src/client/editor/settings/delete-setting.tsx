/** The deletion of a page can be undone for half an hour. */
import { useEffect, useState } from "hono/jsx/dom";
import type { SavedPage } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { reader } from "../locale.ts";
import { sendChange } from "../send-change.ts";
import { Dialog, notify, useEditing } from "../ui.tsx";
import { failureOf } from "./failure.ts";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

const TEXTS = SETTINGS_TEXTS.deletion;

export function DeleteSetting(props: { editing: Editing }) {
  const { editing } = props;
  const [is_asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [is_sending, setSending] = useState(false);
  const confirm = async () => {
    setSending(true);
    const answer = await sendChange<{ page: SavedPage }>(editing, "DELETE");
    setSending(false);
    if (answer.ok) setAsking(false);
    else setFailure(failureOf(answer));
  };
  return (
    <>
      <p class="hint">{TEXTS.what}</p>
      <button
        type="button"
        class="secondary danger"
        onClick={() => {
          setFailure(null);
          setAsking(true);
        }}
      >
        {TEXTS.start}
      </button>
      {is_asking && (
        <Dialog title={TEXTS.sure} onClose={() => setAsking(false)}>
          <p>{TEXTS.what}</p>
          {failure !== null && (
            <p class="error" role="alert">
              {failure}
            </p>
          )}
          <div class="dialog-buttons">
            <button type="button" class="secondary" onClick={() => setAsking(false)}>
              {SETTINGS_TEXTS.cancel}
            </button>
            <button
              type="button"
              class="primary danger"
              disabled={is_sending}
              onClick={() => void confirm()}
            >
              {TEXTS.confirm}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Covers the editor of a deleted page: until its time is over it can only be brought back. */
export function DeletedDialog(props: { editing: Editing }) {
  const { editing } = props;
  const ends_at = useEditing(editing, ({ saved }) => saved.ends_at);
  return ends_at === null ? null : <Deleted editing={editing} ends_at={Date.parse(ends_at)} />;
}

function Deleted(props: { editing: Editing; ends_at: number }) {
  const { editing, ends_at } = props;
  const [now, setNow] = useState(Date.now());
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const undo = async () => {
    const path = `/api/me/pages/${editing.state.saved.page_id}/undelete`;
    const answer = await editing.api.call<{ page: SavedPage }>(path, { method: "POST" });
    if (!answer.ok) {
      setFailure(failureOf(answer));
      return;
    }
    editing.adopt(answer.body.page);
    notify({ text: TEXTS.undone });
  };
  const leave = () => location.assign("/dashboard");
  const is_over = now >= ends_at;
  return (
    <Dialog title={TEXTS.deleted} class="deleted" onClose={leave}>
      <p>{is_over ? TEXTS.over : TEXTS.left(timeLeft(ends_at - now))}</p>
      {failure !== null && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" class="primary" disabled={is_over} onClick={() => void undo()}>
          {TEXTS.undo}
        </button>
        <a class="secondary" href="/dashboard">
          {TEXTS.leave}
        </a>
      </div>
    </Dialog>
  );
}

/** `29:05`. */
function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = new Intl.NumberFormat(reader, { minimumIntegerDigits: 2 });
  return `${two.format(Math.floor(seconds / 60))}:${two.format(seconds % 60)}`;
}
