/**
 * The steps of a restore, which a script calls one after the other (`restore/restore.ts`). Each is bounded
 * and may be repeated; the Worker reads the backup from its own bucket, so a call brings no rows.
 */
import * as z from "zod/mini";
import type { CopiedSubscriber, CopyPart } from "../../objects/newsletter/subscribers-copy.ts";
import type { PageMemory } from "../../objects/page/page-counter.ts";
import { logError } from "../../objects/platform/log.ts";
import { statsDatabases } from "../../objects/stats/databases.ts";
import { endsForGood, repeatEnds, whichEnded } from "../accounts/ended-pages.ts";
import { whichUsersEnded } from "../accounts/ended-users.ts";
import { NOTES_KEPT_MS, readAsked } from "../accounts/page-notes.ts";
import { Id } from "../http/ids.ts";
import type { Secret } from "../http/secret.ts";
import { whichExist } from "../pages/pages-store.ts";
import { readWentBack } from "../restored/lacking.ts";
import { BadBackupError } from "./backup-format.ts";
import { readSchema } from "./backups-store.ts";
import { findComplete, listDates } from "./kept-backups.ts";
import { compareMedia } from "./media-rows.ts";
import { openManifest, openPart } from "./open-backup.ts";
import { RESTORE_PAGES_MAX } from "./restore-call.ts";
import { writeHistory } from "./restore-history.ts";
import { type Row, readPages, restoreRows, restoreSingletons } from "./restore-rows.ts";
import { HISTORY_TABLES, SUBSCRIBERS, tableOf } from "./tables.ts";

/** Rows of a call that writes: for each, KV may be asked for its page or user, 100 at once. */
const ROWS_PER_CALL = 2_000;
/** Pages are statements of their own, and their documents large. */
const PAGES_PER_CALL = 100;
/** Rows of imported history where there are databases of statistics: each page's object is asked. */
const HISTORY_PER_CALL = 500;
/** Newsletters' rows, of which each is a call of its object. */
const SUBSCRIBERS_PER_CALL = 50;
const SIZES: Readonly<Record<string, number>> = {
  pages: PAGES_PER_CALL,
  [SUBSCRIBERS]: SUBSCRIBERS_PER_CALL,
};
/** The column with the user whose rows do not come back once the hub has deleted them. */
const USER_OF: Readonly<Record<string, string>> = {
  pages: "owner_id",
  files: "owner_id",
  hub_notifications: "user_id",
  notification_reads: "user_id",
};
/** Calls of objects that are under way at once. */
const CALLS_AT_ONCE = 30;

const DateText = z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/));
const Part = { date: DateText, n: z.int().check(z.positive()) };
const PageIds = z.array(Id).check(z.maxLength(RESTORE_PAGES_MAX));

export const RestoreCall = z.discriminatedUnion("step", [
  z.object({ step: z.literal("list") }),
  z.object({ step: z.literal("manifest"), date: DateText }),
  z.object({ step: z.literal("check"), ...Part }),
  z.object({ step: z.literal("ask"), page_ids: PageIds }),
  z.object({
    step: z.literal("write"),
    ...Part,
    from: z.int().check(z.minimum(0)),
  }),
  z.object({ step: z.literal("heal"), page_ids: PageIds }),
  z.object({ step: z.literal("lacking") }),
  z.object({ step: z.literal("media"), kind: z.enum(["pictures", "files"]), after: z.string() }),
]);
export type RestoreCall = z.output<typeof RestoreCall>;

/** What `check` answers of a part, to be compared with what objects know. */
export interface CheckedPart {
  source: string;
  rows: number;
  /** Of a part of pages: the version of each. */
  pages: Record<string, number>;
  /** Of a part of tips: the number of the last tip of each page. */
  tips: Record<string, number>;
  /** Of a part of subscribers: the version of each page's list. */
  subscribers: Record<string, number>;
}

/** What is known of a page outside of the backup. */
export interface AskedPage extends PageMemory {
  page_id: string;
  /** Its version in D1; 0 where D1 does not have it. */
  kept: number;
}

export interface HealedPages {
  /** Pages whose objects did not answer: the cron's sweep comes to them. */
  unhealed: string[];
}

export interface WrittenRows {
  /** Rows of the part that this call was about, from the first one on; null after the last. */
  next: number | null;
  rows: number;
  written: number;
  /** Pages that have ended since and were left out. */
  ended: string[];
  /** Pages whose slug was taken: they have a new one, of this call or an earlier one. */
  renamed: { page_id: string; slug: string; was: string }[];
  /** Lists of subscribers that somebody has left since they were lost: nothing was taken. */
  left: string[];
}

type Env = Cloudflare.Env & { BACKUPS: R2Bucket };

export async function restoreStep(env: Env, secret: Secret, call: RestoreCall, now: number) {
  switch (call.step) {
    case "list":
      return listBackups(env);
    case "manifest": {
      const manifest = await openManifest(env.BACKUPS, secret, call.date);
      return { manifest, schema: await readSchema(env.DB) };
    }
    case "check":
      return checkPart(await openedPart(env, secret, call));
    case "ask":
      return { pages: await askPages(env, call.page_ids) };
    case "write":
      return writeRows(env, await openedPart(env, secret, call), call, now);
    case "heal":
      return healPages(env, call.page_ids);
    case "lacking":
      return { went_back: await readWentBack(env) };
    case "media":
      return compareMedia(env, call.kind, call.after);
  }
}

async function listBackups({ BACKUPS }: Env) {
  const dates = await listDates(BACKUPS);
  const found = await Promise.all(dates.slice(-100).map((date) => findComplete(BACKUPS, date)));
  return { backups: found.filter((one) => one !== null).reverse() };
}

interface OpenedPart {
  source: string;
  rows: Row[];
}

