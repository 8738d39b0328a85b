/**
 * S6: bodies that never arrive, over a real socket, because HTTP clients do not send them; the server
 * does not wait for them for ever.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../../src/commands/serve/server.ts";
import { BODY_TIMEOUT_MS, LIMITER_TIMEOUT_MS } from "../../src/http/limits.ts";
import { TICK_MS } from "../../src/http/request-timers.ts";
import { Steering } from "../server/steering.ts";
import type { TimerCounts } from "../server/worker/setting.ts";

const START_TIMEOUT_MS = 60_000;

const steering = new Steering();
let server: Server;
let statePath: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-body-"));
  server = await startServer({ statePath, around: steering.around });
  steering.steer(server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** A part of the request: text, a pause in milliseconds, or the end of our side of the connection. */
type Part = string | number | "END";

let senders = 0;

interface Posting {
  /** All parts were written, or the connection was closed before. */
  sent: Promise<void>;
  isOver: () => boolean;
  answer: Promise<{ status: number; code: string | undefined }>;
}

function post(path: string, framing: string, parts: readonly Part[]): Posting {
  senders += 1;
  const socket = connect({
    host: "127.0.0.1",
    port: Number(server.url.port),
    allowHalfOpen: true,
  });
  const closed = Promise.withResolvers<void>();
  let isOver = false;
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  const close = () => {
    isOver = true;
    closed.resolve();
  };
  socket
    .on("end", close)
    .on("close", close)
    .on("error", () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: sila.example\r\nCF-Connecting-IP: 10.7.0.${senders}\r\n` +
      `Content-Type: application/json\r\n${framing}\r\n\r\n`,
  );
  const sending = (async () => {
    for (const part of parts) {
      if (typeof part === "number") await Promise.race([pause(part), closed.promise]);
      else if (part === "END") socket.end();
      else if (socket.writable) socket.write(part);
    }
  })();
  const read = async () => {
    await closed.promise;
    await sending;
    socket.destroy();
    const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
    return { status: Number(answer.split(" ", 2)[1]), code: /"code":"(\w+)"/.exec(body)?.[1] };
  };
  return { sent: sending, isOver: () => isOver, answer: read() };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const BEACON = "/api/analytics/view";
const CHUNKED = "Transfer-Encoding: chunked";
const REFUSED = { status: 400, code: "INVALID_JSON" };

test.for<[what: string, framing: string, parts: Part[]]>([
  ["ends in the middle of a chunk", CHUNKED, ['5\r\n{"pa', 50, "END"]],
  ["ends short of its length", "Content-Length: 50", ['{"page_id"', 50, "END"]],
  ["has a broken chunk after a good one", CHUNKED, ["1\r\n{\r\n-1\r\n}\r\n0\r\n\r\n"]],
])("S6: a body that %s is 400 INVALID_JSON", async ([, framing, parts]) => {
  expect(await post(BEACON, framing, parts).answer).toEqual(REFUSED);
});

/** One byte after the other, with pauses in milliseconds. */
const DRIPS = 20;
const dripping = (byte: string): Part[] => Array.from({ length: DRIPS }, () => [byte, 5]).flat();

async function timersOf(length_ms: number): Promise<TimerCounts> {
  const { timers } = await steering.time();
  return timers[length_ms] ?? { set: 0, ended: 0, cleared: 0 };
}

/** The time of these timers stands, until `steering.time` moves it. */
function hold(length_ms: number): Promise<unknown> {
  return steering.time({ timers: { [length_ms]: "held" } });
}

function end(length_ms: number): Promise<unknown> {
  return steering.time({ timers: { [length_ms]: "over" } });
}

describe("S6: given 10 s and then 400, and its connection is closed: a body that", () => {
  test("drips, of a known length", async () => {
    // Its time-out shares the ticks of its request's time-outs.
    await hold(TICK_MS);
    const before = await timersOf(TICK_MS);
    const posting = post(BEACON, "Content-Length: 8000", dripping(" "));
    await expect.poll(async () => (await timersOf(TICK_MS)).set).toBe(before.set + 1);
    await posting.sent;
    expect(posting.isOver()).toBe(false);
    await end(TICK_MS);
    expect(await posting.answer).toEqual(REFUSED);
    const ticks = (await timersOf(TICK_MS)).ended - before.ended;
    expect(ticks, "never too early").toBeGreaterThanOrEqual(BODY_TIMEOUT_MS / TICK_MS);
    // Each time-out ends at most two ticks too late; the limiter's comes before where it is slow.
    const most = (BODY_TIMEOUT_MS + LIMITER_TIMEOUT_MS) / TICK_MS + 2 * 2;
    expect(ticks).toBeLessThanOrEqual(most);
  });

  test("drips, in chunks", async () => {
    // Its time-out is a timer of its own.
    await hold(BODY_TIMEOUT_MS);
    const before = await timersOf(BODY_TIMEOUT_MS);
    const posting = post(BEACON, CHUNKED, dripping("1\r\n \r\n"));
    const begun = before.set + 1;
    await expect.poll(async () => (await timersOf(BODY_TIMEOUT_MS)).set).toBe(begun);
    await posting.sent;
    expect(posting.isOver()).toBe(false);
    expect((await timersOf(BODY_TIMEOUT_MS)).set, "no more time for more bytes").toBe(begun);
    await end(BODY_TIMEOUT_MS);
    expect(await posting.answer).toEqual(REFUSED);
  });
});
