import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { RateLimiter } from "../../../../objects/limiter/rate-limiter.ts";
import { DAY_LIMITS } from "../../../../src/accounts/limits.ts";
import {
  PICTURE_BODY_TIMEOUT_MS,
  PICTURE_BYTES_MAX,
  PICTURES_MAX,
} from "../../../../src/authoring/pictures/limits.ts";
import { readPicture } from "../../../../src/authoring/pictures/picture-header.ts";
import { findPictures } from "../../../../src/authoring/pictures/pictures-store.ts";
import { storePicture } from "../../../../src/authoring/pictures/store-picture.ts";
import { PHOTO_BYTES_MAX } from "../../../../src/pages/cards/render-vcard.ts";
import { cardPhotoKey } from "../../../../src/pages/document/picture-keys.ts";
import { breakD1 } from "../../kit/faults.ts";
import { signIn } from "../../kit/hub-kit.ts";
import {
  call,
  errorOf,
  expectErrors,
  freshDay,
  freshPage,
  ORIGIN,
  useUpDay,
} from "../../kit/kit.ts";
import { readByIcal, readByVcard4 } from "../../pages/vcard-judges.ts";
import { bytesOf, type SampleName, sample, typeOfSample } from "./picture-samples.ts";

beforeEach(() => freshDay("demo-pro"));

const r2: R2Bucket = Object.getPrototypeOf(env.MEDIA);

