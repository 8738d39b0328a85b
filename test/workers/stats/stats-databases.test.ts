/** Pages whose statistics live in databases of their own: STATS_0, STATS_1 (docs/faults.md F3, F7, F20, F25). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { flushPage } from "../../../objects/page/flush-page.ts";
import { homeOf, statsDatabases } from "../../../objects/page/home/databases.ts";
import { deleteOldLeft, LEFT_KEPT_MS, leave } from "../../../objects/page/home/left-pages.ts";
import { selectPage } from "../../../objects/page/page-row.ts";
import { DAY_MS, MINUTE_MS } from "../../../objects/platform/clock.ts";
import { endRestoredPages, endRestoredStats } from "../../../src/accounts/ended-pages.ts";
import { isConfigured } from "../../../src/http/config.ts";
import { listOwnedPages } from "../../../src/stats/owned-pages-store.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { exported, imported } from "../authoring/transfer/transfer-kit.ts";
import { signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  eventOf,
  eventually,
  expectErrors,
  pageObject,
  recordAll,
  sums,
} from "../kit/kit.ts";
import {
  bindStats,
  endAfterTest,
  freshStats,
  redeploy,
  rowsByDatabase,
  statsPage,
  unbindStats,
} from "./stats-kit.ts";

const OWNER = "demo-pro";
const HISTORY = 7;
/** When imported history was counted, in unix seconds. */
const THEN = Math.floor(Date.now() / DAY_MS - 50) * (DAY_MS / 1_000);

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result[]>;
const d1: { batch: Batch } = Object.getPrototypeOf(env.DB);

/** Runs `around` in place of each batch to any database, with the number of the batch and its work. */
function aroundBatches(
  around: (n: number, work: () => Promise<D1Result[]>) => Promise<D1Result[]>,
) {
  const real = d1.batch;
  let n = 0;
  vi.spyOn(d1, "batch").mockImplementation(function (this: unknown, statements) {
    n += 1;
    return around(n, () => real.call(this as typeof d1, statements));
  });
}

beforeAll(freshStats);
beforeEach(() => bindStats(0));
afterEach(async () => {
  await unbindStats();
});

async function view(page_id: string, n = 1): Promise<void> {
  for (let i = 0; i < n; i += 1) expect((await beacon({ page_id })).status).toBe(202);
}

const flush = (page_id: string) => pageObject(page_id).flush();

/** A page with views in a database of its own. */
async function pageIn(n: number, views = 3): Promise<string> {
  const { page_id } = await statsPage({ owner_id: OWNER });
  bindStats(n);
  await view(page_id, views);
  await flush(page_id);
  return page_id;
}

/** Rows that no object holds, as an import writes them. */
async function importInto(db: D1Database, page_id: string): Promise<void> {
  await db.batch([
    db
      .prepare(`INSERT INTO tallies VALUES (?1, ${THEN}, 'view', '', 'human', -2, ?2)`)
      .bind(page_id, HISTORY),
    db
      .prepare(
        `INSERT INTO days VALUES (?1, ${THEN}, -2, ?2, '{"referrer":{"a.example":[7,0]}}', 1, 0)`,
      )
      .bind(page_id, HISTORY),
    db.prepare(`INSERT INTO rolled_days VALUES (?1, -2, ${THEN} + 86400)`).bind(page_id),
  ]);
}

async function statsOf(page_id: string, what = "stats?range=all") {
  const Cookie = await signIn(OWNER);
  const response = await call(`/api/me/pages/${page_id}/${what}`, { headers: { Cookie } });
  expect(response.status).toBe(200);
  return response.json<{
    totals: { views: number };
    imported: { views: number };
    from: string;
    exact: boolean;
    accepted: number;
    drift: number;
    flushed: number;
    as_of: string;
  }>();
}

const homeWith = (page_id: string, n: number) =>
  homeOf(
    page_id,
    Array.from({ length: n }, (_, i) => `STATS_${i}`),
  );

/** A page that a second database takes from the first. */
async function movingPage(): Promise<string> {
  for (;;) {
    const { page_id } = await statsPage({ owner_id: OWNER });
    if (homeWith(page_id, 2) !== "STATS_1") continue;
    bindStats(1);
    await view(page_id, 3);
    await flush(page_id);
    return page_id;
  }
}

/** A view in a database that no object counted: what a restored database has of a page that has ended. */
const strayView = (db: D1Database, page_id: string) =>
  db.prepare("INSERT INTO tallies VALUES (?1, 0, 'view', '', 'human', 0, 3)").bind(page_id);

