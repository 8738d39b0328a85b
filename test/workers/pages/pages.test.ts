import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { edgeCache } from "../../../src/commands/serve/worker/edge-cache.ts";
import {
  CACHED_PAGE_BYTES_MAX,
  CACHED_PAGES_MAX,
  ISOLATE_CACHE_MS,
  IsolateCache,
} from "../../../src/pages/cache/isolate-cache.ts";
import { purgeCached } from "../../../src/pages/cache/page-cache.ts";
import { FORMER_SLUG_DAYS } from "../../../src/pages/document/limits.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { type Edit, savePage } from "../../../src/pages/document/save-page.ts";
import type { PlainPage } from "../../plain-page.ts";
import { cases } from "../kit/cases.ts";
import { breakReads, stopClock } from "../kit/faults.ts";
import { beacon, builtFile, call, errorOf, eventually, freshPage, ORIGIN } from "../kit/kit.ts";

/** A picture of an avatar, whose bytes are its type's name. */
async function givenMedia(name: string, type: string): Promise<void> {
  const httpMetadata = { contentType: `image/${type}` };
  await env.MEDIA.put(`avatars/${name}`, type, { httpMetadata });
}

describe("a bio page", () => {
  test("has its headers for browsers, the edge cache and purges", async () => {
    const { slug, page_id } = await freshPage();
    const { headers } = await call(`/${slug}`);
    expect(headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("public, max-age=0");
    expect(headers.get("Cloudflare-CDN-Cache-Control")).toBe("max-age=60, stale-if-error=86400");
    expect(headers.get("Cache-Tag")).toBe(`page-${page_id}`);
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers.has("Set-Cookie")).toBe(false);
    expect(headers.has("RateLimit")).toBe(false);
  });

  test("S8: has a CSP without unsafe-inline, and no inline script or style", async () => {
    const { slug } = await freshPage();
    const response = await call(`/${slug}`);
    const csp = response.headers.get("Content-Security-Policy") ?? "";
    const none = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
    for (const directive of [...none, "form-action 'self'", "connect-src 'self'"]) {
      expect(csp).toContain(directive);
    }
    expect(csp).not.toContain("unsafe");
    const html = await response.text();
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
  });

  test("answers 304 to a matching If-None-Match, and HEAD with headers only", async () => {
    const { slug } = await freshPage();
    const first = await call(`/${slug}`);
    const etag = first.headers.get("ETag") ?? "";
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await call(`/${slug}`, { headers: { "If-None-Match": tag } });
      expect(again.status).toBe(304);
      expect(again.headers.get("ETag")).toBe(etag);
      // It would replace the policy of the browser's cached copy.
      expect(again.headers.has("Content-Security-Policy")).toBe(false);
      expect(await again.text()).toBe("");
    }
    expect((await call(`/${slug}`, { headers: { "If-None-Match": '"x"' } })).status).toBe(200);
    const head = await call(`/${slug}`, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("ETag")).toBe(etag);
    expect(await head.text()).toBe("");
  });

  test("F19: shows an edit 60 s later, after one visitor whose view renders it again", async () => {
    const clock = stopClock();
    const { slug, page_id } = await freshPage();
    await call(`/${slug}`);
    await env.DB.prepare(
      "UPDATE pages SET document = json_set(document, '$.name.ar', 'جديد') WHERE page_id = ?1",
    )
      .bind(page_id)
      .run();
    clock.advance(59_000);
    expect(await (await call(`/${slug}`)).text()).not.toContain("جديد");
    clock.advance(1_000);
    // Until it is rendered again it is stale: the first request after that sees the new one.
    await (await call(`/${slug}`)).text();
    await eventually(async () => {
      // The isolate caches its last answer for a second.
      clock.advance(ISOLATE_CACHE_MS);
      expect(await (await call(`/${slug}`)).text()).toContain("جديد");
    });
  });

  test("I6: is served from the cache for a day while D1 is down; without a copy it is a 503", async () => {
    const clock = stopClock();
    const { slug } = await freshPage();
    const before = await (await call(`/${slug}`)).text();
    const unseen = await freshPage();
    breakReads();
    for (const hours of [1, 12, 10]) {
      clock.advance(hours * 3_600_000);
      const response = await call(`/${slug}`);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(before);
    }
    const down = await call(`/${unseen.slug}`);
    expect(down.status).toBe(503);
    expect(down.headers.get("Cache-Control")).toBe("no-store");
    expect((await errorOf(down)).code).toBe("DEPENDENCY_DOWN");
  });

  test("that is suspended is 410, in the page's language", async () => {
    const { slug } = await freshPage({ status: "suspended", locale: "en" });
    const response = await call(`/${slug}`, {
      headers: { Accept: "text/html", "Accept-Language": "ar" },
    });
    expect(response.status).toBe(410);
    expect(response.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(await response.text()).toContain('<html lang="en"');
    expect((await errorOf(await call(`/${slug}`))).code).toBe("PAGE_SUSPENDED");
  });
});

