/** The deep health probe of the deployed bundle, with a hub in another process. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, get, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../../server/server.ts";
import { Steering } from "../../server/steering.ts";
import { slowness } from "../slowness.ts";

const START_TIMEOUT_MS = 60_000;
/** A probe's time-out; `src/site/probes.ts` cannot be imported, because it needs workerd. */
const PROBE_TIMEOUT_MS = 2_000;
/** The timer of workerd and the clock that it shows may differ by so much, in milliseconds. */
const CLOCK_SLACK_MS = 10;
/** A probe that times out takes at most so many times its time-out on an idle machine. */
const SLOWER_MAX = 2;
/** Concurrent requests. */
const CROWD = 40;
/** Requests that wait for a probe that another one has begun. */
const WAITING = 5;

const steering = new Steering();
let server: Server;
let statePath: string;
let answer: RequestListener;
const asked: string[] = [];
/** The Worker's output; `expectProbeFailed` takes it. */
const lines: string[] = [];
const hub = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  answer(request, response);
});

beforeAll(async () => {
  await once(hub.listen(0, "127.0.0.1"), "listening");
  statePath = await mkdtemp(join(tmpdir(), "sila-health-"));
  const HUB_URL = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const onLine = (line: string) => void lines.push(line);
  server = await startServer({ statePath, vars: { HUB_URL }, onLine, around: steering.around });
  steering.steer(server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  hub.closeAllConnections();
  hub.close();
  await rm(statePath, { recursive: true, force: true });
});

/** Expects exactly one kind of output since the last call: the log of a failed probe of the hub. */
async function expectProbeFailed(): Promise<void> {
  await expect.poll(() => lines.length).toBe(1);
  expect(JSON.parse(lines.pop() ?? "")).toMatchObject({ event: "probe_failed", dependency: "hub" });
}

afterEach(() => expect(lines, "printed, and no test expects it").toEqual([]));

let senders = 0;

/** Requests under another host name, for which the local cache has nothing. */
async function ask(host: string) {
  senders += 1;
  const headers = { Host: host, "CF-Connecting-IP": `10.8.0.${senders}` };
  const [response] = await once(get(new URL("/health/deep", server.url), { headers }), "response");
  const body = JSON.parse((await response.toArray()).join(""));
  return { status: response.statusCode, retry_after: response.headers["retry-after"], body };
}

test("is 200 when D1, KV, R2 and the hub answer", async () => {
  answer = (_, response) => response.end("fine");
  const { status, body } = await ask("well");
  expect(body).toMatchObject({ ok: true, status: "pass", app: "sila" });
  expect(Object.keys(body.checks)).toEqual(["d1", "kv", "r2", "hub", "config"]);
  expect(status).toBe(200);
});

test("does not follow a hub's redirect, and reports the hub as down", async () => {
  asked.length = 0;
  answer = (_, response) => response.writeHead(302, { Location: "/elsewhere" }).end();
  const { status, retry_after, body } = await ask("redirected");
  expect([status, retry_after, body.code]).toEqual([503, "30", "DEPENDENCY_DOWN"]);
  expect(body.details.checks.hub.ok).toBe(false);
  expect(asked).toEqual(["GET /health"]);
  await expectProbeFailed();
});

test("waits two seconds for a hub that does not answer, and no longer", async () => {
  answer = () => {};
  const before = slowness().wall;
  const started = performance.now();
  const { status, body } = await ask("hanging");
  const took_ms = performance.now() - started;
  const slower = SLOWER_MAX * Math.max(1, before, slowness().wall);
  expect(took_ms / PROBE_TIMEOUT_MS).toBeLessThan(slower);
  expect([status, body.details.checks.hub.ok, body.details.checks.d1.ok]).toEqual([
    503,
    false,
    true,
  ]);
  expect(body.details.checks.hub.latency_ms).toBeGreaterThanOrEqual(
    PROBE_TIMEOUT_MS - CLOCK_SLACK_MS,
  );
  await expectProbeFailed();
});

test("answers all waiting requests, although the first one has hung up", async () => {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  answer = async (_, response) => {
    reached.resolve();
    await gone.promise;
    response.end();
  };
  const first = get(new URL("/health/deep", server.url), { headers: { Host: "left" } });
  const closed = new Promise((resolve) => first.on("error", () => {}).on("close", resolve));
  await reached.promise;
  asked.length = 0;
  const arrived = (await steering.time()).requests;
  const others = Array.from({ length: WAITING }, () => ask("left"));
  await expect.poll(async () => (await steering.time()).requests).toBe(arrived + WAITING);
  first.destroy();
  await closed;
  // The Worker answers it after it has seen the end of the connection.
  await steering.time();
  gone.resolve();
  const answers = await Promise.all(others);
  expect(answers.map(({ status }) => status)).toEqual(Array(WAITING).fill(200));
  expect(asked).toEqual([]);
});

test("S19: many requests at once, and repeated, are one request to the hub", async () => {
  asked.length = 0;
  const gone = Promise.withResolvers<void>();
  answer = async (_, response) => {
    await gone.promise;
    response.end();
  };
  for (let round = 0; round < 2; round += 1) {
    const { requests } = await steering.time();
    const asking = Promise.all(Array.from({ length: CROWD }, () => ask("crowded")));
    await expect.poll(async () => (await steering.time()).requests).toBe(requests + CROWD);
    gone.resolve();
    const answers = await asking;
    expect(answers.map(({ status }) => status)).toEqual(Array(CROWD).fill(200));
  }
  expect(asked).toEqual(["GET /health"]);
});
