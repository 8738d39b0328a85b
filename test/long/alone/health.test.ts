/** The deep health probe of the deployed bundle, whose requests share one answer of the hub. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, get, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../../../src/commands/serve/server.ts";
import { Steering } from "../../server/steering.ts";

const START_TIMEOUT_MS = 60_000;
/** Requests that wait for a probe that another one has begun. */
const WAITING = 5;

const steering = new Steering();
let server: Server;
let statePath: string;
let answer: RequestListener;
const asked: string[] = [];
/** The Worker's output. */
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
  const vars = { HUB_URL, AUTH_URL: `${HUB_URL}/sign-in`, HUB_SESSION_COOKIE: "hub_session" };
  server = await startServer({ statePath, vars, onLine, around: steering.around });
  steering.steer(server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  hub.closeAllConnections();
  hub.close();
  await rm(statePath, { recursive: true, force: true });
});

afterEach(() => expect(lines, "printed").toEqual([]));

let senders = 0;

/** Requests under another host name, for which the local cache has nothing. */
async function ask(host: string): Promise<number> {
  senders += 1;
  const headers = { Host: host, "CF-Connecting-IP": `10.8.0.${senders}` };
  const [response] = await once(get(new URL("/health/deep", server.url), { headers }), "response");
  response.resume();
  return response.statusCode;
}

test("S19: answers all waiting requests by one to the hub, although the first one has hung up", async () => {
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
  const arrived = (await steering.time()).requests;
  const others = Array.from({ length: WAITING }, () => ask("left"));
  await expect.poll(async () => (await steering.time()).requests).toBe(arrived + WAITING);
  first.destroy();
  await closed;
  // The Worker answers it after it has seen the end of the connection.
  await steering.time();
  gone.resolve();
  expect(await Promise.all(others)).toEqual(Array(WAITING).fill(200));
  expect(asked).toEqual(["GET /health"]);
});
