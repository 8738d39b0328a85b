import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { PHOTO_BYTES_MAX } from "../../../src/pages/cards/render-vcard.ts";
import type { CardVersion } from "../../../src/pages/document/card-address.ts";
import type { Contact } from "../../../src/pages/document/page-document.ts";
import { speedUpTimers, stopClock } from "../kit/faults.ts";
import { call, errorOf, freshPage, ORIGIN } from "../kit/kit.ts";
import { readByIcal } from "./vcard-judges.ts";

const d1: D1Database = Object.getPrototypeOf(env.DB);
const r2: R2Bucket = Object.getPrototypeOf(env.MEDIA);

const LAYAN: Contact = {
  name: "ليان الحوراني",
  organisation: "ورشة طين وملح",
  title: "خزّافة",
  phones: ["+44 7700 900142", "+٤٤ ٢٠ ٧٩٤٦ ٠١٤٢"],
  emails: ["layan@example.com"],
  address: "زقاق الخزّافين؛ 7\nلندن",
  note: null,
};

const FRESH_AS_A_PAGE = "max-age=60, stale-if-error=86400";
const FRESH_FOR_SHORT = "max-age=30, stale-if-error=86400";

/** A new slug in the Arabic script. */
function arabicSlug(): string {
  const [n = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `ليان-${n}`;
}

/** The values of a property; `vcard.test.ts` has another reader too. */
async function valuesOf(response: Response, version: CardVersion, property: string) {
  const properties = readByIcal(await response.text(), version);
  return properties.flatMap(({ name, value }) => (name === property ? [value] : []));
}

async function putPicture(bytes: number, contentType = "image/webp"): Promise<string> {
  const key = `avatars/${crypto.randomUUID()}`;
  await env.MEDIA.put(key, new Uint8Array(bytes).fill(7), { httpMetadata: { contentType } });
  return key;
}

describe("a contact card", () => {
  test("is vCard 4.0, or 3.0 by ?v=3, for the phone to save", async () => {
    const { slug } = await freshPage({ contact: LAYAN });
    for (const [query, version] of [
      ["", "4.0"],
      ["?v=4", "4.0"],
      ["?v=3", "3.0"],
      ["?fbclid=1&v=3", "3.0"],
    ] as const) {
      const response = await call(`/vcard/${slug}.vcf${query}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe("text/vcard; charset=utf-8");
      expect(await valuesOf(response.clone(), version, "FN")).toEqual(["ليان الحوراني"]);
      expect(await valuesOf(response.clone(), version, "TEL")).toEqual([
        "+44 7700 900142",
        "+44 20 7946 0142",
      ]);
      expect(await response.text()).toMatch(`BEGIN:VCARD\r\nVERSION:${version}\r\n`);
    }
  });

  test("has its page's address first, and no other page has that address", async () => {
    const slug = arabicSlug();
    await freshPage({ slug, contact: LAYAN });
    for (const version of ["3.0", "4.0"] as const) {
      const response = await call(`/vcard/${encodeURI(slug)}.vcf?v=${version[0]}`);
      expect(await valuesOf(response, version, "URL")).toEqual([
        `${ORIGIN}/${encodeURIComponent(slug)}`,
      ]);
    }
  });

  test("keeps its UID when its page gets another slug, and no other page has it", async () => {
    const uid = async (slug: string) => valuesOf(await call(`/vcard/${slug}.vcf`), "4.0", "UID");
    const [one, two] = [await freshPage({ page_id: "demo" }), await freshPage()];
    const slug = `renamed-${one.slug}`;
    // As other implementations of UUID version 5 make it.
    const known = "urn:uuid:4cd2a9ae-be74-5004-9a7a-d6297d14c45e";
    expect(await uid(one.slug)).toEqual([known]);
    await env.DB.prepare("UPDATE pages SET slug = ?2 WHERE page_id = ?1")
      .bind(one.page_id, slug)
      .run();
    expect(await uid(slug)).toEqual([known]);
    expect(await uid(two.slug)).not.toEqual([known]);
  });

  test("is a download named by the slug, with an ASCII name for older clients", async () => {
    const [latin, arabic] = [await freshPage(), await freshPage({ slug: arabicSlug() })];
    const disposition = async (slug: string) =>
      (await call(`/vcard/${encodeURI(slug)}.vcf`)).headers.get("Content-Disposition");
    expect(await disposition(latin.slug)).toBe(
      `attachment; filename="${latin.slug}.vcf"; filename*=UTF-8''${latin.slug}.vcf`,
    );
    expect(await disposition(arabic.slug)).toBe(
      `attachment; filename="contact.vcf"; filename*=UTF-8''${encodeURIComponent(arabic.slug)}.vcf`,
    );
  });

  test("is cached and purged like its page, and never indexed", async () => {
    const { slug, page_id } = await freshPage();
    const { headers } = await call(`/vcard/${slug}.vcf`);
    expect(headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_AS_A_PAGE);
    expect(headers.get("Cache-Control")).toBe("public, max-age=0");
    expect(headers.get("Cache-Tag")).toBe(`page-${page_id}`);
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
    expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers.has("Set-Cookie")).toBe(false);
  });

  test("S4: is read from D1 once per version, whatever the query, cookie or authorization", async () => {
    const { slug } = await freshPage();
    const prepare = vi.spyOn(d1, "prepare");
    const bodies = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      for (const v of ["", "&v=4", "&v=3"]) {
        const headers = { Cookie: `owner_of=${i}`, Authorization: `Bearer ${i}` };
        bodies.add(await (await call(`/vcard/${slug}.vcf?fbclid=${i}${v}`, { headers })).text());
      }
    }
    expect(bodies.size).toBe(2);
    expect(prepare).toHaveBeenCalledTimes(2);
  });
});

describe("a request without a contact card", () => {
  test("of an unknown page, or of one without a contact, is 404 and not indexed", async () => {
    const { slug } = await freshPage({ contact: null });
    for (const path of [`/vcard/${slug}.vcf`, "/vcard/nobody.vcf", "/vcard/nobody.vcf?v=3"]) {
      const response = await call(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("X-Robots-Tag")).toBe("noindex");
      expect(response.headers.get("Cache-Control")).toBe("public, max-age=30");
      expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
    }
  });

  test("of another version than 3 or 4 is 400 and says so", async () => {
    const { slug } = await freshPage();
    for (const v of ["", "2.1", "5", "04"]) {
      const response = await call(`/vcard/${slug}.vcf?v=${v}`);
      expect([v, response.status]).toEqual([v, 400]);
      const { code, details } = await errorOf(response);
      expect(code).toBe("VALIDATION_FAILED");
      expect(details.issues).toEqual([{ path: "v", message: expect.any(String) }]);
    }
  });
});

describe("the photo in a card", () => {
  /** The photo's bytes by both readers, or undefined. */
  async function photoIn(response: Response, version: CardVersion) {
    const [value] = await valuesOf(response, version, "PHOTO");
    if (value === undefined) return undefined;
    const prefix = version === "4.0" ? "data:image/webp;base64," : "";
    expect(String(value).startsWith(prefix)).toBe(true);
    return Uint8Array.fromBase64(String(value).slice(prefix.length));
  }

  test("is the page's picture, byte for byte, up to the largest", async () => {
    for (const [bytes, version] of [
      [1, "4.0"],
      [1_000, "3.0"],
      [PHOTO_BYTES_MAX, "4.0"],
    ] as const) {
      const { slug } = await freshPage({ avatar: await putPicture(bytes) });
      const response = await call(`/vcard/${slug}.vcf?v=${version[0]}`);
      expect(response.headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_AS_A_PAGE);
      const photo = await photoIn(response, version);
      // Comparing the elements takes seconds.
      expect(photo?.toHex()).toBe(new Uint8Array(bytes).fill(7).toHex());
    }
  });

  test("is left out if it is too large, not a raster image, or missing; that card is cached for a short time", async () => {
    for (const avatar of [
      await putPicture(PHOTO_BYTES_MAX + 1),
      await putPicture(10, "image/svg+xml"),
      "avatars/none",
    ]) {
      const { slug } = await freshPage({ avatar });
      const response = await call(`/vcard/${slug}.vcf`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_FOR_SHORT);
      expect(await photoIn(response, "4.0")).toBeUndefined();
    }
  });

  test("is left out after a time-out of R2, and back half a minute after R2 works again", async () => {
    speedUpTimers();
    const clock = stopClock();
    const { slug } = await freshPage({ avatar: await putPicture(10) });
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const get = vi.spyOn(r2, "get").mockImplementation(() => new Promise(() => {}));
    const without = await call(`/vcard/${slug}.vcf`);
    expect(without.status).toBe(200);
    expect(without.headers.get("Cloudflare-CDN-Cache-Control")).toBe(FRESH_FOR_SHORT);
    expect(await photoIn(without, "4.0")).toBeUndefined();
    expect(log.mock.calls.map(String).join()).toContain("photo_failed");
    get.mockRestore();
    clock.advance(30_000);
    expect(await photoIn(await call(`/vcard/${slug}.vcf`), "4.0")).toHaveLength(10);
  });
});