const storedIn = (page_id: string) =>
  runInDurableObject(pageObject(page_id), (_, { storage }) => storage.kv.get("stats_home"));

/** A flush of four views into a database, with the number of the move that the object was in. */
function lateFlush(page_id: string, db: D1Database, move: number) {
  const tally = { hour: 0, kind: "view", link_id: "", class: "human", n: 4 } as const;
  const rows = { tallies: [tally], days: [], milestones: [] };
  const nothing = { since: 0, n: 0, rolled_to: 0, milestones: 0, tips: 0 };
  const home = { page_id, main: env.DB, db, isMain: false, move, isMoving: true };
  return flushPage(home, rows, nothing, 0, selectPage(env.DB, page_id));
}

/** Refuses the batch to a database with this number, or loses its reply. */
function failBatch(failing: number, when: "before" | "after"): void {
  aroundBatches(async (n, work) => {
    if (n === failing && when === "before") throw new Error("D1 refuses");
    const results = await work();
    if (n === failing) throw new Error("the reply is lost");
    return results;
  });
}

async function flushInVain(page_id: string): Promise<void> {
  await expect(Promise.resolve(flush(page_id))).rejects.toThrow();
  vi.restoreAllMocks();
}

test("a database of statistics has the tables of the main one, alike", async () => {
  const tables = async (db: D1Database, name: string) =>
    (await db.prepare("SELECT * FROM pragma_table_info(?1)").bind(name).all()).results;
  for (const name of ["tallies", "days", "rolled_days", "left_pages", "breakdowns"]) {
    const columns = await tables(env.SPARE_0, name);
    expect(columns).not.toEqual([]);
    expect([name, columns]).toEqual([name, await tables(env.DB, name)]);
  }
});

describe("the home of a page", () => {
  const names = fc.uniqueArray(
    fc.nat({ max: 999 }).map((n) => `STATS_${n}`),
    { minLength: 1, maxLength: 20 },
  );

  test("is one of the databases, whatever their order, and DB alone where there is none", () => {
    fc.assert(
      fc.property(fc.string(), names, (page_id, homes) => {
        const home = homeOf(page_id, homes);
        expect(homes).toContain(home);
        expect(homeOf(page_id, homes.toReversed())).toBe(home);
        expect(homeOf(page_id, [])).toBe("DB");
      }),
      { numRuns: 200 },
    );
  });

  test("stays where it is when a database is added, or it is the new one: about 1/n of all pages", () => {
    for (const n of [1, 2, 4, 9]) {
      const before = Array.from({ length: n }, (_, i) => `STATS_${i}`);
      const after = [...before, `STATS_${n}`];
      let moved = 0;
      for (let i = 0; i < 20_000; i += 1) {
        const page_id = `page-${i.toString(36)}`;
        const [was, is] = [homeOf(page_id, before), homeOf(page_id, after)];
        if (was === is) continue;
        expect(is).toBe(`STATS_${n}`);
        moved += 1;
      }
      expect(Math.abs(moved / 20_000 - 1 / (n + 1))).toBeLessThan(0.02);
    }
  });

  test("is a binding STATS_ with a number, and nothing else that is called alike", () => {
    const others = ["STATS_01", "STATS_", "STATS_1_old", "MY_STATS_1", "stats_2"];
    const names = ["STATS_10", "STATS_0", ...others];
    const found = statsDatabases(Object.fromEntries(names.map((name) => [name, env.SPARE_0])));
    expect(found.homes).toEqual(["STATS_10", "STATS_0"]);
  });

  test("is never a database that shall become empty", () => {
    bindStats(2, "STATS_0");
    expect(statsDatabases(env).homes).toEqual(["STATS_1"]);
    expect([...statsDatabases(env).bound.keys()]).toEqual(["STATS_0", "STATS_1"]);
  });
});

