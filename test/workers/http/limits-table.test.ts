/** Every row of the limits table (docs/contract.md section 6): at the limit, and one request more. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { secondsToNextWindow } from "../../../src/http/edge-limit.ts";
import { EDGE_LIMIT_PER_MINUTE, LIMITS_PER_MINUTE, type Scope } from "../../../src/http/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { call, errorOf, freshAddress, freshPage, pageObject, useUp } from "../kit/kit.ts";

/** Routes of each scope. Routes that do not exist yet answer 404 and are limited already. */
const ROUTES: Record<Scope, readonly (readonly [method: "GET" | "POST", path: string])[]> = {
  auth: [
    ["GET", "/api/auth/login"],
    ["GET", "/api/auth/session"],
    ["POST", "/api/auth/logout"],
    ["GET", "/api/auth/anything/else"],
    ["GET", "/api/%61uth/login"],
  ],
  tip: [
    ["POST", "/api/tip"],
    ["GET", "/api/tip"],
  ],
  download: [["GET", "/api/download/some-file"]],
  newsletter: [
    ["POST", "/api/newsletter"],
    ["GET", "/api/newsletter/confirm"],
    ["GET", "/api/newsletter-unsubscribe"],
  ],
  error: [["POST", "/api/log/error"]],
  public: [
    ["POST", "/api/analytics/view"],
    ["GET", "/p/nobody.gif"],
    ["GET", "/health/deep"],
    ["POST", "/api/ai/write"],
    ["GET", "/api/me/wallet"],
    ["GET", "/dashboard/new"],
    ["GET", "/dashboard/pages/nobody/edit"],
    ["GET", "/api/tips"],
    ["GET", "/api"],
  ],
};

/** The table as literals, so that a limit changed by mistake fails here. */
const TABLE: Record<Scope, number> = {
  auth: 10,
  tip: 20,
  download: 30,
  newsletter: 10,
  error: 30,
  public: 60,
};

test.each(Object.entries(TABLE) as [Scope, number][])(
  "the scope %s admits %i requests a minute on all its routes together, and refuses one more on each",
  async (scope, limit) => {
    expect(LIMITS_PER_MINUTE[scope]).toBe(limit);
    const ip = freshAddress();
    const routes = ROUTES[scope];
    const send = ([method, path]: (typeof routes)[number]) =>
      call(path, { method, ip, ...(method === "POST" ? { body: "{" } : {}) });
    await useUp(ip, scope, routes.length);
    for (const [i, route] of routes.entries()) {
      const admitted = await send(route);
      expect([route, admitted.status]).not.toEqual([route, 429]);
      expect(admitted.headers.get("RateLimit-Policy")).toBe(`"${scope}";q=${limit};w=60`);
      expect(admitted.headers.get("RateLimit")).toMatch(
        new RegExp(`^"${scope}";r=${routes.length - 1 - i};`),
      );
    }
    for (const route of routes) {
      const refused = await send(route);
      expect([route, refused.status]).toEqual([route, 429]);
      const retry_after_s = Number(refused.headers.get("Retry-After"));
      expect((await errorOf(refused)).details).toMatchObject({
        scope,
        limit,
        window_s: 60,
        retry_after_s,
      });
    }
    // The other scopes have windows of their own.
    const [other = ["GET", ""] as const] = scope === "public" ? ROUTES.auth : ROUTES.public;
    expect((await send(other)).status).not.toBe(429);
  },
);

test("the redirect shares the public window, and redirects as limited beyond it", async () => {
  const { page_id } = await freshPage();
  const ip = freshAddress();
  await useUp(ip, "public", 1);
  for (const outcome of ["counted", "limited", "limited"]) {
    const response = await call(`/r/${page_id}/shop`, { ip });
    expect([response.status, response.headers.get("X-Beacon-Outcome")]).toEqual([302, outcome]);
  }
  const totals = await pageObject(page_id).totals();
  expect(totals.map(({ class: visitor, accepted }) => [visitor, accepted])).toEqual([
    ["human", 1],
    ["limited", 2],
  ]);
});

const CACHEABLE = [
  "/",
  "/demo",
  "/demo/share.png",
  "/vcard/demo.vcf",
  "/health",
  "/sitemap.xml",
  "/sitemaps/1.xml",
  "/robots.txt",
  "/manifest.json",
  "/llms.txt",
  "/openapi.json",
  "/docs",
  "/docs/en",
  "/dashboard/preview-frame",
  "/en",
  "/example/ar/sila",
];

/** The binding counts per minute of the clock: retries where a minute ended in between. */
async function withinOneMinute(attempt: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const began = minute();
  try {
    await attempt();
  } catch (error) {
    if (minute() === began) throw error;
    await attempt();
  }
}

describe("the edge limit", () => {
  test("admits 60 cacheable GETs a minute together, and refuses one more, on every one of them", async () => {
    expect(EDGE_LIMIT_PER_MINUTE).toBe(60);
    await withinOneMinute(async () => {
      const ip = freshAddress();
      for (let i = 0; i < EDGE_LIMIT_PER_MINUTE; i += 1) {
        const { status } = await call("/health", { ip });
        expect(status).toBe(200);
      }
      for (const path of CACHEABLE) {
        const refused = await call(path, { ip });
        expect([path, refused.status]).toEqual([path, 429]);
        expect(refused.headers.get("Retry-After")).toMatch(/^(?:[1-9]|[1-5]\d|60)$/);
        // S2: never on an answer that a cache may store.
        expect(refused.headers.has("RateLimit")).toBe(false);
        expect((await errorOf(refused)).details).toMatchObject({ scope: "edge", limit: 60 });
      }
    });
  });

  test("S1: answers with the whole seconds until its window ends, 1 to 60", () => {
    const minute_ms = 1_800_000_000_000;
    for (const after_ms of [0, 1, 999, 1_000, 44_500, 59_000, 59_001, 59_999, 60_000]) {
      const wait_s = secondsToNextWindow(minute_ms + after_ms);
      expect(wait_s).toBeLessThanOrEqual(60);
      const wait_ms = wait_s * 1_000;
      const [now, then] = [after_ms, after_ms + wait_ms].map((ms) => Math.floor(ms / 60_000));
      // The next minute begins after exactly that many whole seconds.
      expect(then).toBe((now ?? 0) + 1);
      expect(Math.ceil((after_ms + wait_ms - 1_000) / 60_000)).toBe((now ?? 0) + 1);
    }
  });

  test("S1: has them in Retry-After and in the body", async () => {
    vi.spyOn(Object.getPrototypeOf(env.EDGE_LIMIT), "limit").mockResolvedValue({ success: false });
    stopClock().set(1_800_000_000_000 + 44_000);
    const refused = await call("/health");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "16"]);
    expect((await errorOf(refused)).details.retry_after_s).toBe(16);
  });

  test("calls no object, and is not charged by the exact scopes", async () => {
    const ip = freshAddress();
    for (let i = 0; i < 5; i += 1) await call("/health", { ip });
    const first = await call("/api/nothing-here", { ip });
    expect(first.headers.get("RateLimit")).toMatch(/^"public";r=59;/);
  });
});