async function openedPart(
  { BACKUPS }: Env,
  secret: Secret,
  { date, n }: { date: string; n: number },
): Promise<OpenedPart> {
  const manifest = await openManifest(BACKUPS, secret, date);
  const part = await openPart(BACKUPS, secret, manifest, n);
  if (part.source !== SUBSCRIBERS && tableOf(part.source) === undefined) {
    throw new BadBackupError(`part ${n} is of ${part.source}, which this version does not have`);
  }
  return part;
}

function checkPart({ source, rows }: OpenedPart): CheckedPart {
  const byPage = (of: string, column: string) =>
    Object.fromEntries(
      source === of ? rows.map((row) => [String(row.page_id), Number(row[column])]) : [],
    );
  return {
    ...{ source, rows: rows.length },
    pages: byPage("pages", "version"),
    // In their order, so the last one stays.
    tips: byPage("tips", "seq"),
    subscribers: byPage(SUBSCRIBERS, "version"),
  };
}

async function askPages({ DB, PAGE }: Env, page_ids: readonly string[]): Promise<AskedPage[]> {
  const inD1 = await readPages(DB, page_ids);
  return inGroups(page_ids, async (page_id) => {
    const kept = inD1.get(page_id)?.version ?? 0;
    return { page_id, kept, ...(await PAGE.getByName(page_id).memory()) };
  });
}

/** Their objects notice what D1 lacks, and send it at once. */
async function healPages({ PAGE }: Env, page_ids: readonly string[]): Promise<HealedPages> {
  const unhealed = await inGroups(page_ids, async (page_id) => {
    const page = PAGE.getByName(page_id);
    try {
      await page.sweep();
      await page.flush();
      return [];
    } catch (error) {
      logError("restore_failed", { page_id, step: "heal" }, error);
      return [page_id];
    }
  });
  return { unhealed: unhealed.flat() };
}

async function writeRows(
  env: Env,
  { source, rows }: OpenedPart,
  { from }: { from: number },
  now: number,
): Promise<WrittenRows> {
  const { DB, KV } = env;
  const [first] = rows;
  const table = tableOf(source);
  const isHistory =
    table !== undefined && HISTORY_TABLES.includes(table) && statsDatabases(env).bound.size > 0;
  const size = isHistory ? HISTORY_PER_CALL : (SIZES[source] ?? ROWS_PER_CALL);
  const slice = rows.slice(from, from + size);
  const next = from + size < rows.length ? from + size : null;
  const answer = { next, rows: slice.length, written: 0, ended: [], renamed: [], left: [] };
  if (first === undefined || slice.length === 0) return answer;
  if (source === SUBSCRIBERS) return { ...answer, ...(await writeSubscribers(env, slice)) };
  if (table === undefined) return answer;
  if (isHistory) return { ...answer, written: await writeHistory(env, table, slice) };
  const user = USER_OF[source];
  const users = new Set(user === undefined ? [] : await whichUsersEnded(KV, distinct(slice, user)));
  const gone = new Set(
    source === "pages" ? await whichArePast(env, distinct(slice, "page_id")) : [],
  );
  const isGone = (row: Row) =>
    gone.has(String(row.page_id)) || (user !== undefined && users.has(String(row[user])));
  const restored = slice.filter((row) => !isGone(row));
  const results = await DB.batch([...restoreSingletons(DB), ...restoreRows(DB, table, restored)]);
  const written = results.slice(2).reduce((n, { results }) => n + results.length, 0);
  if (source !== "pages") return { ...answer, written };
  const ended = slice.filter(isGone).map(({ page_id }) => String(page_id));
  // Their objects may not have heard of it: the note was in the D1 that was lost.
  for (const page_id of ended) await endsForGood(env, page_id, now);
  await repeatEnds(DB, await readAsked(env.MEDIA, now - NOTES_KEPT_MS), now);
  // As D1 has them now, and not what this call wrote: it may be a repetition.
  const pages = await readPages(DB, distinct(restored, "page_id"));
  const renamed = restored.flatMap(({ page_id, slug, version }) => {
    const page = pages.get(String(page_id));
    if (page === undefined || page.version !== version || page.slug === slug) return [];
    return [{ page_id: String(page_id), slug: page.slug, was: String(slug) }];
  });
  return { ...answer, written, ended, renamed };
}

/** The pages that have ended: KV remembers it for some weeks, and their objects for ever. */
async function whichArePast(env: Env, page_ids: readonly string[]): Promise<string[]> {
  const asked = await askPages(env, page_ids);
  const ended = asked.filter((page) => page.ended).map(({ page_id }) => page_id);
  return [...ended, ...(await whichEnded(env.KV, page_ids))];
}

/** The rows of a page are taken in their order. Pages that were left out get none back. */
async function writeSubscribers({ DB, SUBSCRIBERS: objects }: Env, slice: readonly Row[]) {
  const there = new Set(await whichExist(DB, distinct(slice, "page_id")));
  const left: string[] = [];
  let written = 0;
  for (const row of slice) {
    const page_id = String(row.page_id);
    if (!there.has(page_id)) continue;
    const { list, version, subscribers, is_last } = row as unknown as CopyPart & {
      subscribers: CopiedSubscriber[];
    };
    const taken = await objects.getByName(page_id).restore({ list, version, subscribers, is_last });
    written += taken.taken;
    if (taken.result === "left") left.push(page_id);
  }
  return { written, left: [...new Set(left)] };
}

function distinct(rows: readonly Row[], column: string): string[] {
  return [...new Set(rows.flatMap((row) => (row[column] == null ? [] : [String(row[column])])))];
}

/** The results of calls of objects, so many at once. */
async function inGroups<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += CALLS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + CALLS_AT_ONCE).map(call))));
  }
  return results;
}
