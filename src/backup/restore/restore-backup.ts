/**
 * A restore, step by step: everything is checked before anything is written, and what was written after
 * the backup is found out before it is overtaken. Each step may be repeated, so a restore that was killed
 * is begun again.
 */

import type { WentBack } from "../../restored/lacking.ts";
import type { Manifest } from "../backup-format.ts";
import type { ComparedMedia } from "../media-rows.ts";
import { RESTORE_PAGES_MAX } from "../restore-call.ts";
import type {
  AskedPage,
  CheckedPart,
  HealedPages,
  RestoreCall,
  WrittenRows,
} from "../restore-steps.ts";

/** Makes a call; rejects with the reason where it is refused. */
export type Call = (call: RestoreCall) => Promise<unknown>;

/**
 * A page's version, number of tips or version of its list: in the backup, or in D1 where that kept more, and
 * as its object knows it.
 */
export interface Newer {
  page_id: string;
  backup: number;
  now: number;
}

/** What is not as it was before the loss. Empty lists: nothing is missing. */
export interface RestoreReport {
  date: string;
  rows: number;
  written: number;
  /** Saved after the backup: they are as they were then. */
  pages_older: Newer[];
  /** Deleted after the backup: they stay deleted. */
  pages_ended: string[];
  /** Their slug was taken; they have a new one. */
  pages_renamed: { page_id: string; slug: string; was: string }[];
  /** Made after the backup: the bucket has pictures of them, and D1 has nothing. */
  pages_unknown: string[];
  /** Received after the backup; the pages' objects send them again. */
  tips_newer: Newer[];
  /** Changed after the backup; their objects have them. */
  subscribers_newer: Newer[];
  /** Lost lists that somebody has left since: nothing was taken back. */
  subscribers_left: string[];
  /** Their objects did not answer; they send their counts when the cron's sweep comes to them. */
  pages_unhealed: string[];
  pictures_without_row: string[];
  pictures_lost: string[];
  files_without_row: string[];
  files_lost: string[];
  /** Pages whose objects this restore asked: those of the backup. */
  asked: number;
  /** What the cron found when D1 went back to an older point, of all pages; null where it never did. */
  went_back: WentBack | null;
}

/** A complete backup, as the bucket says. */
export interface Listed {
  date: string;
  rows: number;
  bytes: number;
  /** Unix milliseconds. */
  finished_at: number;
}

export interface RestoreOptions {
  date: string;
  /** Checks and compares, and writes nothing. */
  dry_run: boolean;
  say: (line: string) => void;
}

/** What stops a restore before anything is written. */
export class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

/** What the checks of all parts say together. */
interface InBackup {
  pages: Map<string, number>;
  tips: Map<string, number>;
  subscribers: Map<string, number>;
}

/** Restores the backup. Rejects with {@link RestoreRefused}, or the reason of a call that was refused. */
export async function restoreBackup(call: Call, options: RestoreOptions): Promise<RestoreReport> {
  const { date, dry_run, say } = options;
  const manifest = await openManifest(call, date);
  say(`${manifest.parts.length} parts with ${manifest.rows} rows of ${date}`);
  const inBackup = await checkParts(call, manifest);
  say("every part is whole");
  const asked = await askPages(call, [...inBackup.pages.keys()]);
  const report = { ...emptyReport(manifest), ...compare(inBackup, asked), asked: asked.size };
  if (dry_run) return { ...report, went_back: await askWentBack(call) };
  for (const { n, source } of manifest.parts) {
    say(`restoring part ${n} of ${manifest.parts.length}: ${source}`);
    await writePart(call, date, n, report);
  }
  const ended = new Set(report.pages_ended);
  report.pages_ended = [...ended].sort();
  for (const newer of ["pages_older", "tips_newer", "subscribers_newer"] as const) {
    report[newer] = report[newer].filter(({ page_id }) => !ended.has(page_id));
  }
  const page_ids = [...inBackup.pages.keys()].filter((page_id) => !ended.has(page_id));
  say("the objects of the pages send their counts");
  for (const some of groups(page_ids)) {
    const { unhealed } = (await call({ step: "heal", page_ids: some })) as HealedPages;
    report.pages_unhealed.push(...unhealed);
  }
  await compareMedia(call, report, inBackup);
  report.went_back = await askWentBack(call);
  return report;
}

