/** The deep probe: its checks, its time-outs, and that it cannot be used as an amplifier. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { version } from "../../../package.json";
import { PROBE_REUSED_S, PROBE_TIMEOUT_MS } from "../../../src/operate/probes.ts";
import { SPEED_UP, speedUpTimers, stopClock } from "../kit/faults.ts";
import { call, errorOf, freshSite } from "../kit/kit.ts";

const NAMES = ["d1", "kv", "r2", "hub"] as const;
type Name = (typeof NAMES)[number];

/** A probe's time-out after `speedUpTimers`. */
const GIVES_UP_MS = PROBE_TIMEOUT_MS / SPEED_UP;

const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
const kv: KVNamespace = Object.getPrototypeOf(env.KV);
const r2: R2Bucket = Object.getPrototypeOf(env.MEDIA);

/** Replaces the answers of dependencies; undone after the test. */
const replace: Record<Name, (answer: () => Promise<never>) => { mock: { calls: unknown[] } }> = {
  d1: (answer) => vi.spyOn(statement, "first").mockImplementation(answer),
  kv: (answer) => vi.spyOn(kv, "get").mockImplementation(answer),
  r2: (answer) => vi.spyOn(r2, "head").mockImplementation(answer),
  hub: (answer) => vi.spyOn(globalThis, "fetch").mockImplementation(answer),
};

const refuses = async () => {
  throw new Error("secret-host.internal refuses");
};
const hangs = () => new Promise<never>(() => {});

/** The hub is another service: here each test replaces its answer. */
function hubAnswers(response: () => Response) {
  return vi.spyOn(globalThis, "fetch").mockImplementation(async () => response());
}

/** A probe whose result is not that of an earlier one. */
function freshProbe(): string {
  return `${freshSite()}/health/deep`;
}

let logged: string[];

function watchLog(): void {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((line) => void logged.push(line));
}

beforeEach(() => {
  watchLog();
  hubAnswers(() => new Response("fine"));
});

/** The checks of all dependencies, with only the named ones down. */
function checksWithout(...down: Name[]) {
  return Object.fromEntries(
    [...NAMES, "config" as const].map((name) => [
      name,
      { ok: name === "config" || !down.includes(name), latency_ms: expect.any(Number) },
    ]),
  );
}

async function expectDown(response: Response, ...down: Name[]) {
  expect(response.status).toBe(503);
  expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("Retry-After")).toBe("30");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const body = await errorOf(response);
  expect(body).toEqual({
    ok: false,
    error: expect.stringMatching(/[\u0600-\u06ff]/),
    message_en: expect.any(String),
    code: "DEPENDENCY_DOWN",
    details: {
      checks: checksWithout(...down),
      request_id: response.headers.get("X-Request-Id"),
    },
  });
  return body.details.checks as Record<Name, { ok: boolean; latency_ms: number }>;
}

describe("GET /health/deep", () => {
  test("is 200 with its checks when all answer, charged to the public limit, cached nowhere", async () => {
    const response = await call(freshProbe());
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
    expect(response.headers.get("RateLimit-Policy")).toBe('"public";q=60;w=60');
    const body = await response.json<{ checks: Record<Name, { latency_ms: number }> }>();
    const passed = { ok: true, status: "pass", app: "sila", version };
    expect(body).toEqual({ ...passed, checks: checksWithout() });
    for (const { latency_ms } of Object.values(body.checks)) {
      expect(Number.isInteger(latency_ms)).toBe(true);
      expect(latency_ms).toBeGreaterThanOrEqual(0);
      expect(latency_ms).toBeLessThanOrEqual(PROBE_TIMEOUT_MS);
    }
  });

  test.for(NAMES)("is 503 when %s refuses, and names it only", async (name) => {
    replace[name](refuses);
    const response = await call(freshProbe());
    const text = await response.clone().text();
    await expectDown(response, name);
    expect(text).not.toMatch(/secret-host|refuses|localhost|sila/i);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("secret-host.internal");
    expect(logged[0]).toContain(`"dependency":"${name}"`);
  });

  test("is 503 when all hang", async () => {
    speedUpTimers();
    for (const name of NAMES) replace[name](hangs);
    const checks = await expectDown(await call(freshProbe()), ...NAMES);
    for (const name of NAMES) {
      expect(checks[name].latency_ms).toBeGreaterThanOrEqual(GIVES_UP_MS - 10);
    }
  });

  test("S19: asks all four at once: none has to have answered before", async () => {
    const asked: Name[] = [];
    const all = Promise.withResolvers<never>();
    for (const name of NAMES) {
      replace[name](() => {
        asked.push(name);
        if (new Set(asked).size === NAMES.length) all.reject(new Error("all are asked"));
        return all.promise;
      });
    }
    await expectDown(await call(freshProbe()), ...NAMES);
    // One that waited for another would have given up.
    expect(logged.filter((line) => line.includes("all are asked"))).toHaveLength(NAMES.length);
  });

  test("a hub that answers anything but 200 is down", async () => {
    const headers = { Location: "https://elsewhere.example/health" };
    for (const status of [302, 204, 503]) {
      const hub = hubAnswers(() => new Response(null, { status, headers }));
      hub.mockClear();
      await expectDown(await call(freshProbe()), "hub");
      expect(hub).toHaveBeenCalledTimes(1);
    }
  });

  test("requests the hub's health address, follows no redirect, and reads no body", async () => {
    const cancel = vi.fn();
    const hub = hubAnswers(() => new Response(new ReadableStream({ cancel })));
    const response = await call(freshProbe(), {
      headers: { Cookie: "hub_session=mine", Authorization: "Bearer mine" },
    });
    expect(response.status).toBe(200);
    expect(cancel).toHaveBeenCalledOnce();
    const [address, init] = hub.mock.calls[0] ?? [];
    expect(address).toBe(`${env.HUB_URL}/health`);
    expect(init?.redirect).toBe("manual");
    expect(init?.headers).toEqual({ Accept: "application/json" });
  });

  test("S19: makes one round of probes in five seconds, passed or failed, and then another", async () => {
    const clock = stopClock();
    const probe = freshProbe();
    const asked = NAMES.map((name) => replace[name](refuses));
    const rounds = () => asked.map(({ mock }) => mock.calls.length);
    for (let i = 0; i < 3; i += 1) await expectDown(await call(probe), ...NAMES);
    clock.advance(PROBE_REUSED_S * 1_000 - 1);
    await expectDown(await call(`${probe}?fresh=1`, { headers: { Cookie: "a=b" } }), ...NAMES);
    expect(rounds()).toEqual([1, 1, 1, 1]);
    vi.restoreAllMocks();
    const hub = hubAnswers(() => new Response());
    clock.advance(1);
    expect((await call(probe)).status).toBe(200);
    expect((await call(probe)).status).toBe(200);
    expect(hub).toHaveBeenCalledTimes(1);
  });
});
