/**
 * The backup of a night, in slices of the minute cron.
 *
 *   02:00 UTC ─▶ row `running` ─ slices ─▶ parts in R2, each noted in D1 ─▶ manifest ─▶ `complete` ─▶ prune
 *
 * What is complete has a manifest, and the manifest is written last. A slice that is killed, or whose
 * calls fail or lose their answers, leaves a part that is not noted; the next slice writes that part
 * again under another name. The reads take minutes, and people save meanwhile: each row is whole, but
 * rows of two tables may differ by the saves in between, which a restore copes with (`restore-rows.ts`).
 */
import { DAY_MS, HOUR_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { readConfig } from "../http/config.ts";
import type { Secret } from "../http/secret.ts";
import {
  FORMAT,
  MANIFEST,
  MANIFEST_N,
  type Manifest,
  manifestKey,
  newRun,
  type PartFacts,
  partKey,
  seal,
  sha256,
} from "./backup-format.ts";
import {
  beginBackup,
  completeBackup,
  dateOf,
  failBackup,
  listParts,
  notePart,
  type Running,
  readBackups,
  readSchema,
  releaseLease,
  takeLease,
} from "./backups-store.ts";
import { adoptBackups, deleteStrays, metadataOf, pruneBackups } from "./kept-backups.ts";
import { openManifest } from "./open-backup.ts";
import { type Budget, readPart } from "./read-part.ts";

/** The UTC hour at which a backup begins: at night where most readers are, before their morning. */
export const BACKUP_HOUR = 2;
/** A backup that takes longer than this is given up, and the next night begins a new one. */
const GIVE_UP_MS = 2 * DAY_MS;
/** Calls of one slice: a cron run may make 1,000, of which pages may take 900. */
const CALLS_PER_SLICE = 90;
/** Calls that the end of a part takes: the bucket and D1. */
const CALLS_PER_PART = 2;
/** No read begins later in a slice, in milliseconds. */
const SLICE_MS = 20 * SECOND_MS;
/** Longest wait for a part to be read, and for one call of R2 or D1. */
const READ_TIMEOUT_MS = 60 * SECOND_MS;
const CALL_TIMEOUT_MS = 15 * SECOND_MS;

const inTime = <T>(work: Promise<T>, ms = CALL_TIMEOUT_MS) => withTimeout(work, ms);

/** With the databases of statistics that are bound. */
export type BackupEnv = Pick<Cloudflare.Env, "DB" | "SUBSCRIBERS"> & { BACKUPS: R2Bucket };

/** What backups need; null where they are switched off or a setting is refused. */
export function backupSettings(env: Cloudflare.Env): { env: BackupEnv; key: Secret } | null {
  const { BACKUPS } = env;
  const key = readConfig(env).backup?.BACKUP_KEY;
  if (BACKUPS === undefined || key === undefined) return null;
  return { env: { ...env, BACKUPS }, key };
}

/** Whether a run at this time is the first of its night. */
function isFirstOfNight(scheduled_at: number): boolean {
  return scheduled_at % DAY_MS < BACKUP_HOUR * HOUR_MS + 60 * SECOND_MS && isNight(scheduled_at);
}

function isNight(now: number): boolean {
  return now % DAY_MS >= BACKUP_HOUR * HOUR_MS;
}

/**
 * One slice, by the cron run of this time. What fails is logged and repeated by the next run; never
 * rejects, because the rest of the cron must not depend on it.
 */
export async function runBackup(env: Cloudflare.Env, scheduled_at: number): Promise<void> {
  try {
    const settings = backupSettings(env);
    if (settings !== null) await runSlice(settings.env, settings.key, scheduled_at);
    else if (isFirstOfNight(scheduled_at)) logError("backups_off", {});
  } catch (error) {
    logError("backup_failed", {}, error);
  }
}

async function runSlice(env: BackupEnv, key: Secret, now: number): Promise<void> {
  const date = await openBackup(env, now);
  if (date === null) return;
  const running = await inTime(takeLease(env.DB, date, crypto.randomUUID()));
  if (running === null) return;
  try {
    await work(env, key, running);
  } catch (error) {
    await inTime(releaseLease(env.DB, running, Date.now())).catch(() => undefined);
    throw error;
  }
  await inTime(releaseLease(env.DB, running, null));
}

/** The date of the backup that is to be worked on; begins that of the night. */
async function openBackup(env: BackupEnv, now: number): Promise<string | null> {
  const date = dateOf(now);
  const [last] = await inTime(readBackups(env.DB, 1, date));
  if (last?.state === "running") {
    if (now - last.started_at < GIVE_UP_MS) return last.date;
    await inTime(failBackup(env.DB, last.date));
  }
  if (!isNight(now) || (last?.date === date && last.state === "complete")) return null;
  // First: the bucket may have this night's backup of a D1 that was restored since.
  if ((await adoptBackups(env, inTime)).has(date)) return null;
  await inTime(beginBackup(env.DB, { date, run: newRun() }, now));
  return date;
}

/** Writes parts until the slice is over, and after the last one the manifest. */
async function work(env: BackupEnv, key: Secret, lease: Running): Promise<void> {
  const budget: Budget = { calls: CALLS_PER_SLICE, until: Date.now() + SLICE_MS };
  const isOver = () => budget.calls <= CALLS_PER_PART + 1 || Date.now() >= budget.until;
  let running = lease;
  let { cursor } = lease;
  // At the end already where a slice before has read all, and its manifest failed.
  while (cursor.source !== "") {
    budget.calls -= CALLS_PER_PART;
    const read = await inTime(readPart(env, cursor, running.started_at, budget), READ_TIMEOUT_MS);
    const part = read.lines.length === 0 ? null : await writePart(env, key, running, read);
    cursor = read.next ?? { source: "", after: null };
    // A table without rows is noted with the next part, but never later than by the end of the slice.
    if (part === null && read.next !== null && !isOver()) continue;
    const noted = await inTime(notePart(env.DB, running, part, cursor));
    // Another slice has taken over.
    if (noted === null) return;
    running = noted;
    if (isOver()) break;
  }
  if (running.cursor.source === "") await finish(env, key, running);
}

async function writePart(
  { BACKUPS }: BackupEnv,
  key: Secret,
  { date, run, parts }: Running,
  { source, lines }: { source: string; lines: string[] },
): Promise<PartFacts> {
  const n = parts + 1;
  const bytes = await seal(key, { date, run, n, source }, lines.join("\n"));
  const hash = await sha256(bytes);
  const name = partKey(date, n, hash);
  await inTime(BACKUPS.put(name, bytes, { sha256: hash }));
  return { n, source, rows: lines.length, bytes: bytes.length, sha256: hash, key: name };
}

/**
 * Writes the manifest, unless the bucket has one, and reads back which it has. That one is the backup, and
 * its parts are the ones that stay: it may be of a slice whose answer was lost, of another run, or of this run
 * before D1 was restored to a moment in its middle, when D1 has noted fewer parts than the bucket has.
 */
async function finish(env: BackupEnv, key: Secret, running: Running): Promise<void> {
  const { DB, BACKUPS } = env;
  const { date, run, started_at } = running;
  const parts = await inTime(listParts(DB, date));
  const sum = (of: "rows" | "bytes") => parts.reduce((n, part) => n + part[of], 0);
  const manifest: Manifest = {
    ...{ format: FORMAT, date, run, started_at, finished_at: Date.now() },
    ...{ schema: await inTime(readSchema(DB)), rows: sum("rows"), bytes: sum("bytes"), parts },
  };
  const id = { date, run, n: MANIFEST_N, source: MANIFEST };
  const bytes = await seal(key, id, JSON.stringify(manifest));
  await inTime(
    BACKUPS.put(manifestKey(date), bytes, {
      // A complete backup is never replaced: that of a restored D1 may have much less.
      onlyIf: { etagDoesNotMatch: "*" },
      customMetadata: metadataOf(manifest),
    }),
  );
  const kept = await inTime(openManifest(BACKUPS, key, date));
  await inTime(completeBackup(DB, { ...kept, parts: kept.parts.length }));
  await deleteStrays(env, date, new Set(kept.parts.map(({ key }) => key)), inTime);
  await pruneBackups(env, kept.finished_at, inTime);
}
