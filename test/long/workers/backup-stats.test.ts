/** Backups of imported history that lives in databases of statistics, STATS_0 and STATS_1 (docs/faults.md F31). */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MAIN } from "../../../objects/stats/databases.ts";
import type { Cursor } from "../../../src/backup/backups-store.ts";
import { type PartRows, readPart } from "../../../src/backup/read-part.ts";
import {
  FIRST_SOURCE,
  HISTORY_TABLES,
  MOVES,
  nameOf,
  SUBSCRIBERS,
  sourceAfter,
  tableOf,
} from "../../../src/backup/tables.ts";
import { BACKUPS, backUp, restoreOf, wipe } from "../../workers/backup-kit.ts";
import { signIn } from "../../workers/hub-kit.ts";
import { beacon, call, pageObject } from "../../workers/kit.ts";
import {
  bindStats,
  freshStats,
  redeploy,
  rowsByDatabase,
  statsPage,
  unbindStats,
} from "../../workers/stats-kit.ts";

const OWNER = "demo-pro";
const HISTORY = 7;
/** When imported history was counted, in unix seconds. */
const THEN = 1_700_006_400;
const DATE = "2032-01-01";

beforeEach(async () => {
  bindStats(0);
  await wipe(env.DB);
  await freshStats();
});
afterEach(async () => {
  await unbindStats();
  const { objects } = await BACKUPS.list();
  await BACKUPS.delete(objects.map(({ key }) => key));
});

/** Pages with imported history and two views of today, until each of these databases has one. */
async function pagesIn(names: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  while (Object.keys(found).length < names.length) {
    const { page_id } = await statsPage({ owner_id: OWNER });
    await env.DB.batch([
      env.DB.prepare(`INSERT INTO tallies VALUES (?1, ${THEN}, 'view', '', 'human', -2, ?2)`).bind(
        page_id,
        HISTORY,
      ),
      env.DB.prepare(`INSERT INTO days VALUES (?1, ${THEN}, -2, ?2, '{}', 1, 0)`).bind(
        page_id,
        HISTORY,
      ),
      env.DB.prepare(`INSERT INTO months VALUES (?1, -2, ${THEN}, ${THEN} + 86400, '{}', 1)`).bind(
        page_id,
      ),
      env.DB.prepare(`INSERT INTO rolled_days VALUES (?1, -2, ${THEN} + 86400)`).bind(page_id),
    ]);
    for (let i = 0; i < 2; i += 1) expect((await beacon({ page_id })).status).toBe(202);
    await pageObject(page_id).flush();
    const [name = ""] = Object.keys(await rowsByDatabase(page_id));
    found[name] ??= page_id;
  }
  return found;
}

const WHOLE = { tallies: 2, days: 2, events: HISTORY + 2 };

/** The dashboard has all, and the rows are in this database alone. */
async function expectWhole(page_id: string, name: string): Promise<void> {
  const Cookie = await signIn(OWNER);
  const path = `/api/me/pages/${page_id}/stats?range=all`;
  const stats = await call(path, { headers: { Cookie } }).then((response) => response.json());
  expect(stats).toMatchObject({ totals: { views: HISTORY + 2 }, imported: { views: HISTORY } });
  expect(await rowsByDatabase(page_id)).toEqual({ [name]: WHOLE });
}

describe("F31: imported history comes back", () => {
  test("from two databases, of which one is lost with the main one", async () => {
    bindStats(2);
    const pages = await pagesIn(["STATS_0", "STATS_1"]);
    await backUp(DATE);
    for (const db of [env.DB, env.SPARE_0]) await wipe(db);
    await restoreOf(DATE);
    for (const [name, page_id] of Object.entries(pages)) await expectWhole(page_id, name);
    expect((await restoreOf(DATE)).written).toBe(0);
  });

  test("from one database into a deployment that has two more", async () => {
    const pages = await pagesIn([MAIN]);
    await backUp(DATE);
    await wipe(env.DB);
    const page_id = pages[MAIN] ?? "";
    await redeploy(page_id, 2);
    await restoreOf(DATE);
    await pageObject(page_id).flush();
    const [name = ""] = Object.keys(await rowsByDatabase(page_id));
    expect(["STATS_0", "STATS_1"]).toContain(name);
    await expectWhole(page_id, name);
  });

  test("from databases that the deployment has no more", async () => {
    bindStats(2);
    const pages = Object.values(await pagesIn(["STATS_0", "STATS_1"]));
    await backUp(DATE);
    for (const db of [env.DB, env.SPARE_0, env.SPARE_1]) await wipe(db);
    vi.spyOn(console, "error").mockImplementation(() => {});
    for (const page_id of pages) await redeploy(page_id, 0);
    await restoreOf(DATE);
    for (const page_id of pages) {
      await pageObject(page_id).flush();
      await expectWhole(page_id, MAIN);
    }
  });

  test.each([
    ["has not begun", { at: "STATS_1", from: null, move: 2, copied: false }],
    ["goes the other way", { at: "STATS_1", from: "STATS_0", move: 2, copied: false }],
    [
      "goes the other way and has only to delete",
      { at: "STATS_1", from: "STATS_0", move: 2, copied: true },
    ],
  ])("where the page's object is elsewhere, and its move %s", async (_, stored) => {
    bindStats(1);
    const { STATS_0: page_id = "" } = await pagesIn(["STATS_0"]);
    await backUp(DATE);
    await wipe(env.DB);
    await wipe(env.SPARE_0);
    // The page lives in a database that shall become empty, and its home is STATS_0.
    await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.kv.put("stats_home", stored),
    );
    bindStats(2, "STATS_1");
    await evictDurableObject(pageObject(page_id));
    await restoreOf(DATE);
    for (let i = 0; i < 3; i += 1) await pageObject(page_id).flush();
    await expectWhole(page_id, "STATS_0");
  });

  test("but not of a page that has ended", async () => {
    bindStats(1);
    const { STATS_0: page_id = "" } = await pagesIn(["STATS_0"]);
    await backUp(DATE);
    for (const db of [env.DB, env.SPARE_0]) await wipe(db);
    const END = "INSERT INTO left_pages VALUES (?1, 9007199254740991, 0)";
    await env.SPARE_0.prepare(END).bind(page_id).run();
    await restoreOf(DATE);
    const { results } = await env.SPARE_0.prepare("SELECT 1 FROM tallies WHERE shard = -2").all();
    expect(results).toEqual([]);
  });
});