describe("a page that nobody but its owner may see", () => {
  test("is 404: a draft, and one that is deleted although that can be undone", async () => {
    const ends_at = Date.now() + 1_800_000;
    const status = { status: "suspended" } as const;
    for (const members of [{ status: "draft" } as const, { ends_at }, { ends_at, ...status }]) {
      const { slug } = await freshPage({ locales: ["ar", "en"], ...members });
      for (const path of [`/${slug}`, `/${slug}/en`, `/${slug.toUpperCase()}`]) {
        const response = await call(path);
        expect([members, response.status]).toEqual([members, 404]);
        expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
      }
      expect((await call(`/vcard/${slug}.vcf`)).status).toBe(404);
    }
  });
});

test("a page that search engines may not list says so, and is no different otherwise", async () => {
  const { slug } = await freshPage({ indexed: false });
  const response = await call(`/${slug}`);
  const html = await response.text();
  expect(html.match(/<meta name="robots"[^>]*>/g)).toEqual([
    '<meta name="robots" content="noindex"/>',
  ]);
  expect(html).toContain('property="og:title"');
  const { slug: listed } = await freshPage();
  expect(await (await call(`/${listed}`)).text()).not.toContain('name="robots"');
});

describe("a slug that a page has given up", () => {
  let renamed = 0;

  /** A page that had the first slug, and has the last one now. */
  async function renamedPage(members: Partial<PlainPage> = {}, names = 2) {
    renamed += 1;
    const slugs = Array.from({ length: names }, (_, i) => `renamed-${renamed}-${i}`);
    let page = await freshPage({ locales: ["ar", "en"], ...members, slug: slugs[0] ?? "" });
    for (const slug of slugs.slice(1)) page = await edit(page, { slug });
    return { page, former: slugs[0] ?? "", slug: page.slug };
  }

  async function edit(page: Page, change: Edit): Promise<Page> {
    const saved = await savePage(env.DB, page, change, { what: [] }, Date.now());
    if (saved.outcome !== "saved") throw new Error(saved.outcome);
    return saved.page;
  }

  /** The status of an address, and where it leads. */
  async function follow(path: string) {
    const response = await call(path);
    await response.body?.cancel();
    return [response.status, response.headers.get("Location")];
  }

  test("leads to the page's own with one 308, in the same language and with the query", async () => {
    const { former, slug } = await renamedPage({}, 4);
    const spelled = former.toUpperCase();
    for (const [path, location] of [
      [`/${former}`, `/${slug}`],
      [`/${former}?utm_source=x`, `/${slug}?utm_source=x`],
      [`/${former}/en?utm_source=x`, `/${slug}/en?utm_source=x`],
      [`/${former}/ar`, `/${slug}`],
      [`/${spelled}`, `/${slug}`],
      [`/${spelled}/en/`, `/${slug}/en`],
      [`/vcard/${former}.vcf`, `/vcard/${slug}.vcf`],
      [`/vcard/${spelled}.vcf?v=3`, `/vcard/${slug}.vcf?v=3`],
    ] as const) {
      expect([path, ...(await follow(path))]).toEqual([path, 308, location]);
      expect((await call(location)).status).toBe(200);
    }
  });

  test("is purged with its page, at most 60 s old at the edge, and kept by no browser", async () => {
    const { former, page } = await renamedPage();
    const { headers } = await call(`/${former}`);
    expect(headers.get("Cache-Tag")).toBe(`page-${page.page_id}`);
    expect(headers.get("Cloudflare-CDN-Cache-Control")).toMatch(/^max-age=60,/);
    expect(headers.get("Cache-Control")).toBe("public, max-age=0");
  });

  test("leads to the page for 90 days", async () => {
    const clock = stopClock();
    const { former, slug } = await renamedPage();
    clock.advance(FORMER_SLUG_DAYS * DAY_MS - 1);
    expect(await follow(`/${former}`)).toEqual([308, `/${slug}`]);
    clock.advance(60_000);
    expect(await follow(`/${former}`)).toEqual([404, null]);
  });

  test("is 404 in a language that the page lacks, and as a card where it has no contact", async () => {
    const { former } = await renamedPage({ locales: ["ar"], contact: null });
    expect(await follow(`/${former}/en`)).toEqual([404, null]);
    expect(await follow(`/vcard/${former}.vcf`)).toEqual([404, null]);
  });

  test("is 404 once its page is a draft, suspended or deleted", async () => {
    const ends_at = Date.now() + 1;
    for (const change of [{ status: "draft" }, { status: "suspended" }, { ends_at }] as const) {
      const { page, former } = await renamedPage();
      await edit(page, change);
      expect(await follow(`/${former}`)).toEqual([404, null]);
    }
  });

  test("that the page takes back is its own again, and the other leads to it", async () => {
    const { page, former, slug } = await renamedPage();
    expect(await follow(`/${former}`)).toEqual([308, `/${slug}`]);
    await edit(page, { slug: former });
    await purgeCached([`page-${page.page_id}`]);
    expect(await follow(`/${former}`)).toEqual([200, null]);
    expect(await follow(`/${slug}`)).toEqual([308, `/${former}`]);
  });
});

