import { useState } from "hono/jsx/dom";
import { IMPORT_BYTES_MAX } from "../../../authoring/transfer/limits.ts";
import { languageIn, textIn } from "../../../pages/document/page-words.ts";
import { drawn, inLanguage } from "../../../views/drawn-text.ts";
import { formatNumber } from "../../../views/numbers.ts";
import { plainText } from "../../../views/plain-text.ts";
import { TEXTS as PAGE_TEXTS } from "../../../views/texts.ts";
import type { Answer } from "../../api.ts";
import type { Draft, SavedPage } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { locale, reader } from "../locale.ts";
import { announce } from "../ui.tsx";
import { failureOf } from "./failure.ts";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

const TEXTS = SETTINGS_TEXTS.transfer;

const LINKS_OPEN_MAX = 20;

/** Systems do not agree about types, so the end of a file's name tells it. */
const TYPES = {
  zip: "application/zip",
  json: "application/json",
  html: "text/html",
  htm: "text/html",
  csv: "text/csv",
  txt: "text/plain",
} as const;

interface Remark {
  line: number | null;
  text: string;
  reason: string;
  reason_en: string;
}

/** An import's answer, or that of its dry run (docs/contract.md section 10). */
interface Report<Page> {
  page: Page;
  refused: readonly Remark[];
  refused_total: number;
  notes: readonly Remark[];
  notes_total: number;
  counts: { views: number; clicks: number };
}

type Import =
  | { kind: "none" | "reading" }
  | { kind: "failed"; message: string; refused: readonly Remark[] }
  | { kind: "read"; file: File; report: Report<Draft>; is_sending: boolean }
  | { kind: "made"; page: SavedPage };

function typeOf({ name, type }: File): string | null {
  const end = name.split(".").at(-1)?.toLowerCase() ?? "";
  const known = Object.entries(TYPES).find(([each]) => each === end)?.[1];
  return known ?? Object.values(TYPES).find((each) => each === type) ?? null;
}

async function send<Page>(
  editing: Editing,
  file: File,
  query: string,
): Promise<Answer<Report<Page>>> {
  return editing.api.call<Report<Page>>(`/api/me/pages/import${query}`, {
    method: "POST",
    body: file,
    headers: { "Content-Type": typeOf(file) ?? "" },
  });
}

function failed(answer: Extract<Answer<unknown>, { ok: false }>): Import {
  const { refused = [], pages_max } = answer.details as {
    refused?: readonly Remark[];
    pages_max?: number;
  };
  const message =
    answer.code === "PLAN_LIMIT" && pages_max !== undefined
      ? TEXTS.plan(pages_max)
      : failureOf(answer);
  return { kind: "failed", message, refused };
}

export function TransferSetting(props: { editing: Editing }) {
  const { editing } = props;
  const { page_id } = editing.state.saved;
  const [state, setState] = useState<Import>({ kind: "none" });
  const fail = (message: string) => setState({ kind: "failed", message, refused: [] });
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > IMPORT_BYTES_MAX) return fail(TEXTS.too_large);
    if (typeOf(file) === null) return fail(TEXTS.wrong_type);
    setState({ kind: "reading" });
    const answer = await send<Draft>(editing, file, "?dry_run=1");
    if (!answer.ok) return setState(failed(answer));
    setState({ kind: "read", file, report: answer.body, is_sending: false });
    announce(TEXTS.found);
  };
  const make = async (read: Extract<Import, { kind: "read" }>) => {
    setState({ ...read, is_sending: true });
    const answer = await send<SavedPage>(editing, read.file, "");
    if (!answer.ok) return setState(failed(answer));
    setState({ kind: "made", page: answer.body.page });
    announce(TEXTS.made);
  };
  return (
    <>
      <p>
        <a class="secondary" href={`/api/me/pages/${page_id}/export`} download>
          {TEXTS.export}
        </a>
      </p>
      <p class="hint">{TEXTS.export_hint}</p>
      <div class="import">
        {/* The browser's own button speaks the browser's language. */}
        <label class="secondary">
          <input
            type="file"
            accept={Object.keys(TYPES)
              .map((end) => `.${end}`)
              .join()}
            aria-describedby="import-hint"
            onInput={(event: Event) => {
              const input = event.target as HTMLInputElement;
              void read(input.files?.[0]);
              // The same file again, when it is mended, is another choice.
              input.value = "";
            }}
          />
          <span>{TEXTS.import}</span>
        </label>
        <p class="hint" id="import-hint">
          {TEXTS.import_hint}
        </p>
      </div>
      <Imported state={state} onMake={(read) => void make(read)} />
    </>
  );
}

