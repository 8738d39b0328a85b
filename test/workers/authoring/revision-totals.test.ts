/**
 * What a page had counted when each of its versions came into use (docs/contract.md section 10): exact,
 * also for versions that its object never saw.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ABSENT_MS } from "../../../objects/page/known-page.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { REVISIONS_KEPT, Revisions } from "../../../objects/page/tables/revisions.ts";
import type { Total } from "../../../objects/page/tables/tallies.ts";
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { editLinkSql } from "../../plain-page.ts";
import { breakReads, breakStorage, stopClock } from "../kit/faults.ts";
import { count, eventOf, freshPage, pageObject, recordAll, revertSchema } from "../kit/kit.ts";

/** Saves the page in D1: its next version, of which its object has not heard yet. */
async function save(page_id: string): Promise<void> {
  await env.DB.prepare(editLinkSql("shop", { highlight: true }))
    .bind(page_id)
    .run();
}

async function saveAndAnnounce(page_id: string): Promise<void> {
  await save(page_id);
  await pageObject(page_id).changed();
}

/** `[views, clicks, links]` of each version; null where there are no totals. */
async function totalsAt(page_id: string, ...versions: number[]) {
  const totals = await pageObject(page_id).revisionTotals(versions);
  return totals.map((of) => of && [of.views, of.clicks, of.links]);
}

const NOTHING = [0, 0, {}];

describe("the totals of a version", () => {
  test("have what was counted before it came into use, of people only", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 2);
    await count(page_id, 3, "", "bot");
    await saveAndAnnounce(page_id);
    await count(page_id, 1, "shop");
    await count(page_id, 2, "video", "owner");
    await count(page_id, 1, "contact");
    await pageObject(page_id).flush();
    await count(page_id, 1);
    await saveAndAnnounce(page_id);
    await count(page_id, 5);
    expect(await totalsAt(page_id, 1, 2, 3)).toEqual([
      NOTHING,
      [2, 0, {}],
      [3, 2, { shop: 1, contact: 1 }],
    ]);
  });

  test("are noted with the time, once, by the first read that has the version", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    const before = Date.now();
    await saveAndAnnounce(page_id);
    const [noted] = await pageObject(page_id).revisionTotals([2]);
    expect(noted?.at).toBeGreaterThanOrEqual(before);
    await count(page_id, 1);
    await pageObject(page_id).changed();
    await pageObject(page_id).flush();
    await evictDurableObject(pageObject(page_id));
    expect(await pageObject(page_id).revisionTotals([2])).toEqual([noted]);
  });

  test("are also noted when a flush or a look-up finds the version", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await save(page_id);
    await pageObject(page_id).flush();
    await count(page_id, 1);
    await save(page_id);
    clock.advance(ABSENT_MS);
    await recordAll(page_id, [eventOf("e", { link_id: "unheard-of" })]);
    await count(page_id, 1);
    expect(await totalsAt(page_id, 2, 3)).toEqual([
      [1, 0, {}],
      [2, 0, {}],
    ]);
  });

  test("of a version that the object has not heard of are noted when they are asked for", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 2);
    await save(page_id);
    expect(await totalsAt(page_id, 2)).toEqual([[2, 0, {}]]);
    expect(await totalsAt(page_id, 3)).toEqual([null]);
  });

  test("that are known are answered while D1 is down", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 2);
    await saveAndAnnounce(page_id);
    breakReads();
    expect(await totalsAt(page_id, 1, 2)).toEqual([NOTHING, [2, 0, {}]]);
    const asking = runInDurableObject(pageObject(page_id), (page: PageObject) =>
      page.revisionTotals([3]),
    );
    await expect(asking).rejects.toThrow("D1 refuses");
  });

  test("are zero as long as nothing was counted, and take no table", async () => {
    const { page_id } = await freshPage();
    await saveAndAnnounce(page_id);
    await saveAndAnnounce(page_id);
    expect(await pageObject(page_id).revisionTotals([2])).toEqual([
      { version: 2, at: null, views: 0, clicks: 0, links: {} },
    ]);
    const tables = await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'").toArray(),
    );
    expect(tables).toEqual([]);
    await count(page_id, 3);
    await saveAndAnnounce(page_id);
    expect(await totalsAt(page_id, 1, 3, 4)).toEqual([NOTHING, NOTHING, [3, 0, {}]]);
  });

  test("F29: hold the 5,000 links that were clicked most", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    const noted = await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => {
      const revisions = new Revisions(storage.sql);
      const totals = Array.from({ length: 5_001 }, (_, i): Total => {
        const counts = { accepted: i + 1, flushed: 0, pending: i + 1 };
        return { kind: "click", link_id: `link-${i}`, class: "human", ...counts };
      });
      revisions.note(9, 0, totals);
      return revisions.of(9);
    });
    expect(noted).toMatchObject({ clicks: (5_001 * 5_002) / 2 });
    expect(Object.keys(noted?.links ?? {})).toHaveLength(5_000);
    expect(noted?.links).not.toHaveProperty("link-0");
  });

  test("F17: are noted together with the version, or neither is taken over", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await save(page_id);
    const { mend } = await breakStorage(page_id, "INSERT INTO revisions");
    const changing = runInDurableObject(pageObject(page_id), (page: PageObject) => page.changed());
    await expect(changing).rejects.toThrow("disk is full");
    mend();
    await count(page_id, 1);
    await pageObject(page_id).changed();
    expect(await totalsAt(page_id, 2)).toEqual([[2, 0, {}]]);
  });

  test("F20: of a history that a restored D1 does not have any more are replaced", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    for (let i = 0; i < 2; i += 1) await saveAndAnnounce(page_id);
    await env.DB.prepare("UPDATE pages SET version = 2 WHERE page_id = ?1").bind(page_id).run();
    await pageObject(page_id).changed();
    await count(page_id, 1);
    await saveAndAnnounce(page_id);
    expect(await totalsAt(page_id, 1, 2, 3)).toEqual([NOTHING, [1, 0, {}], [2, 0, {}]]);
  });

  test("F16: from before older code noted any are unknown", async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => {
      revertSchema(storage, 4);
      storage.kv.delete("known");
      storage.kv.put("page", { status: "published", links: new Map() });
    });
    await evictDurableObject(pageObject(page_id));
    await saveAndAnnounce(page_id);
    await count(page_id, 1);
    expect(await totalsAt(page_id, 1, 2)).toEqual([null, [1, 0, {}]]);
  });
});

