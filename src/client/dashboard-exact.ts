/** The page has one audit in it; this requests newer ones and shows result and time. */

import { SCRIPT_TEXTS } from "../dashboard/stats/script-texts.ts";
import { timeAt } from "../views/dates.ts";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { formatNumber } from "../views/numbers.ts";
import { call } from "./call.ts";

/** Shortest time between two audits: each reads every tally of the page. */
const RECHECK_MS = 15_000;
const COLUMNS = ["accepted", "flushed", "pending", "drift"] as const;

type ShownEntry = Record<(typeof COLUMNS)[number], number> & {
  label: string | null;
  removed: boolean;
};

interface ShownAudit {
  page: ShownEntry;
  views: ShownEntry;
  links: ShownEntry[];
}

export function exactMark(
  page: HTMLElement,
  locale: ReaderLocale,
  { address, tz }: { address: string; tz: string },
) {
  const mark = page.querySelector<HTMLDetailsElement>("[data-exact]");
  const words = page.querySelector("[data-exact-words]");
  const time = page.querySelector("[data-exact-time]");
  const entries = page.querySelector("[data-audit-entries]");
  if (mark === null || words === null || time === null || entries === null) return null;
  const texts = SCRIPT_TEXTS[languageOf(locale)];
  // The audit in the page is as old as the page.
  let checked_ms = performance.now();
  let timer: number | undefined;

  const say = (state: string, said: string) => {
    mark.dataset.exact = state;
    if (words.textContent !== said) words.textContent = said;
  };

  const check = async () => {
    clearTimeout(timer);
    timer = undefined;
    checked_ms = performance.now();
    const answer = await call(address);
    // Reloaded, the page is a 401 with a link to sign in.
    if (answer?.status === 401) location.reload();
    const audit = answer?.ok ? auditOf(answer.body) : null;
    if (audit === null) return say("unknown", texts.unchecked);
    const { views, links } = audit;
    const drift = [views, ...links].reduce((sum, each) => sum + Math.abs(each.drift), 0);
    if (drift === 0) say("exact", texts.exact);
    else say("drift", texts.drift(formatNumber(locale, drift)));
    time.textContent = texts.checked(timeAt(locale, Date.now(), tz));
    entries.replaceChildren(
      row(locale, texts.whole_page, audit.page),
      row(locale, texts.views, views),
      ...links.map((link) => row(locale, nameOf(link, texts.gone), link)),
    );
  };

  mark.ontoggle = () => {
    if (mark.open) check();
  };
  // At once, or as soon as the last check is RECHECK_MS old.
  return () => {
    timer ??= setTimeout(check, Math.max(0, checked_ms + RECHECK_MS - performance.now()));
  };
}

function nameOf({ label, removed }: ShownEntry, gone: string): string {
  if (label === null) return gone;
  return removed ? `${label} (${gone})` : label;
}

function row(locale: ReaderLocale, name: string, entry: ShownEntry): HTMLTableRowElement {
  const line = document.createElement("tr");
  const heading = document.createElement("th");
  const isolated = document.createElement("bdi");
  heading.scope = "row";
  isolated.textContent = name;
  heading.append(isolated);
  line.append(heading);
  for (const column of COLUMNS) {
    const cell = line.insertCell();
    cell.textContent = formatNumber(locale, entry[column]);
    if (column === "drift" && entry.drift !== 0) cell.className = "alarming";
  }
  return line;
}

function auditOf(body: unknown): ShownAudit | null {
  const { views, links } = Object(body);
  const all = [entryOf(body), entryOf(views), ...(Array.isArray(links) ? links : []).map(entryOf)];
  const [page, of_views, ...of_links] = all.filter((entry) => entry !== null);
  if (page === undefined || of_views === undefined || of_links.length !== all.length - 2)
    return null;
  return { page, views: of_views, links: of_links };
}

function entryOf(value: unknown): ShownEntry | null {
  const { accepted, flushed, pending, drift, label, removed } = Object(value);
  if (![accepted, flushed, pending, drift].every(Number.isFinite)) return null;
  return {
    accepted,
    flushed,
    pending,
    drift,
    label: typeof label === "string" ? label : null,
    removed: removed === true,
  };
}
