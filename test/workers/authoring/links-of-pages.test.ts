/** Links keep their ids, whatever their creator does to them (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { beacon, call, errorOf, freshAddress, pageObject } from "../kit/kit.ts";
import { creator, type PageJson } from "./authoring-kit.ts";

const LINKS = [
  { url: "https://shop.example/", label: { ar: "المتجر" } },
  { url: "https://video.example/", label: { ar: "فيديو" } },
  { url: "mailto:layla@example.com", label: { ar: "راسلني" } },
];

const idsOf = ({ links }: PageJson) => links.map(({ link_id }) => link_id);

/** A beacon of a new sender, after the page's object has read the page. */
async function click(page_id: string, link_id: string): Promise<number> {
  await pageObject(page_id).changed();
  const response = await beacon({ page_id, link_id }, { ip: freshAddress() });
  return response.status;
}

/** Clicks by link id, as the page's object counted them. */
async function clicksOf(page_id: string): Promise<Record<string, number>> {
  const totals = await pageObject(page_id).totals();
  return Object.fromEntries(
    totals
      .filter(({ kind }) => kind === "click")
      .map(({ link_id, accepted }) => [link_id, accepted]),
  );
}

async function removedLinks(page_id: string): Promise<Record<string, unknown>> {
  const { results } = await env.DB.prepare(
    "SELECT link_id, label FROM removed_links WHERE page_id = ?1",
  )
    .bind(page_id)
    .all<{ link_id: string; label: string }>();
  return Object.fromEntries(results.map(({ link_id, label }) => [link_id, JSON.parse(label)]));
}

describe("a link that its creator", () => {
  test("renames, readdresses, reorders, or switches off and on, keeps its id and its clicks", async () => {
    const me = await creator();
    let page = await me.make({ status: "published", links: LINKS });
    const [shop = "", video = "", mail = ""] = idsOf(page);
    const { page_id } = page;
    expect(await click(page_id, shop)).toBe(202);

    const [first, ...others] = page.links;
    const changed = { ...first, label: { ar: "الدكان" }, url: "https://new.example/" };
    page = await me.patch(page, { links: [...others, changed] });
    expect(idsOf(page)).toEqual([video, mail, shop]);
    expect(await click(page_id, shop)).toBe(202);
    const redirect = await call(`/r/${page_id}/${shop}`, { ip: freshAddress() });
    expect(redirect.headers.get("Location")).toBe("https://new.example/");

    const off = page.links.map((link) => ({ ...link, enabled: link.link_id !== shop }));
    page = await me.patch(page, { links: off });
    expect(await click(page_id, shop)).toBe(410);
    expect(await click(page_id, video)).toBe(202);
    page = await me.patch(page, { links: off.map((link) => ({ ...link, enabled: true })) });
    expect(await click(page_id, shop)).toBe(202);
    expect(await clicksOf(page_id)).toEqual({ [shop]: 4, [video]: 1 });
  });

  test("removes is 404; it keeps its last label, and with its id it comes back with its clicks", async () => {
    const me = await creator();
    let page = await me.make({ status: "published", links: LINKS });
    const [shop = "", video = "", mail = ""] = idsOf(page);
    const { page_id } = page;
    const [removed, ...others] = page.links;
    expect(await click(page_id, shop)).toBe(202);
    page = await me.patch(page, { links: [{ ...removed, label: { ar: "قديم" } }, ...others] });
    page = await me.patch(page, { links: others });
    expect(await removedLinks(page_id)).toEqual({ [shop]: { ar: "قديم" } });
    expect(await click(page_id, shop)).toBe(404);
    expect((await call(`/r/${page_id}/${shop}`, { ip: freshAddress() })).status).toBe(404);
    expect(await clicksOf(page_id)).toEqual({ [shop]: 1 });

    page = await me.patch(page, { links: [...others, removed] });
    expect(idsOf(page)).toEqual([video, mail, shop]);
    expect(await removedLinks(page_id)).toEqual({});
    expect(await click(page_id, shop)).toBe(202);
    expect(await clicksOf(page_id)).toEqual({ [shop]: 2 });
  });
});

test("a link that is sent without its id is a new one, and the old one is removed", async () => {
  const me = await creator();
  const page = await me.make({ links: LINKS.slice(0, 1) });
  const put = await me.put(page, { ...page, links: LINKS.slice(0, 1) });
  expect(idsOf(put)).not.toEqual(idsOf(page));
  expect(Object.keys(await removedLinks(page.page_id))).toEqual(idsOf(page));
});

test("S22: a link id that the page never had is 400, another page's too", async () => {
  const me = await creator();
  const page = await me.make({ links: LINKS.slice(0, 1) });
  const own = await me.make({ links: LINKS.slice(0, 1) });
  const other = await (await creator("demo-pro")).make({ links: LINKS.slice(0, 1) });
  for (const link_id of ["made-up", ...idsOf(own), ...idsOf(other)]) {
    const links = [...page.links, { ...LINKS[1], link_id }];
    for (const [method, body] of [
      ["PATCH", { links }],
      ["PUT", { ...page, links }],
    ] as const) {
      const path = `/api/me/pages/${page.page_id}`;
      const refused = await me.send(method, path, body, { "If-Match": '"v1"' });
      expect(refused.status).toBe(400);
      const issues = [{ path: "links.1.link_id", message: expect.any(String) }];
      expect((await errorOf(refused)).details).toMatchObject({ issues });
    }
  }
});

test("a link that was off when it was removed and comes back on keeps its id", async () => {
  const me = await creator();
  let page = await me.make({ status: "published", links: LINKS.slice(0, 1) });
  const [link] = page.links;
  page = await me.patch(page, { links: [{ ...link, enabled: false }] });
  page = await me.patch(page, { links: [] });
  page = await me.patch(page, { links: [link] });
  expect(page.links).toEqual([link]);
  expect(await click(page.page_id, link?.link_id ?? "")).toBe(202);
});