describe("a page in the isolate's memory", () => {
  /** The number of edge cache look-ups, one for each miss in memory. */
  function watchCache(): () => number {
    const open = vi.spyOn(caches, "open");
    return () => open.mock.calls.length;
  }

  test("is served from memory for a second, and no longer, also when the clock steps back", async () => {
    const clock = stopClock();
    const { slug } = await freshPage();
    const asked = watchCache();
    const first = await (await call(`/${slug}`)).text();
    for (const [advance_ms, look_ups] of [
      [ISOLATE_CACHE_MS - 1, 1],
      [1, 2],
      [ISOLATE_CACHE_MS - 1, 2],
      [-ISOLATE_CACHE_MS, 3],
    ] as const) {
      clock.advance(advance_ms);
      expect(await (await call(`/${slug}`)).text()).toBe(first);
      expect([advance_ms, asked()]).toEqual([advance_ms, look_ups]);
    }
  });

  test("memory never serves what is not a 200 page", async () => {
    stopClock();
    const { slug: suspended } = await freshPage({ status: "suspended" });
    const { slug: unseen } = await freshPage();
    await givenMedia("m-1.webp", "webp");
    const asked = watchCache();
    for (const path of [`/${suspended}`, "/nobody-here", "/media/avatars/m-1.webp"]) {
      const before = asked();
      for (let i = 0; i < 2; i += 1) await (await call(path)).arrayBuffer();
      expect([path, asked() - before]).toEqual([path, 2]);
    }
    breakReads();
    expect((await call(`/${unseen}`)).status).toBe(503);
    vi.restoreAllMocks();
    expect((await call(`/${unseen}`)).status).toBe(200);
  });

  test("S4: is the same for every client, and at every host", async () => {
    stopClock();
    const { slug } = await freshPage();
    const asked = watchCache();
    const visitor = { Cookie: "owner_of=1", Authorization: "Bearer 1", "Accept-Language": "en" };
    const first = await call(`/${slug}?fbclid=1`, { headers: visitor });
    const second = await call(`/${slug}`);
    expect(asked()).toBe(1);
    const shared = ({ headers }: Response) =>
      [...headers].filter(([name]) => name !== "x-request-id");
    expect(shared(second)).toEqual(shared(first));
    expect(await second.text()).toBe(await first.text());
    const elsewhere = await call(`https://unknown.example/${slug}`);
    expect(asked()).toBe(1);
    expect(await elsewhere.text()).not.toContain("unknown.example");
  });

  test("memory is limited in pages and bytes, and has nothing private", async () => {
    const cache = new IsolateCache();
    const keep = (url: string, bytes: number, cache_control: string) => {
      const headers = { "Content-Type": "text/html", "Cache-Control": cache_control };
      return cache.store(url, 0, new Response(new Uint8Array(bytes), { headers }));
    };
    for (let i = 0; i <= CACHED_PAGES_MAX; i += 1)
      await keep(`/${i}`, CACHED_PAGE_BYTES_MAX, "public");
    expect(cache.find("/0", 0)).toBeUndefined();
    expect(cache.find("/1", 0)).toBeDefined();
    const large = await keep("/large", CACHED_PAGE_BYTES_MAX + 1, "public");
    expect((await large.arrayBuffer()).byteLength).toBe(CACHED_PAGE_BYTES_MAX + 1);
    expect(cache.find("/large", 0)).toBeUndefined();
    for (const kept_back of ["private", "no-store", ""]) {
      await keep("/private", 1, kept_back);
      expect(cache.find("/private", 0)).toBeUndefined();
    }
  });
});

