/** The picture that stands for a page where its address is shared. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { jpegCost } from "../../../src/pages/cards/jpeg-cost.ts";
import {
  AVATAR_SCANS_MAX,
  AVATAR_SIDE_PIXELS_MAX,
  renderSharePicture,
} from "../../../src/pages/cards/render-share-picture.ts";
import { readShareFonts } from "../../../src/pages/cards/share-fonts.ts";
import { drawable, type Shared, sharedOf } from "../../../src/pages/cards/share-picture.ts";
import type { Locale } from "../../../src/views/locale.ts";
import { LOOK_VALUES, type Look } from "../../../src/views/look-values.ts";
import { PREVIEW_PICTURE_PX } from "../../../src/views/preview-picture.ts";
import { plainPage } from "../../plain-page.ts";
import { bytesOf, jpegOf, sample } from "../authoring/pictures/picture-samples.ts";
import { call, errorOf, expectErrors, freshPage, loseWorkshop, ORIGIN } from "../kit/kit.ts";

const FRESH_AS_A_PAGE = "max-age=60, stale-if-error=86400";
const FRESH_FOR_SHORT = "max-age=30, stale-if-error=0";

/** The size in the first chunk of a PNG. */
function pngSize(bytes: ArrayBuffer) {
  const view = new DataView(bytes);
  expect(view.getUint32(0)).toBe(0x8950_4e47);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** A JPEG with so many scans; behind the first they have no pixels. */
function manyScans(scans: number): Uint8Array {
  const one = sample("jpeg");
  const more = Array.from({ length: scans - 1 }, () => [0xff, 0xda]);
  return bytesOf(one, ...more);
}

async function putAvatar(bytes: Uint8Array, contentType: string): Promise<string> {
  const key = `avatars/${crypto.randomUUID()}.jpg`;
  await env.MEDIA.put(key, bytes, { httpMetadata: { contentType } });
  return key;
}

describe("the picture of a page", () => {
  test("is a PNG of 1200 by 630 pixels, cached and purged like its page, for other sites to show", async () => {
    const { slug, page_id } = await freshPage();
    const response = await call(`/${slug}/share.png`);
    expect(response.status).toBe(200);
    const { headers } = response;
    expect(headers.get("Content-Type")).toBe("image/png");
    expect(headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_AS_A_PAGE);
    expect(headers.get("Cache-Control")).toBe("public, max-age=0");
    expect(headers.get("Cache-Tag")).toBe(`page-${page_id}`);
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
    expect(headers.has("Set-Cookie")).toBe(false);
    const etag = headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(pngSize(await response.arrayBuffer())).toEqual(PREVIEW_PICTURE_PX);
    const again = await call(`/${slug}/share.png?v=7`, { headers: { "If-None-Match": etag } });
    expect(again.status).toBe(304);
  });

  test("is in the page's head with its size, its words and the page's version", async () => {
    const page = await freshPage({ locales: ["ar", "en"], name: { ar: "ليان", en: "Layan" } });
    for (const [path, alt] of [
      ["", "صفحة ليان"],
      ["/en", "Layan’s page"],
    ]) {
      const html = await (await call(`/${page.slug}${path}`)).text();
      const tags = [...html.matchAll(/<meta property="og:image([:\w]*)" content="([^"]*)"/g)];
      const address = `${ORIGIN}/${page.slug}${path}/share.png?v=${page.version}`;
      expect(tags.map(([, name, content]) => [name, content])).toEqual([
        ["", address],
        [":width", "1200"],
        [":height", "630"],
        [":alt", alt],
      ]);
      expect(html).toContain('<meta name="twitter:card" content="summary_large_image"/>');
    }
  });

  test("has the addresses of its page: languages, spellings, former slugs, and none without a page", async () => {
    const { slug } = await freshPage({ locales: ["en", "ar"], name: { ar: "ليان", en: "Layan" } });
    const location = async (path: string) => {
      const response = await call(path);
      expect(response.status).toBe(308);
      return response.headers.get("Location");
    };
    expect(await location(`/${slug}/en/share.png?v=2`)).toBe(`/${slug}/share.png?v=2`);
    expect(await location(`/${slug.toUpperCase()}/ar/share.png`)).toBe(`/${slug}/ar/share.png`);
    expect((await call(`/${slug}/ar/share.png`)).headers.get("Content-Language")).toBe("ar");
    const { slug: arabic_only } = await freshPage();
    const { slug: suspended } = await freshPage({ status: "suspended" });
    const { slug: draft } = await freshPage({ status: "draft" });
    for (const [path, status, code] of [
      [`/${arabic_only}/en/share.png`, 404, "PAGE_NOT_FOUND"],
      [`/${draft}/share.png`, 404, "PAGE_NOT_FOUND"],
      ["/nobody-has-this/share.png", 404, "PAGE_NOT_FOUND"],
      [`/${suspended}/share.png`, 410, "PAGE_SUSPENDED"],
      [`/${slug}/fr/share.png`, 404, "NOT_FOUND"],
    ] as const) {
      const response = await call(path);
      expect([path, response.status, (await errorOf(response)).code]).toEqual([path, status, code]);
    }
  });

  test("shows the avatar if it is a small JPEG, and else the initials", async () => {
    const { slug, page_id } = await freshPage({ name: "ليان", bio: "" });
    /** What is drawn of the page with this avatar. */
    const drawn = async (avatar: string | null) => {
      await env.DB.prepare(
        "UPDATE pages SET document = json_set(document, '$.avatar', ?2) WHERE page_id = ?1",
      )
        .bind(page_id, avatar)
        .run();
      const { headers } = await renderSharePicture(env, new URL(`${ORIGIN}/${slug}/share.png`));
      expect(headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_AS_A_PAGE);
      return headers.get("ETag");
    };
    const initials = await drawn(null);
    const side = AVATAR_SIDE_PIXELS_MAX;
    expect(await drawn(await putAvatar(jpegOf(side, 8), "image/jpeg"))).not.toBe(initials);
    expect(await drawn(await putAvatar(manyScans(AVATAR_SCANS_MAX), "image/jpeg"))).not.toBe(
      initials,
    );
    for (const unfit of [
      await putAvatar(jpegOf(side + 1, 8), "image/jpeg"),
      await putAvatar(jpegOf(8, side + 1), "image/jpeg"),
      await putAvatar(manyScans(AVATAR_SCANS_MAX + 1), "image/jpeg"),
      await putAvatar(sample("webp"), "image/webp"),
      "avatars/none.jpg",
    ]) {
      expect(await drawn(unfit)).toBe(initials);
    }
  });

  test("that cannot be drawn is the photo or our logo, for half a minute, and the log says so", async () => {
    const { slug, page_id } = await freshPage();
    const avatar = await putAvatar(sample("jpeg"), "image/jpeg");
    const { slug: pictured } = await freshPage({ avatar });
    const events = expectErrors();
    const without_fonts = {
      ...env,
      ASSETS: {
        fetch: async (input: URL) =>
          input.pathname.endsWith(".woff2")
            ? new Response(null, { status: 404 })
            : env.ASSETS.fetch(input),
      },
    } as Cloudflare.Env;
    const render = (slug: string, from = without_fonts) =>
      renderSharePicture(from, new URL(`${ORIGIN}/${slug}/share.png`));
    const logo = await render(slug);
    expect(logo.status).toBe(200);
    expect(logo.headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_FOR_SHORT);
    expect(logo.headers.get("Cache-Tag")).toBe(`page-${page_id}`);
    expect(pngSize(await logo.arrayBuffer())).toEqual({ width: 512, height: 512 });
    const photo = await render(pictured);
    expect(photo.headers.get("Content-Type")).toBe("image/jpeg");
    expect(new Uint8Array(await photo.arrayBuffer())).toEqual(sample("jpeg"));
    loseWorkshop();
    const other = await render(slug, env);
    expect(other.headers.get("ETag")).toBe(logo.headers.get("ETag"));
    expect(events()).toEqual(Array(3).fill("share_picture_failed"));
  });

  test("is drawn of the longest texts", async () => {
    const word = "ﷺلَّ".repeat(25).slice(0, 100);
    const { slug } = await freshPage({ name: "ش".repeat(100), bio: `${word} `.repeat(4) });
    const response = await call(`/${slug}/share.png`);
    expect(response.headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_AS_A_PAGE);
    const { byteLength } = await response.arrayBuffer();
    expect(byteLength).toBeLessThan(200_000);
  });
});

describe("a text of the picture", () => {
  const shared = (name: string, locale: Locale = "ar", look: Partial<Look> = {}): Shared => {
    const page = plainPage({ page_id: "p", locale, name, look: { background: "plain", ...look } });
    return sharedOf(page, locale, "sila.example", false);
  };

  /** Which columns of pixels of the name, from left to right, have ink in them. */
  async function inkColumns(name: string, type: Look["type"] = "plex", locale: Locale = "ar") {
    const { width, height } = PREVIEW_PICTURE_PX;
    const shown = shared(name, locale);
    const fonts = await readShareFonts(env.ASSETS, type, shown);
    const pixels = await env.WORKSHOP.drawSharePicture(shown, fonts, null, "raw");
    expect(pixels).toHaveLength(width * height * 4);
    // Beside the portrait, above the address.
    const [from, to] = locale === "ar" ? [60, 740] : [460, 1140];
    return Array.from({ length: to - from }, (_, x) => {
      for (let y = 0; y < 520; y += 1) {
        if ((pixels[(y * width + from + x) * 4] ?? 255) < 150) return true;
      }
      return false;
    });
  }

  /** Widths of the runs of columns with ink, from left to right. */
  const blots = (columns: boolean[]) =>
    columns
      .map((has_ink) => (has_ink ? "x" : " "))
      .join("")
      .split(/ +/)
      .filter((blot) => blot !== "")
      .map(({ length }) => length);

  test.each(LOOK_VALUES.type)("has its letters joined, harakat or not, in %s", async (type) => {
    for (const word of ["مُحَمَّدٌ", "لله"]) {
      expect([word, blots(await inkColumns(word, type)).length]).toEqual([word, 1]);
    }
    // The measure sees letters that are not joined.
    const apart = [..."محمد"].join("\u200c");
    expect(blots(await inkColumns(apart, type)).length).toBeGreaterThan(1);
  });

  test("runs from right to left, with Latin words in it from left to right", async () => {
    // An alef is thin, a word is wide. Each is one blot where the letters touch or the word is Arabic.
    const [last = 0, first = 0] = blots(await inkColumns("ا سبيل"));
    expect(first).toBeLessThan(last / 4);
    // The thin i is on the left in its word, and the word is left of the Arabic one before it.
    const order = blots(await inkColumns("سبيل iM"));
    expect(order).toHaveLength(3);
    const [i = 0, m = 0, word = 0] = order;
    expect(i).toBeLessThan(m / 2);
    expect(m).toBeLessThan(word / 2);
    // In an English page the Arabic word still has its first letter on the right.
    expect(blots(await inkColumns("A سبيل", "plex", "en")).at(-1)).toBeGreaterThan(word - 4);
  });

  test("keeps what the fonts can show; a name of which letters would be missing is not shown", () => {
    expect(drawable("🌙 ليلى  حدّاد ✨")).toBe("ليلى حدّاد");
    expect(drawable("Łukasz Ağaoğlu")).toBe("Łukasz Ağaoğlu");
    expect(drawable("ٹریفک گلگت")).toBe("ٹریفک گلگت");
    for (const text of ["Олег", "Layan 李", "नमस्ते", "👩‍🎨", " "]) expect(drawable(text)).toBe(null);
  });

  test("is the name in the page's other language, or its address, where the name is not shown", () => {
    const names = (name: { ar?: string; en?: string }) => {
      const page = plainPage({ page_id: "my-page", locales: ["ar", "en"], name });
      const { name: shown, initials } = sharedOf(page, "ar", "sila.example", false);
      return [shown, initials];
    };
    expect(names({ ar: "ليان", en: "Layan" })).toEqual(["ليان", "ل"]);
    expect(names({ ar: "🙂", en: "Layan Haddad" })).toEqual(["Layan Haddad", "LH"]);
    expect(names({ ar: "🙂🙂" })).toEqual(["my-page", "M"]);
    expect(
      sharedOf(plainPage({ page_id: "p", name: "ل".repeat(100) }), "ar", "h", false).name,
    ).toBe(`${"ل".repeat(79)}…`);
  });
});

test("the cost of a JPEG is read from its frame and scans, and nothing else has one", () => {
  expect(jpegCost(sample("jpeg"))).toEqual({ width: 40, height: 24, scans: 1 });
  expect(jpegCost(sample("jpegPhoto"))).toEqual({ width: 40, height: 24, scans: 1 });
  expect(jpegCost(sample("progressive"))?.scans).toBeGreaterThan(1);
  for (const bytes of [sample("png"), sample("webp"), sample("avif"), new Uint8Array()]) {
    expect(jpegCost(bytes)).toBe(null);
  }
  const whole = sample("jpeg");
  for (let length = 0; length < 300; length += 1) {
    expect([null, 40]).toContain(jpegCost(whole.subarray(0, length))?.width ?? null);
  }
});
