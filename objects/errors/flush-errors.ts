/**
 * The error log's table in D1, `errors`; only this file writes it.
 *
 * A group goes to D1 as an absolute number that only grows, so a flush that is repeated, overtaken
 * or whose reply is lost changes nothing. It is written only to a D1 that still holds what it
 * confirmed last (`objects/flush/restore-guard.ts`).
 */
import type { FlushResult } from "../flush/flush-scheduler.ts";
import { readGuard, writeGuarded } from "../flush/restore-guard.ts";
import { DAY_MS } from "../platform/clock.ts";
import type { Database, Statement } from "../platform/ports.ts";
import type { ErrorSample } from "./error-report.ts";

/** A group without reports for this long is forgotten, with its sample. */
export const KEEP_MS = 30 * DAY_MS;
/** D1 keeps rows longer than the object: a row missing in D1 would look like a restored D1. */
const KEEP_IN_D1_MS = KEEP_MS + DAY_MS;
/**
 * A sample grows when it is redacted and its address encoded: the largest is 75 KB of JSON, and D1
 * takes a bound value of at most 2 MB.
 */
export const FLUSH_GROUPS_MAX = 24;

/** A group that is reported again after it was forgotten is a new row. */
export interface ErrorGroup extends ErrorSample {
  fingerprint: string;
  n: number;
  /** Unix milliseconds, as `last_seen`. */
  first_seen: number;
  last_seen: number;
}

/** The group that D1 confirmed last; `n` is 0 before the first flush. */
export type LastConfirmed = Pick<ErrorGroup, "fingerprint" | "first_seen" | "n">;

const REPORTS_IN_D1 =
  "SELECT COALESCE(SUM(n), 0) FROM errors WHERE fingerprint = ?1 AND first_seen = ?2";

/** Has written nothing if D1 holds less than it confirmed. */
export async function flushErrors(
  db: Database,
  groups: readonly ErrorGroup[],
  last: LastConfirmed,
): Promise<FlushResult> {
  const { n_in_d1 } = await writeGuarded(db, selectGuard(db, last), [
    db
      .prepare(
        `INSERT INTO errors
           (fingerprint, first_seen, last_seen, n, severity, message, stack, page_id, url)
         SELECT value ->> 'fingerprint', value ->> 'first_seen', value ->> 'last_seen', value ->> 'n',
                value ->> 'severity', value ->> 'message', value ->> 'stack', value ->> 'page_id',
                value ->> 'url'
         FROM json_each(?4) WHERE ?3 <= (${REPORTS_IN_D1})
         ON CONFLICT DO UPDATE SET n = excluded.n, last_seen = excluded.last_seen
         WHERE excluded.n > errors.n`,
      )
      .bind(last.fingerprint, last.first_seen, last.n, JSON.stringify(groups)),
  ]);
  return n_in_d1 >= last.n ? "written" : "restored";
}

export async function checkConfirmed(db: Database, last: LastConfirmed): Promise<boolean> {
  return (await readGuard(selectGuard(db, last))) >= last.n;
}

export async function forgetErrors(db: Database, now: number): Promise<void> {
  await db
    .prepare("DELETE FROM errors WHERE last_seen <= ?1")
    .bind(now - KEEP_IN_D1_MS)
    .all();
}

function selectGuard(db: Database, { fingerprint, first_seen }: LastConfirmed): Statement {
  return db.prepare(`SELECT (${REPORTS_IN_D1}) AS n`).bind(fingerprint, first_seen);
}
