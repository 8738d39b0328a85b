/** Names below `/media/` and `/assets/` that nobody was given: what they may cost, and whom that concerns. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { EDGE_LIMIT_PER_MINUTE } from "../../../src/http/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { call, errorOf, freshAddress, freshPage } from "../kit/kit.ts";

/** The beginning of one, in unix milliseconds. */
const MINUTE = 1_800_000_000_000;

describe("below /media/ and /assets/", async () => {
  const limit = () => vi.spyOn(Object.getPrototypeOf(env.EDGE_LIMIT) as RateLimit, "limit");
  const read = () => vi.spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "get");
  const hash = () => crypto.randomUUID().replaceAll("-", "");

  /** The platform's limit, in one window. */
  function limitInMemory() {
    const counts = new Map<string, number>();
    return limit().mockImplementation(async ({ key }) => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count <= EDGE_LIMIT_PER_MINUTE };
    });
  }

  async function storedPicture(): Promise<string> {
    const { page_id } = await freshPage();
    const key = `pictures/${page_id}/${hash()}.webp`;
    await env.MEDIA.put(key, "webp", { httpMetadata: { contentType: "image/webp" } });
    return `/media/${key}`;
  }

  test("S23: a name that this service never gives is 404 without a read, and charged to nothing", async () => {
    const [read_r2, read_d1, charged] = [
      read(),
      vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare"),
      limit(),
    ];
    for (const path of [
      ...["/media/x", "/media/x.svg", "/media/x.jpeg", "/media/a.b.webp", "/media/%78.webp"],
      ...["/media/pictures/x.webp", "/media/pictures/p/0123.webp", "/media/pictures/p/x/y.webp"],
      ...[`/media/pictures/p/${hash()}.gif`, `/media/pictures/p/${hash().toUpperCase()}A.webp`],
      ...[`/media/pictures/p/${hash()}0.png`, `/media/pictures/${"p".repeat(65)}/${hash()}.png`],
      ...[`/media/files/${hash()}`, "/media/looks/look-0123456789abcdef.css"],
      ...[`/media/${"x".repeat(196)}.webp`, `/assets/look-${hash()}.css`, "/assets/look-x.css"],
    ]) {
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    }
    for (const spy of [read_r2, read_d1, charged]) expect(spy).not.toHaveBeenCalled();
    // The longest and the oldest forms that exist are looked for.
    const oldest = [
      "/media/demo.webp",
      `/media/${"x".repeat(195)}.webp`,
      "/media/avatars/d-1.avif",
    ];
    for (const path of oldest) expect((await call(path)).status).toBe(404);
    expect(read_r2).toHaveBeenCalledTimes(oldest.length);
  });

  const { page_id: suspended } = await freshPage({ status: "suspended" });

  test.for<[what: string, status: number, name: () => string]>([
    ["pictures", 404, () => `/media/pictures/p/${hash()}.png`],
    ["pictures of a suspended page", 410, () => `/media/pictures/${suspended}/${hash()}.png`],
    ["older pictures", 404, () => `/media/avatars/${hash()}.png`],
    ["stylesheets", 404, () => `/assets/look-${hash().slice(16)}.css`],
  ])(
    "S23: unknown names of %s are %d sixty times in a minute, then 429 without a read",
    async ([, status, name]) => {
      const picture = await storedPicture();
      limitInMemory();
      const clock = stopClock();
      clock.set(MINUTE + 44_000);
      const ip = freshAddress();
      for (let i = 0; i <= EDGE_LIMIT_PER_MINUTE; i += 1) {
        expect((await call(name(), { ip })).status).toBe(status);
      }
      const [reading, asking] = [
        read(),
        vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare"),
      ];
      const response = await call(name(), { ip });
      expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "16"]);
      expect((await errorOf(response)).details).toMatchObject({ scope: "edge", limit: 60 });
      for (const spy of [reading, asking]) expect(spy).not.toHaveBeenCalled();
      // Neither other senders nor pages are affected.
      expect((await call(name())).status).toBe(status);
      expect((await call("/health", { ip })).status).toBe(200);
      expect((await call(picture)).status).toBe(200);
      expect((await call(picture, { ip })).status).toBe(200);
      clock.set(MINUTE + 60_000);
      expect((await call(name(), { ip })).status).toBe(status);
    },
  );

  test("pictures that are there meet no limit, however many from one address", async () => {
    const charged = limitInMemory();
    const ip = freshAddress();
    const pictures = await Promise.all(Array.from({ length: 3 }, storedPicture));
    for (let i = 0; i < 2 * EDGE_LIMIT_PER_MINUTE; i += 1) {
      expect((await call(pictures[i % 3] ?? "", { ip })).status).toBe(200);
    }
    expect(charged).not.toHaveBeenCalled();
  });

  test("unknown names are 404 while the platform's limit fails", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    limit().mockRejectedValue(new Error("down"));
    const ip = freshAddress();
    for (let i = 0; i < 2; i += 1) {
      expect((await call(`/media/avatars/${hash()}.png`, { ip })).status).toBe(404);
    }
  });
});
