/** Conversions: what the blocks' objects report to a page's object, also while D1 lacks the page (docs/faults.md F20). */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Conversion, Tip } from "../../../objects/events/conversion.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { breakD1, breakStorage } from "../kit/faults.ts";
import { expectErrors, freshPage, pageObject, sums, tallyRows } from "../kit/kit.ts";

const TIP: Tip = { from_id: "u1", from_name: "سلمى", points: 5, message: "شكرًا", at: 1_000 };

function conversion(id: string, overrides: Partial<Conversion> = {}): Conversion {
  return { id, link_id: "jar", class: "human", origin: { country: "SA" }, tip: null, ...overrides };
}

async function storedTips(page_id: string) {
  const { results } = await env.DB.prepare("SELECT * FROM tips WHERE page_id = ?1 ORDER BY seq")
    .bind(page_id)
    .all<{ seq: number; points: number }>();
  return results;
}

test("a conversion counts once for ever as a click of its block, which need not be on the page", async () => {
  const { page_id } = await freshPage();
  await pageObject(page_id).convert([conversion("a"), conversion("b"), conversion("a")]);
  await evictDurableObject(pageObject(page_id));
  await pageObject(page_id).convert([conversion("b"), conversion("c", { class: "bot" })]);
  expect(await sums(page_id)).toMatchObject({ accepted: 3 });
  await pageObject(page_id).flush();
  const rows = await tallyRows(page_id);
  expect(rows.map(({ link_id, class: class_, n }) => [link_id, class_, n])).toEqual([
    ["jar", "bot", 1],
    ["jar", "human", 2],
  ]);
  const day = await env.DB.prepare("SELECT visitors, breakdowns FROM days WHERE page_id = ?1")
    .bind(page_id)
    .first<{ visitors: number; breakdowns: string }>();
  expect(day?.visitors).toBe(0);
  expect(JSON.parse(day?.breakdowns ?? "")).toEqual({ country: { SA: [0, 2] } });
});

test("a tip reaches D1 with its number, once, also if D1 fails or its reply is lost", async () => {
  const errors = expectErrors();
  const { page_id } = await freshPage();
  const page = pageObject(page_id);
  for (const when of ["before", "after"] as const) {
    const broken = breakD1(when);
    const tip = { ...TIP, points: when === "before" ? 5 : 7 };
    await page.convert([conversion(when, { tip })]);
    await page.flush().catch(() => undefined);
    broken.mend();
  }
  await page.convert([conversion("before", { tip: TIP })]);
  await evictDurableObject(page);
  await page.flush();
  expect(await storedTips(page_id)).toEqual([
    { page_id, seq: 1, total: 5, link_id: "jar", ...TIP },
    { page_id, seq: 2, total: 12, link_id: "jar", ...TIP, points: 7 },
  ]);
  expect(errors().every((event) => event === "flush_failed")).toBe(true);
});

test("a D1 that was restored to an older time gets every tip again", async () => {
  const { page_id } = await freshPage();
  const page = pageObject(page_id);
  await page.convert([conversion("a", { tip: TIP }), conversion("b", { tip: TIP })]);
  await page.flush();
  await env.DB.batch([
    env.DB.prepare("DELETE FROM tips WHERE page_id = ?1").bind(page_id),
    env.DB.prepare("DELETE FROM tallies WHERE page_id = ?1").bind(page_id),
  ]);
  await page.sweep();
  await page.flush();
  expect((await storedTips(page_id)).map(({ seq }) => seq)).toEqual([1, 2]);
});

test("a conversion whose write fails is not counted, and is when it is sent again", async () => {
  expectErrors();
  const { page_id } = await freshPage();
  const page = pageObject(page_id);
  await page.convert([conversion("a")]);
  const broken = await breakStorage(page_id, "INSERT INTO journal");
  await runInDurableObject(page, (page: PageObject) =>
    expect(page.convert([conversion("b", { tip: TIP })])).rejects.toThrow("disk is full"),
  );
  broken.mend();
  expect(await sums(page_id)).toMatchObject({ accepted: 1 });
  await page.convert([conversion("b", { tip: TIP })]);
  expect(await sums(page_id)).toMatchObject({ accepted: 2 });
  await page.flush();
  expect(await storedTips(page_id)).toHaveLength(1);
});

test("a page that has ended takes a conversion and stores nothing", async () => {
  const { page_id } = await freshPage();
  await pageObject(page_id).convert([conversion("a", { tip: TIP })]);
  await pageObject(page_id).flush();
  await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page_id).run();
  await pageObject(page_id).end();
  await pageObject(page_id).convert([conversion("b", { tip: TIP })]);
  expect(await pageObject(page_id).totals()).toEqual([]);
  expect(await storedTips(page_id)).toEqual([]);
});

test("a page that D1 lacks takes no conversion, stores nothing, and takes it once D1 has it again", async () => {
  const { page_id } = await freshPage();
  const page = pageObject(page_id);
  const rename = (from: string, to: string) =>
    env.DB.prepare("UPDATE pages SET page_id = ?2 WHERE page_id = ?1").bind(from, to).run();
  await rename(page_id, `${page_id}-away`);
  await runInDurableObject(page, async (object: PageObject, { storage }) => {
    await expect(object.convert([conversion("a", { tip: TIP })])).rejects.toThrow(
      "D1 does not have",
    );
    expect([...storage.kv.list()]).toEqual([]);
  });
  await rename(`${page_id}-away`, page_id);
  await page.convert([conversion("a", { tip: TIP })]);
  await page.flush();
  expect(await storedTips(page_id)).toHaveLength(1);
});
