/** A page's exact numbers, as its editor reads them (docs/contract.md section 10). */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { PageObject } from "../../../objects/page/page-object.ts";
import { beacon, call, errorOf, expectErrors, ownerCookie, pageObject } from "../kit/kit.ts";
import { creator, type PageJson } from "./authoring-kit.ts";

const LINKS = [
  { label: { ar: "متجر" }, url: "https://shop.example/" },
  { label: { ar: "فيديو" }, url: "https://video.example/" },
];

type Creator = Awaited<ReturnType<typeof creator>>;

async function read(me: Creator, { page_id }: PageJson) {
  const response = await me.send("GET", `/api/me/pages/${page_id}/totals`);
  expect(response.status).toBe(200);
  return response.json<{ ok: true; totals: unknown; as_of: string }>();
}

async function published() {
  const me = await creator();
  return { me, page: await me.make({ status: "published", links: LINKS }) };
}

describe("the totals of a page", () => {
  test("are what people did since it was created, at once, through flushes and restarts", async () => {
    const { me, page } = await published();
    const { page_id } = page;
    const [shop = "", video = ""] = page.links.map(({ link_id }) => link_id);
    expect((await read(me, page)).totals).toEqual({ views: 0, clicks: 0, links: {} });
    await beacon({ page_id });
    await beacon({ page_id, link_id: shop });
    const before = Date.now();
    const first = await read(me, page);
    expect(first).toMatchObject({
      ok: true,
      totals: { views: 1, clicks: 1, links: { [shop]: 1 } },
    });
    expect(Date.parse(first.as_of)).toBeGreaterThanOrEqual(before);
    await pageObject(page_id).flush();
    await call(`/r/${page_id}/${video}`);
    await evictDurableObject(pageObject(page_id));
    const totals = { views: 1, clicks: 2, links: { [shop]: 1, [video]: 1 } };
    expect((await read(me, page)).totals).toEqual(totals);
  });

  test("keep the clicks of a removed link, and have neither programs nor the owner", async () => {
    const { me, page } = await published();
    const { page_id } = page;
    const [link_id = ""] = page.links.map(({ link_id }) => link_id);
    await beacon({ page_id, link_id });
    await beacon({ page_id, link_id }, { headers: { "User-Agent": "Googlebot/2.1" } });
    await beacon({ page_id, link_id }, { headers: { Cookie: await ownerCookie(page_id) } });
    const totals = { views: 0, clicks: 1, links: { [link_id]: 1 } };
    expect((await read(me, page)).totals).toEqual(totals);
    await me.patch(page, { links: [] });
    expect((await read(me, page)).totals).toEqual(totals);
  });

  test("have no imported history, which no object counted", async () => {
    const { me, page } = await published();
    await env.DB.prepare("INSERT INTO tallies VALUES (?1, 0, 'view', '', 'human', -2, 7)")
      .bind(page.page_id)
      .run();
    expect((await read(me, page)).totals).toEqual({ views: 0, clicks: 0, links: {} });
  });

  test("are 503 where the object fails", async () => {
    const me = await creator();
    const page = await me.make();
    const path = `/api/me/pages/${page.page_id}/totals`;
    const logged = expectErrors();
    vi.spyOn(PageObject.prototype, "peopleTotals").mockImplementation(() => {
      throw new Error("gone");
    });
    const refused = await me.send("GET", path);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([503, "DEPENDENCY_DOWN"]);
    expect(logged()).toContain("totals_failed");
  });
});
