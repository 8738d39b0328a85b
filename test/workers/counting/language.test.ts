/** Views by the language of the page (docs/contract.md sections 5 and 10). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { beacon, call, freshPage, pageObject } from "../kit/kit.ts";

/** `{language: [views, clicks]}` of the page's only day in D1, after a flush. */
async function languagesOf(page_id: string): Promise<Record<string, [number, number]> | undefined> {
  await pageObject(page_id).flush();
  const row = await env.DB.prepare("SELECT breakdowns FROM days WHERE page_id = ?1")
    .bind(page_id)
    .first<{ breakdowns: string }>();
  return JSON.parse(row?.breakdowns ?? "{}").language;
}

test("a view counts under the language that its beacon names", async () => {
  const { page_id } = await freshPage();
  for (const language of ["ar", "en", "ar"]) {
    expect((await beacon({ page_id, language })).status).toBe(202);
  }
  await beacon({ page_id });
  expect(await languagesOf(page_id)).toEqual({ ar: [2, 0], en: [1, 0] });
});

test("a click has no language", async () => {
  const { page_id } = await freshPage();
  await beacon({ page_id, language: "ar" });
  expect((await beacon({ page_id, link_id: "mail", language: "en" })).status).toBe(202);
  await call(`/r/${page_id}/shop?l=en`);
  expect(await languagesOf(page_id)).toEqual({ ar: [1, 0] });
});

test.each(["fr", "AR", 5])(
  "a beacon with the language %j counts, without a language",
  async (language) => {
    const { page_id } = await freshPage();
    expect((await beacon({ page_id, language: "ar" })).status).toBe(202);
    expect((await beacon({ page_id, language })).status).toBe(202);
    expect((await pageObject(page_id).totals()).map(({ accepted }) => accepted)).toEqual([2]);
    expect(await languagesOf(page_id)).toEqual({ ar: [1, 0] });
  },
);

test("a pixel counts under its parameter, and without a language for any other value", async () => {
  const { page_id } = await freshPage();
  for (const query of ["?l=ar", "?l=en", "?l=en", "?l=fr", "?l=", "", "?l=ar&l=en"]) {
    expect((await call(`/p/${page_id}.gif${query}`)).status).toBe(200);
  }
  expect(await languagesOf(page_id)).toEqual({ ar: [2, 0], en: [2, 0] });
  expect((await pageObject(page_id).totals()).map(({ accepted }) => accepted)).toEqual([7]);
});

test.each(["Sec-GPC", "DNT"])("%s leaves no language", async (header) => {
  const { page_id } = await freshPage();
  await beacon({ page_id, language: "en" }, { headers: { [header]: "1" } });
  await call(`/p/${page_id}.gif?l=en`, { headers: { [header]: "1" } });
  expect(await languagesOf(page_id)).toBeUndefined();
  expect((await pageObject(page_id).totals()).map(({ accepted }) => accepted)).toEqual([2]);
});
