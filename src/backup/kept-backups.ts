/**
 * Which backups are in the bucket, and which stay.
 *
 * The newest 30 complete ones stay. An older one that has more than twice the rows of the newest stays
 * too, for 90 days at most: after a loss that nobody has noticed, the nights' backups of what is left
 * must not push out those that have everything.
 */
import { DAY_MS } from "../../objects/platform/clock.ts";
import { MANIFEST, type Manifest, manifestKey, prefixOf } from "./backup-format.ts";
import {
  type Adopted,
  adoptBackup,
  type Backup,
  forgetBackup,
  readBackups,
} from "./backups-store.ts";

export const BACKUPS_KEPT = 30;
/** A backup with more rows than this many times those of the newest is held for longer. */
const HELD_FACTOR = 2;
const HELD_DAYS_MAX = 90;
/** Backups that are looked at: those that are kept, held, and failed. */
const LISTED_MAX = 200;
/** Backups that one slice deletes, after its own calls; further ones go the next night. */
const DELETED_PER_SLICE = 10;

type Env = Pick<Cloudflare.Env, "DB"> & { BACKUPS: R2Bucket };
type InTime = <T>(work: Promise<T>) => Promise<T>;

/** The facts of a manifest that can be read without its key. */
export function metadataOf({ run, started_at, finished_at, rows, bytes, parts }: Manifest) {
  const facts = { started_at, finished_at, rows, bytes, parts: parts.length };
  return { run, ...Object.fromEntries(Object.entries(facts).map(([k, v]) => [k, String(v)])) };
}

/** A complete backup of this date in the bucket, or null. */
export async function findComplete(BACKUPS: R2Bucket, date: string): Promise<Adopted | null> {
  const found = await BACKUPS.head(manifestKey(date));
  if (found === null) return null;
  const { run = "", ...facts } = found.customMetadata ?? {};
  const number = (name: string) => Number(facts[name] ?? 0);
  return {
    ...{ date, run, started_at: number("started_at"), finished_at: number("finished_at") },
    ...{ parts: number("parts"), rows: number("rows"), bytes: number("bytes") },
  };
}

/** The dates below `backups/` in the bucket, oldest first. */
export async function listDates(BACKUPS: R2Bucket): Promise<string[]> {
  const dates: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const list = await BACKUPS.list({
      prefix: "backups/",
      delimiter: "/",
      ...(cursor === undefined ? {} : { cursor }),
    });
    dates.push(...list.delimitedPrefixes.map((prefix) => prefix.slice("backups/".length, -1)));
    if (!list.truncated) return dates.sort();
    cursor = list.cursor;
  }
}

/**
 * Notes the backups that the bucket has and D1 does not, because D1 was restored. Returns the dates of
 * those that are complete.
 */
export async function adoptBackups({ DB, BACKUPS }: Env, inTime: InTime): Promise<Set<string>> {
  const known = await inTime(readBackups(DB, LISTED_MAX));
  const complete = new Set(
    known.filter(({ state }) => state === "complete").map(({ date }) => date),
  );
  const unknown = (await inTime(listDates(BACKUPS))).filter((date) => !complete.has(date));
  const adopted: Adopted[] = [];
  for (const date of unknown) {
    const found = await inTime(findComplete(BACKUPS, date));
    if (found !== null) complete.add(date);
    const nothing = { run: "", started_at: 0, finished_at: null, parts: 0, rows: 0, bytes: 0 };
    adopted.push(found ?? { date, ...nothing });
  }
  if (adopted.length > 0) await inTime(DB.batch(adopted.map((one) => adoptBackup(DB, one))));
  return complete;
}

/** Deletes the parts of a complete backup that its manifest does not have: of slices that were repeated. */
export async function deleteStrays(
  { BACKUPS }: Env,
  date: string,
  keys: ReadonlySet<string>,
  inTime: InTime,
): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const page = { prefix: prefixOf(date), ...(cursor === undefined ? {} : { cursor }) };
    const list = await inTime(BACKUPS.list(page));
    const strays = list.objects
      .map(({ key }) => key)
      .filter((key) => !keys.has(key) && key !== prefixOf(date) + MANIFEST);
    if (strays.length > 0) await inTime(BACKUPS.delete(strays));
    if (!list.truncated) return;
    cursor = list.cursor;
  }
}

/** The backups that can go, of these, the newest first. */
export function outdated(backups: readonly Backup[], now: number): Backup[] {
  const complete = backups.filter(({ state }) => state === "complete");
  const newest = complete[0];
  if (newest === undefined) return [];
  const isHeld = ({ date, rows }: Backup) =>
    rows > HELD_FACTOR * newest.rows && now - Date.parse(date) < HELD_DAYS_MAX * DAY_MS;
  return [
    ...complete.slice(BACKUPS_KEPT).filter((one) => !isHeld(one)),
    ...backups.filter(({ state, date }) => state !== "complete" && date < newest.date),
  ];
}

/** Deletes backups that are not needed any more, the manifest first: none is left that looks complete. */
export async function pruneBackups(env: Env, now: number, inTime: InTime): Promise<void> {
  const { DB, BACKUPS } = env;
  const old = outdated(await inTime(readBackups(DB, LISTED_MAX)), now);
  for (const { date } of old.slice(0, DELETED_PER_SLICE)) {
    await inTime(BACKUPS.delete(manifestKey(date)));
    await deleteStrays(env, date, new Set(), inTime);
    await inTime(forgetBackup(DB, date));
  }
}
