/**
 * S6: bodies that never arrive, over a real socket, because HTTP clients do not send them; the server
 * does not wait for them for ever.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BODY_TIMEOUT_MS } from "../../src/http/limits.ts";
import { type Server, startServer } from "../server/server.ts";

const START_TIMEOUT_MS = 60_000;
/** Time in milliseconds that a busy machine may add to an answer. */
const SLACK_MS = 3_000;

let server: Server;
let statePath: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-body-"));
  server = await startServer({ statePath });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

/** A part of the request: text, a pause in milliseconds, or the end of our side of the connection. */
type Part = string | number | "END";

let senders = 0;

/** Sends a POST with this body unchanged, and reads until the server closes the connection. */
async function post(path: string, framing: string, parts: readonly Part[]) {
  senders += 1;
  const socket = connect({
    host: "127.0.0.1",
    port: Number(server.url.port),
    allowHalfOpen: true,
  });
  const started = performance.now();
  const closed = Promise.withResolvers<void>();
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  socket
    .on("end", closed.resolve)
    .on("close", closed.resolve)
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
  await closed.promise;
  await sending;
  socket.destroy();
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  return {
    status: Number(answer.split(" ", 2)[1]),
    code: /"code":"(\w+)"/.exec(body)?.[1],
    took_ms: performance.now() - started,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const BEACON = "/api/analytics/view";
const CHUNKED = "Transfer-Encoding: chunked";

test.for<[what: string, framing: string, parts: Part[]]>([
  ["ends in the middle of a chunk", CHUNKED, ['5\r\n{"pa', 50, "END"]],
  ["ends between two chunks", CHUNKED, ["1\r\n{\r\n", 50, "END"]],
  ["ends short of its length", "Content-Length: 50", ['{"page_id"', 50, "END"]],
  ["has a chunk whose size is no number", CHUNKED, ["zz\r\n{}\r\n0\r\n\r\n"]],
  ["has a broken chunk after a good one", CHUNKED, ["1\r\n{\r\n-1\r\n}\r\n0\r\n\r\n"]],
  ["has a chunk longer than it says", CHUNKED, ["1\r\n{}}}\r\n0\r\n\r\n"]],
])("S6: a body that %s is 400 INVALID_JSON", async ([, framing, parts]) => {
  for (const path of [BEACON, "/api/log/error", "/api/webhooks/hub"]) {
    const { status, code } = await post(path, framing, parts);
    expect([path, status, code]).toEqual([path, 400, "INVALID_JSON"]);
  }
});

const second = [" ", 1_000] as const;
const seconds = Array.from({ length: 15 }, () => second).flat();
const chunks = seconds.map((part) => (part === " " ? "1\r\n \r\n" : part));

test.concurrent.for<[what: string, framing: string, parts: Part[]]>([
  ["never ends, of a known length", "Content-Length: 50", ["{"]],
  ["never ends, in chunks", CHUNKED, ["1\r\n{\r\n"]],
  ["never begins", "Content-Length: 50", []],
  ["drips a byte a second, of a known length", "Content-Length: 8000", seconds],
  ["drips a byte a second, in chunks", CHUNKED, chunks],
])(
  "S6: a body that %s is given 10 s and then 400, and its connection is closed",
  { timeout: BODY_TIMEOUT_MS + 2 * SLACK_MS },
  async ([, framing, parts]) => {
    const { status, code, took_ms } = await post(BEACON, framing, parts);
    expect([status, code]).toEqual([400, "INVALID_JSON"]);
    expect(took_ms).toBeGreaterThan(BODY_TIMEOUT_MS - 100);
    expect(took_ms).toBeLessThan(BODY_TIMEOUT_MS + SLACK_MS);
  },
);