describe("a page with statistics in another database", () => {
  test("has its tallies and days there alone, and its statistics and audit are exact", async () => {
    const page_id = await pageIn(1);
    expect(await rowsByDatabase(page_id)).toEqual({ STATS_0: { tallies: 1, days: 1, events: 3 } });
    expect(await sums(page_id)).toEqual({ accepted: 3, flushed: 3, pending: 0 });
    expect(await statsOf(page_id)).toMatchObject({ totals: { views: 3 } });
    expect(await statsOf(page_id, "audit")).toMatchObject({ exact: true, accepted: 3, flushed: 3 });
  });

  test("is in the list of its owner's pages, also while its object does not answer", async () => {
    const page_id = await pageIn(1);
    const list = (names: ReadonlyMap<string, string[]>) =>
      listOwnedPages(env, OWNER, Date.now(), 1_000, async () => names);
    for (const names of [new Map([[page_id, ["STATS_0"]]]), new Map()]) {
      const found = (await list(names)).find((page) => page.page_id === page_id);
      expect(found).toMatchObject({ today: { views: 3 }, month: { views: 3 } });
    }
  });

  test("is exported with its counts, which an import brings into the new page's home", async () => {
    bindStats(1);
    const layan = await creator();
    const { page_id } = await layan.make({ status: "published" });
    endAfterTest(page_id);
    await view(page_id, 3);
    const zip = await exported(layan, page_id);
    const { page } = await imported(layan, "application/zip", zip);
    endAfterTest(page.page_id);
    await eventually(async () =>
      expect(await rowsByDatabase(page.page_id)).toMatchObject({ STATS_0: { events: 3 } }),
    );
    expect(Object.keys(await rowsByDatabase(page.page_id))).toEqual(["STATS_0"]);
  });

  test("F20: gets everything into a home that was restored alone", async () => {
    const page_id = await pageIn(1);
    await env.SPARE_0.prepare("DELETE FROM tallies WHERE page_id = ?1").bind(page_id).run();
    await view(page_id);
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_0: { events: 4 } });
    await env.SPARE_0.prepare("DELETE FROM tallies WHERE page_id = ?1").bind(page_id).run();
    await pageObject(page_id).sweep();
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_0: { events: 4 } });
  });

  test("F20: gets milestones again into a main database that was restored alone", async () => {
    const { page_id } = await statsPage();
    bindStats(1);
    const views = Array.from({ length: 100 }, (_, i) => eventOf(`view-${i}`));
    await recordAll(page_id, views);
    await flush(page_id);
    const reached = () =>
      env.DB.prepare("SELECT n FROM milestones WHERE page_id = ?1").bind(page_id).first("n");
    expect(await reached()).toBe(100);
    for (const notice of [() => view(page_id), () => pageObject(page_id).sweep()]) {
      await env.DB.prepare("DELETE FROM milestones WHERE page_id = ?1").bind(page_id).run();
      await notice();
      await flush(page_id);
      expect(await reached()).toBe(100);
    }
  });

  test("F3: loses and doubles nothing where the reply of either database is lost", async () => {
    const page_id = await pageIn(1);
    for (const lost of [1, 2]) {
      await view(page_id);
      failBatch(lost, "after");
      await flushInVain(page_id);
    }
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_0: { events: 5 } });
    expect(await sums(page_id)).toEqual({ accepted: 5, flushed: 5, pending: 0 });
  });

  test("F25: has nothing there after its end, not even by a flush under way", async () => {
    const page_id = await pageIn(1);
    const { move } = (await storedIn(page_id)) as { move: number };
    await pageObject(page_id).end();
    expect(await rowsByDatabase(page_id)).toEqual({});
    expect((await lateFlush(page_id, env.SPARE_0, move)).result).toBe("gone");
    expect(await rowsByDatabase(page_id)).toEqual({});
  });

  test("F25: does not come back with its database, restored to before its end", async () => {
    const page_id = await pageIn(1);
    await env.KV.put(`ended:${page_id}`, "");
    await pageObject(page_id).end();
    await endRestoredStats(env, Date.now());
    await env.SPARE_0.batch([
      env.SPARE_0.prepare("DELETE FROM left_pages"),
      strayView(env.SPARE_0, page_id),
    ]);
    await endRestoredStats(env, Date.now());
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_0: { events: 3 } });
    await env.SPARE_0.prepare("UPDATE cron_runs SET n = 0").run();
    await endRestoredPages(env, Date.now());
    await endRestoredStats(env, Date.now());
    expect(await rowsByDatabase(page_id)).toEqual({});
    await env.KV.delete(`ended:${page_id}`);
  });

  test("F25: stays away from a restored database while another one fails", async () => {
    const { page_id } = await statsPage({ owner_id: OWNER });
    bindStats(2);
    await env.KV.put(`ended:${page_id}`, "");
    await endRestoredStats(env, Date.now());
    await env.SPARE_1.batch([
      env.SPARE_1.prepare("UPDATE cron_runs SET n = 0"),
      strayView(env.SPARE_1, page_id),
    ]);
    const down = {
      prepare() {
        throw new Error("D1 is down");
      },
    };
    await expect(endRestoredStats({ ...env, STATS_0: down } as never, Date.now())).rejects.toThrow(
      "D1 is down",
    );
    expect(await rowsByDatabase(page_id)).toEqual({});
    await env.KV.delete(`ended:${page_id}`);
  });
});

