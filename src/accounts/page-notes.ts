/**
 * Notes of deletions of pages, undone ones, users whom the hub deleted, and new pages. They are in R2, because a
 * restored D1 has forgotten what was asked for after its point. A read of R2 has all earlier writes, which KV does
 * not promise for a minute.
 *
 *   DELETE ─▶ note ─▶ D1        undelete ─▶ D1 ─▶ note
 *   cron ─▶ the notes of the last hour, and all of them where D1 was restored ─▶ what D1 lacks is done again
 *
 *   notes/ends/<time>/page/<page_id>/<version>/<ends_at, or nothing>     notes/made/<time>/page/<page_id>
 *   notes/ends/<time>/user/<user_id>
 *
 * A note is all in its key. The time is before the id, so that the newest notes are read without the others, and
 * new pages, of which there are most, are apart. The last note about a page holds, unless D1 has the page in that
 * version or a later one: then D1 knows what was asked for, or refused it.
 */
import { DAY_MS, HOUR_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import type { AskedEnd } from "../pages/document/pages-store.ts";

const NOTES = "notes/";
const ENDS = `${NOTES}ends/`;
const MADE = `${NOTES}made/`;
/** D1 can be restored to a time within 30 days (docs/operations.md). */
export const NOTES_KEPT_MS = 35 * DAY_MS;
/**
 * Age of notes that are compared with D1 every minute, in milliseconds: a restore to a point of the last
 * minutes leaves the count of cron runs as it was, and so does a write that D1 refused.
 */
export const NOTES_RECENT_MS = HOUR_MS;
/** Objects that R2 lists or deletes in one call. */
const KEYS_MAX = 1_000;
/** Enough for 200,000 new pages in a day. */
const LISTS_DELETED_MAX = 10;
const CALL_TIMEOUT_MS = 15 * SECOND_MS;

const inTime = <T>(work: Promise<T>) => withTimeout(work, CALL_TIMEOUT_MS);

export interface Asked {
  pages: Map<string, AskedEnd>;
  user_ids: Set<string>;
}

/**
 * Call it before D1 gets a deletion: if that is not answered, the cron makes it. Call it again after D1 has
 * undone one.
 */
export async function notePageEnd(
  bucket: R2Bucket,
  { page_id, version, ends_at }: AskedEnd,
  now: number,
): Promise<void> {
  await bucket.put(keyOf(ENDS, now, "page", page_id, version, ends_at ?? ""), "");
}

/** Call it after D1 has the new page: a note of a page that D1 lacks is the sign of a restored D1. */
export async function notePageMade(bucket: R2Bucket, page_id: string, now: number): Promise<void> {
  await bucket.put(keyOf(MADE, now, "page", page_id), "");
}

/** Call it before the user's rows are changed: if that fails, the cron repeats it. */
export async function noteUserEnd(bucket: R2Bucket, user_id: string, now: number): Promise<void> {
  await bucket.put(keyOf(ENDS, now, "user", encodeURIComponent(user_id)), "");
}

/** @param since unix milliseconds */
export async function readAsked(bucket: R2Bucket, since: number): Promise<Asked> {
  const pages = new Map<string, AskedEnd>();
  const noted_at = new Map<string, number>();
  const user_ids = new Set<string>();
  for await (const notes of listNotes(bucket, ENDS, since)) {
    for (const { key, uploaded } of notes) {
      const [what, id = "", version, ends_at] = partsOf(key);
      if (what === "user") user_ids.add(decodeURIComponent(id));
      // By R2's clock: those of Workers' machines differ.
      if (what !== "page" || uploaded.getTime() < (noted_at.get(id) ?? 0)) continue;
      noted_at.set(id, uploaded.getTime());
      const asked = { version: Number(version), ends_at: ends_at ? Number(ends_at) : null };
      pages.set(id, { page_id: id, ...asked });
    }
  }
  return { pages, user_ids };
}

/** Times of notes about new pages since then, in unix milliseconds. */
export async function readMade(bucket: R2Bucket, since: number): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  for await (const notes of listNotes(bucket, MADE, since)) {
    for (const { key, uploaded } of notes) made.set(partsOf(key)[1] ?? "", uploaded.getTime());
  }
  return made;
}

/**
 * Pages that up to `limit` notes of any kind name after this key, each once, and the key to continue after, null
 * at the end. `""` is before the first note.
 */
export async function listNotedPages(
  bucket: R2Bucket,
  after: string,
  limit: number,
): Promise<{ page_ids: string[]; next: string | null }> {
  const list = await inTime(bucket.list({ prefix: NOTES, startAfter: after || NOTES, limit }));
  const page_ids = list.objects.flatMap(({ key }) => {
    const [what, page_id = ""] = partsOf(key);
    return what === "user" ? [] : [page_id];
  });
  const next = list.truncated ? (list.objects.at(-1)?.key ?? null) : null;
  return { page_ids: [...new Set(page_ids)], next };
}

/** Call it once an hour. */
export async function deleteOldNotes(bucket: R2Bucket, now: number): Promise<void> {
  for (const prefix of [ENDS, MADE]) {
    const until = keyOf(prefix, now - NOTES_KEPT_MS);
    for (let list = 0; list < LISTS_DELETED_MAX; list += 1) {
      const oldest = await inTime(bucket.list({ prefix, limit: KEYS_MAX }));
      const keys = oldest.objects.map(({ key }) => key).filter((key) => key < until);
      if (keys.length > 0) await inTime(bucket.delete(keys));
      if (keys.length < KEYS_MAX) break;
    }
  }
}

async function* listNotes(
  bucket: R2Bucket,
  prefix: string,
  since: number,
): AsyncGenerator<R2Object[]> {
  for (let startAfter = keyOf(prefix, since), done = false; !done; ) {
    const list = await inTime(bucket.list({ prefix, startAfter, limit: KEYS_MAX }));
    yield list.objects;
    startAfter = list.objects.at(-1)?.key ?? startAfter;
    done = !list.truncated;
  }
}

/** Times have 13 digits, so that keys are in their order. */
function keyOf(prefix: string, at: number, ...parts: (string | number)[]): string {
  return prefix + [String(Math.max(0, at)).padStart(13, "0"), ...parts].join("/");
}

function partsOf(key: string): string[] {
  return key.split("/").slice(3);
}
