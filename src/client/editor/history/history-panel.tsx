import { useEffect, useState } from "hono/jsx/dom";
import { dateFormat, TIME_OPTIONS } from "../../../views/dates.ts";
import { counted, formatRate } from "../../../views/numbers.ts";
import type { SavedPage } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { reader } from "../locale.ts";
import { sendChange } from "../send-change.ts";
import { notify, useEditing } from "../ui.tsx";
import { HISTORY_TEXTS } from "./history-texts.ts";
import {
  joined,
  judge,
  type Listed,
  type Sitting,
  sittingsOf,
  type Totals,
  type Version,
} from "./sittings.ts";
import { VersionDialog } from "./version-dialog.tsx";

interface ListAnswer {
  revisions: readonly Version[];
  now?: Totals;
}

const WHEN_OPTIONS = { day: "numeric", month: "long", year: "numeric", ...TIME_OPTIONS } as const;
interface Failure {
  message: string;
  before: number | null;
}

export function HistoryPanel(props: { editing: Editing }) {
  const { editing } = props;
  const { page_id, version: current } = useEditing(editing, ({ saved }) => saved);
  const time_zone = useEditing(editing, ({ draft }) => draft.time_zone);
  const [listed, setListed] = useState<Listed | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [seen, setSeen] = useState<Version | null>(null);
  const load = async (before: number | null) => {
    setFailure(null);
    const query = before === null ? "" : `?before=${before}`;
    const path = `/api/me/pages/${page_id}/revisions${query}`;
    const answer = await editing.api.call<ListAnswer>(path);
    if (!answer.ok) {
      setFailure({ message: answer.message || HISTORY_TEXTS.no_answer, before });
      return;
    }
    const { revisions, now = null } = answer.body;
    setListed((known) => joined(known, { before, revisions, now }));
  };
  // A save makes a version.
  useEffect(() => void load(null), [current]);
  const whenOf = ({ at }: Version) =>
    dateFormat(reader, time_zone, WHEN_OPTIONS).format(Date.parse(at));
  const restore = async (version: Version): Promise<string | null> => {
    const failed = await restoreVersion(editing, version.version, {
      text: HISTORY_TEXTS.restored(whenOf(version)),
      is_undo: false,
    });
    if (failed === null) setSeen(null);
    return failed;
  };
  return (
    <>
      <h2>{EDITOR_TEXTS.panels.history}</h2>
      <p class="hint">{HISTORY_TEXTS.intro}</p>
      {listed === null && failure === null && <p role="status">{HISTORY_TEXTS.loading}</p>}
      {listed !== null && (
        <ol class="sittings">
          {sittingsOf(listed.versions, listed.now).map((sitting) => (
            <SittingItem
              key={sitting.newest.version}
              sitting={sitting}
              current={current}
              whenOf={whenOf}
              onSee={setSeen}
            />
          ))}
        </ol>
      )}
      {failure !== null && (
        <p class="error" role="alert">
          {failure.message}{" "}
          <button type="button" class="secondary" onClick={() => void load(failure.before)}>
            {HISTORY_TEXTS.retry}
          </button>
        </p>
      )}
      {listed?.has_more && failure === null && (
        <button
          type="button"
          class="secondary"
          onClick={() => void load(listed.versions.at(-1)?.version ?? null)}
        >
          {HISTORY_TEXTS.older}
        </button>
      )}
      {seen !== null && (
        <VersionDialog
          editing={editing}
          version={seen}
          when={whenOf(seen)}
          onRestore={() => restore(seen)}
          onClose={() => setSeen(null)}
        />
      )}
    </>
  );
}

/** Returns why it failed, or null. A restore that changes something is undone by another one. */
async function restoreVersion(
  editing: Editing,
  version: number,
  done: { text: string; is_undo: boolean },
): Promise<string | null> {
  const answer = await sendChange<{ page: SavedPage }>(
    editing,
    "POST",
    `/revisions/${version}/restore`,
  );
  if (!answer.ok) {
    if (answer.code === "UNSAVED") return HISTORY_TEXTS.not_saved;
    return answer.message || HISTORY_TEXTS.no_answer;
  }
  const { from_version } = answer;
  if (answer.body.page.version === from_version) {
    notify({ text: HISTORY_TEXTS.none });
    return null;
  }
  const undo = async () => {
    const back = { text: HISTORY_TEXTS.undone, is_undo: true };
    const failed = await restoreVersion(editing, from_version, back);
    if (failed !== null) notify({ text: failed });
  };
  notify({
    text: done.text,
    ...(done.is_undo ? {} : { action: { label: HISTORY_TEXTS.undo, run: () => void undo() } }),
  });
  return null;
}

function SittingItem(props: {
  sitting: Sitting;
  current: number;
  whenOf: (version: Version) => string;
  onSee: (version: Version) => void;
}) {
  const { sitting, current, whenOf, onSee } = props;
  const { newest, versions } = sitting;
  const older = versions.slice(1);
  return (
    <li class="sitting">
      <VersionLine version={newest} what={sitting.what} {...{ current, whenOf, onSee }} />
      <Rates sitting={sitting} />
      {older.length > 0 && (
        <details>
          <summary>{HISTORY_TEXTS.more_saves(older.length)}</summary>
          <ol>
            {older.map((version) => (
              <li key={version.version}>
                <VersionLine
                  version={version}
                  what={version.what}
                  {...{ current, whenOf, onSee }}
                />
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

function VersionLine(props: {
  version: Version;
  what: readonly string[];
  current: number;
  whenOf: (version: Version) => string;
  onSee: (version: Version) => void;
}) {
  const { version, what, current, whenOf, onSee } = props;
  const words = what.map((change) => HISTORY_TEXTS.what[change] ?? change);
  return (
    <div class="version-line" data-version={version.version}>
      <div>
        <time datetime={version.at}>{whenOf(version)}</time>
        <p>{words.join(HISTORY_TEXTS.comma)}</p>
      </div>
      {version.version === current ? (
        <span class="is-current">{HISTORY_TEXTS.now}</span>
      ) : (
        <button
          type="button"
          class="secondary"
          aria-label={`${HISTORY_TEXTS.see}: ${whenOf(version)}`}
          onClick={() => onSee(version)}
        >
          {HISTORY_TEXTS.see}
        </button>
      )}
    </div>
  );
}

function Rates(props: { sitting: Sitting }) {
  const { before, after } = props.sitting;
  if (before === null || after === null || before.views + after.views === 0) return null;
  const judgement = judge(before, after);
  const side = ({ views, clicks }: Totals) => {
    const of_views = counted(reader, "view", views);
    return views === 0 ? of_views : `${formatRate(reader, clicks, views)} (${of_views})`;
  };
  return (
    <dl class="rates" data-judgement={judgement}>
      <dt>{HISTORY_TEXTS.rate}</dt>
      <dd>
        <span>{`${HISTORY_TEXTS.before} ${side(before)}`}</span>
        <span>{`${HISTORY_TEXTS.after} ${side(after)}`}</span>
        <span class="judgement">{HISTORY_TEXTS.judged[judgement]}</span>
      </dd>
    </dl>
  );
}
