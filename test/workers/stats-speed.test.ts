/**
 * The cost of a stats answer in D1: two round trips, and under 50 ms among a million tallies. That it scans no
 * table is in `query-plans.test.ts`.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { spansToRead } from "../../src/stats/aggregation.ts";
import { readStats } from "../../src/stats/stats-store.ts";
import { signIn } from "./hub-kit.ts";
import { call, freshPage } from "./kit.ts";

const OWNER = "demo-pro";
const LINKS = 10;
const OTHER_PAGES = 100;
const HOUR_S = 3_600;
const HOURS = 90 * 24;
const ROWS = 1_000_000;
const D1_MS_MAX = 50;
/** What the query of `slowness` takes on an idle machine, in milliseconds. */
const USUAL_MS = 50;
const TRIES_MAX = 10;
const FILL_TIMEOUT_MS = 120_000;

const TODAY = Math.floor(Date.now() / 86_400_000) * 86_400;
const FROM = TODAY - 89 * 86_400;

let page_id: string;

/** 90 days of a page with 10 links, each clicked in every hour by people and by bots; and 100 more pages. */
beforeAll(async () => {
  ({ page_id } = await freshPage({ owner_id: OWNER }));
  const fill = (of: string, links: number, hours: number) =>
    env.DB.prepare(
      `INSERT INTO tallies
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
       SELECT ?1, ${FROM} + i / ${2 * (links + 1)} * ${HOUR_S}, CASE link WHEN 0 THEN 'view' ELSE 'click' END,
              CASE link WHEN 0 THEN '' ELSE 'link' || link END,
              CASE i % 2 WHEN 0 THEN 'human' ELSE 'bot' END, 0, 1
       FROM (SELECT i, i % ${2 * (links + 1)} / 2 AS link FROM n)`,
    ).bind(of, hours * 2 * (links + 1));
  await fill(page_id, LINKS, HOURS).run();
  const mine = HOURS * 2 * (LINKS + 1);
  const each = Math.ceil((ROWS - mine) / OTHER_PAGES / 4);
  for (let i = 0; i < OTHER_PAGES; i += 1) await fill(`other-${i}`, 1, each).run();
  const values = (n: number) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`value-${i}`, [i, 1]]));
  const breakdowns = JSON.stringify({
    referrer: values(40),
    country: values(30),
    device: values(3),
    utm_source: values(10),
    utm_medium: values(5),
    utm_campaign: values(10),
    language: values(2),
  });
  await env.DB.prepare(
    `INSERT INTO days WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 89)
     SELECT ?1, ?2 + i * 86400, 0, 1000, ?3, 1, 0 FROM n`,
  )
    .bind(page_id, FROM, breakdowns)
    .run();
}, FILL_TIMEOUT_MS);

/** How long the queries of a stats answer about 90 days take in D1, in milliseconds. */
async function spend(): Promise<number> {
  let sql_ms = 0;
  const db = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: async (asked: D1PreparedStatement[]) => {
      const results = await env.DB.batch(asked);
      for (const { meta } of results) sql_ms += meta.duration;
      return results;
    },
  } as unknown as D1Database;
  const date = (at_s: number) => new Date(at_s * 1_000).toISOString().slice(0, 10);
  const period = { from: date(FROM), to: date(TODAY), tz: "Asia/Riyadh" };
  const spans = spansToRead({ period, page_zone: "Africa/Cairo" });
  await readStats({ db, stats: db }, OWNER, page_id, spans, { link: null, filter: null });
  return sql_ms;
}

/** How many times slower than on an idle machine D1 works at the moment, at least 1. */
async function slowness(): Promise<number> {
  const { meta } = await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 400000)
     SELECT SUM(n) FROM numbers`,
  ).run();
  return Math.max(1, meta.duration / USUAL_MS);
}

describe("a stats answer", () => {
  test("is one read of the page by its key and one batch, for any query", async () => {
    const Cookie = await signIn(OWNER);
    const ask = (query: string) =>
      call(`/api/me/pages/${page_id}/stats${query}`, { headers: { Cookie } });
    // One read for the session; after that it is cached and looked up by one key.
    expect((await ask("")).status).toBe(200);
    for (const query of [
      "",
      "?from=2026-01-01&to=2026-12-31",
      "?interval=hour&tz=Asia/Riyadh",
      "?range=all",
      "?link=shop",
      "?filter=country:value-1",
    ]) {
      const batch = vi.spyOn(env.DB, "batch");
      const prepare = vi.spyOn(env.DB, "prepare");
      expect((await ask(query)).status).toBe(200);
      const asked = prepare.mock.calls.map(([sql]) => sql);
      const of_session = asked.filter((sql) => sql.includes("accounts"));
      expect(of_session).toHaveLength(1);
      expect(batch.mock.calls.map(([statements]) => statements.length)).toEqual([
        asked.length - of_session.length - 1,
      ]);
      vi.restoreAllMocks();
    }
  });

  test("about 90 days takes D1 less than 50 ms among a million tallies", async () => {
    const n = await env.DB.prepare("SELECT COUNT(*) AS n FROM tallies").first<number>("n");
    expect(n).toBeGreaterThanOrEqual(ROWS);
    // The best of some runs, because other work may slow one down.
    let best_ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && best_ms >= D1_MS_MAX; tries += 1) {
      const slower = await slowness();
      best_ms = Math.min(best_ms, (await spend()) / slower);
    }
    expect(best_ms).toBeLessThan(D1_MS_MAX);
  });
});
