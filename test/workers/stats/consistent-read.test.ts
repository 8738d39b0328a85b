/** D1's numbers and the page object's, read so that no event is in both and none is missing. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { consistentRead } from "../../../src/stats/consistent-read.ts";
import { CONSISTENT_READ_TRIES_MAX } from "../../../src/stats/limits.ts";
import { beacon, freshPage, pageObject, tallyRows } from "../kit/kit.ts";

const VIEWS = 3;
const REPLY_AFTER_MS = 100;

async function pageWithViews(): Promise<string> {
  const { page_id } = await freshPage();
  for (let i = 0; i < VIEWS; i += 1) await beacon({ page_id });
  return page_id;
}

async function viewsInD1(page_id: string): Promise<number> {
  return (await tallyRows(page_id)).reduce((sum, { n }) => sum + n, 0);
}

describe("a consistent read of D1 and the object", () => {
  test("reads again after a flush between the reads, whose events would be in neither", async () => {
    const page_id = await pageWithViews();
    let reads = 0;
    const { snapshot, found } = await consistentRead(env, page_id, async () => {
      const n = await viewsInD1(page_id);
      reads += 1;
      if (reads === 1) await pageObject(page_id).flush();
      return n;
    });
    expect(reads).toBe(2);
    expect(found).toBe(VIEWS);
    expect(snapshot.totals).toMatchObject([{ accepted: VIEWS, flushed: VIEWS, pending: 0 }]);
  });

  test("waits for a flush under way, whose events are in D1 before the object knows", async () => {
    const page_id = await pageWithViews();
    const d1: D1Database = Object.getPrototypeOf(env.DB);
    const real = d1.batch;
    const written = Promise.withResolvers<void>();
    let has_heard = false;
    vi.spyOn(d1, "batch").mockImplementationOnce(async function (this: D1Database, statements) {
      const results = await real.call(this, statements);
      written.resolve();
      await new Promise((resolve) => setTimeout(resolve, REPLY_AFTER_MS));
      has_heard = true;
      return results as never;
    });
    const flushing = pageObject(page_id).flush();
    await written.promise;
    const { snapshot, found } = await consistentRead(env, page_id, () => {
      expect(has_heard).toBe(true);
      return viewsInD1(page_id);
    });
    await flushing;
    expect(found).toBe(VIEWS);
    expect(snapshot.totals).toMatchObject([{ flushed: VIEWS, pending: 0 }]);
  });

  test("leaves nothing out if the page flushes every time, after a bounded number of tries", async () => {
    const page_id = await pageWithViews();
    let sent = VIEWS;
    let reads = 0;
    const { snapshot, found } = await consistentRead(env, page_id, async () => {
      const n = await viewsInD1(page_id);
      reads += 1;
      await beacon({ page_id });
      sent += 1;
      await pageObject(page_id).flush();
      return n;
    });
    expect(reads).toBe(CONSISTENT_READ_TRIES_MAX);
    const pending = snapshot.totals.reduce((sum, total) => sum + total.pending, 0);
    // The last beacon came after the object's answer and during the last read of D1, so it is in neither.
    expect(found + pending).toBe(sent - 1);
  });

  test("is never of a database that the page has left, however often it flushes before", async () => {
    const homes = [...Array(CONSISTENT_READ_TRIES_MAX).fill("DB"), "STATS_0", "STATS_0"];
    let snapshots = 0;
    const snapshot = async () => {
      const stats = homes[Math.min(snapshots, homes.length - 1)];
      snapshots += 1;
      return { totals: [], watermark: 0, version: `${snapshots}`, stats };
    };
    const here = { ...env, STATS_0: env.SPARE_0, PAGE: { getByName: () => ({ snapshot }) } };
    const { found } = await consistentRead(here as never, "page", async (db) => db === env.SPARE_0);
    expect(found).toBe(true);
  });
});
