/** Links open and close at their second (docs/contract.md section 10; docs/faults.md F13, F16, F25). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { PageObject } from "../../../objects/page/page-object.ts";
import type { Link } from "../../../src/pages/document/page-document.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { editLinkSql } from "../../plain-page.ts";
import { breakReads, stopClock } from "../kit/faults.ts";
import { beacon, call, errorOf, freshPage, pageObject } from "../kit/kit.ts";

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

test("F13: the latest time that a link can have is taken, and views are counted", async () => {
  const { page_id } = await scheduledPage();
  // UnixSecond's maximum: the year 3000.
  await editShop(page_id, { from: 32_503_680_000 });
  expect((await beacon({ page_id })).status).toBe(202);
  expect((await beacon({ page_id, link_id: "video" })).status).toBe(202);
});

test("a heading that opens and closes is no target of clicks", async () => {
  const heading = { link_id: "sale", kind: "heading" as const, url: null };
  const { page_id } = await freshPage({ links: [{ ...heading, until: start_s + 100 }] });
  expect((await beacon({ page_id, link_id: "sale" })).status).toBe(404);
});

test("S23: a page that nobody has viewed gets its copy and no alarm, and one that does not exist nothing", async () => {
  const page = await scheduledPage({ shop: { from: 100 } });
  await pageObject(page.page_id).changed();
  expect([await storedBy(page), await alarmOf(page)]).toEqual([["known"], null]);
  const none = { ...page, page_id: "never-made" };
  await pageObject(none.page_id).changed();
  expect([await storedBy(none), await alarmOf(none)]).toEqual([[], null]);
});

test("F16: the alarm of an opening that a release up to 3.1 has set does nothing, and its time goes with the next copy", async () => {
  const page = await scheduledPage({ shop: { from: 100 } });
  const object = pageObject(page.page_id);
  await runInDurableObject(object, async (_: PageObject, { storage }) => {
    storage.kv.put("next_boundary", start_s + 100);
    await storage.setAlarm((start_s + 100) * 1_000);
  });
  clock.advance(100_000);
  expect(await runDurableObjectAlarm(object)).toBe(true);
  expect(await alarmOf(page)).toBeNull();
  await object.changed();
  expect(await storedBy(page)).toEqual(["known"]);
});

describe("F25: an ended page", () => {
  test("stores nothing, whatever alarm, sweep or change still comes", async () => {
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
