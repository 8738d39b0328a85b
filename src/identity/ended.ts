/**
 * Notes in R2 of what must not work again: a D1 that was restored to an earlier point has forgotten that a session
 * ended, a passkey was removed or a code used. Every place that accepts one looks for its note.
 *
 *   identity/ended/<kind>/<id>
 */
import { DAY_MS, SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";

/**
 * `sessions_of`: all sessions of a user that began before the note. The clocks of two isolates differ by milliseconds,
 * which matters only where a session began in that moment, and D1 went back to it. `codes_before`: all recovery codes
 * of a user that were made before its time. `suspended` and `operator`: a user who may not sign in, and one who is no
 * operator, until an operator undoes that. A key of R2 has at most 1,024 bytes, so a passkey, whose id may be longer,
 * has its hash.
 */
export type Kind =
  | (typeof WITH_AN_END)[number]
  | ("passkey" | "email" | "identity" | "code" | "codes_before")
  | ("suspended" | "operator" | "setup");

/** Kinds that end by themselves, in a restored D1 too. The others would work again without their notes. */
const WITH_AN_END = ["session", "sessions_of", "link"] as const;
const ENDED = "identity/ended/";
/** No session lives so long unused, and no link at all. */
const KEPT_MS = 35 * DAY_MS;
/** Lists of 1,000 notes in one run: more than a service makes in a day. */
const LISTS_MAX = 100;
const CALL_TIMEOUT_MS = 5 * SECOND_MS;

const inTime = <T>(work: Promise<T>) => withTimeout(work, CALL_TIMEOUT_MS);

/** Call it before D1 forgets a session, but after D1 has decided that a code is used or a passkey removed. */
export async function noteEnded(
  bucket: R2Bucket,
  kind: Kind,
  id: string,
  now: number,
): Promise<void> {
  await inTime(bucket.put(keyOf(kind, id), "", { customMetadata: { at: String(now) } }));
}

/** The time of the note, in unix milliseconds. */
export async function endedAt(bucket: R2Bucket, kind: Kind, id: string): Promise<number | null> {
  const note = await inTime(bucket.head(keyOf(kind, id)));
  return note === null ? null : Number(note.customMetadata?.at ?? note.uploaded.getTime());
}

/** The user has it again. */
export async function forgetEnded(bucket: R2Bucket, kind: Kind, id: string): Promise<void> {
  await inTime(bucket.delete(keyOf(kind, id)));
}

export async function deleteOldEnded(bucket: R2Bucket, now: number): Promise<void> {
  for (const kind of WITH_AN_END) {
    let cursor: string | undefined;
    for (let list = 0; list < LISTS_MAX; list += 1) {
      const notes = await inTime(
        bucket.list({ prefix: keyOf(kind, ""), ...(cursor && { cursor }) }),
      );
      const old = notes.objects.filter(({ uploaded }) => uploaded.getTime() < now - KEPT_MS);
      if (old.length > 0) await inTime(bucket.delete(old.map(({ key }) => key)));
      if (!notes.truncated) break;
      cursor = notes.cursor;
    }
  }
}

function keyOf(kind: Kind, id: string): string {
  return `${ENDED}${kind}/${encodeURIComponent(id)}`;
}
