import { useState } from "hono/jsx/dom";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { saveDraft } from "../send-change.ts";
import { publish } from "../share/publish.ts";
import { ShareSheet } from "../share/share-sheet.tsx";
import { notify, Switch, useEditing } from "../ui.tsx";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

const TEXTS = SETTINGS_TEXTS.status;
/** Each of these buttons makes way for the other, which gets the focus. */
const PUBLISH = "publish-page";
const UNPUBLISH = "unpublish-page";

export function StatusSetting(props: { editing: Editing }) {
  const { editing } = props;
  const status = useEditing(editing, ({ draft }) => draft.status);
  const is_saved = useEditing(editing, ({ draft, saved }) => draft.status === saved.status);
  const indexed = useEditing(editing, ({ draft }) => draft.indexed);
  const [is_sharing, setSharing] = useState(false);
  const show = async () => {
    focusSoon(UNPUBLISH);
    if (await publish(editing)) setSharing(true);
  };
  const hide = async () => {
    editing.edit((draft) => ({ ...draft, status: "draft" }));
    focusSoon(PUBLISH);
    await saveDraft(editing);
    if (editing.state.saved.status !== "draft") return;
    const action = { label: SETTINGS_TEXTS.undo, run: () => void publish(editing) };
    notify({ text: TEXTS.is_draft, action });
  };
  return (
    <>
      <p role="status">{is_saved || status === "suspended" ? TEXTS[status] : TEXTS.soon[status]}</p>
      {status === "draft" && (
        <button type="button" class="primary" id={PUBLISH} onClick={() => void show()}>
          {TEXTS.publish}
        </button>
      )}
      {status === "published" && (
        <>
          <button type="button" class="secondary" id={UNPUBLISH} onClick={() => void hide()}>
            {TEXTS.unpublish}
          </button>
          <p class="hint">{TEXTS.unpublish_hint}</p>
        </>
      )}
      <Switch
        label={TEXTS.indexed}
        hint={TEXTS.indexed_hint}
        is_on={indexed}
        onChange={(is_on) => editing.edit((draft) => ({ ...draft, indexed: is_on }))}
      />
      {is_sharing && (
        <ShareSheet editing={editing} is_just_published onClose={() => setSharing(false)} />
      )}
    </>
  );
}
