/** An idle object is evicted from memory after about 10 s. The test waits for the runtime itself to do it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../../src/commands/serve/server.ts";
import { LIMITS_PER_MINUTE, WINDOW_S } from "../../src/http/limits.ts";
import { seedDemo } from "../demo/seed.ts";
import { Steering } from "../server/steering.ts";

const START_TIMEOUT_MS = 60_000;
const TEST_TIMEOUT_MS = 120_000;
const IDLE_MS = 15_000;
const LIMIT = LIMITS_PER_MINUTE.public;
const WINDOW_MS = WINDOW_S * 1_000;
const PAGE_ID = "demo";
const SENDER = "192.0.2.60";
const OTHER = "192.0.2.61";

const steering = new Steering();
let state: string;
let server: Server;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "sila-idle-"));
  server = await startServer({ statePath: state, seed: seedDemo, around: steering.around });
  steering.steer(server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  await rm(state, { recursive: true, force: true });
});

function view(ip: string, event_id: string): Promise<Response> {
  return fetch(new URL("/api/analytics/view", server.url), {
    method: "POST",
    headers: { "CF-Connecting-IP": ip, "Content-Type": "application/json" },
    body: JSON.stringify({ page_id: PAGE_ID, event_id }),
  });
}

/** How often the page and all limiters have started. */
async function starts(): Promise<{ page: number; limiters: number }> {
  const { started } = await steering.time();
  const sum = (kind: string) =>
    Object.entries(started).reduce(
      (n, [name, times]) => n + (name.startsWith(kind) ? times : 0),
      0,
    );
  return { page: sum("page"), limiters: sum("limiter") };
}

test(
  "F10: after 15 s idle the limit is honoured to the millisecond, and ids are remembered",
  async () => {
    // The objects' clock moves by the test alone; the runtime's own time goes on.
    const first_at = Date.now();
    await steering.time({ at: first_at });
    // There was no refusal, so the router has none in memory: the next decision is the object's.
    for (let i = 0; i < LIMIT; i += 1) expect((await view(SENDER, `e${i}`)).status).toBe(202);
    expect(await starts()).toEqual({ page: 1, limiters: 1 });
    await wait(IDLE_MS);

    const back_at = first_at + IDLE_MS;
    await steering.time({ at: back_at });
    const refused = await view(SENDER, "one-more");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe(String((WINDOW_MS - IDLE_MS) / 1_000));
    const again = await view(OTHER, "e0");
    expect(again.headers.get("X-Beacon-Outcome")).toBe("duplicate");
    // Both senders share the one shard of a machine.
    expect(await starts(), "the runtime had evicted both").toEqual({ page: 2, limiters: 2 });

    await steering.time({ at: first_at + WINDOW_MS - 1 });
    expect((await view(SENDER, "one-more")).status).toBe(429);
    await steering.time({ at: first_at + WINDOW_MS });
    expect((await view(SENDER, "one-more")).status).toBe(202);
  },
  TEST_TIMEOUT_MS,
);
