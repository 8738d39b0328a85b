/** The end of a page (docs/contract.md section 10; docs/faults.md F25). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { runCron, sweepPages } from "../../../src/cron.ts";
import { UNDO_MINUTES } from "../../../src/pages/document/limits.ts";
import { creator, pathOf } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { beacon, expectErrors, pageObject } from "../kit/kit.ts";

const MINUTE_MS = 60_000;
/** Not on the hour, when the cron has more to do. */
const CRON_AT = Date.UTC(2026, 0, 1, 0, 1);
const OF_A_PAGE = [
  ...["pages", "revisions", "removed_links", "tallies", "days", "milestones", "rolled_days"],
  ...["page_changes", "page_purges"],
];

/** The names of the tables of D1 that have rows of the page. */
async function tablesWith(page_id: string): Promise<string[]> {
  const results = await env.DB.batch<{ n: number }>(
    OF_A_PAGE.map((table) =>
      env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE page_id = ?1`).bind(page_id),
    ),
  );
  return OF_A_PAGE.filter((_, i) => (results[i]?.results[0]?.n ?? 0) > 0);
}

function storedBy(page_id: string): Promise<string[]> {
  return runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => [
    ...[...storage.kv.list()].map(([name]) => name),
    ...storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")
      .toArray()
      .map(({ name }) => name),
  ]);
}

/** A run of the cron that may purge at once, and another when the first purge is old enough. */
async function cronRuns(clock: { advance: (ms: number) => void }): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    await env.DB.prepare("UPDATE purge_turns SET tokens = 25, taken_at = 0").run();
    await env.DB.prepare("DELETE FROM page_purges").run();
    await runCron(env, CRON_AT);
    clock.advance(10_000);
  }
}

const LINKS = [{ kind: "link", label: { ar: "متجر" }, url: "https://shop.example/" }];

/** A published page of a creator, with a click and a view that are in D1. */
async function countedPage() {
  const someone = await creator();
  let page = await someone.make({ status: "published", links: LINKS });
  const [link] = page.links;
  const link_id = link?.link_id ?? "";
  await beacon({ page_id: page.page_id });
  await beacon({ page_id: page.page_id, link_id });
  await pageObject(page.page_id).flush();
  // A second revision, and a removed link.
  page = await someone.patch(page, { links: [...LINKS, ...LINKS] });
  return { someone, page, link_id };
}

describe("a deleted page", () => {
  test("F25: no late event, flush, alarm, sweep or restored D1 brings it back", async () => {
    const { someone, page, link_id } = await countedPage();
    const { page_id } = page;
    const rows = await env.DB.batch(
      ["pages", "tallies"].map((table) =>
        env.DB.prepare(`SELECT * FROM ${table} WHERE page_id = ?1`).bind(page_id),
      ),
    );
    const clock = stopClock();
    await someone.remove(page);
    clock.advance((UNDO_MINUTES + 2) * MINUTE_MS);
    await cronRuns(clock);
    // Late callers.
    expect((await beacon({ page_id, link_id })).status).toBe(404);
    await pageObject(page_id).flush();
    await runDurableObjectAlarm(pageObject(page_id));
    await evictDurableObject(pageObject(page_id));
    await sweepPages(env, Date.now());
    expect(await tablesWith(page_id)).toEqual([]);
    expect(await storedBy(page_id)).toEqual(["ended"]);
    // D1 as it was before the deletion.
    const restored = rows.flatMap(({ results }, i) =>
      (results as Record<string, unknown>[]).map((row) => {
        const generated = new Set(["locale", "name", "time_zone"]);
        const columns = Object.keys(row).filter((name) => !generated.has(name));
        return env.DB.prepare(
          `INSERT INTO ${i === 0 ? "pages" : "tallies"} (${columns.join()})
           VALUES (${columns.map((_, at) => `?${at + 1}`).join()})`,
        ).bind(...columns.map((name) => row[name]));
      }),
    );
    await env.DB.batch([...restored, env.DB.prepare("UPDATE cron_runs SET n = n - 2")]);
    expect(await tablesWith(page_id)).toEqual(["pages", "tallies"]);
    await cronRuns(clock);
    expect(await tablesWith(page_id)).toEqual([]);
    expect((await beacon({ page_id, link_id })).status).toBe(404);
  });

  test("is not ended while its deletion can be undone, nor after it was undone", async () => {
    const { someone, page } = await countedPage();
    const deleted = await someone.remove(page);
    await runCron(env, CRON_AT);
    await someone.send("POST", `${pathOf(page)}/undelete`);
    const clock = stopClock();
    clock.advance((UNDO_MINUTES + 2) * MINUTE_MS);
    await runCron(env, CRON_AT);
    expect(deleted.ends_at).not.toBeNull();
    expect(await tablesWith(page.page_id)).toContain("pages");
  });

  test("that cannot be ended keeps no other page from its end", async () => {
    expectErrors();
    const clock = stopClock();
    const [stuck, other] = [await countedPage(), await countedPage()];
    await stuck.someone.remove(stuck.page);
    // The cron ends the oldest first.
    clock.advance(1_000);
    await other.someone.remove(other.page);
    clock.advance((UNDO_MINUTES + 2) * MINUTE_MS);
    const kv: KVNamespace = Object.getPrototypeOf(env.KV);
    const { put } = kv;
    vi.spyOn(kv, "put").mockImplementation(function (
      this: KVNamespace,
      key: string,
      ...rest: [string]
    ) {
      if (key.includes(stuck.page.page_id)) return Promise.reject(new Error("KV refuses"));
      return put.call(this, key, ...rest);
    } as typeof put);
    await runCron(env, CRON_AT);
    expect(await tablesWith(other.page.page_id)).not.toContain("pages");
    expect(await tablesWith(stuck.page.page_id)).toContain("pages");
  });
});
