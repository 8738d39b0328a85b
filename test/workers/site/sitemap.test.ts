/** The sitemap: its pages, its parts, its cost, and its behaviour when D1 fails. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { renderSitemap, SLICE_PAGES, URLS_MAX } from "../../../src/pages/render/render-sitemap.ts";
import { EMPTY_DOCUMENT } from "../../plain-page.ts";
import { stopClock } from "../kit/faults.ts";
import { call, errorOf, eventually, freshPage, freshSite, ORIGIN } from "../kit/kit.ts";

const d1: D1Database = Object.getPrototypeOf(env.DB);
const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
/** How long the edge caches a file, in milliseconds. */
const KEPT_MS = 3_600_000;

/** The sitemap's addresses and times in order, as a crawler parses them. */
async function read(address: string) {
  const response = await call(address);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/xml; charset=utf-8");
  const xml = await response.text();
  expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<(urlset|sitemapindex) xmlns=/);
  const entries = [...xml.matchAll(/<loc>([^<]*)<\/loc>(?:<lastmod>([^<]*)<\/lastmod>)?/g)];
  return {
    isIndex: xml.includes("<sitemapindex"),
    places: entries.map(([, loc]) => loc ?? ""),
    times: new Map(entries.map(([, loc, lastmod]) => [loc, lastmod])),
  };
}

/** Fills the table up to `n` published pages. */
async function fillUpTo(pages: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (
       SELECT count(*) + 1 FROM pages WHERE status = 'published'
         AND ends_at IS NULL AND document ->> '$.indexed'
       UNION ALL SELECT i + 1 FROM n WHERE i < ?1
     )
     INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
     SELECT printf('many-%07d', i), printf('many-%07d', i), 'published', 1, '', ?2, 0, i FROM n`,
  )
    .bind(pages, EMPTY_DOCUMENT)
    .run();
}

describe("the sitemap", () => {
  test("names the landing page first and every published page with its last change", async () => {
    const updated_at = Date.UTC(2026, 9, 4, 9, 30, 1, 7);
    const page = await freshPage({ updated_at });
    const origin = freshSite();
    const { isIndex, places, times } = await read(`${origin}/sitemap.xml`);
    expect(isIndex).toBe(false);
    expect(places[0]).toBe(`${origin}/`);
    expect(times.get(`${origin}/`)).toBeUndefined();
    expect(times.get(`${origin}/${page.slug}`)).toBe("2026-10-04T09:30:01.007Z");
  });

  test("does not name what nobody may see, what is deleted, and what search engines may not list", async () => {
    const hidden = await Promise.all([
      freshPage({ status: "draft" }),
      freshPage({ status: "suspended" }),
      freshPage({ ends_at: Date.now() + 60_000 }),
      freshPage({ indexed: false }),
    ]);
    const shown = await freshPage({ locales: ["ar", "en"] });
    const host = freshSite();
    const { places } = await read(`${host}/sitemap.xml`);
    for (const { slug } of hidden) expect(places).not.toContain(`${host}/${slug}`);
    // Once: the page itself names its address in the other language.
    const address = `${host}/${shown.slug}`;
    expect(places.filter((place) => place.startsWith(address))).toEqual([address]);
  });

  test("names pages by the address at which they are served", async () => {
    const latin = await freshPage({ slug: "layla.art_1-é" });
    const arabic = await freshPage({ slug: "ليلى-١" });
    const { places } = await read(`${ORIGIN}/sitemap.xml`);
    for (const { slug } of [latin, arabic]) {
      const place = `${ORIGIN}/${encodeURIComponent(slug)}`;
      expect(places).toContain(place);
      expect(place).toMatch(/^[\x21-\x7e]+$/);
      expect((await call(place)).status).toBe(200);
    }
  });

  test("escapes characters with a meaning in XML", async () => {
    const response = await renderSitemap(env, new URL("https://a&b'c.example/sitemap.xml"));
    expect(await response.text()).toContain("<loc>https://a&amp;b&apos;c.example/</loc>");
  });

  test("is one file here, which has a number too; there is no second one", async () => {
    const host = freshSite();
    expect(await read(`${host}/sitemaps/1.xml`)).toEqual(await read(`${host}/sitemap.xml`));
    for (const file of ["2.xml", "0.xml", "01.xml", "1", "x.xml"]) {
      const response = await call(`${host}/sitemaps/${file}`);
      expect([file, response.status]).toEqual([file, 404]);
      expect((await errorOf(response)).code).toBe("NOT_FOUND");
      expect(response.headers.get("Cache-Control")).toBe("public, max-age=30");
    }
    expect((await call(`${host}/sitemaps`)).status).toBe(404);
  });

  test("S4: is the same for everybody, and made once an hour for all of them", async () => {
    const clock = stopClock();
    const host = freshSite();
    const first = await (await call(`${host}/sitemap.xml`)).text();
    const { slug } = await freshPage();
    clock.advance(KEPT_MS - 1);
    const prepare = vi.spyOn(d1, "prepare");
    const visitor = { Cookie: "owner_of=1", Authorization: "Bearer 1" };
    const second = await call(`${host}/sitemap.xml?fresh=1`, { headers: visitor });
    expect(await second.text()).toBe(first);
    expect(prepare).not.toHaveBeenCalled();
    clock.advance(1);
    // The first request gets the stale one, and then it is made again.
    await (await call(`${host}/sitemap.xml`)).text();
    await eventually(async () => {
      expect((await read(`${host}/sitemap.xml`)).places).toContain(`${host}/${slug}`);
    });
  });

  test("S23: a file that does not exist costs D1 nothing, at any number of requests", async () => {
    const host = freshSite();
    await call(`${host}/sitemap.xml`);
    const prepare = vi.spyOn(d1, "prepare");
    for (const n of ["2", "49999", "99999", "100000", "9".repeat(400)]) {
      expect((await call(`${host}/sitemaps/${n}.xml`)).status).toBe(404);
    }
    expect(prepare).not.toHaveBeenCalled();
  });
});

describe("the sitemap of many pages", () => {
  test("is one file of 50,000 addresses, read in slices, when there are 49,999 pages", async () => {
    await fillUpTo(URLS_MAX - 1);
    const host = freshSite();
    const all = vi.spyOn(statement, "all");
    const { isIndex, places } = await read(`${host}/sitemap.xml`);
    expect(isIndex).toBe(false);
    expect(new Set(places).size).toBe(URLS_MAX);
    const slices = await Promise.all(all.mock.results.map(({ value }) => value));
    expect(slices).toHaveLength(URLS_MAX / SLICE_PAGES);
    for (const { results } of slices) expect(results.length).toBeLessThanOrEqual(SLICE_PAGES);
  });

  test("is an index of two files when there is one page more", async () => {
    await fillUpTo(URLS_MAX);
    const host = freshSite();
    const { isIndex, places: files } = await read(`${host}/sitemap.xml`);
    expect(isIndex).toBe(true);
    expect(files).toEqual([`${host}/sitemaps/1.xml`, `${host}/sitemaps/2.xml`]);
    const first = await read(`${host}/sitemaps/1.xml`);
    const second = await read(`${host}/sitemaps/2.xml`);
    expect(first.places[0]).toBe(`${host}/`);
    expect([first.places.length, second.places.length]).toEqual([URLS_MAX, 1]);
    expect(new Set([...first.places, ...second.places]).size).toBe(URLS_MAX + 1);
    expect((await call(`${host}/sitemaps/3.xml`)).status).toBe(404);
  });
});
