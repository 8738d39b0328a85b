/**
 * What a restored D1 lacks, as far as the objects of pages know: later versions, pages without a row, tips and lists
 * of subscribers. Slices of the cron ask the objects and keep the answers in R2.
 *
 *   D1's count of cron runs is behind ─▶ alert ─▶ slices: pages that notes name and D1 lacks (`page-notes.ts`),
 *                                                 then all pages of D1, each before the sweep comes to it
 *
 * Objects keep the version that they knew (`objects/page/page-counter.ts`), so they may be asked late. What D1 has
 * got since is not listed any more.
 */
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { PageMemory } from "../../objects/page/page-counter.ts";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { whichEnded } from "../accounts/ended-pages.ts";
import { listNotedPages, NOTES_RECENT_MS, readMade } from "../accounts/page-notes.ts";
import { listPageIds, whichExist } from "../pages/document/pages-store.ts";

const KEY = "d1-restored.json";
/** Pages of D1 that one slice asks; pages from notes may exceed it by one list. */
const ASKED_PER_RUN = 100;
const CALLS_AT_ONCE = 20;
/** Pages of one list from notes, and lists of one slice. */
const NOTED_AT_ONCE = 100;
const LISTS_PER_RUN = 20;
/** Pages that are kept: some 500 KB, and 100 queries to compare them. Others are only counted. */
const LACKING_MAX = 5_000;
const CALL_TIMEOUT_MS = 10 * SECOND_MS;

const inTime = <T>(work: Promise<T>) => withTimeout(work, CALL_TIMEOUT_MS);

interface Known {
  page_id: string;
  version: number;
  tips: number;
  subscribers: number;
}

interface Survey {
  /** Unix milliseconds. */
  noticed_at: number;
  /** About how far D1 went back: the cron runs that it lost. */
  minutes_back: number;
  notes_after: string | null;
  pages_after: string | null;
  asked: number;
  unanswered: number;
  known: Known[];
  more: number;
}

interface LackingPage extends Known {
  /** The version in D1; 0 for no page. */
  kept: number;
  /** Tips that D1 lacks: the object sends them again while D1 has the page. */
  tips: number;
  /** Length of a list that D1 lacks; the newsletter's object has it. */
  subscribers: number;
}

export interface WentBack {
  /** Unix milliseconds. */
  noticed_at: number;
  minutes_back: number;
  /** Whether all pages were asked that D1 or a note of the last 35 days names. */
  is_complete: boolean;
  asked: number;
  /** Pages whose objects did not answer. */
  unanswered: number;
  pages: LackingPage[];
  more: number;
}

type Env = Pick<Cloudflare.Env, "DB" | "KV" | "MEDIA" | "PAGE" | "MONITOR">;

/**
 * Raises the alert and starts asking, where D1 has lost runs of the cron, or a page that was made since it last
 * went back: a restore to a point within the last minute. Rejects if D1, the monitor or R2 fails.
 *
 * @param runs_back lost runs; 0 for none
 */
export async function noticeRestored(env: Env, runs_back: number, now: number): Promise<void> {
  if (runs_back === 0 && !(await lacksNewPage(env, now))) return;
  logError("d1_restored", { runs_back });
  const minutes_back = Math.max(1, runs_back);
  await inTime(Promise.resolve(env.MONITOR.getByName(MONITOR).restored(minutes_back)));
  const begun = { notes_after: "", pages_after: "", asked: 0, unanswered: 0, known: [], more: 0 };
  await writeSurvey(env, { noticed_at: now, minutes_back, ...begun });
}

async function lacksNewPage(env: Env, now: number): Promise<boolean> {
  const made = await readMade(env.MEDIA, now - NOTES_RECENT_MS);
  const there = new Set(await inTime(whichExist(env.DB, [...made.keys()])));
  if (there.size === made.size) return false;
  const seen_at = (await readSurvey(env))?.noticed_at ?? 0;
  const absent = [...made].flatMap(([page_id, at]) =>
    there.has(page_id) || at <= seen_at ? [] : [page_id],
  );
  const ended = new Set(await inTime(whichEnded(env.KV, absent)));
  for (const page_id of absent) {
    if (ended.has(page_id)) continue;
    if (!(await inTime<PageMemory>(env.PAGE.getByName(page_id).memory())).ended) return true;
  }
  return false;
}

/** One slice. Returns the number of objects asked; never rejects, because the sweep must not depend on it. */
export async function askWhatD1Lacks(env: Env): Promise<number> {
  try {
    const survey = await readSurvey(env);
    if (survey === null || survey.pages_after === null) return 0;
    const asked_before = survey.asked;
    if (survey.notes_after !== null) await askNotedPages(env, survey);
    if (survey.notes_after === null) await askPagesOfD1(env, survey);
    await writeSurvey(env, survey);
    return survey.asked - asked_before;
  } catch (error) {
    logError("survey_failed", {}, error);
    return 0;
  }
}

