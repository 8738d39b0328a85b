/** The landing page, its example, and the site's files with the HTTP rules that they share. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { escapeHtml } from "../../../objects/platform/markup.ts";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../../../src/pages/document/link-address.ts";
import { addressed, PLACEHOLDER } from "../../../src/site/prerendered.ts";
import { site } from "../../../src/site/site-route.ts";
import { LOCALES } from "../../../src/views/locale.ts";
import { PRESETS } from "../../../src/views/presets.ts";
import { signIn } from "../kit/hub-kit.ts";
import { builtFile, call, freshPage, ORIGIN } from "../kit/kit.ts";

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
  test("S4: is 200 with its type, cacheable for minutes, and the same for all by its strong ETag", async () => {
    const { status, headers } = await call(path);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Cache-Control")).toBe("public, max-age=300");
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    for (const name of ["Set-Cookie", "RateLimit", "Vary"]) expect(headers.has(name)).toBe(false);
    const etag = headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    // `pages.test.ts` has the forms of the header, `methods.test.ts` HEAD.
    const visitor = { Cookie: "hub_session=x", Authorization: "Bearer x", "Accept-Language": "en" };
    const known = { ...visitor, "If-None-Match": etag };
    const again = await call(`${path}?utm_source=x`, { headers: known });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
    expect(again.headers.get("Cache-Control")).toBe("public, max-age=300");
    expect((await call(path, { headers: { "If-None-Match": '"x"' } })).status).toBe(200);
  });
});

test.for([...FILES, ["/ar"], ["/docs/en"], ["/example/en/lapis"]] as const)(
  "%s needs nothing but the edge limit and the files",
  async ([path]) => {
    const { EDGE_LIMIT, ASSETS } = env;
    const response = await site.request(path, {}, { EDGE_LIMIT, ASSETS });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await (await call(`http://localhost${path}`)).text());
  },
);

test("a prerendered text is 503 while it cannot be read, and there again when it can", async () => {
  // An isolate that has not read it yet.
  vi.resetModules();
  const { prerendered } = await import("../../../src/site/prerendered.ts");
  const { ApiError } = await import("../../../src/http/api-error.ts");
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const fetch = async () => new Response(null, { status: 404 });
  const broken = { ...env, ASSETS: { fetch } } as unknown as typeof env;
  const refused = await prerendered(broken, "prerendered-docs-en.txt").catch((error) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused.code).toBe("DEPENDENCY_DOWN");
  const text = await prerendered(env, "prerendered-docs-en.txt");
  expect(text).toContain("curl -i https://origin.invalid/api/analytics/view");
});

test("an address in a page is escaped", () => {
  const url = new URL(`https://a&b'"c.example/x`);
  const { href, origin, host } = PLACEHOLDER;
  const text = `<a href="${href}">${origin}</a> ${host}/`;
  expect(addressed(text, url, escapeHtml)).toBe(
    `<a href="https://a&amp;b&#39;&quot;c.example/x">https://a&amp;b&#39;&quot;c.example</a> a&amp;b&#39;&quot;c.example/`,
  );
});

describe("the landing page", () => {
  test.for([
    ["/", "en-GB,en;q=0.9,ar;q=0.5", "en"],
    ["/", undefined, "ar"],
    ["/?lang=en", "ar", "en"],
    ["/ar", "en", "ar"],
    ["/en", "ar", "en"],
  ] as const)("at %s, for a reader of %s, is in %s", async ([path, accepted, locale]) => {
    const headers = accepted === undefined ? {} : { "Accept-Language": accepted };
    const response = await call(path, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Language")).toBe(locale);
    expect(response.headers.get("Vary")).toBe(
      path.startsWith("/?") || path === "/" ? "Accept-Language, Cookie" : "Cookie",
    );
    const html = await response.text();
    expect(html).toMatch(new RegExp(`^<!DOCTYPE html><html lang="${locale}"`));
    const other = locale === "ar" ? "en" : "ar";
    expect(html).toContain(`href="/${other}" lang="${other}" hreflang="${other}"`);
    for (const one of LOCALES) {
      expect(html).toContain(`<link rel="alternate" hreflang="${one}" href="${ORIGIN}/${one}"/>`);
    }
    expect(html).toContain(`hreflang="x-default" href="${ORIGIN}/"/>`);
    const { pathname } = new URL(path, ORIGIN);
    expect(html).toContain(`<link rel="canonical" href="${ORIGIN}${pathname}"/>`);
  });

  test("begins a page with the wished address, in the reader's language, without a script", async () => {
    const html = await (await call("/en")).text();
    const form = /<form.*?<\/form>/s.exec(html)?.[0] ?? "";
    expect(form).toContain('action="/dashboard/new" method="get"');
    expect(form).toContain('name="slug"');
    expect(form).toContain(`maxlength="${LINK_ADDRESS_MAX_CHARACTERS}"`);
    expect(form).toContain('name="lang" value="en"');
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/);
  });

  test.for([
    ["/ar", "الدخول", "لوحتك"],
    ["/en", "Sign in", "Your dashboard"],
  ] as const)(
    "S4: %s offers a creator with a session the dashboard, in an answer that no cache keeps, and nobody else",
    async ([path, sign_in, dashboard]) => {
      const read = async (headers: Record<string, string>) => {
        const response = await call(path, { headers });
        const [link] =
          /<a class="quiet" href="\/dashboard.*?<\/a>/s.exec(await response.text()) ?? [];
        const [status, caching] = [response.status, response.headers.get("Cache-Control")];
        return { status, caching, etag: response.headers.get("ETag"), link };
      };
      const Cookie = await signIn("demo-pro");
      const stranger = await read({});
      const creator = await read({ Cookie, "If-None-Match": stranger.etag ?? "" });
      expect(creator).toEqual({
        status: 200,
        caching: "private, no-store",
        etag: null,
        link: expect.stringContaining(dashboard),
      });
      expect(stranger.caching).toBe("public, max-age=300");
      expect(stranger.link).toContain(sign_in);
      const name = Cookie.split("=")[0];
      for (const headers of [{}, { Cookie: "other=x" }, { Cookie: `${name}=a b` }]) {
        expect(await read(headers)).toEqual(stranger);
      }
    },
  );

  test("has a picture for link previews in its language", async () => {
    const addresses = new Set<string>();
    for (const path of ["/ar", "/en"]) {
      const html = await (await call(path)).text();
      const [, url = ""] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
      expect((await builtFile(url)).headers.get("Content-Type")).toBe("image/jpeg");
      addresses.add(url);
    }
    expect(addresses.size).toBe(2);
  });
});

describe("the example", () => {
  const PATHS = LOCALES.flatMap((locale) => PRESETS.map(({ id }) => `/example/${locale}/${id}`));

  test("S8: may stand in a frame of this site, and the landing page may have such frames", async () => {
    const policy = async (path: string) =>
      (await call(path)).headers.get("Content-Security-Policy")?.split("; ") ?? [];
    const landing = await policy("/");
    expect(landing).toContain("frame-src 'self'");
    expect(landing).toContain("frame-ancestors 'none'");
    const example = await policy("/example/ar/sila");
    expect(example).toContain("frame-ancestors 'self'");
    expect(example.filter((rule) => rule.startsWith("frame-src"))).toEqual([]);
    const { slug } = await freshPage();
    expect((await policy("/docs")).filter((rule) => rule.startsWith("frame-src"))).toEqual([]);
    expect((await policy(`/${slug}`)).filter((rule) => rule.startsWith("frame-src"))).toEqual([]);
  });

  test("is a bio page in every preset and language, counted nowhere and listed by no search engine", async () => {
    const names = new Set<string>();
    for (const path of PATHS) {
      const response = await call(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("Content-Language")).toBe(path.split("/")[2]);
      const html = await response.text();
      expect(html).toContain('<main class="page">');
      expect(html).not.toContain("/media/");
      expect(html).not.toMatch(/<script|data-page|\/r\/|\/p\/|\/vcard\//);
      expect(html).toContain('<meta name="robots" content="noindex"/>');
      for (const [, file = ""] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
        names.add(file);
    }
    for (const file of names) expect([file, (await builtFile(file)).status]).toEqual([file, 200]);
  });

  test("has every frame of the landing page", async () => {
    for (const locale of LOCALES) {
      const html = await (await call(`/${locale}`)).text();
      const frames = [...html.matchAll(/<iframe src="([^"]+)"/g)].map(([, src = ""]) => src);
      expect(frames.length).toBeGreaterThanOrEqual(4);
      for (const frame of frames) expect(PATHS).toContain(frame);
    }
  });

  test("is 404 for what is no preset, no language, or more than both", async () => {
    for (const path of ["/ar", "/ar/none", "/fr/sila"]) {
      expect([path, (await call(`/example${path}`)).status]).toEqual([path, 404]);
    }
  });
});

test("the landing page and the reference link the licences of fonts and libraries", async () => {
  for (const [path, word] of [
    ["/ar", "التراخيص"],
    ["/docs/en", "Licences"],
  ] as const) {
    const html = await (await call(path)).text();
    const [link = "", address = ""] =
      /<a href="(\/assets\/licenses-\w+\.txt)">.*?<\/a>/s.exec(html) ?? [];
    expect(link).toContain(word);
    const licenses = await builtFile(address);
    expect([licenses.status, licenses.headers.get("Content-Type")]).toEqual([200, TEXT]);
    const text = await licenses.text();
    const licences = ["ibm-plex-sans-arabic", "SIL OPEN FONT LICENSE", "uplot", "Leon Sorokin"];
    for (const words of licences) expect(text).toContain(words);
  }
});

test("the landing page links the manifest, a creator's page does not", async () => {
  const link = '<link rel="manifest" href="/manifest.json"/>';
  expect(await (await call("/")).text()).toContain(link);
  const { slug } = await freshPage();
  expect(await (await call(`/${slug}`)).text()).not.toContain("manifest");
});

test("addresses in robots.txt and llms.txt are absolute, with the requested host", async () => {
  expect(await (await call("/robots.txt")).text()).toContain(`\nSitemap: ${ORIGIN}/sitemap.xml\n`);
  const elsewhere = await (await call("https://other.example/llms.txt")).text();
  expect(elsewhere).toContain("(https://other.example/openapi.json)");
  expect(elsewhere).not.toContain(ORIGIN);
});