describe("S4: an unknown host", () => {
  test("that asks first gets what everybody gets afterwards, with the deployment's own addresses", async () => {
    const { slug } = await freshPage();
    for (const path of [`/${slug}`, `/vcard/${slug}.vcf`, "/sitemap.xml"]) {
      const first = await (await call(`http://unknown.example${path}`)).text();
      expect(first).toContain(`${ORIGIN}/${slug}`);
      expect(first).not.toContain("unknown.example");
      expect(await (await call(path)).text()).toBe(first);
    }
  });

  test("has entries of its own at the edge, whose key has no host, where the deployment has not said its origin", async () => {
    const { slug } = await freshPage();
    Object.assign(env, { SITE_ORIGIN: "" });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const keys: string[] = [];
    // Workers Cache: the key is the path with the query.
    vi.spyOn(edgeCache, "fetch").mockImplementation(({ url }, _, render) => {
      const { pathname, search } = new URL(url);
      keys.push(pathname + search);
      return render();
    });
    for (const origin of ["https://unknown.example", "http://unknown.example", ORIGIN]) {
      const html = await (await call(`${origin}/${slug}?site=${ORIGIN}`)).text();
      expect(html).toContain(`<link rel="canonical" href="${origin}/${slug}"/>`);
    }
    expect(new Set(keys).size).toBe(3);
  });

  test("F17: is served from a full disk, on which one machine's cache fails", async () => {
    const { slug } = await freshPage();
    const refused = async () => Promise.reject(new Error("disk is full"));
    vi.spyOn(caches, "open").mockResolvedValue({ match: refused, put: refused, delete: refused });
    expect((await call(`/${slug}`)).status).toBe(200);
  });
});

describe("an unknown slug", () => {
  test("is 404, not indexed, cached for at most 30 s, and never a redirect", async () => {
    for (const path of ["/nobody", "/NoBody"]) {
      const response = await call(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("X-Robots-Tag")).toBe("noindex");
      expect(response.headers.get("Cache-Control")).toBe("public, max-age=30");
      expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
    }
  });

  test("is looked up again after 30 s", async () => {
    const clock = stopClock();
    const slug = `later-${crypto.randomUUID()}`;
    expect((await call(`/${slug}`)).status).toBe(404);
    await freshPage({ slug });
    clock.advance(30_000);
    expect((await call(`/${slug}`)).status).toBe(200);
  });
});

test("S13: a slug has one canonical spelling; any other gets one 308 to it, with its query", async () => {
  const latin = await freshPage({ slug: "layla.art-13" });
  const arabic = await freshPage({ slug: "ليلى-13" });
  for (const [spelled, slug] of [
    [latin.slug.toUpperCase(), latin.slug],
    [`${latin.slug}/`, latin.slug],
    [`@${latin.slug}`, latin.slug],
    [`%40${arabic.slug}`, arabic.slug],
    [arabic.slug.replace("ل", "لـَ"), arabic.slug],
  ] as const) {
    const response = await call(`/${encodeURI(spelled).replace("%2540", "%40")}?utm_source=x`);
    const location = response.headers.get("Location") ?? "";
    const canonical = `/${encodeURIComponent(slug)}?utm_source=x`;
    expect([response.status, location]).toEqual([308, canonical]);
    expect((await call(location)).status).toBe(200);
  }
  const card = await call(`/vcard/${latin.slug.toUpperCase()}.vcf?v=3`);
  const canonical = `/vcard/${latin.slug}.vcf?v=3`;
  expect([card.status, card.headers.get("Location")]).toEqual([308, canonical]);
});

describe("pictures and files", () => {
  test("an avatar is served from R2 with its type, for ever, and only if it is a raster image", async () => {
    await givenMedia("a-1.webp", "webp");
    await givenMedia("b-1.svg", "svg+xml");
    const picture = await call("/media/avatars/a-1.webp");
    expect(picture.status).toBe(200);
    expect(picture.headers.get("Content-Type")).toBe("image/webp");
    expect(picture.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await picture.text()).toBe("webp");
    expect((await call("/media/avatars/b-1.svg")).status).toBe(404);
    expect((await call("/media/avatars/none.webp")).status).toBe(404);
  });

  test("every file a page names exists and is immutable", async () => {
    const { slug } = await freshPage();
    const html = await (await call(`/${slug}`)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const response = await builtFile(path ?? "");
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("Cache-Control")).toContain("immutable");
      await response.body?.cancel();
    }
    expect((await call("/assets/none.js")).status).toBe(404);
    expect((await builtFile("/favicon.ico")).status).toBe(200);
  });
});

test("S23: unknown slugs and page ids leave no row in D1 and nothing in any object", async () => {
  const rows = () =>
    env.DB.prepare(
      "SELECT (SELECT count(*) FROM pages) + (SELECT count(*) FROM tallies) + (SELECT count(*) FROM days) AS n",
    ).first("n");
  const before = await rows();
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), async (id) => {
      const page_id = `x-${id}`.slice(0, 64);
      expect((await beacon({ page_id })).status).toBe(404);
      const stored = await runInDurableObject(env.PAGE.getByName(page_id), (_, { storage }) => [
        ...storage.kv.list(),
        ...storage.sql.exec("SELECT name FROM sqlite_master"),
      ]);
      expect(stored).toEqual([]);
    }),
    { numRuns: cases(100, 1 / 10) },
  );
  expect(await rows()).toBe(before);
});
