/** Links open and close at their second (docs/contract.md section 10; docs/faults.md F8, F25). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { PageRenderer } from "../../../src/page-renderer.ts";
import type { Link } from "../../../src/pages/document/page-document.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { editLinkSql } from "../../plain-page.ts";
import { breakD1, breakReads, breakStorage, speedUpTimers, stopClock } from "../kit/faults.ts";
import {
  beacon,
  call,
  countOf,
  errorOf,
  eventually,
  expectErrors,
  freshPage,
  pageObject,
} from "../kit/kit.ts";

let clock: ReturnType<typeof stopClock>;
/** A full second in the future, so that no alarm of a test fires by itself. */
let start_s: number;

beforeEach(() => {
  clock = stopClock();
  start_s = Math.ceil(Date.now() / 1_000) + 1_000;
  clock.set(start_s * 1_000);
});

/** A page whose links `shop` and `video` are open at these seconds after the start. */
async function scheduledPage({ shop = {}, video = {}, ...page }: Times = {}): Promise<Page> {
  const link = (link_id: string, { from, until }: Span) => ({
    link_id,
    url: `https://${link_id}.example/`,
    from: from === undefined ? null : start_s + from,
    until: until === undefined ? null : start_s + until,
  });
  return freshPage({ ...page, links: [link("shop", shop), link("video", video)] });
}

interface Span {
  from?: number;
  until?: number;
}

interface Times extends Partial<Pick<Page, "status">> {
  shop?: Span;
  video?: Span;
}

/** The alarm of the page's object in seconds after the start; null without one. */
async function alarmOf({ page_id }: Page): Promise<number | null> {
  const at_ms = await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) =>
    storage.getAlarm(),
  );
  return at_ms === null ? null : at_ms / 1_000 - start_s;
}

async function storedBy({ page_id }: Page): Promise<string[]> {
  return runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => [
    ...[...storage.kv.list()].map(([name]) => name).filter((name) => !name.startsWith("__ps")),
    ...storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")
      .toArray()
      .map(({ name }) => name),
  ]);
}

/** Saves other members of the link `shop`, and announces it. */
async function editShop(page_id: string, members: Partial<Link>): Promise<void> {
  await env.DB.prepare(editLinkSql("shop", members)).bind(page_id).run();
  await pageObject(page_id).changed();
}

function watchPurges() {
  return vi.spyOn(PageRenderer.prototype, "purgeInTurn").mockResolvedValue();
}

describe("a click", () => {
  test("counts from the second `from` on and before the second `until`", async () => {
    const page = await scheduledPage({ shop: { from: 10, until: 20 } });
    const { page_id } = page;
    const at = async (ms: number) => {
      clock.set(start_s * 1_000 + ms);
      const beaconed = await beacon({ page_id, link_id: "shop" });
      const redirected = await call(`/r/${page_id}/shop`);
      const refused = beaconed.status < 400 ? null : (await errorOf(beaconed)).code;
      return [beaconed.status, redirected.status, refused];
    };
    const closed = [410, 410, "LINK_EXPIRED"];
    const open = [202, 302, null];
    expect(await at(9_999)).toEqual(closed);
    expect(await at(10_000)).toEqual(open);
    expect(await at(19_999)).toEqual(open);
    expect(await at(20_000)).toEqual(closed);
    expect((await pageObject(page_id).totals()).map(({ accepted }) => accepted)).toEqual([4]);
  });

  test("on a closed link is refused while D1 is down, and one on an open link counts", async () => {
    const { page_id } = await scheduledPage({ shop: { until: 10 } });
    await beacon({ page_id, link_id: "shop" });
    breakReads();
    clock.advance(20_000);
    expect((await beacon({ page_id, link_id: "shop" })).status).toBe(410);
    expect((await beacon({ page_id, link_id: "video" })).status).toBe(202);
  });
});

