/**
 * How an edit of a page reaches its object, the edge cache and the redirect, and how a page is deleted
 * (F19, F25).
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { WebhookSender } from "../../../objects/blocks/webhooks/webhook-sender.ts";
import { LIVE_EXPIRED } from "../../../objects/page/close-code.ts";
import { STALE_MS } from "../../../objects/page/known-page.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { endPage } from "../../../src/accounts/end-page.ts";
import { edgeCache } from "../../../src/commands/serve/worker/edge-cache.ts";
import { COUNT_RETRY_PAUSES_MS } from "../../../src/counting/limits.ts";
import { runCron } from "../../../src/cron.ts";
import { PageRenderer } from "../../../src/page-renderer.ts";
import { EDGE_OUTLIVED_MS, PURGED_AGAIN_MS } from "../../../src/pages/cache/change-delivery.ts";
import { deliverPageChanges } from "../../../src/pages/cache/page-changes.ts";
import {
  listPageChanges,
  notePageChanged,
} from "../../../src/pages/document/page-changes-store.ts";
import { EMPTY_DOCUMENT, editLinkSql, removeLinkSql } from "../../plain-page.ts";
import { breakD1, SPEED_UP, speedUpTimers, stopClock } from "../kit/faults.ts";
import {
  beacon,
  call,
  errorOf,
  eventOf,
  eventually,
  expectErrors,
  flushRows,
  freshPage,
  pageObject,
  sums,
  tallyRows,
} from "../kit/kit.ts";

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM page_changes").run();
  await turn();
});

const HOUR_MS = 3_600_000;
const TABLES = [
  "pages",
  "revisions",
  "tallies",
  "days",
  "milestones",
  "rolled_days",
  "page_changes",
  "page_purges",
];

/** Rows of D1 that name the page, by table. */
async function rowsOf(page_id: string): Promise<Record<string, number>> {
  const results = await env.DB.batch<{ n: number }>(
    TABLES.map((table) =>
      env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE page_id = ?1`).bind(page_id),
    ),
  );
  return Object.fromEntries(
    TABLES.map((table, i) => [table, results[i]?.results[0]?.n ?? 0] as const).filter(
      ([, n]) => n > 0,
    ),
  );
}

/** Edits the page in D1 like a route: the edit and its note in one transaction. */
async function change(page_id: string, sql: string): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(sql).bind(page_id),
    notePageChanged(env.DB, page_id, Date.now()),
  ]);
}

const SUSPEND = "UPDATE pages SET status = 'suspended' WHERE page_id = ?1";
const PUBLISH = "UPDATE pages SET status = 'published' WHERE page_id = ?1";
const RENAME =
  "UPDATE pages SET document = json_set(document, '$.name.ar', 'بعد') WHERE page_id = ?1";
const REMOVE_SHOP = removeLinkSql("shop");
const MOVE_SHOP = editLinkSql("shop", { url: "https://moved.example/" });

/** Decides whether the next delivery may purge; every page has its whole share. */
async function turn({ tokens = 25, taken_ms_ago = HOUR_MS } = {}): Promise<void> {
  await env.DB.prepare("DELETE FROM page_purges").run();
  await env.DB.prepare(
    `UPDATE purge_turns SET tokens = ?1,
       taken_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) - ?2`,
  )
    .bind(tokens, taken_ms_ago)
    .run();
}

/** A delivery that may purge; returns whether nothing is left to do. */
async function deliverInTurn(now = Date.now()): Promise<boolean> {
  await turn();
  return deliverPageChanges(env, now);
}

/** Delivers now, and again when the purge is repeated; returns whether nothing is left to do. */
async function deliverAll(): Promise<boolean> {
  const now = Date.now();
  await deliverInTurn(now);
  return deliverInTurn(now + PURGED_AGAIN_MS);
}

async function changeAndDeliver(page_id: string, sql: string): Promise<void> {
  await change(page_id, sql);
  expect(await deliverAll()).toBe(true);
}

describe("F25: a change that was delivered", () => {
  test("a suspended page counts nothing: 410 for beacon, pixel, redirect, page and card", async () => {
    const { page_id, slug } = await freshPage();
    for (const path of [
      `/${slug}`,
      `/vcard/${slug}.vcf`,
      `/r/${page_id}/shop`,
      `/p/${page_id}.gif`,
    ]) {
      expect((await call(path)).status).toBeLessThan(400);
    }
    const before = await sums(page_id);
    await changeAndDeliver(page_id, SUSPEND);
    // The isolate caches a page for a second, and a link's target for half a minute.
    stopClock().advance(1_001);
    for (const answer of [
      await beacon({ page_id }),
      await beacon({ page_id, link_id: "shop" }),
      await call(`/p/${page_id}.gif`),
      await call(`/r/${page_id}/shop`),
      await call(`/${slug}`),
      await call(`/vcard/${slug}.vcf`),
    ]) {
      expect([answer.url, answer.status]).toEqual([answer.url, 410]);
      expect(await errorOf(answer)).toMatchObject({ code: "PAGE_SUSPENDED" });
    }
    expect(await sums(page_id)).toEqual(before);
  });

  test("a page that is published again counts again, and shows what was counted before", async () => {
    const { page_id, slug } = await freshPage();
    await beacon({ page_id });
    await changeAndDeliver(page_id, SUSPEND);
    expect((await beacon({ page_id })).status).toBe(410);
    await changeAndDeliver(page_id, PUBLISH);
    expect((await beacon({ page_id })).status).toBe(202);
    expect((await call(`/${slug}`)).status).toBe(200);
    expect((await sums(page_id)).accepted).toBe(2);
  });

  test("a link leads to its new address at once; a removed one is 404, and what it had counted stays", async () => {
    const { page_id } = await freshPage();
    await call(`/r/${page_id}/shop`);
    await changeAndDeliver(page_id, MOVE_SHOP);
    const { headers } = await call(`/r/${page_id}/shop`);
    expect(headers.get("Location")).toBe("https://moved.example/");
    await changeAndDeliver(page_id, REMOVE_SHOP);
    const click = await call(`/r/${page_id}/shop`);
    expect([click.status, (await errorOf(click)).code]).toEqual([404, "LINK_NOT_FOUND"]);
    expect((await beacon({ page_id, link_id: "shop" })).status).toBe(404);
    await evictDurableObject(pageObject(page_id));
    expect((await beacon({ page_id, link_id: "shop" })).status).toBe(404);
    expect(await sums(page_id)).toMatchObject({ accepted: 2 });
  });

  test("never leads to an old address after a minute, however slow the object and D1 are", async () => {
    speedUpTimers();
    const clock = stopClock();
    const { page_id } = await freshPage();
    await call(`/r/${page_id}/shop`);
    await change(page_id, MOVE_SHOP);
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(PageObject.prototype, "recordBatch").mockRejectedValue(new Error("object down"));
    const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    vi.spyOn(statement, "all").mockRejectedValue(new Error("D1 refuses"));
    clock.advance(59_000);
    expect((await call(`/r/${page_id}/shop`)).headers.get("Location")).toBe(
      "https://shop.example/",
    );
    clock.advance(1_001);
    const late = call(`/r/${page_id}/shop`);
    // It is retried until its time for counting is over.
    await eventually(() => clock.advance(30_000));
    expect((await late).status).toBe(503);
    // Ends the retries of the first click, which would reach the real object in another test.
    await scheduler.wait(COUNT_RETRY_PAUSES_MS.reduce<number>((sum, ms) => sum + ms, 0) / SPEED_UP);
  });

  test("F19: the page shows it at once and not after its edge time, and no cached copy is served stale first", async () => {
    const clock = stopClock();
    const { page_id, slug } = await freshPage({ name: "قبل" });
    expect(await (await call(`/${slug}`)).text()).toContain("قبل");
    clock.advance(1_001);
    await changeAndDeliver(page_id, RENAME);
    expect(await (await call(`/${slug}`)).text()).toContain("بعد");
    // Without a delivery every visitor sees it after the edge's 60 s, the first one included.
    await change(page_id, SUSPEND);
    clock.advance(61_000);
    expect((await call(`/${slug}`)).status).toBe(410);
  });
});

describe("F25: a change whose announcement was lost", () => {
  test("takes effect with the first event after a minute, on a quiet page and after an eviction too", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await call(`/r/${page_id}/shop`);
    await env.DB.prepare(SUSPEND).bind(page_id).run();
    clock.advance(STALE_MS - 1);
    expect((await beacon({ page_id })).status).toBe(202);
    clock.advance(1);
    expect((await beacon({ page_id })).status).toBe(410);

    await env.DB.prepare(PUBLISH).bind(page_id).run();
    await pageObject(page_id).changed();
    await env.DB.prepare(MOVE_SHOP).bind(page_id).run();
    await evictDurableObject(pageObject(page_id));
    clock.advance(STALE_MS);
    const { headers } = await call(`/r/${page_id}/shop`);
    expect(headers.get("Location")).toBe("https://moved.example/");
  });

  test.for(["flush", "sweep"] as const)("takes effect after a %s", async (way) => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await env.DB.prepare(SUSPEND).bind(page_id).run();
    await pageObject(page_id)[way]();
    expect((await beacon({ page_id })).status).toBe(410);
  });

  test("F5: delays no events while D1 hangs: they are judged by the cached page", async () => {
    const clock = stopClock();
    const [{ page_id }, suspended] = [await freshPage(), await freshPage()];
    await beacon({ page_id });
    await beacon({ page_id: suspended.page_id });
    await changeAndDeliver(suspended.page_id, SUSPEND);
    clock.advance(STALE_MS);
    const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const reading = vi.spyOn(statement, "all").mockImplementation(() => new Promise(() => {}));
    // For some time a page is not read again.
    for (const [id, status] of [
      [page_id, 202],
      [suspended.page_id, 410],
    ] as const) {
      reading.mockClear();
      for (let n = 0; n < 2; n += 1) expect((await beacon({ page_id: id })).status).toBe(status);
      const read = reading.mock.contexts as unknown as { statement: string }[];
      // Deliveries of earlier tests still read what is noted.
      const of_page = read.filter(({ statement: sql }) => /FROM pages WHERE page_id/.test(sql));
      expect(of_page).toHaveLength(1);
    }
  });
});

describe("the delivery of changes", () => {
  test("does not wait for a sweep whose objects or R2 hang", async () => {
    speedUpTimers();
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await change(page_id, SUSPEND);
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "get").mockImplementation(
      (() => new Promise(() => {})) as never,
    );
    const running = runCron(env, Date.UTC(2026, 0, 1, 0, 1)).catch(() => {});
    await eventually(async () => expect((await beacon({ page_id })).status).toBe(410));
    await running;
  });

  test("is retried by the cron if the object or the purge failed, and then deleted", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const purge = vi.spyOn(edgeCache, "purge").mockRejectedValue(new Error("too many"));
    const announced = vi
      .spyOn(PageObject.prototype, "changed")
      .mockRejectedValueOnce(new Error("gone"));
    await change(page_id, SUSPEND);
    expect(await deliverPageChanges(env, Date.now())).toBe(false);
    expect((await beacon({ page_id })).status).toBe(202);
    await runCron(env, Date.UTC(2026, 0, 1, 0, 1));
    expect((await beacon({ page_id })).status).toBe(410);
    expect(await rowsOf(page_id)).toMatchObject({ page_changes: 1 });
    purge.mockRestore();
    await turn();
    await runCron(env, Date.UTC(2026, 0, 1, 0, 2));
    expect(await deliverAll()).toBe(true);
    // The object is not notified again at every retry of the purge.
    const of_page = announced.mock.contexts.filter((page) => (page as PageObject).name === page_id);
    expect(of_page).toHaveLength(2);
  });

  test("F25: of a page that ends is repeated until the objects of its blocks have ended too", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    expectErrors();
    vi.spyOn(WebhookSender.prototype, "end").mockRejectedValueOnce(new Error("gone"));
    const end = vi.spyOn(PageObject.prototype, "end");
    await endPage(env.DB, page_id, Date.now());
    expect(await deliverPageChanges(env, Date.now())).toBe(false);
    expect(end).not.toHaveBeenCalled();
    expect(await deliverAll()).toBe(true);
    expect(end).toHaveBeenCalledOnce();
  });

  test("needs one purge for all waiting changes, with at most the platform's number of tags", async () => {
    vi.spyOn(PageObject.prototype, "changed").mockResolvedValue(undefined);
    const purge = vi.spyOn(edgeCache, "purge");
    const long_ago = Date.now() - PURGED_AGAIN_MS;
    const page_ids = Array.from({ length: 120 }, (_, i) => `tags-${i}`);
    await env.DB.prepare(
      `INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
       SELECT value, value, 'published', 1, '', ?2, 0, 0 FROM json_each(?1)`,
    )
      .bind(JSON.stringify(page_ids), EMPTY_DOCUMENT)
      .run();
    await env.DB.batch(page_ids.map((page_id) => notePageChanged(env.DB, page_id, long_ago)));
    for (let n = 0; n < 3; n += 1) await deliverInTurn();
    expect(purge.mock.calls.map(([tags]) => tags.length)).toEqual([99, 99, 45]);
    expect(await listPageChanges(env.DB, 1)).toEqual([]);
  });

  test("purges at most once a second for all isolates together, within the platform's limit", async () => {
    const purge = vi.spyOn(edgeCache, "purge");
    const { page_id } = await freshPage();
    await turn({ tokens: 25 });
    await change(page_id, PUBLISH);
    await deliverPageChanges(env, Date.now());
    await change(page_id, PUBLISH);
    await turn({ tokens: 24, taken_ms_ago: 0 });
    await deliverPageChanges(env, Date.now());
    expect(purge).toHaveBeenCalledTimes(1);
    await turn({ tokens: 0.4, taken_ms_ago: 1_000 });
    await deliverPageChanges(env, Date.now());
    expect(purge).toHaveBeenCalledTimes(1);
    // The bucket gains five a minute.
    await turn({ tokens: 0.9, taken_ms_ago: 2_000 });
    await deliverPageChanges(env, Date.now());
    expect(purge).toHaveBeenCalledTimes(2);
  });

  test("purges a page three times at once, then only together with others until 15 s are over", async () => {
    const [{ page_id }, other] = [await freshPage(), await freshPage()];
    const purge = vi.spyOn(edgeCache, "purge");
    const due = "UPDATE purge_turns SET tokens = 25, taken_at = 0";
    const deliver = async () => {
      await env.DB.prepare(due).run();
      await deliverPageChanges(env, Date.now());
    };
    await turn();
    for (let n = 1; n <= 5; n += 1) {
      await change(page_id, PUBLISH);
      await deliver();
      expect(purge).toHaveBeenCalledTimes(Math.min(n, 3));
    }
    await change(other.page_id, PUBLISH);
    await deliver();
    expect(purge.mock.lastCall?.[0]).toEqual(
      expect.arrayContaining([`page-${page_id}`, `page-${other.page_id}`]),
    );
    await change(page_id, PUBLISH);
    await deliver();
    expect(purge).toHaveBeenCalledTimes(4);
    await env.DB.prepare("UPDATE page_purges SET purged_at = purged_at - 15000").run();
    await deliver();
    expect(purge).toHaveBeenCalledTimes(5);
  });

  test("purges again after some seconds, because an older rendering may have been stored", async () => {
    stopClock();
    const { page_id } = await freshPage();
    const purge = vi.spyOn(edgeCache, "purge");
    await change(page_id, PUBLISH);
    const now = Date.now();
    expect(await deliverInTurn(now)).toBe(false);
    expect(await deliverInTurn(now + PURGED_AGAIN_MS - 1)).toBe(false);
    expect(purge).toHaveBeenCalledTimes(1);
    expect(await deliverInTurn(now + PURGED_AGAIN_MS)).toBe(true);
    expect(purge).toHaveBeenCalledTimes(2);
  });

  test("F19: purges for as long as an edge may serve the old page while D1 fails: a day", async () => {
    const { page_id } = await freshPage();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const purge = vi.spyOn(edgeCache, "purge").mockRejectedValue(new Error("refused"));
    await change(page_id, SUSPEND);
    const now = Date.now();
    for (const after_h of [0, 1, 24])
      expect(await deliverInTurn(now + after_h * HOUR_MS)).toBe(false);
    expect(purge).toHaveBeenCalledTimes(3);
    expect(await deliverInTurn(now + EDGE_OUTLIVED_MS + 1)).toBe(true);
  });

  test("F25: a change is not delayed by a hundred others that fail repeatedly", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const names = new Set(Array.from({ length: 99 }, () => crypto.randomUUID() as string));
    const real = PageObject.prototype.changed;
    vi.spyOn(PageObject.prototype, "changed").mockImplementation(function (this: PageObject) {
      return names.has(this.name) ? Promise.reject(new Error("gone")) : real.call(this);
    });
    await env.DB.batch([...names].map((name) => notePageChanged(env.DB, name, 1)));
    await deliverPageChanges(env, Date.now());
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await change(page_id, SUSPEND);
    await deliverPageChanges(env, Date.now());
    expect((await beacon({ page_id })).status).toBe(410);
  });

  test("keeps a change that was made while an older one of the page was delivered", async () => {
    const { page_id } = await freshPage();
    vi.spyOn(PageObject.prototype, "changed").mockImplementationOnce(async () => {
      await env.DB.batch([notePageChanged(env.DB, page_id, Date.now())]);
    });
    await change(page_id, PUBLISH);
    expect(await deliverInTurn(Date.now() + PURGED_AGAIN_MS)).toBe(false);
    expect(await rowsOf(page_id)).toMatchObject({ page_changes: 1 });
    expect(await deliverAll()).toBe(true);
  });

  test("purges at the platform through the renderer, and rejects where the platform refuses", async () => {
    const purge = vi.fn(async (_: { tags: string[] }) => ({
      success: false,
      errors: [{ code: 1 }],
    }));
    const renderer = { ctx: { cache: { purge } }, env } as unknown as PageRenderer;
    const refused = PageRenderer.prototype.purge.call(renderer, ["page-1", "sitemap"]);
    await expect(refused).rejects.toThrow('not purged: [{"code":1}]');
    expect(purge).toHaveBeenCalledExactlyOnceWith({ tags: ["page-1", "sitemap"] });
  });
});

/** All keys in the page's object, except for the framework's own. */
async function storedIn(page_id: string): Promise<string[]> {
  return runInDurableObject(pageObject(page_id), async (_, { storage }) => {
    const keys = [...storage.kv.list()].map(([key]) => key);
    const tables = storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name);
    const alarm = await storage.getAlarm();
    return [...keys, ...tables, ...(alarm === null ? [] : ["alarm"])].filter(
      (name) => !/^(__ps|_cf|sqlite)/.test(name),
    );
  });
}

describe("F25: a deleted page", () => {
  /** A deleted page with a history; nothing has been delivered yet. */
  async function ended(): Promise<string> {
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    for (let i = 0; i < 3; i += 1) await beacon({ page_id });
    await pageObject(page_id).flush();
    await beacon({ page_id, link_id: "shop" });
    expect((await tallyRows(page_id)).length).toBeGreaterThan(0);
    await endPage(env.DB, page_id, Date.now());
    return page_id;
  }

  async function endWithoutD1(page_id: string): Promise<void> {
    const d1 = breakD1("before");
    await expect(Promise.resolve(pageObject(page_id).end())).rejects.toThrow();
    d1.mend();
  }

  test("gets nothing into D1 by a flush under way, run a minute later", async () => {
    const page_id = await ended();
    await deliverAll();
    const tally = { hour: 0, kind: "view", link_id: "", class: "human", n: 4 } as const;
    const day = { day: 0, visitors: 1, breakdowns: "{}", version: 9 };
    const milestone = { kind: "view", n: 100, reached_at: 1 } as const;
    const rows = { tallies: [tally], days: [day], milestones: [milestone] };
    expect(await flushRows(page_id, rows, 3_600)).toBe("gone");
    expect(await rowsOf(page_id)).toEqual({});
  });

  test("disconnects its watchers and shows them nothing, even if D1 fails meanwhile", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const upgrade = { headers: { Upgrade: "websocket" } };
    const { webSocket } = await pageObject(page_id).fetch("https://page/live", upgrade);
    webSocket?.accept();
    const closed = new Promise<number>((resolve) =>
      webSocket?.addEventListener("close", ({ code }) => resolve(code)),
    );
    await endWithoutD1(page_id);
    expect(await closed).toBe(LIVE_EXPIRED);
    const totals = await runInDurableObject(pageObject(page_id), (page: PageObject) =>
      page.totals(),
    );
    expect(totals).toEqual([]);
  });

  test("counts no events that were under way when it ended", async () => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const answers = await runInDurableObject(pageObject(page_id), (page: PageObject) =>
      Promise.all([page.record(eventOf("a")), page.end(), page.record(eventOf("b"))]),
    );
    expect(answers[2]).toEqual({ outcome: "unknown_page" });
    expect(await storedIn(page_id)).toEqual(["ended"]);
  });

  test("is deleted again until that succeeds, even if D1 fails meanwhile", async () => {
    const page_id = await ended();
    vi.spyOn(console, "error").mockImplementation(() => {});
    await endWithoutD1(page_id);
    expect(await storedIn(page_id)).toEqual(["ended"]);
    await runCron(env, Date.UTC(2026, 0, 1, 0, 1));
    await deliverAll();
    expect(await rowsOf(page_id)).toEqual({});
  });

  test("keeps its numbers if D1 lost the page and nobody deleted it", async () => {
    const { page_id, ...page } = await freshPage();
    await beacon({ page_id });
    await pageObject(page_id).flush();
    await beacon({ page_id });
    await env.DB.batch(
      ["revisions", "pages", "tallies", "days"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id),
      ),
    );
    await pageObject(page_id).flush();
    expect(await rowsOf(page_id)).toEqual({});
    expect(await sums(page_id)).toMatchObject({ accepted: 2 });
    // The page is back, so the next sweep sends all of its numbers.
    await freshPage({ ...page, page_id });
    await pageObject(page_id).sweep();
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await tallyRows(page_id)).toMatchObject([{ n: 2 }]);
  });
});
