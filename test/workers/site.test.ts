/** robots.txt, manifest.json and llms.txt, and the HTTP rules that they share with the sitemap. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { site } from "../../src/site/site-route.ts";
import { call, errorOf, freshAddress, freshPage, ORIGIN } from "./kit.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const TEXT = "text/plain; charset=utf-8";
const FILES = [
  ["/robots.txt", TEXT],
  ["/manifest.json", "application/manifest+json"],
  ["/llms.txt", TEXT],
] as const;
const WITH_SITEMAPS = [
  ...FILES,
  ["/sitemap.xml", "application/xml; charset=utf-8"],
  ["/sitemaps/1.xml", "application/xml; charset=utf-8"],
] as const;

describe.for(WITH_SITEMAPS)("%s", ([path, type]) => {
  test("is 200 with its type, cacheable for minutes by everybody, with a strong ETag", async () => {
    const { status, headers } = await call(path);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Cache-Control")).toBe("public, max-age=300");
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    for (const name of ["Set-Cookie", "RateLimit", "Vary"]) expect(headers.has(name)).toBe(false);
  });

  test("answers 304 to a matching If-None-Match, and HEAD with headers only", async () => {
    const etag = (await call(path)).headers.get("ETag") ?? "";
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await call(path, { headers: { "If-None-Match": tag } });
      expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([
        304,
        etag,
        "",
      ]);
      expect(again.headers.get("Cache-Control")).toBe("public, max-age=300");
    }
    expect((await call(path, { headers: { "If-None-Match": '"x"' } })).status).toBe(200);
    const head = await call(path, { method: "HEAD" });
    expect([head.status, head.headers.get("ETag"), await head.text()]).toEqual([200, etag, ""]);
  });

  test("answers OPTIONS with its methods, and the others with 405", async () => {
    const options = await call(path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    for (const method of ["POST", "PUT", "DELETE"]) {
      const refused = await call(path, { method });
      expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect((await errorOf(refused)).code).toBe("METHOD_NOT_ALLOWED");
    }
  });

  test("S4: is the same for every client, byte for byte", async () => {
    const plain = await call(path);
    const visitor = { Cookie: "a=b", Authorization: "Bearer x", "Accept-Language": "en" };
    const other = await call(`${path}?utm_source=x`, { headers: visitor });
    expect(other.headers.get("ETag")).toBe(plain.headers.get("ETag"));
    expect(await other.text()).toBe(await plain.text());
  });

  test("is behind the edge limit", async () => {
    const limit = vi.spyOn(Object.getPrototypeOf(env.EDGE_LIMIT), "limit");
    limit.mockResolvedValue({ success: false });
    const ip = freshAddress();
    const refused = await call(path, { ip });
    expect(refused.status).toBe(429);
    expect((await errorOf(refused)).details.scope).toBe("edge");
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key: ip });
  });
});

test.for(FILES)(
  "%s is made without any I/O: nothing but the edge limit is there",
  async ([path]) => {
    const response = await site.request(path, {}, { EDGE_LIMIT: env.EDGE_LIMIT });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await (await call(`http://localhost${path}`)).text());
  },
);

test("the landing page has a strong ETag, and is 304 for a browser that has it", async () => {
  const first = await call("/");
  const etag = first.headers.get("ETag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const again = await call("/", { headers: { "If-None-Match": etag } });
  expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
  const changed = await call("/", { headers: { "If-None-Match": '"x"' } });
  expect(await changed.text()).toBe(await first.text());
});

test("the landing page and the reference link the licences of fonts and libraries", async () => {
  for (const path of ["/", "/docs"]) {
    const html = await (await call(path)).text();
    const [link = "", address = ""] =
      /<a href="(\/assets\/licenses-\w+\.txt)">.*?<\/a>/s.exec(html) ?? [];
    for (const word of ["التراخيص", "Licences"]) expect(link).toContain(word);
    const licenses = await call(address);
    expect([licenses.status, licenses.headers.get("Content-Type")]).toEqual([200, TEXT]);
    const text = await licenses.text();
    for (const words of [
      "ibm-plex-sans-arabic",
      "SIL OPEN FONT LICENSE",
      "uplot",
      "Leon Sorokin",
    ]) {
      expect(text).toContain(words);
    }
  }
});

test("the landing page links the manifest, a creator's page does not", async () => {
  const link = '<link rel="manifest" href="/manifest.json"/>';
  expect(await (await call("/")).text()).toContain(link);
  const { slug } = await freshPage();
  expect(await (await call(`/${slug}`)).text()).not.toContain("manifest");
});

describe("the manifest", () => {
  test("is Sila in Arabic, right to left, with its Latin name beside", async () => {
    const manifest = await (await call("/manifest.json")).json<Record<string, unknown>>();
    expect(manifest).toMatchObject({
      id: "/",
      start_url: "/",
      scope: "/",
      display: "standalone",
      lang: "ar",
      dir: "rtl",
      name: "صلة · Sila",
      short_name: "صلة",
      description: expect.stringMatching(/^\p{Script=Arabic}/u),
      theme_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      background_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    });
  });

  test("has icons of 192 and 512 pixels and a maskable one, with the declared sizes and types", async () => {
    const { icons } = await (await call("/manifest.json")).json<{
      icons: { src: string; sizes: string; type: string; purpose: string }[];
    }>();
    expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      "192x192 any",
      "512x512 any",
      "512x512 maskable",
    ]);
    for (const { src, sizes, type } of icons) {
      const response = await call(src);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe(type);
      // PNG: width and height are after the signature and the first chunk's name.
      const header = new DataView(await response.arrayBuffer(), 16, 8);
      expect(`${header.getUint32(0)}x${header.getUint32(4)}`).toBe(sizes);
    }
  });
});

test("addresses in robots.txt and llms.txt are absolute, with the requested host", async () => {
  expect(await (await call("/robots.txt")).text()).toContain(`\nSitemap: ${ORIGIN}/sitemap.xml\n`);
  const elsewhere = await (await call("https://other.example/llms.txt")).text();
  expect(elsewhere).toContain("(https://other.example/openapi.json)");
  expect(elsewhere).not.toContain(ORIGIN);
});
