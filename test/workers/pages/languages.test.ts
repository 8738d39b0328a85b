/** Pages in two languages: their addresses, and what says which language a text is in. */
import { describe, expect, test } from "vitest";
import type { PlainPage } from "../../plain-page.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { call, errorOf, eventually, freshPage, ORIGIN } from "../kit/kit.ts";

/** A page in Arabic and English, with texts that are not translated. */
function twoLanguages(overrides: Partial<PlainPage> = {}) {
  return freshPage({
    locales: ["ar", "en"],
    name: { ar: "ليلى", en: "Layla" },
    bio: { ar: "رسّامة" },
    contact: { name: "ليلى" },
    links: [
      { link_id: "shop", label: { ar: "المتجر", en: "Shop" }, url: "https://shop.example/" },
      { link_id: "video", label: { ar: "فيديو" }, url: "https://video.example/" },
      { link_id: "note", kind: "text", label: { en: "In English" } },
    ],
    ...overrides,
  });
}

async function read(path: string): Promise<string> {
  const response = await call(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** The tags of a kind in the head, as written. */
function headTags(html: string, pattern: string): string[] {
  const [head = ""] = html.split("</head>");
  return head.match(new RegExp(`<(?:link|meta) [^>]*${pattern}[^>]*>`, "g")) ?? [];
}

describe("a page in two languages", () => {
  test("is at its slug in the first one, and below it in the other, with the same ids", async () => {
    const { slug, page_id } = await twoLanguages();
    const arabic = await read(`/${slug}`);
    const english = await read(`/${slug}/en`);
    for (const part of [
      '<html lang="ar" dir="rtl"',
      "<title>ليلى</title>",
      `<a href="/${slug}/en" lang="en" hreflang="en">English</a>`,
      // Views without a script are counted in the language of the address.
      `src="/p/${page_id}.gif?l=ar"`,
    ]) {
      expect(arabic).toContain(part);
    }
    for (const part of [
      '<html lang="en" dir="ltr"',
      "<title>Layla</title>",
      `<a href="/${slug}" lang="ar" hreflang="ar">العربية</a>`,
      `src="/p/${page_id}.gif?l=en"`,
    ]) {
      expect(english).toContain(part);
    }
    const ids = (html: string) => html.match(/\/r\/[\w-]+\/\w+|data-page="[^"]*"/g);
    expect(ids(english)).toEqual(ids(arabic));
    expect(ids(english)).toContain(`/r/${page_id}/shop`);
    const english_first = await twoLanguages({ locales: ["en", "ar"] });
    expect(await read(`/${english_first.slug}`)).toContain('<html lang="en" dir="ltr"');
    expect(await read(`/${english_first.slug}/ar`)).toContain('<html lang="ar" dir="rtl"');
  });

  test("names the language of each address in its headers, and caches each for itself", async () => {
    const { slug, page_id } = await twoLanguages();
    const answers = await Promise.all(
      [`/${slug}`, `/${slug}/en`, `/${slug}`, `/${slug}/en`].map((path) => call(path)),
    );
    const header = (name: string) => answers.map(({ headers }) => headers.get(name));
    expect(header("Content-Language")).toEqual(["ar", "en", "ar", "en"]);
    expect(new Set(header("Cache-Tag"))).toEqual(new Set([`page-${page_id}`]));
    expect(new Set(header("ETag")).size).toBe(2);
    for (const answer of answers) await answer.body?.cancel();
  });

  test("has one address in each language: that of the default one leads to the slug alone", async () => {
    const { slug } = await twoLanguages();
    for (const [path, Location] of [
      [`/${slug}/ar`, `/${slug}`],
      [`/${slug}/ar?utm_source=x`, `/${slug}?utm_source=x`],
      [`/${slug.toUpperCase()}/ar/`, `/${slug}`],
      [`/${slug.toUpperCase()}/en?utm_source=x`, `/${slug}/en?utm_source=x`],
      [`/${slug}/en/`, `/${slug}/en`],
    ] as const) {
      const response = await call(path);
      expect([path, response.status, response.headers.get("Location")]).toEqual([
        path,
        308,
        Location,
      ]);
    }
  });

  test("tells search engines the address of each language, and the one for all others", async () => {
    const { slug } = await twoLanguages();
    const alternates = [
      `<link rel="alternate" hreflang="ar" href="${ORIGIN}/${slug}"/>`,
      `<link rel="alternate" hreflang="en" href="${ORIGIN}/${slug}/en"/>`,
      `<link rel="alternate" hreflang="x-default" href="${ORIGIN}/${slug}"/>`,
    ];
    for (const [path, locale, other] of [
      [`/${slug}`, "ar_AR", "en_US"],
      [`/${slug}/en`, "en_US", "ar_AR"],
    ] as const) {
      const html = await read(path);
      expect(headTags(html, "hreflang")).toEqual(alternates);
      expect(headTags(html, 'rel="canonical"')).toEqual([
        `<link rel="canonical" href="${ORIGIN}${path}"/>`,
      ]);
      expect(headTags(html, "og:locale")).toEqual([
        `<meta property="og:locale" content="${locale}"/>`,
        `<meta property="og:locale:alternate" content="${other}"/>`,
      ]);
    }
  });

  test("shows a text that is not translated in the other language, and says so", async () => {
    const { slug } = await twoLanguages();
    const arabic = await read(`/${slug}`);
    const english = await read(`/${slug}/en`);
    expect(english).toContain('<p class="bio" lang="ar" dir="rtl">رسّامة</p>');
    expect(english).toContain('<bdi lang="ar" dir="rtl">فيديو</bdi>');
    expect(english).toContain('<bdi lang="en" dir="ltr">Shop</bdi>');
    expect(arabic).toContain('<p class="text" lang="en" dir="ltr">In English</p>');
    expect(arabic).toContain('<h1 lang="ar" dir="rtl">ليلى</h1>');
  });

  test("has an error page in the language of the address", async () => {
    const { slug } = await twoLanguages({ status: "suspended" });
    const headers = { Accept: "text/html", "Accept-Language": "ar" };
    const response = await call(`/${slug}/en`, { headers });
    expect(response.status).toBe(410);
    expect(await response.text()).toContain('<html lang="en"');
  });
});

describe("a page in one language", () => {
  test("has no other language: its address is 404, and nothing on the page names one", async () => {
    const { slug } = await freshPage();
    for (const path of [`/${slug}/en`, `/${slug.toUpperCase()}/en`]) {
      const response = await call(path);
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
    }
    const html = await read(`/${slug}`);
    expect(html).not.toMatch(/hreflang|og:locale:alternate|class="languages"/);
  });

  test("has its own language at the slug alone", async () => {
    const { slug } = await freshPage({ locale: "en" });
    const response = await call(`/${slug}/en`);
    expect([response.status, response.headers.get("Location")]).toEqual([308, `/${slug}`]);
    expect((await call(`/${slug}/ar`)).status).toBe(404);
  });
});

describe("a language that a page does not show", () => {
  test("keeps its texts in the document, and is nowhere public until the page shows it", async () => {
    const me = await creator();
    const words = (ar: string | undefined, en: string) => (ar === undefined ? { en } : { ar, en });
    const both = {
      name: words("ليلى", "Layla veiled"),
      bio: words(undefined, "Painter veiled"),
      links: [
        { label: words("المتجر", "Shop veiled"), url: "https://shop.example/" },
        { label: words(undefined, "Video veiled"), url: "https://video.example/" },
        { label: words(undefined, "Heading veiled"), kind: "heading" },
        { label: words(undefined, "Tips veiled"), kind: "tip", block: { amounts: [5] } },
      ],
    };
    const page = await me.make({ ...both, locales: ["ar"], status: "published" });
    expect(page).toMatchObject(both);
    const paths = [`/${page.slug}`, `/tip?page_id=${page.page_id}&points=5&lang=en`];
    for (const path of paths) {
      const response = await call(path, { headers: { Accept: "text/html" } });
      const last = response.headers.get("Location");
      const html = await (last === null ? response : await call(last)).text();
      expect([path, html.includes("ليلى"), html.includes("veiled")]).toEqual([path, true, false]);
      expect(html).not.toMatch(/hreflang|og:locale:alternate|class="languages"/);
    }
    for (const path of [`/${page.slug}/en`, `/${page.slug}/en/share.png`]) {
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    }
    const shown = await me.patch(page, { locales: ["ar", "en"] });
    expect(shown).toMatchObject(both);
    const english = await eventually(() => read(`/${page.slug}/en`));
    const arabic = await read(`/${page.slug}`);
    for (const word of ["Layla", "Painter", "Shop", "Video", "Heading", "Tips"]) {
      expect(english).toContain(`${word} veiled`);
    }
    // Now it stands for what Arabic lacks.
    expect(arabic).toContain("Heading veiled");
  });
});

test("no fixed address and no page that does not exist has a language", async () => {
  for (const first of ["nobody-here", "sitemaps", "health", "api"]) {
    expect([first, (await call(`/${first}/en`)).status]).toEqual([first, 404]);
  }
  const { slug } = await freshPage();
  for (const suffix of ["fr", "EN", "ar/en"]) {
    expect([suffix, (await call(`/${slug}/${suffix}`)).status]).toEqual([suffix, 404]);
  }
});
