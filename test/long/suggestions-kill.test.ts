/**
 * The quota of suggestions in the real runtime: workerd is ended with SIGKILL between the steps of
 * requests, and what was answered is compared with what the endpoint was asked.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RESERVATION_MS } from "../../objects/limiter/reservations.ts";
import { AI_REQUESTS_PER_PLAN } from "../../src/http/limits.ts";
import { startWithHub, type WithHub } from "../demo/hub/with-hub.ts";
import { freePair } from "../server/ports.ts";
import { scratchFolder } from "../server/scratch.ts";

const LIMIT = AI_REQUESTS_PER_PLAN.free;
const ENDPOINT = "/v1/chat/completions";
const UNDER_WAY = 4;
const TIMEOUT_MS = 150_000;
/** So long the endpoint takes for the requests that are killed: far longer than they take to reach it. */
const ANSWER_MS = 30_000;
const POLL_MS = 100;
const POLLS_MAX = 300;

let statePath: string;
let running: WithHub;
let headers: Record<string, string>;
let senders = 0;

beforeAll(async () => {
  statePath = await mkdtemp(join(await scratchFolder(), "sila-suggestions-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  running = await startWithHub({ port: pair.port, hostname: "127.0.0.1", statePath });
  const signedIn = await running.hub.control("POST", "/sign-in", { user_id: "demo-free" });
  const Cookie = `hub_session=${(signedIn as { cookie: string }).cookie}`;
  const session = await fetch(`${running.origin}/api/auth/session`, { headers: { Cookie } });
  const { csrf_token } = (await session.json()) as { csrf_token: string };
  headers = { Cookie, "X-CSRF-Token": csrf_token, "Sec-Fetch-Site": "same-origin" };
});
afterAll(async () => {
  vi.restoreAllMocks();
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** The status of a request for suggestions; null where its connection ended. */
async function suggest(): Promise<number | null> {
  senders += 1;
  try {
    const response = await fetch(`${running.origin}/api/ai/bio`, {
      method: "POST",
      headers: { ...headers, "CF-Connecting-IP": `10.9.0.${senders}` },
      body: '{"locale":"en","about":"I paint harbours."}',
    });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

function suggestAll(count: number): Promise<(number | null)[]> {
  return Promise.all(Array.from({ length: count }, suggest));
}

/** How often the endpoint was asked since the last time. */
async function asked(): Promise<number> {
  const { calls } = (await running.hub.control("DELETE", "/calls")) as {
    calls: { path: string }[];
  };
  return calls.filter(({ path }) => path === ENDPOINT).length;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    if (await isDone()) return;
    await pause(POLL_MS);
  }
  throw new Error("it did not happen within 30 s");
}

/** Ends workerd, and waits until another one serves. */
async function kill(): Promise<void> {
  const pid = running.server.workerd.pid();
  if (pid === undefined) throw new Error("workerd is not running");
  process.kill(pid, "SIGKILL");
  await until(async () => {
    const now = running.server.workerd.pid();
    if (now === undefined || now === pid) return false;
    const health = await fetch(`${running.origin}/health`).catch(() => null);
    return health?.status === 200;
  });
}

const sorted = (statuses: (number | null)[]) =>
  statuses.toSorted((one, other) => Number(one) - Number(other));
const of = (answered: number, refused: number) => [
  ...Array<number>(answered).fill(200),
  ...Array<number>(refused).fill(429),
];

test("SIGKILL between a reservation and its settling loses no unit for longer than a minute, and doubles none", {
  timeout: TIMEOUT_MS,
}, async () => {
  // The cron may run while workerd is down, and says so.
  vi.spyOn(console, "error").mockImplementation(() => {});
  await running.hub.control("PUT", "/fault", { path: ENDPOINT, fault: "slow", ms: ANSWER_MS });
  const ended = suggestAll(UNDER_WAY);
  let calls = 0;
  await until(async () => {
    calls += await asked();
    return calls === UNDER_WAY;
  });
  const reserved_by = Date.now();
  await kill();
  expect(await ended).toEqual(Array(UNDER_WAY).fill(null));
  await running.hub.control("PUT", "/fault", { path: ENDPOINT, fault: null });

  // What was under way is still reserved: another process has it from the disk.
  expect(sorted(await suggestAll(LIMIT))).toEqual(of(LIMIT - UNDER_WAY, UNDER_WAY));
  await kill();
  expect(await suggest()).toBe(429);
  expect(await asked()).toBe(LIMIT - UNDER_WAY);

  await pause(reserved_by + RESERVATION_MS - Date.now());
  expect(sorted(await suggestAll(LIMIT))).toEqual(of(UNDER_WAY, LIMIT - UNDER_WAY));
  await kill();
  expect(await suggest()).toBe(429);
  expect(await asked()).toBe(UNDER_WAY);
});
