import type { Page } from "../pages/document/pages-store.ts";
import type { Locale } from "../views/locale.ts";
import { addDays, dateAt, spanOf } from "./calendar.ts";
import { allStats, statsOfPage } from "./stats-database.ts";

const MONTH_DAYS = 30;

export interface OwnedPage
  extends Pick<Page, "page_id" | "slug" | "status" | "time_zone" | "ends_at"> {
  locale: Locale;
  name: string;
  takedown_reason?: string | null;
  is_new: boolean;
  today: Counts;
  month: Counts;
}

interface Counts {
  views: number;
  clicks: number;
}

type ListedPage = Omit<OwnedPage, "today" | "month" | "is_new"> & { is_new: number };

const OWNED = `SELECT page_id, slug, name, locale, status, time_zone, ends_at,
    published_at IS NULL AS is_new,
    (SELECT reason FROM takedowns WHERE takedowns.page_id = pages.page_id) AS takedown_reason
  FROM pages WHERE owner_id = ?1 AND (ends_at IS NULL OR ends_at > ?3)
  ORDER BY ends_at IS NOT NULL, page_id LIMIT ?2`;

/** Unix seconds: the 30 days begin, today begins, today ends. */
interface RecentDays {
  from_s: number;
  today_s: number;
  to_s: number;
}

interface CountRow {
  page_id: string;
  today_views: number;
  today_clicks: number;
  month_views: number;
  month_clicks: number;
}

// ?1: JSON of the pages, each with its {@link RecentDays}.
const counted = (kind: string, from: string) =>
  `(SELECT COALESCE(SUM(n), 0) FROM tallies WHERE tallies.page_id = value ->> 'page_id'
      AND hour >= value ->> '${from}' AND hour < value ->> 'to_s' AND kind = '${kind}' AND class = 'human')`;
const COUNTS = `SELECT value ->> 'page_id' AS page_id,
    ${counted("view", "today_s")} AS today_views, ${counted("click", "today_s")} AS today_clicks,
    ${counted("view", "from_s")} AS month_views, ${counted("click", "from_s")} AS month_clicks
  FROM json_each(?1)`;

/**
 * Lists up to `limit` pages with their counts on recent days of each page's time zone; at the end
 * those whose deletion can be undone. `look` gets their ids before the counts are read, and answers
 * in which databases those of each page are.
 */
export async function listOwnedPages(
  env: Pick<Cloudflare.Env, "DB">,
  owner_id: string,
  now_ms: number,
  limit: number,
  look: (page_ids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>,
): Promise<OwnedPage[]> {
  const db = env.DB;
  const { results: pages } = await db
    .prepare(OWNED)
    .bind(owner_id, limit, now_ms)
    .all<ListedPage>();
  const names = await look(pages.map(({ page_id }) => page_id));
  const days = new Map<string, RecentDays>();
  const asked = new Map<string, object[]>();
  const all = allStats(env);
  for (const { page_id, time_zone } of pages) {
    const recent = days.get(time_zone) ?? recentDays(time_zone, now_ms);
    days.set(time_zone, recent);
    // An object that does not answer may have its numbers in any of them.
    for (const name of names.get(page_id) ?? all) {
      const of_database = asked.get(name) ?? [];
      asked.set(name, of_database);
      of_database.push({ page_id, ...recent });
    }
  }
  const counts = await readCounts(env, asked);
  return pages.map((page) => {
    const row = counts.get(page.page_id);
    return {
      ...page,
      is_new: page.is_new === 1,
      today: { views: row?.today_views ?? 0, clicks: row?.today_clicks ?? 0 },
      month: { views: row?.month_views ?? 0, clicks: row?.month_clicks ?? 0 },
    };
  });
}

const NUMBERS = ["today_views", "today_clicks", "month_views", "month_clicks"] as const;

/**
 * Where two databases have counts of one page, the page moves: both have absolute numbers of the
 * same events, and the larger one is the newer one. They are never added.
 */
async function readCounts(
  env: Pick<Cloudflare.Env, "DB">,
  asked: ReadonlyMap<string, readonly object[]>,
): Promise<Map<string, CountRow>> {
  const answers = await Promise.all(
    [...asked].map(([name, pages]) => {
      const db = statsOfPage(env, name);
      return db.prepare(COUNTS).bind(JSON.stringify(pages)).all<CountRow>();
    }),
  );
  const counts = new Map<string, CountRow>();
  for (const row of answers.flatMap(({ results }) => results)) {
    const known = counts.get(row.page_id) ?? row;
    counts.set(row.page_id, row);
    for (const name of NUMBERS) row[name] = Math.max(row[name], known[name]);
  }
  return counts;
}

function recentDays(tz: string, now_ms: number): RecentDays {
  const to = dateAt(now_ms, tz);
  const today = spanOf({ from: to, to, tz });
  const month = spanOf({ from: addDays(to, 1 - MONTH_DAYS), to, tz });
  return { from_s: month.from_s, today_s: today.from_s, to_s: today.to_s };
}
