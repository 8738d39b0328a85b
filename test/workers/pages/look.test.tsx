import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { accentSheetKey, storeAccentSheet } from "../../../src/pages/render/accent-sheets.ts";
import { lookColours } from "../../../src/views/accent.ts";
import { accentSheet } from "../../../src/views/accent-sheet.ts";
import { Document } from "../../../src/views/document.tsx";
import type { Locale } from "../../../src/views/locale.ts";
import { type Look, USUAL_LOOK } from "../../../src/views/look-values.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { call, expectErrors, freshPage } from "../kit/kit.ts";

function head(look: Partial<Look>, locale: Locale = "ar"): string {
  return (
    <Document locale={locale} look={{ ...USUAL_LOOK, ...look }} title="" preview={null} />
  ).toString();
}

function stylesheets(html: string): string[] {
  return [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = ""]) => href);
}

async function stylesheetsOf(slug: string): Promise<string[]> {
  return stylesheets(await (await call(`/${slug}`)).text());
}

function metas(html: string, name: string): string[] {
  return [...html.matchAll(/<meta name="([\w-]+)" content="([^"]+)"/g)]
    .filter(([, found]) => found === name)
    .map(([, , content = ""]) => content);
}

describe("S11: a look in a page", () => {
  test("is nothing at all where it is the usual one", () => {
    expect(head({})).toContain('<html lang="ar" dir="rtl"><head>');
    expect(stylesheets(head({}))).toEqual([expect.stringMatching(/^\/assets\/bio-\w+\.css$/)]);
  });

  test("is one attribute for each axis that differs", () => {
    const look = { button: "filled", corner: "round", avatar_shape: "circle" } as const;
    expect(head(look)).toContain(
      '<html lang="ar" dir="rtl" data-button="filled" data-corner="round" data-avatar-shape="circle">',
    );
  });

  test("brings the sheets of its palette, scheme, typefaces and accent, in this order", () => {
    const look = { palette: "lapis", scheme: "dark", type: "kufi", accent: "#ff8800" } as const;
    expect(stylesheets(head(look))).toEqual([
      expect.stringMatching(/^\/assets\/bio-\w+\.css$/),
      expect.stringMatching(/^\/assets\/type-kufi-\w+\.css$/),
      expect.stringMatching(/^\/assets\/palette-lapis-dark-\w+\.css$/),
      `/assets/${accentSheet(look)?.name}`,
    ]);
  });

  test("preloads the fonts of its typefaces in the page's script", () => {
    const fonts = (html: string) =>
      [...html.matchAll(/<link rel="preload" href="\/assets\/([a-z]+-[a-z]+-\d+)-/g)].map(
        ([, name]) => name,
      );
    expect(fonts(head({ type: "naskh" }))).toEqual(["naskh-arabic-400", "naskh-arabic-600"]);
    expect(fonts(head({ type: "naskh" }, "en"))).toEqual(["naskh-latin-400", "naskh-latin-600"]);
  });

  test("colours the browser's bars like the top of the page, in the schemes that it has", () => {
    const colours = (look: Partial<Look>, side: "light" | "dark") =>
      lookColours({ ...USUAL_LOOK, ...look }, side);
    expect(metas(head({}), "color-scheme")).toEqual(["light dark"]);
    expect(metas(head({}), "theme-color")).toEqual([
      colours({}, "light").glow,
      colours({}, "dark").glow,
    ]);
    const look = { scheme: "dark", background: "veil", accent: "#ff8800" } as const;
    expect(metas(head(look), "color-scheme")).toEqual(["dark"]);
    expect(metas(head(look), "theme-color")).toEqual([colours(look, "dark").soft]);
  });
});

describe("the sheet of an own accent", () => {
  const look: Look = { ...USUAL_LOOK, palette: "rose", accent: "#12ab34" };
  const { name, css } = accentSheet(look) ?? { name: "", css: "" };

  test("is there when the page is saved, and cached for ever", async () => {
    const { make, patch } = await creator();
    const draft = await make();
    expect((await call(`/assets/${name}`)).status).toBe(404);
    const published = { status: "published", look: { palette: "rose", accent: "#12ab34" } };
    const page = await patch(draft, published);
    expect(await stylesheetsOf(page.slug)).toContain(`/assets/${name}`);
    const sheet = await env.MEDIA.get(accentSheetKey(name));
    expect(await sheet?.text()).toBe(css);
  });

  test("is served as a style sheet, and to a client that has it as 304", async () => {
    const other = { ...look, accent: "#ab3412" };
    await storeAccentSheet(env.MEDIA, other);
    const path = `/assets/${accentSheet(other)?.name}`;
    const response = await call(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await response.text()).toBe(accentSheet(other)?.css);
    const etag = response.headers.get("ETag") ?? "";
    expect((await call(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
  });

  test("that a release has given another name is there once the page is rendered", async () => {
    const fourth = { ...look, accent: "#ab1234" };
    const { slug } = await freshPage({ look: fourth });
    const [, sheet] = (await stylesheetsOf(slug)).filter((href) => /palette|look/.test(href));
    expect(sheet).toBe(`/assets/${accentSheet(fourth)?.name}`);
    expect((await call(sheet ?? "")).status).toBe(200);
  });

  test("does not keep a page from being shown while R2 fails", async () => {
    const logged = expectErrors();
    const { slug } = await freshPage({ look: { accent: "#1234ab" } });
    vi.spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "head").mockRejectedValue(
      new Error("R2 is down"),
    );
    expect((await call(`/${slug}`)).status).toBe(200);
    expect(logged()).toEqual(["look_failed"]);
  });

  test("is stored once however often it is saved, and not at all without an accent", async () => {
    const third = { ...look, accent: "#3412ab" };
    const key = accentSheetKey(accentSheet(third)?.name ?? "");
    await storeAccentSheet(env.MEDIA, third);
    const first = await env.MEDIA.head(key);
    await storeAccentSheet(env.MEDIA, third);
    expect((await env.MEDIA.head(key))?.version).toBe(first?.version);
    const { objects } = await env.MEDIA.list({ prefix: "looks/" });
    await storeAccentSheet(env.MEDIA, USUAL_LOOK);
    expect((await env.MEDIA.list({ prefix: "looks/" })).objects).toHaveLength(objects.length);
  });

  test("that nobody saved is 404, and so is any other name", async () => {
    await env.MEDIA.put("looks/other.css", "*{display:none}");
    const never = "look-0123456789abcdef.css";
    for (const name of [never, "look-.css", "..%2flooks%2fother.css"]) {
      expect((await call(`/assets/${name}`)).status, name).toBe(404);
    }
  });

  test("is 503 while R2 fails and no cache has it", async () => {
    const logged = expectErrors();
    vi.spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "get").mockRejectedValue(
      new Error("R2 is down"),
    );
    expect((await call("/assets/look-fedcba9876543210.css")).status).toBe(503);
    expect(logged()).toEqual(["render_failed"]);
  });
});
