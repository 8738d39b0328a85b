/**
 * An idle object is evicted from memory after about 10 s. The test waits for the runtime itself to do it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedDemo } from "../demo/seed.ts";
import { type Server, startServer } from "../server/server.ts";

const IDLE_MS = 15_000;

let state: string;
let server: Server;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "sila-idle-"));
  server = await startServer({ statePath: state, seed: seedDemo });
}, 60_000);

afterAll(async () => {
  await server?.dispose();
  await rm(state, { recursive: true, force: true });
});

function view(ip: string, event_id: string): Promise<Response> {
  return fetch(new URL("/api/analytics/view", server.url), {
    method: "POST",
    headers: { "CF-Connecting-IP": ip, "Content-Type": "application/json" },
    body: JSON.stringify({ page_id: "demo", event_id }),
  });
}

test("F10: after 15 s idle the limit is honoured and ids are remembered", async () => {
  const ip = "192.0.2.60";
  const first_at = Date.now();
  // There was no refusal, so the router has none in memory: the next decision is the object's.
  for (let i = 0; i < 60; i += 1) expect((await view(ip, `e${i}`)).status).toBe(202);
  await wait(IDLE_MS);

  const refused = await view(ip, "one-more");
  expect(refused.status).toBe(429);
  const admitted_at = Date.now() + Number(refused.headers.get("Retry-After")) * 1_000;
  expect(admitted_at).toBeGreaterThanOrEqual(first_at + 60_000);
  expect(admitted_at).toBeLessThanOrEqual(first_at + 63_000);

  const again = await view("192.0.2.61", "e0");
  expect(again.headers.get("X-Beacon-Outcome")).toBe("duplicate");
}, 60_000);