/** What D1 lacks still of what the cron found. */
export async function askWentBack(call: Call): Promise<WentBack | null> {
  return ((await call({ step: "lacking" })) as { went_back: WentBack | null }).went_back;
}

async function openManifest(call: Call, date: string): Promise<Manifest> {
  const opened = (await call({ step: "manifest", date })) as { manifest: Manifest; schema: string };
  const { manifest, schema } = opened;
  if (schema < manifest.schema) {
    throw new RestoreRefused(
      `the database has migrations up to ${schema || "none"}, and the backup needs ${manifest.schema}: apply them first`,
    );
  }
  return manifest;
}

async function checkParts(call: Call, { date, parts }: Manifest): Promise<InBackup> {
  const found: InBackup = { pages: new Map(), tips: new Map(), subscribers: new Map() };
  for (const { n } of parts) {
    const checked = (await call({ step: "check", date, n })) as CheckedPart;
    for (const kind of ["pages", "tips", "subscribers"] as const) {
      for (const [page_id, value] of Object.entries(checked[kind])) found[kind].set(page_id, value);
    }
  }
  return found;
}

async function askPages(call: Call, page_ids: string[]): Promise<Map<string, AskedPage>> {
  const asked = new Map<string, AskedPage>();
  for (const some of groups(page_ids)) {
    const { pages } = (await call({ step: "ask", page_ids: some })) as { pages: AskedPage[] };
    for (const page of pages) asked.set(page.page_id, page);
  }
  return asked;
}

function emptyReport({ date, rows }: Manifest): RestoreReport {
  return {
    ...{ date, rows, written: 0 },
    ...{ pages_older: [], pages_ended: [], pages_renamed: [], pages_unknown: [] },
    pages_unhealed: [],
    ...{ tips_newer: [], subscribers_newer: [], subscribers_left: [] },
    ...{ pictures_without_row: [], pictures_lost: [], files_without_row: [], files_lost: [] },
    ...{ asked: 0, went_back: null },
  };
}

function compare({ pages, tips, subscribers }: InBackup, asked: Map<string, AskedPage>) {
  const newer = (there: (page: AskedPage) => number, now: (page: AskedPage) => number) =>
    [...pages.keys()].flatMap((page_id): Newer[] => {
      const page = asked.get(page_id);
      if (page === undefined || page.ended || now(page) <= there(page)) return [];
      return [{ page_id, backup: there(page), now: now(page) }];
    });
  const inBackup = (of: Map<string, number>) => (page: AskedPage) => of.get(page.page_id) ?? 0;
  return {
    // What D1 has is kept where it is newer than the backup.
    pages_older: newer(
      (page) => Math.max(inBackup(pages)(page), page.kept),
      ({ version }) => version,
    ),
    pages_ended: [...asked.values()].filter(({ ended }) => ended).map(({ page_id }) => page_id),
    tips_newer: newer(inBackup(tips), (page) => page.tips),
    subscribers_newer: newer(inBackup(subscribers), (page) => page.subscribers.version),
  };
}

async function writePart(call: Call, date: string, n: number, report: RestoreReport) {
  for (let from: number | null = 0; from !== null; ) {
    const answer = (await call({ step: "write", date, n, from })) as WrittenRows;
    report.written += answer.written;
    report.pages_ended.push(...answer.ended);
    report.pages_renamed.push(...answer.renamed);
    report.subscribers_left.push(...answer.left);
    from = answer.next;
  }
}

async function compareMedia(call: Call, report: RestoreReport, { pages }: InBackup) {
  for (const kind of ["pictures", "files"] as const) {
    for (let after: string | null = ""; after !== null; ) {
      const found = (await call({ step: "media", kind, after })) as ComparedMedia;
      report[`${kind}_without_row`].push(...found.without_row);
      report[`${kind}_lost`].push(...found.without_content);
      after = found.next;
    }
  }
  const ended = new Set(report.pages_ended);
  const unknown = report.pictures_without_row
    .map((key) => key.split("/")[1] ?? "")
    .filter((page_id) => !pages.has(page_id) && !ended.has(page_id));
  report.pages_unknown = [...new Set(unknown)];
}

function* groups(page_ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < page_ids.length; from += RESTORE_PAGES_MAX) {
    yield page_ids.slice(from, from + RESTORE_PAGES_MAX);
  }
}