describe("a move to another database", () => {
  test("brings everything there, counted and imported, and leaves nothing behind", async () => {
    const { page_id } = await statsPage({ owner_id: OWNER });
    await importInto(env.DB, page_id);
    await view(page_id, 3);
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toEqual({ DB: { tallies: 2, days: 2, events: 10 } });
    const before = await statsOf(page_id);
    expect(before).toMatchObject({ totals: { views: 10 }, imported: { views: HISTORY } });
    await redeploy(page_id, 1);
    expect(await statsOf(page_id)).toMatchObject({ totals: { views: 10 }, from: before.from });
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toEqual({ STATS_0: { tallies: 2, days: 2, events: 10 } });
    const { as_of: _, ...after } = (await statsOf(page_id)) as never as { as_of: string };
    expect(before).toMatchObject(after);
    // A second database, and the first one shall become empty; then none is left.
    await redeploy(page_id, 2, "STATS_0");
    await view(page_id);
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toEqual({ STATS_1: { tallies: 2, days: 2, events: 11 } });
    await redeploy(page_id, 2, "STATS_0,STATS_1");
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toEqual({ DB: { tallies: 2, days: 2, events: 11 } });
    await redeploy(page_id, 2);
    await flush(page_id);
    expect(Object.keys(await rowsByDatabase(page_id))).toEqual([homeWith(page_id, 2)]);
    expect(await statsOf(page_id, "audit")).toMatchObject({ exact: true, accepted: 4, flushed: 4 });
  });

  test("is begun by the sweep for a page that nobody visits", async () => {
    const page_id = await movingPage();
    await runInDurableObject(pageObject(page_id), (_, { storage }) => storage.deleteAlarm());
    await redeploy(page_id, 2);
    expect(await pageObject(page_id).sweep()).toBe("rearmed");
    await runInDurableObject(pageObject(page_id), (page) => page.onAlarm());
    expect(Object.keys(await rowsByDatabase(page_id))).toEqual(["STATS_1"]);
    expect(await pageObject(page_id).sweep()).toBe("healthy");
  });

  test("goes on after a failure of any call, and the numbers are right meanwhile", async () => {
    let failing = 0;
    for (const when of ["before", "after"] as const) {
      for (let fails = 1; ; fails += 1) {
        const page_id = await movingPage();
        await importInto(env.SPARE_0, page_id);
        await redeploy(page_id, 2);
        failBatch(fails, when);
        const failed = await flush(page_id).then(
          () => false,
          () => true,
        );
        vi.restoreAllMocks();
        // Read from what is stored, as after a power failure.
        await redeploy(page_id, 2);
        const { totals } = await statsOf(page_id, "stats?range=all&fresh=0");
        expect([when, fails, totals.views]).toEqual([when, fails, 10]);
        await view(page_id);
        await flush(page_id);
        expect(await rowsByDatabase(page_id)).toEqual({
          STATS_1: { tallies: 2, days: 2, events: 11 },
        });
        if (!failed) break;
        failing += 1;
      }
    }
    expect(failing).toBeGreaterThanOrEqual(10);
  });

  test("answers, while it is interrupted, how much the database that is read has", async () => {
    const page_id = await movingPage();
    await importInto(env.SPARE_0, page_id);
    await view(page_id);
    await redeploy(page_id, 2);
    for (const refused of [2, 3]) {
      const began = Date.now();
      // First the flush into the new database fails, then the copy of imported history.
      failBatch(refused, "before");
      await flushInVain(page_id);
      await redeploy(page_id, 2);
      const stats = await statsOf(page_id, "stats?range=all&fresh=0");
      expect(stats).toMatchObject({
        totals: { views: 3 + HISTORY },
        pending: { views: 1 },
        flushed: { views: 3 },
      });
      expect(Date.parse(stats.as_of)).toBeLessThanOrEqual(began);
      expect(Date.now() - Date.parse(stats.as_of)).toBeLessThan(MINUTE_MS);
      expect(await statsOf(page_id, "audit")).toMatchObject({
        exact: true,
        accepted: 4,
        flushed: 3,
        pending: 1,
        drift: 0,
      });
    }
    await flush(page_id);
    expect(await statsOf(page_id)).toMatchObject({
      totals: { views: 4 + HISTORY },
      pending: { views: 0 },
    });
  });

  test("of imported history alone is begun by the sweep, too", async () => {
    const { page_id } = await statsPage({ owner_id: OWNER });
    await importInto(env.DB, page_id);
    expect(await pageObject(page_id).sweep()).toBe("healthy");
    for (const [n, leaving, home] of [
      [1, "", "STATS_0"],
      [2, "STATS_0", "STATS_1"],
    ] as const) {
      await redeploy(page_id, n, leaving);
      expect(await pageObject(page_id).sweep()).toBe("rearmed");
      expect(await runDurableObjectAlarm(pageObject(page_id))).toBe(true);
      expect(Object.keys(await rowsByDatabase(page_id))).toEqual([home]);
      expect(await pageObject(page_id).sweep()).toBe("healthy");
    }
  });

  test("is no gap in the list of pages: both databases are asked before it begins", async () => {
    const page_id = await movingPage();
    await redeploy(page_id, 2);
    const names = await pageObject(page_id).statsNames();
    expect(names).toEqual(["STATS_0", "STATS_1"]);
    await flush(page_id);
    const found = (
      await listOwnedPages(env, OWNER, Date.now(), 1_000, async () => new Map([[page_id, names]]))
    ).find((page) => page.page_id === page_id);
    expect(found).toMatchObject({ today: { views: 3 } });
    expect(await pageObject(page_id).statsNames()).toEqual(["STATS_1"]);
  });

  test("F7: is not undone by a flush or a deletion that is executed late", async () => {
    const page_id = await movingPage();
    await redeploy(page_id, 2);
    await flush(page_id);
    await lateFlush(page_id, env.SPARE_0, 1);
    expect(Object.keys(await rowsByDatabase(page_id))).toEqual(["STATS_1"]);
    // Back to the first one.
    await redeploy(page_id, 2, "STATS_1");
    await flush(page_id);
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_0: { events: 3 } });
    await leave(env.SPARE_0, page_id, 2, Date.now());
    await lateFlush(page_id, env.SPARE_1, 2);
    expect(await rowsByDatabase(page_id)).toEqual({ STATS_0: { tallies: 1, days: 1, events: 3 } });
  });

  test("F25: of a page that ends meanwhile leaves nothing in either database", async () => {
    const page_id = await movingPage();
    await importInto(env.SPARE_0, page_id);
    await redeploy(page_id, 2);
    const ends: Promise<unknown>[] = [];
    aroundBatches((n, work) => {
      // The flush into the new home has been answered.
      if (n === 3) ends.push(Promise.resolve(pageObject(page_id).end()));
      return work();
    });
    await flush(page_id).catch(() => {});
    vi.restoreAllMocks();
    expect(ends).toHaveLength(1);
    await Promise.all(ends);
    expect(await rowsByDatabase(page_id)).toEqual({});
    expect(await storedIn(page_id)).toBeUndefined();
  });

  test("goes on without a database that was removed too early, and says so once", async () => {
    // An isolate logs a name once: the alarm of another test's page may have done that for STATS_0.
    Object.assign(env, { STATS_2: env.SPARE_0 });
    const { page_id } = await statsPage({ owner_id: OWNER });
    await view(page_id, 3);
    await flush(page_id);
    const logged = expectErrors();
    Reflect.deleteProperty(env, "STATS_2");
    Object.assign(env, { STATS_1: env.SPARE_1 });
    await evictDurableObject(pageObject(page_id));
    await view(page_id);
    await flush(page_id);
    await view(page_id);
    await flush(page_id);
    expect(logged()).toEqual(["stats_database_missing"]);
    expect(await rowsByDatabase(page_id)).toMatchObject({ STATS_1: { events: 5 } });
    expect(await storedIn(page_id)).toMatchObject({ at: "STATS_1", from: null });
  });
});

test.each([undefined, "STATS_0, STATS_1", "DB"])(
  "F26: a STATS_LEAVING of %s fails the deep probe, and closes nothing",
  async (value) => {
    const { page_id } = await statsPage();
    const logged = expectErrors();
    Object.assign(env, { STATS_LEAVING: value });
    expect(isConfigured(env)).toBe(false);
    expect(logged()).toEqual(["setting_refused"]);
    await view(page_id);
    bindStats(0);
    expect(isConfigured(env)).toBe(true);
  },
);

test("rows about pages that have left are deleted after 35 days", async () => {
  const now = Date.now();
  await leave(env.SPARE_0, "old", 1, now - LEFT_KEPT_MS - 1);
  await leave(env.SPARE_0, "new", 1, now - LEFT_KEPT_MS);
  await deleteOldLeft(env.SPARE_0, now);
  const { results } = await env.SPARE_0.prepare(
    "SELECT page_id FROM left_pages WHERE page_id IN ('old', 'new')",
  ).all();
  expect(results).toEqual([{ page_id: "new" }]);
});