/** Headers of a request from a page of this site with a session. */
async function signedIn(user_id: string): Promise<Record<string, string>> {
  const Cookie = await signIn(user_id);
  const response = await call("/api/auth/session", { headers: { Cookie } });
  const { csrf_token } = await response.json<{ csrf_token: string }>();
  return { Cookie, "X-CSRF-Token": csrf_token, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
}

let of_pro: Promise<Record<string, string>> | undefined;

/** An upload by demo-pro. */
async function upload(
  page_id: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> {
  of_pro ??= signedIn("demo-pro");
  return call(`/api/me/pages/${page_id}/pictures`, {
    method: "PUT",
    body,
    headers: { ...(await of_pro), ...headers },
  });
}

interface Uploaded {
  key: string;
  type: string;
  width: number;
  height: number;
  bytes: number;
  url: string;
}

async function uploaded(page_id: string, body: BodyInit): Promise<Uploaded> {
  const response = await upload(page_id, body);
  expect(response.status).toBe(201);
  return (await response.json<{ picture: Uploaded }>()).picture;
}

/** The key of an AVIF that a page has from when they were accepted. */
async function storedAvif(page_id: string): Promise<string> {
  const storing = { page_id, is_photo: true, charge: async () => {} };
  const picture = { type: "image/avif", width: 40, height: 24, bytes: sample("avif") } as const;
  return (await storePicture(env, storing, picture, Date.now())).stored.key;
}

async function pageOfPro(overrides: Parameters<typeof freshPage>[0] = {}): Promise<string> {
  return (await freshPage({ owner_id: "demo-pro", ...overrides })).page_id;
}

/** What a page has: rows, and keys in R2. */
async function storedOf(page_id: string) {
  const { results: rows } = await env.DB.prepare(
    "SELECT key, type, bytes, width, height, uploaded_at, unused_since FROM pictures WHERE page_id = ?1",
  )
    .bind(page_id)
    .all<Record<string, unknown>>();
  const { objects } = await env.MEDIA.list({ prefix: `pictures/${page_id}/` });
  return { rows, keys: objects.map(({ key }) => key) };
}

describe("an upload", () => {
  test.each<SampleName>(["jpeg", "pngPhoto", "webp"])(
    "of %s stores the picture under its content's hash, with its type",
    async (name) => {
      const page_id = await pageOfPro();
      const { bytes, width, height, type } = readPicture(sample(name));
      const response = await upload(page_id, sample(name));
      expect(response.status).toBe(201);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      const { ok, picture } = await response.json<{ ok: boolean; picture: Uploaded }>();
      const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      const extension = type === "image/jpeg" ? "jpg" : type.slice("image/".length);
      const key = `pictures/${page_id}/${sha256.slice(0, 32)}.${extension}`;
      expect(ok).toBe(true);
      expect(picture).toEqual({
        ...{ key, type, width, height, bytes: bytes.length },
        url: `${ORIGIN}/media/${key}`,
      });
      const object = await env.MEDIA.get(key);
      expect(object?.httpMetadata?.contentType).toBe(typeOfSample(name));
      expect(new Uint8Array((await object?.arrayBuffer()) ?? [])).toEqual(bytes);
      expect(await findPictures(env.DB, page_id, [key])).toEqual(new Set([key]));
      const { rows } = await storedOf(page_id);
      expect(rows).toEqual([
        {
          ...{ key, type, bytes: bytes.length, width, height },
          ...{ uploaded_at: expect.any(Number), unused_since: expect.any(Number) },
        },
      ]);
    },
  );

  test("S26: is what its content says, whatever its Content-Type is", async () => {
    const page_id = await pageOfPro();
    for (const type of ["image/jpeg", "text/html"]) {
      const response = await upload(page_id, sample("png"), { "Content-Type": type });
      const { picture } = await response.json<{ picture: Uploaded }>();
      expect(picture.type).toBe("image/png");
    }
    expect((await storedOf(page_id)).rows).toHaveLength(1);
  });

  test.each([
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"/>', "image/png"],
    ["a picture that is cut off", sample("png").slice(0, -1), "image/png"],
    ["AVIF", sample("avif"), "image/avif"],
  ])("S26: of %s is 415, and stores nothing", async (_, body, type) => {
    const page_id = await pageOfPro();
    const response = await upload(page_id, typeof body === "string" ? bytesOf(body) : body, {
      "Content-Type": type,
    });
    expect(response.status).toBe(415);
    const { code, details } = await errorOf(response);
    expect(code).toBe("UNSUPPORTED_MEDIA_TYPE");
    expect(details).toMatchObject({
      types: ["image/jpeg", "image/png", "image/webp"],
      reason: expect.any(String),
    });
    expect(await storedOf(page_id)).toEqual({ rows: [], keys: [] });
  });

  test("S6: of more than 5 MB is 413, with a length, without one, and with one that lies", async () => {
    const page_id = await pageOfPro();
    const largest = new Uint8Array(PICTURE_BYTES_MAX);
    largest.set(sample("jpeg"));
    const streamed = (bytes: Uint8Array) =>
      new Blob([bytes]).stream().pipeThrough(new TransformStream());
    expect((await upload(page_id, streamed(largest))).status).toBe(201);
    const larger = bytesOf(largest, [0]);
    for (const [body, headers] of [
      [streamed(larger), { "Content-Length": "10" }],
      [sample("jpeg"), { "Content-Length": String(PICTURE_BYTES_MAX + 1) }],
    ] as const) {
      const response = await upload(page_id, body, headers);
      expect(response.status).toBe(413);
      expect(await errorOf(response)).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
        details: { max_bytes: PICTURE_BYTES_MAX },
      });
    }
    expect((await storedOf(page_id)).rows).toHaveLength(1);
  });

  test("whose body does not arrive is 400", async () => {
    const page_id = await pageOfPro();
    await upload(page_id, "");
    // The body's is the only time-out of a minute.
    const wait = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms = 0) =>
      wait(callback, ms === PICTURE_BODY_TIMEOUT_MS ? 50 : ms)) as never);
    const endless = new ReadableStream({ start: (body) => body.enqueue(sample("png")) });
    const response = await upload(page_id, endless);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "VALIDATION_FAILED",
      details: { issues: [{ path: "", message: "the picture did not arrive" }] },
    });
    expect(await storedOf(page_id)).toEqual({ rows: [], keys: [] });
  });

  test.each<[string, Parameters<typeof freshPage>[0], [number, string]]>([
    ["another user's", { owner_id: "demo-free" }, [404, "PAGE_NOT_FOUND"]],
    ["a deleted", { ends_at: 9e15 }, [404, "PAGE_NOT_FOUND"]],
    ["a suspended", { status: "suspended" }, [410, "PAGE_SUSPENDED"]],
  ])("S22: to %s page is refused, and stores nothing", async (_, page, expected) => {
    const page_id = await pageOfPro(page);
    const response = await upload(page_id, sample("png"));
    expect([response.status, (await errorOf(response)).code]).toEqual(expected);
    expect(await storedOf(page_id)).toEqual({ rows: [], keys: [] });
  });

  test("made again answers 200 and changes nothing; two at once make one picture", async () => {
    const page_id = await pageOfPro();
    const both = await Promise.all([1, 2].map(() => upload(page_id, sample("png"))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    const [one, two] = await Promise.all(both.map((response) => response.json()));
    expect(one).toEqual(two);
    const again = await upload(page_id, sample("png"));
    expect([again.status, await again.json()]).toEqual([200, one]);
    expect((await storedOf(page_id)).rows).toHaveLength(1);
  });

  test("past 1,000 pictures of a page is 400; one that it has is not", async () => {
    const page_id = await pageOfPro();
    const rows = JSON.stringify(
      Array.from({ length: PICTURES_MAX - 1 }, (_, i) => `pictures/${page_id}/${i}.png`),
    );
    await env.DB.prepare(
      `INSERT INTO pictures SELECT value, ?1, 'image/png', 1, 1, 1, 1, NULL FROM json_each(?2)`,
    )
      .bind(page_id, rows)
      .run();
    expect((await upload(page_id, sample("png"))).status).toBe(201);
    const refused = await upload(page_id, sample("webp"));
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({
      code: "VALIDATION_FAILED",
      details: { issues: [{ path: "", message: expect.stringContaining("1000 pictures") }] },
    });
    expect((await upload(page_id, sample("png"))).status).toBe(200);
    // Of two pages one picture is two.
    const other = await pageOfPro();
    const { key } = await uploaded(other, sample("png"));
    const here = key.replace(other, page_id);
    expect(await findPictures(env.DB, other, [key, here])).toEqual(new Set([key]));
  });
});