describe("the alarm", () => {
  test("purges the page from the edge at each opening and closing", async () => {
    const purge = watchPurges();
    const page = await scheduledPage({ shop: { from: 100, until: 200 }, video: { until: 150 } });
    const object = pageObject(page.page_id);
    await object.changed();
    for (const [i, at_s] of [100, 150, 200].entries()) {
      expect(await alarmOf(page)).toBe(at_s);
      await evictDurableObject(object);
      clock.set((start_s + at_s) * 1_000);
      expect(await runDurableObjectAlarm(object)).toBe(true);
      expect(purge.mock.calls).toEqual(Array(i + 1).fill([page.page_id]));
    }
    expect(await alarmOf(page)).toBeNull();
  });

  test("comes for a heading too, which no click leads to; one that comes early is set again", async () => {
    const purge = watchPurges();
    const heading = { link_id: "sale", kind: "heading" as const, url: null };
    const page = await freshPage({ links: [{ ...heading, until: start_s + 100 }] });
    await pageObject(page.page_id).changed();
    expect((await beacon({ page_id: page.page_id, link_id: "sale" })).status).toBe(404);
    clock.set((start_s + 100) * 1_000 - 1);
    await runDurableObjectAlarm(pageObject(page.page_id));
    expect([purge.mock.calls.length, await alarmOf(page)]).toEqual([0, 100]);
    clock.advance(1);
    await runDurableObjectAlarm(pageObject(page.page_id));
    expect(purge).toHaveBeenCalledTimes(1);
  });

  test("F13: takes the latest time that a link can have, and views are counted", async () => {
    const { page_id } = await scheduledPage();
    // UnixSecond's maximum: the year 3000.
    await editShop(page_id, { from: 32_503_680_000 });
    expect((await beacon({ page_id })).status).toBe(202);
    expect((await beacon({ page_id, link_id: "video" })).status).toBe(202);
  });

  test("S23: is set for a page that nobody has viewed, which gets no tables, and for none that does not exist", async () => {
    const page = await scheduledPage({ shop: { from: 100 } });
    await pageObject(page.page_id).changed();
    expect((await storedBy(page)).sort()).toEqual(["known", "next_boundary"]);
    expect(await alarmOf(page)).toBe(100);
    const none = { ...page, page_id: "never-made" };
    await pageObject(none.page_id).changed();
    expect([await storedBy(none), await alarmOf(none)]).toEqual([[], null]);
  });

  test.each([
    ["a draft", { status: "draft" as const }],
    ["a suspended page", { status: "suspended" as const }],
    ["a page without times", { shop: {} }],
    ["times that have passed", { shop: { from: -20, until: 0 } }],
  ])("is not set for %s", async (_, times) => {
    const page = await scheduledPage({ shop: { from: 100 }, ...times });
    await pageObject(page.page_id).changed();
    expect(await alarmOf(page)).toBeNull();
  });

  test("follows an edit of the times", async () => {
    const purge = watchPurges();
    const page = await scheduledPage({ shop: { from: 100 } });
    const { page_id } = page;
    await pageObject(page_id).changed();
    await editShop(page_id, { from: start_s + 50 });
    expect(await alarmOf(page)).toBe(50);
    for (const [edit, advance_ms, alarm] of [
      [{ from: start_s + 300 }, 60_000, 300],
      [{ enabled: false }, 300_000, null],
    ] as const) {
      await editShop(page_id, edit);
      clock.advance(advance_ms);
      await runDurableObjectAlarm(pageObject(page_id));
      expect([purge.mock.calls.length, await alarmOf(page)]).toEqual([0, alarm]);
    }
  });

  test("serves a flush and an opening, whichever comes first", async () => {
    const purge = watchPurges();
    const page = await scheduledPage({ shop: { from: 100 } });
    const { page_id } = page;
    await beacon({ page_id });
    expect(await alarmOf(page)).toBeLessThanOrEqual(60);
    clock.advance(60_000);
    await runDurableObjectAlarm(pageObject(page_id));
    expect(await alarmOf(page)).toBe(100);
    clock.advance(30_000);
    await beacon({ page_id });
    expect(await alarmOf(page)).toBe(100);
    clock.advance(10_000);
    await runDurableObjectAlarm(pageObject(page_id));
    expect(purge).toHaveBeenCalledTimes(1);
    const [total] = await pageObject(page_id).totals();
    expect(total).toMatchObject({ accepted: 2, flushed: 2 });
  });

  test("F4: purges at its second while D1 is down, and the flush is tried again", async () => {
    const purge = watchPurges();
    const logged = expectErrors();
    const page = await scheduledPage({ shop: { from: 100 }, video: { from: 101 } });
    const { page_id } = page;
    await beacon({ page_id });
    const { mend } = breakD1("before");
    for (const at_s of [100, 101]) {
      clock.set((start_s + at_s) * 1_000);
      await runDurableObjectAlarm(pageObject(page_id));
    }
    expect(purge).toHaveBeenCalledTimes(2);
    expect(logged()).toEqual(["flush_failed", "flush_failed"]);
    mend();
    clock.advance(60_000);
    await runDurableObjectAlarm(pageObject(page_id));
    expect((await pageObject(page_id).totals())[0]).toMatchObject({ accepted: 1, flushed: 1 });
  });

  test("F8: is set again by the sweep if the platform has lost it", async () => {
    const page = await scheduledPage({ shop: { from: 500 } });
    const object = pageObject(page.page_id);
    await object.changed();
    expect(await object.sweep()).toBe("healthy");
    await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(object);
    expect(await object.sweep()).toBe("rearmed");
    await runDurableObjectAlarm(object);
    expect(await alarmOf(page)).toBe(500);
  });

  test("F17: is not tried in a tight loop while the disk is full", async () => {
    const purge = watchPurges();
    const page = await scheduledPage({ shop: { from: 100 } });
    const { page_id } = page;
    await beacon({ page_id });
    await runDurableObjectAlarm(pageObject(page_id));
    await beacon({ page_id });
    const logged = expectErrors();
    const { mend } = await breakStorage(page_id, "DROP TABLE");
    clock.set((start_s + 100) * 1_000);
    await runDurableObjectAlarm(pageObject(page_id));
    mend();
    expect(logged().every((event) => event === "flush_failed")).toBe(true);
    expect(purge).toHaveBeenCalledTimes(1);
    expect(await alarmOf(page)).toBeGreaterThan(100);
  });
});

