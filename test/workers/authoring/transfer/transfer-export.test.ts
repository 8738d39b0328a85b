/** The export of a page: all that is stored of it, for its owner (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { expect, test, vi } from "vitest";
import { exportedFiles } from "../../../../src/authoring/transfer/export-page.ts";
import { findPage } from "../../../../src/pages/document/pages-store.ts";
import { expectErrors, pageObject } from "../../kit/kit.ts";
import { creator } from "../authoring-kit.ts";
import { sample } from "../pictures/picture-samples.ts";
import { exported, fullPage } from "./transfer-kit.ts";

const layan = await creator();

test("an export holds the page, its saves, its counts and its pictures", async () => {
  const page = await fullPage(layan);
  const files = unzipSync(await exported(layan, page.page_id));
  const text = (name: string) => new TextDecoder().decode(files[name]);
  const lines = (name: string) =>
    text(name)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const file = JSON.parse(text("page.json"));
  expect(file).toMatchObject({
    format: "sila-page",
    format_version: 1,
    page,
    removed_links: [{ label: { ar: "يُحذف" } }],
    rolled_to: 0,
  });
  expect(file.totals).toContainEqual({
    kind: "view",
    link_id: "",
    class: "human",
    counted: 2,
    imported: 40,
  });
  expect(lines("tallies.jsonl")).toHaveLength(5 + 3);
  expect(lines("days.jsonl")).toMatchObject([
    { shard: 0, breakdowns: { country: { SA: [1, 3] } } },
  ]);
  expect(lines("revisions.jsonl")).toMatchObject([
    { version: 1, what: ["created"], document: { avatar: null } },
    { version: 2, what: ["avatar", "links"], document: { avatar: page.avatar } },
  ]);
  const pictures = Object.keys(files).filter((name) => name.startsWith("pictures/"));
  expect(pictures).toHaveLength(2);
  expect(files[`pictures/${page.avatar?.split("/").at(-1)}`]).toEqual(sample("jpeg"));
});

test("an export holds the page's tips, without the accounts that sent them", async () => {
  const page = await layan.make({ status: "published" });
  const tip = { from_id: "demo-pro", from_name: "سارة", points: 7, message: "شكرًا\n", at: 9 };
  const counted = { link_id: "jar", class: "human", origin: {} } as const;
  await pageObject(page.page_id).convert([
    { id: "a", ...counted, tip },
    { id: "b", ...counted, tip: { ...tip, message: "" } },
    { id: "c", ...counted, tip: null },
  ]);
  const files = unzipSync(await exported(layan, page.page_id));
  const tips = new TextDecoder().decode(files["tips.jsonl"]);
  expect(
    tips
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { seq: 1, link_id: "jar", from_name: "سارة", points: 7, message: "شكرًا\n", at: 9 },
    { seq: 2, link_id: "jar", from_name: "سارة", points: 7, message: "", at: 9 },
  ]);
  expect(tips).not.toContain("demo-pro");
});

test("an export has every row of a page with more rows than one statement reads", async () => {
  const page = await layan.make();
  await env.DB.prepare(
    `WITH RECURSIVE rows(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM rows WHERE i < 12000)
     INSERT INTO tallies SELECT ?1, i / 3 * 3600, 'click', 'l' || (i % 3), 'human', 0, 1 FROM rows`,
  )
    .bind(page.page_id)
    .run();
  const files = unzipSync(await exported(layan, page.page_id));
  const rows = new TextDecoder().decode(files["tallies.jsonl"]).trimEnd().split("\n");
  expect(new Set(rows).size).toBe(12_001);
  const { totals } = JSON.parse(new TextDecoder().decode(files["page.json"]));
  expect(totals.map(({ counted }: { counted: number }) => counted)).toEqual([4_001, 4_000, 4_000]);
});

test("an export breaks off where D1 fails in the middle, so that no half is taken for a whole", async () => {
  const page = await layan.make();
  const errors = expectErrors();
  const { prepare } = Object.getPrototypeOf(env.DB);
  vi.spyOn(Object.getPrototypeOf(env.DB), "prepare").mockImplementation(function (
    this: D1Database,
    sql: unknown,
  ) {
    if (String(sql).includes("FROM days")) throw new Error("D1 refuses");
    return prepare.call(this, sql);
  });
  const response = await layan.send("GET", `/api/me/pages/${page.page_id}/export`);
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect(errors()).toContain("export_failed");
});

test("an export breaks off where hours become days while it is read", async () => {
  const { page_id } = await layan.make();
  const page = await findPage(env.DB, "demo-business", page_id);
  if (page === null) throw new Error("no page");
  const files = exportedFiles(env, page, Date.now());
  const first = await files.next();
  await env.DB.prepare("INSERT INTO rolled_days VALUES (?1, 0, 86400)").bind(page_id).run();
  expect(first.value).toMatchObject({ name: "tallies.jsonl" });
  await expect(files.next()).rejects.toThrow("hours became days");
});