describe("while a store fails", () => {
  test("R2: an upload is 503 and no page can use it; made again, it is a new one", async () => {
    const page_id = await pageOfPro();
    const logged = expectErrors();
    const put = vi.spyOn(r2, "put").mockRejectedValue(new Error("R2 refuses"));
    const response = await upload(page_id, sample("jpeg"));
    expect(response.status).toBe(503);
    expect((await errorOf(response)).code).toBe("DEPENDENCY_DOWN");
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(logged()).toEqual(["picture_failed"]);
    const { rows, keys } = await storedOf(page_id);
    expect(keys).toEqual([]);
    expect(await findPictures(env.DB, page_id, [String(rows[0]?.key)])).toEqual(new Set());
    put.mockRestore();
    expect((await upload(page_id, sample("jpeg"))).status).toBe(201);
  });

  test.each(["before", "after"] as const)(
    "D1, %s it writes: an upload is 503, and made again it is there once",
    async (when) => {
      const page_id = await pageOfPro();
      expectErrors();
      const { mend } = breakD1(when);
      expect((await upload(page_id, sample("jpeg"))).status).toBe(503);
      mend();
      expect((await storedOf(page_id)).keys).toEqual([]);
      expect((await upload(page_id, sample("jpeg"))).status).toBe(201);
      expect((await storedOf(page_id)).rows).toHaveLength(1);
    },
  );
});

describe("S26: a picture at its address", () => {
  test("is served with its type, nosniff and the policy of files, for ever; an AVIF too", async () => {
    const page_id = await pageOfPro();
    const url = `/media/${await storedAvif(page_id)}`;
    const response = await call(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/avif",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "public, max-age=31536000, immutable",
      "cloudflare-cdn-cache-control": expect.stringMatching(/^max-age=86400,/),
      "cache-tag": `page-${page_id}`,
    });
    expect(await response.bytes()).toEqual(sample("avif"));
    const etag = response.headers.get("ETag") ?? "";
    expect((await call(url, { headers: { "If-None-Match": etag } })).status).toBe(304);
  });

  test("the JPEG for contact cards has no address", async () => {
    const { key } = await uploaded(await pageOfPro(), sample("png"));
    expect(await env.MEDIA.head(cardPhotoKey(key))).not.toBeNull();
    expect((await call(`/media/${cardPhotoKey(key)}`)).status).toBe(404);
  });
});

