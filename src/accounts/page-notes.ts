/**
 * Notes of what was asked for: the deletion of a page, its undo, and a user whom the hub deleted. They are in
 * R2, because a restored D1 has forgotten what was asked for after its point. Every read of R2 has what was
 * written before, which KV does not promise for a minute.
 *
 *   DELETE ─▶ note ─▶ D1        undelete ─▶ D1 ─▶ note
 *   cron ─▶ the notes of the last hour, and all of them where D1 was restored ─▶ what D1 lacks is done again
 *
 * A note has no content: all that it says is in its key. Keys begin with the time, so that the newest notes are
 * read without the others. The last note about a page holds, unless D1 has the page in that version or a
 * later one: then D1 knows what was asked for, or refused it.
 */
import { DAY_MS, HOUR_MS } from "../../objects/platform/clock.ts";
import type { AskedEnd } from "../pages/pages-store.ts";

const PREFIX = "notes/";
/** D1 can be restored to a time within 30 days (docs/operations.md). */
export const NOTES_KEPT_MS = 35 * DAY_MS;
/**
 * Notes that are compared with D1 every minute, in milliseconds: a restore to a point of the last minutes
 * leaves the count of cron runs as it was, and so does a write that D1 refused.
 */
export const NOTES_RECENT_MS = HOUR_MS;
/** Objects that R2 lists or deletes in one call. */
const KEYS_MAX = 1_000;

/** What is asked for, by the last note about each. */
export interface Asked {
  pages: Map<string, AskedEnd>;
  user_ids: Set<string>;
}

/** To be called before D1 is told of a deletion, and after it has undone one. */
export async function notePageEnd(
  bucket: R2Bucket,
  { page_id, version, ends_at }: AskedEnd,
  now: number,
): Promise<void> {
  await bucket.put(keyOf(now, "page", page_id, version, ends_at ?? ""), "");
}

/** To be called before the user's rows are changed. */
export async function noteUserEnd(bucket: R2Bucket, user_id: string, now: number): Promise<void> {
  await bucket.put(keyOf(now, "user", encodeURIComponent(user_id)), "");
}

/** What the notes since this time say, in unix milliseconds. */
export async function readAsked(bucket: R2Bucket, since: number): Promise<Asked> {
  const pages = new Map<string, AskedEnd>();
  const noted_at = new Map<string, number>();
  const user_ids = new Set<string>();
  for await (const notes of listNotes(bucket, since)) {
    for (const { key, uploaded } of notes) {
      const [, , what, id = "", version, ends_at] = key.split("/");
      if (what === "user") user_ids.add(decodeURIComponent(id));
      // By R2's clock: those of the machines that run a Worker differ.
      if (what !== "page" || uploaded.getTime() < (noted_at.get(id) ?? 0)) continue;
      noted_at.set(id, uploaded.getTime());
      const asked = { version: Number(version), ends_at: ends_at ? Number(ends_at) : null };
      pages.set(id, { page_id: id, ...asked });
    }
  }
  return { pages, user_ids };
}

/** Deletes up to 1,000 notes that no restore can need any more. To be called once an hour. */
export async function deleteOldNotes(bucket: R2Bucket, now: number): Promise<void> {
  const oldest = await bucket.list({ prefix: PREFIX, limit: KEYS_MAX });
  const until = keyOf(now - NOTES_KEPT_MS);
  const keys = oldest.objects.map(({ key }) => key).filter((key) => key < until);
  if (keys.length > 0) await bucket.delete(keys);
}

async function* listNotes(bucket: R2Bucket, since: number): AsyncGenerator<R2Object[]> {
  for (let startAfter = keyOf(since), done = false; !done; ) {
    const list = await bucket.list({ prefix: PREFIX, startAfter, limit: KEYS_MAX });
    yield list.objects;
    startAfter = list.objects.at(-1)?.key ?? startAfter;
    done = !list.truncated;
  }
}

/** Times of 13 digits, so that keys are in their order. */
function keyOf(at: number, ...parts: (string | number)[]): string {
  return PREFIX + [String(Math.max(0, at)).padStart(13, "0"), ...parts].join("/");
}
