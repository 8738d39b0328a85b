import { useEffect, useState } from "hono/jsx/dom";
import { defaultLocale } from "../../../pages/document/page-words.ts";
import type { Locale } from "../../../views/locale.ts";
import { TEXTS as PAGE_TEXTS } from "../../../views/texts.ts";
import type { Draft } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { FieldValue, fieldName } from "../field-words.tsx";
import { PageFrame } from "../page-frame.tsx";
import { Dialog, useEditing } from "../ui.tsx";
import { type Difference, differencesOf } from "./differences.ts";
import { HISTORY_TEXTS } from "./history-texts.ts";
import type { Version } from "./sittings.ts";

export function VersionDialog(props: {
  editing: Editing;
  version: Version;
  when: string;
  onRestore: () => Promise<string | null>;
  onClose: () => void;
}) {
  const { editing, version, when, onRestore, onClose } = props;
  const { page_id } = editing.state.saved;
  const [page, setPage] = useState<Draft | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [is_sending, setSending] = useState(false);
  useEffect(() => {
    const path = `/api/me/pages/${page_id}/revisions/${version.version}`;
    const load = async () => {
      const answer = await editing.api.call<{ revision: { page: Draft } }>(path);
      if (answer.ok) setPage(answer.body.revision.page);
      else setFailure(answer.message || HISTORY_TEXTS.no_answer);
    };
    void load();
  }, [version.version]);
  const restore = async () => {
    setSending(true);
    const failed = await onRestore();
    setSending(false);
    setFailure(failed);
  };
  return (
    <Dialog title={HISTORY_TEXTS.title(when)} class="old-version" onClose={onClose}>
      {page === null && failure === null && <p role="status">{HISTORY_TEXTS.loading}</p>}
      {failure !== null && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {page !== null && (
        <>
          <div class="old-version-parts">
            <OldPage page={page} page_id={page_id} when={when} />
            <Differences editing={editing} page={page} />
          </div>
          <div class="old-version-restore">
            <p class="hint">{HISTORY_TEXTS.keeps}</p>
            <button
              type="button"
              class="primary"
              disabled={is_sending}
              onClick={() => void restore()}
            >
              {HISTORY_TEXTS.restore}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function OldPage(props: { page: Draft; page_id: string; when: string }) {
  const { page, page_id, when } = props;
  const [scheme, setScheme] = useState<"light" | "dark" | null>(null);
  const [chosen, setChosen] = useState<Locale | null>(null);
  const locale = chosen ?? defaultLocale(page);
  return (
    <div class="old-page">
      <div class="preview-tools">
        <fieldset class="choices">
          <legend class="sr">{HISTORY_TEXTS.scheme}</legend>
          {(["light", "dark"] as const).map((each) => (
            <button
              type="button"
              class="choice"
              aria-pressed={each === scheme ? "true" : "false"}
              onClick={() => setScheme(each === scheme ? null : each)}
            >
              {HISTORY_TEXTS[each]}
            </button>
          ))}
        </fieldset>
        {page.locales.length > 1 && (
          <fieldset class="choices">
            <legend class="sr">{HISTORY_TEXTS.language}</legend>
            {page.locales.map((each) => (
              <button
                type="button"
                class="choice"
                lang={each}
                aria-pressed={each === locale ? "true" : "false"}
                onClick={() => setChosen(each)}
              >
                {PAGE_TEXTS[each].own_name}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <PageFrame
        class="old-page-frame"
        title={HISTORY_TEXTS.preview(when)}
        view={{ page: { ...page, page_id }, locale, scheme }}
        onLanguage={setChosen}
      />
    </div>
  );
}

function Differences(props: { editing: Editing; page: Draft }) {
  const { editing, page } = props;
  const draft = useEditing(editing, (state) => state.draft);
  const differences = differencesOf(page, draft);
  return (
    <div class="differences">
      <h3>{HISTORY_TEXTS.differences}</h3>
      {differences.length === 0 && <p class="hint">{HISTORY_TEXTS.none}</p>}
      <dl>
        {differences.map((difference) => (
          <div key={difference.path} data-path={difference.path}>
            <dt>
              <bdi>{fieldName(difference.path, [page, draft])}</bdi>
            </dt>
            <Sides difference={difference} time_zone={draft.time_zone} />
          </div>
        ))}
      </dl>
    </div>
  );
}

function Sides(props: { difference: Difference; time_zone: string }) {
  const { path, old, now } = props.difference;
  if (path === "order") return null;
  const is_link = /^links\.[^.]+$/.test(path);
  if (is_link) return <dd>{now === null ? HISTORY_TEXTS.only_old : HISTORY_TEXTS.only_now}</dd>;
  return (
    <>
      {[["old", old] as const, ["now_side", now] as const].map(([side, value]) => (
        <dd>
          <span class="side">{HISTORY_TEXTS[side]}</span>{" "}
          <FieldValue path={path} value={value} time_zone={props.time_zone} />
        </dd>
      ))}
    </>
  );
}