describe("a contact card", () => {
  /** The photo by both readers, in 4.0, or undefined. */
  async function photoOf(slug: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const response = await call(`/vcard/${slug}.vcf`);
    expect(response.status).toBe(200);
    const card = await response.text();
    const [one, two] = [readByIcal, readByVcard4].map((read) =>
      read(card, "4.0").flatMap(({ name, value }) => (name === "PHOTO" ? [String(value)] : [])),
    );
    expect(one).toEqual(two);
    const [photo] = one ?? [];
    if (photo === undefined) return undefined;
    expect(photo).toMatch(/^data:image\/jpeg;base64,/);
    return Uint8Array.fromBase64(photo.slice("data:image/jpeg;base64,".length));
  }

  /** A page whose avatar is this picture. */
  async function pageWith(
    picture: Uint8Array<ArrayBuffer>,
    store = async (page_id: string) => (await uploaded(page_id, picture)).key,
  ) {
    const { page_id, slug } = await freshPage({ owner_id: "demo-pro" });
    const key = await store(page_id);
    await env.DB.prepare(
      "UPDATE pages SET document = json_set(document, '$.avatar', ?2) WHERE page_id = ?1",
    )
      .bind(page_id, key)
      .run();
    return { slug, key };
  }

  test.each<SampleName>(["pngPhoto", "webp"])("carries a JPEG of %s", async (name) => {
    const { slug } = await pageWith(sample(name));
    const photo = await photoOf(slug);
    const { width, height } = readPicture(sample(name));
    expect(readPicture(photo ?? bytesOf())).toMatchObject({ type: "image/jpeg", width, height });
  });

  test("carries a JPEG of an AVIF that was stored when they were accepted", async () => {
    const { slug } = await pageWith(sample("avif"), storedAvif);
    const photo = (await photoOf(slug)) ?? bytesOf();
    expect(readPicture(photo)).toMatchObject({ type: "image/jpeg", width: 40, height: 24 });
  });

  test("carries a small JPEG as it is, and no second copy is stored", async () => {
    const { slug, key } = await pageWith(sample("jpeg"));
    expect(await photoOf(slug)).toEqual(readPicture(sample("jpeg")).bytes);
    expect(await env.MEDIA.head(cardPhotoKey(key))).toBeNull();
  });

  test("carries a large picture in at most 512 pixels and 180 kB", async () => {
    const stretched = await env.IMAGES?.input(new Blob([sample("png")]).stream())
      .transform({ width: 2_000, height: 1_000, fit: "squeeze" })
      .output({ format: "image/jpeg" });
    const large = new Uint8Array((await stretched?.response().arrayBuffer()) ?? []);
    expect(readPicture(large)).toMatchObject({ width: 2_000, height: 1_000 });
    const { slug, key } = await pageWith(large);
    const photo = (await photoOf(slug)) ?? bytesOf();
    expect(readPicture(photo)).toMatchObject({ type: "image/jpeg", width: 512, height: 256 });
    expect(photo.length).toBeLessThanOrEqual(PHOTO_BYTES_MAX);
    const stored = await env.MEDIA.head(cardPhotoKey(key));
    expect(stored?.httpMetadata?.contentType).toBe("image/jpeg");
  });

  test.each([
    ["fails, which is logged", "fails", ["card_photo_failed"]],
    ["is missing", "is missing", []],
  ])("has no photo where the Images service %s; the upload succeeds", async (_, fault, lines) => {
    const logged = expectErrors();
    Object.assign(env, {
      IMAGES:
        fault === "fails"
          ? {
              input: () => {
                throw new Error("the service fails");
              },
            }
          : undefined,
    });
    const { slug } = await pageWith(sample("webp"));
    expect(logged()).toEqual(lines);
    expect(await photoOf(slug)).toBeUndefined();
  });
});

describe("what a user stores in a day", () => {
  const LIMIT = DAY_LIMITS.pictures_day.pro;

  test("is charged for a picture that the page does not have, before it is stored or paid", async () => {
    const page_id = await pageOfPro();
    const input = vi.spyOn(Object.getPrototypeOf(env.IMAGES), "input");
    expect((await upload(page_id, sample("webp"))).status).toBe(201);
    const paid = input.mock.calls.length;
    expect(paid).toBeGreaterThan(0);
    await useUpDay("demo-pro", "pictures_day", LIMIT);
    // The same picture again is neither paid nor charged.
    for (let n = 0; n < 3; n += 1) expect((await upload(page_id, sample("webp"))).status).toBe(200);
    const refused = await upload(page_id, sample("pngPhoto"));
    expect(refused.status).toBe(429);
    expect((await errorOf(refused)).details).toMatchObject({
      ...{ scope: "pictures_day", limit: LIMIT, window_s: 86_400 },
    });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(86_000);
    expect(input.mock.calls.length).toBe(paid);
    expect((await storedOf(page_id)).rows).toHaveLength(1);
  });

  test("is not stored while the limiter fails", async () => {
    const logged = expectErrors();
    const page_id = await pageOfPro();
    vi.spyOn(RateLimiter.prototype, "checkTogether").mockRejectedValue(new Error("limiter down"));
    expect((await upload(page_id, sample("png"))).status).toBe(503);
    expect(logged()).toEqual(["limiter_failed"]);
    expect(await storedOf(page_id)).toEqual({ rows: [], keys: [] });
  });
});