describe("a purge that fails", () => {
  test("is logged and tried once more, and then left to the edge's own time", async () => {
    speedUpTimers();
    const logged = expectErrors();
    const purge = watchPurges().mockRejectedValue(new Error("too many purges"));
    const page = await scheduledPage({ shop: { from: 100 } });
    await pageObject(page.page_id).changed();
    clock.set((start_s + 100) * 1_000);
    await runDurableObjectAlarm(pageObject(page.page_id));
    expect(purge).toHaveBeenCalledTimes(2);
    expect(countOf(logged(), "purge_failed")).toBe(2);
    expect(await alarmOf(page)).toBeNull();
  });

  test("delays no flush", async () => {
    expectErrors();
    watchPurges().mockRejectedValue(new Error("too many purges"));
    const page = await scheduledPage({ shop: { from: 10 } });
    const { page_id } = page;
    await beacon({ page_id });
    clock.advance(60_000);
    const alarm = runDurableObjectAlarm(pageObject(page_id));
    await eventually(async () => {
      expect((await pageObject(page_id).totals())[0]).toMatchObject({ flushed: 1 });
    });
    await alarm;
  });
});

describe("F25: an ended page", () => {
  test("purges and stores nothing when an alarm was set for one of its links", async () => {
    const purge = watchPurges();
    const page = await scheduledPage({ shop: { from: 100 } });
    const { page_id } = page;
    const object = pageObject(page_id);
    await beacon({ page_id });
    await editShop(page_id, { from: start_s + 200 });
    await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page_id).run();
    await object.end();
    clock.set((start_s + 300) * 1_000);
    for (const isEvicted of [false, true]) {
      if (isEvicted) await evictDurableObject(object);
      await runInDurableObject(object, (counter: PageObject) => counter.onAlarm());
      expect(await object.sweep()).toBe("ended");
      await object.changed();
      expect(await object.revisionTotals([1, 2])).toEqual([null, null]);
      expect(purge).not.toHaveBeenCalled();
      expect(await storedBy(page)).toEqual(["ended"]);
      expect(await alarmOf(page)).toBeNull();
    }
  });
});

test("F25: a page that is a draft or is being deleted counts nothing", async () => {
  const { page_id } = await freshPage();
  const statusAfter = async (sql: string) => {
    await env.DB.prepare(`UPDATE pages SET version = version + 1, ${sql} WHERE page_id = ?1`)
      .bind(page_id)
      .run();
    await pageObject(page_id).changed();
    return (await beacon({ page_id })).status;
  };
  expect(await statusAfter("status = 'draft'")).toBe(404);
  expect(await statusAfter("status = 'published'")).toBe(202);
  expect(await statusAfter(`ends_at = ${Date.now() + 60_000}`)).toBe(404);
  expect(await statusAfter("ends_at = NULL")).toBe(202);
});