function Imported(props: {
  state: Import;
  onMake: (read: Extract<Import, { kind: "read" }>) => void;
}) {
  const { state, onMake } = props;
  switch (state.kind) {
    case "none":
      return null;
    case "reading":
      return <p role="status">{TEXTS.reading}</p>;
    case "failed":
      return (
        <>
          <p class="error" role="alert">
            {state.message}
          </p>
          <Remarks title={TEXTS.refused} remarks={state.refused} total={state.refused.length} />
        </>
      );
    case "made":
      return (
        <p role="status">
          {TEXTS.made}{" "}
          <a class="plain-link" href={`/dashboard/pages/${state.page.page_id}/edit`}>
            {TEXTS.open}
          </a>
        </p>
      );
    case "read":
      return <Found read={state} onMake={onMake} />;
  }
}

function Found(props: {
  read: Extract<Import, { kind: "read" }>;
  onMake: (read: Extract<Import, { kind: "read" }>) => void;
}) {
  const { read, onMake } = props;
  const { page, refused, refused_total, notes, notes_total, counts } = read.report;
  const language = languageIn(page.name, locale);
  const facts = [
    [TEXTS.name, drawn(textIn(page.name, locale), language), PAGE_TEXTS[language].direction],
    [TEXTS.address, `/${page.slug}`, "ltr"],
    [TEXTS.links, formatNumber(reader, page.links.length)],
    ...(counts.views + counts.clicks > 0
      ? [
          [TEXTS.views, formatNumber(reader, counts.views)],
          [TEXTS.clicks, formatNumber(reader, counts.clicks)],
        ]
      : []),
  ] as const;
  return (
    <div class="import-found">
      <h4>{TEXTS.found}</h4>
      <dl>
        {facts.map(([name, value, dir]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi dir={dir}>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <FoundLinks links={page.links} />
      <Remarks title={TEXTS.refused} remarks={refused} total={refused_total} />
      <Remarks title={TEXTS.notes} remarks={notes} total={notes_total} />
      <button type="button" class="primary" disabled={read.is_sending} onClick={() => onMake(read)}>
        {TEXTS.make}
      </button>
    </div>
  );
}

function FoundLinks({ links }: Pick<Draft, "links">) {
  if (links.length === 0) return null;
  return (
    <details open={links.length <= LINKS_OPEN_MAX}>
      <summary>{TEXTS.their_names}</summary>
      <table class="import-table import-links">
        <thead>
          <tr>
            <th scope="col">{TEXTS.name}</th>
            <th scope="col">{TEXTS.link_address}</th>
          </tr>
        </thead>
        <tbody>
          {links.map(({ link_id, label, url }) => (
            <tr key={link_id}>
              <td>
                <bdi {...inLanguage(languageIn(label, locale))}>
                  {drawn(plainText(textIn(label, locale)), languageIn(label, locale))}
                </bdi>
              </td>
              <td>
                <bdi dir="ltr">{url ?? "–"}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Remarks(props: { title: string; remarks: readonly Remark[]; total: number }) {
  const { title, remarks, total } = props;
  if (remarks.length === 0) return null;
  return (
    <table class="import-table import-remarks">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{TEXTS.line}</th>
          <th scope="col">{TEXTS.text}</th>
          <th scope="col">{TEXTS.reason}</th>
        </tr>
      </thead>
      <tbody>
        {remarks.map(({ line, text, reason, reason_en }) => (
          <tr>
            <td>{line === null ? "–" : formatNumber(reader, line)}</td>
            <td>
              <bdi>{text}</bdi>
            </td>
            <td>{LOCALE === "ar" ? reason : reason_en}</td>
          </tr>
        ))}
      </tbody>
      {total > remarks.length && (
        <tfoot>
          <tr>
            <td colspan={3}>{TEXTS.more(total - remarks.length)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