describe("the sources of a backup", () => {
  const names = (service: object) => {
    const found: string[] = [FIRST_SOURCE];
    while (found.at(-1) !== SUBSCRIBERS) found.push(sourceAfter(service, found.at(-1) ?? ""));
    return found;
  };
  const db = env.DB;

  test("are the tables, those of each database by its number, also of one that leaves, and subscribers", () => {
    const tables = HISTORY_TABLES.map(({ name }) => name);
    const found = names({ STATS_10: db, STATS_2: db, STATS_LEAVING: "STATS_2" });
    expect(found.slice(found.indexOf("rolled_days") + 1)).toEqual([
      ...[2, 10].flatMap((n) => tables.map((table) => `STATS_${n}/${table}`)),
      MOVES,
      SUBSCRIBERS,
    ]);
    expect(names({}).slice(-2)).toEqual(["rolled_days", SUBSCRIBERS]);
    expect(["STATS_0/pages", "stats_0/days", "STATS_x/days", ""].map(tableOf)).toEqual(
      Array(4).fill(undefined),
    );
  });

  test("are those of the history once more where a page has moved, and then no more", () => {
    const service = { STATS_0: db, STATS_1: db };
    const found = [sourceAfter(service, MOVES, true)];
    while (found.at(-1) !== SUBSCRIBERS) found.push(sourceAfter(service, found.at(-1) ?? ""));
    const tables = HISTORY_TABLES.map(({ name }) => name);
    const again = ["", "STATS_0/", "STATS_1/"].flatMap((at) => tables.map((name) => at + name));
    expect(found).toEqual([...again.map((name) => `again/${name}`), SUBSCRIBERS]);
    expect(found.slice(0, -1).map(nameOf)).toEqual(again);
  });

  test("F31: a page that moves into a database that was read already is not missed", async () => {
    bindStats(2, "STATS_0");
    const { STATS_1: page_id = "" } = await pagesIn(["STATS_1"]);
    const started_at = Date.now();
    const budget = () => ({ calls: 90, until: Number.POSITIVE_INFINITY });
    const found: string[] = [];
    let cursor: Cursor | null = { source: FIRST_SOURCE, after: null };
    while (cursor !== null) {
      if (cursor.source === "STATS_1/tallies") {
        await redeploy(page_id, 2, "STATS_1");
        for (let i = 0; i < 3; i += 1) await pageObject(page_id).flush();
        expect(await rowsByDatabase(page_id)).toEqual({ STATS_0: WHOLE });
      }
      const read: PartRows = await readPart(env, cursor, started_at, budget());
      if (read.lines.some((line) => line.includes(page_id))) found.push(read.source);
      cursor = read.next;
    }
    const history = HISTORY_TABLES.map(({ name }) => `STATS_0/${name}`);
    expect(found.filter((source) => source.startsWith("STATS_"))).toEqual(history);
  });

  test("follow from a name, so one that is added or removed during a backup confuses nothing", async () => {
    expect(sourceAfter({ STATS_0: db, STATS_1: db }, "STATS_0/rolled_days")).toBe(
      "STATS_1/tallies",
    );
    expect(sourceAfter({ STATS_0: db, STATS_2: db }, "STATS_1/rolled_days")).toBe(
      "STATS_2/tallies",
    );
    const removed = { source: "STATS_1/tallies", after: null };
    const { lines, next } = await readPart(env, removed, 0, { calls: 9, until: 0 });
    expect([lines, next]).toEqual([[], { source: "STATS_1/days", after: null }]);
  });
});