/** What is still lacking of what was found; null if D1 never went back. */
export async function readWentBack(env: Pick<Env, "DB" | "MEDIA">): Promise<WentBack | null> {
  const survey = await readSurvey(env);
  if (survey === null) return null;
  const { noticed_at, minutes_back, asked, unanswered, more, known, pages_after } = survey;
  const pages = await compare(env.DB, known);
  return {
    noticed_at,
    minutes_back,
    is_complete: pages_after === null,
    asked,
    unanswered,
    pages,
    more,
  };
}

async function askNotedPages(env: Env, survey: Survey): Promise<void> {
  const absent: string[] = [];
  for (let lists = 0; lists < LISTS_PER_RUN && absent.length < ASKED_PER_RUN; lists += 1) {
    if (survey.notes_after === null) break;
    const noted = await listNotedPages(env.MEDIA, survey.notes_after, NOTED_AT_ONCE);
    const there = new Set(await inTime(whichExist(env.DB, noted.page_ids)));
    absent.push(...noted.page_ids.filter((page_id) => !there.has(page_id)));
    survey.notes_after = noted.next;
  }
  const ended = new Set(await inTime(whichEnded(env.KV, absent)));
  await ask(
    env,
    survey,
    absent.filter((page_id) => !ended.has(page_id)),
    1,
  );
}

async function askPagesOfD1(env: Env, survey: Survey): Promise<void> {
  const after = survey.pages_after ?? "";
  const page_ids = await inTime(listPageIds(env.DB, after, ASKED_PER_RUN));
  await ask(env, survey, page_ids, 0);
  survey.pages_after = page_ids.length < ASKED_PER_RUN ? null : (page_ids.at(-1) ?? null);
}

/** @param version_min of a page that was made, though its object may have heard nothing of it */
async function ask(
  env: Env,
  survey: Survey,
  page_ids: readonly string[],
  version_min: number,
): Promise<void> {
  const found: Known[] = [];
  for (let from = 0; from < page_ids.length; from += CALLS_AT_ONCE) {
    const some = page_ids.slice(from, from + CALLS_AT_ONCE);
    const answers = await Promise.allSettled(
      some.map((page_id) => inTime<PageMemory>(env.PAGE.getByName(page_id).memory())),
    );
    for (const [i, page_id] of some.entries()) {
      const answer = answers[i];
      if (answer?.status !== "fulfilled") survey.unanswered += 1;
      else if (!answer.value.ended) {
        const { version, tips, subscribers } = answer.value;
        const known = { version: Math.max(version, version_min), tips, subscribers: subscribers.n };
        found.push({ page_id, ...known });
      }
    }
  }
  survey.asked += page_ids.length;
  // After the objects: what was saved meanwhile is in D1.
  const lacking = new Set((await compare(env.DB, found)).map(({ page_id }) => page_id));
  const known = new Map(survey.known.map((one) => [one.page_id, one]));
  for (const one of found.filter(({ page_id }) => lacking.has(page_id))) {
    if (known.size < LACKING_MAX) known.set(one.page_id, one);
    else survey.more += 1;
  }
  survey.known = [...known.values()];
}

/** Pages of one query, which reads up to five rows for each. */
const COMPARED_AT_ONCE = 50;

/** Pages of which D1 has less. All queries are one call, so that 5,000 pages are compared while a page is rendered. */
async function compare(db: D1Database, known: readonly Known[]): Promise<LackingPage[]> {
  const queries: D1PreparedStatement[] = [];
  for (let from = 0; from < known.length; from += COMPARED_AT_ONCE) {
    const some = known.slice(from, from + COMPARED_AT_ONCE);
    queries.push(
      db
        .prepare(
          `SELECT coalesce((SELECT version FROM pages WHERE page_id = value), 0) AS kept,
             coalesce((SELECT max(seq) FROM tips WHERE page_id = value), 0) AS tips,
             EXISTS (SELECT 1 FROM newsletters WHERE page_id = value) AS has_newsletter
           FROM json_each(?1) ORDER BY key`,
        )
        .bind(JSON.stringify(some.map(({ page_id }) => page_id))),
    );
  }
  if (queries.length === 0) return [];
  const answers = await inTime(
    db.batch<{ kept: number; tips: number; has_newsletter: 0 | 1 }>(queries),
  );
  const rows = answers.flatMap(({ results }) => results);
  return known.flatMap((one, i) => {
    const { kept = 0, tips = 0, has_newsletter = 0 } = rows[i] ?? {};
    const page = {
      ...{ ...one, kept, tips: Math.max(0, one.tips - tips) },
      subscribers: has_newsletter ? 0 : one.subscribers,
    };
    return page.version > kept || page.tips > 0 || page.subscribers > 0 ? [page] : [];
  });
}

async function readSurvey({ MEDIA }: Pick<Env, "MEDIA">): Promise<Survey | null> {
  const stored = await inTime(MEDIA.get(KEY));
  return stored === null ? null : inTime(stored.json<Survey>());
}

async function writeSurvey({ MEDIA }: Pick<Env, "MEDIA">, survey: Survey): Promise<void> {
  await inTime(MEDIA.put(KEY, JSON.stringify(survey)));
}