test("F20: the object keeps the newest version that a restored D1 lacks, for 35 days", async () => {
  const { page_id } = await freshPage();
  const clock = stopClock();
  const known = async () => (await pageObject(page_id).memory()).version;
  await count(page_id, 1);
  for (let i = 0; i < 3; i += 1) await saveAndAnnounce(page_id);
  const restored = ["UPDATE pages SET version = 2", "DELETE FROM pages"];
  for (const sql of restored) {
    await env.DB.prepare(`${sql} WHERE page_id = ?1`).bind(page_id).run();
    await pageObject(page_id).sweep();
    await pageObject(page_id).flush();
    await evictDurableObject(pageObject(page_id));
    expect(await known(), sql).toBe(4);
  }
  clock.advance(36 * DAY_MS);
  // Of the events' own notes.
  expect(await known()).toBe(2);
});

describe("the notes of a page", () => {
  function views(accepted: number): Total[] {
    return [{ kind: "view", link_id: "", class: "human", accepted, flushed: 0, pending: accepted }];
  }

  test(`are kept for ${REVISIONS_KEPT} versions; older ones are unknown`, async () => {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => {
      const revisions = new Revisions(storage.sql);
      const last = 2 * REVISIONS_KEPT;
      for (let version = 2; version <= last; version += 2) {
        revisions.note(version, version, views(version));
      }
      // Version 1 was noted with the first event.
      expect(revisions.of(2)?.views).toBe(2);
      expect(revisions.of(1)).toBeNull();
      expect(revisions.of(3)?.views).toBe(4);
      revisions.note(last + 2, 0, views(0));
      expect(revisions.of(2)).toBeNull();
      expect(revisions.of(3)).toBeNull();
      expect(revisions.of(4)?.views).toBe(4);
      expect(revisions.of(last + 3)).toBeNull();
    });
  });
});
