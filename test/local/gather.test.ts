/**
 * Requests that share a call to an object (`src/gather.ts`), on the deployed bundle, where they really do:
 * nobody may be left without an answer because a neighbour has gone.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPage } from "../../src/stores/pages.ts";
import { type Server, startServer } from "./server.ts";

const START_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 3_000;
const ROUNDS = 60;
const COMPANY = 8;

let server: Server;
let statePath: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-gather-"));
  const seed = (db: D1Database) =>
    createPage(db, {
      page_id: "hot",
      owner_id: null,
      slug: "hot",
      locale: "ar",
      name: "hot",
      bio: "",
      avatar: null,
      theme: "sand",
      contact: null,
      status: "published",
      updated_at: 0,
      links: [],
    });
  server = await startServer({ statePath, seed, vars: { LIMITER_SHARDS: "1" } });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server.dispose();
  await rm(statePath, { recursive: true, force: true });
});

let senders = 0;

function address(): string {
  senders += 1;
  return `10.9.${senders >> 8}.${senders & 255}`;
}

/** Sends a beacon and hangs up after so many milliseconds. */
function hangUp(after_ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = JSON.stringify({ page_id: "hot" });
  const socket = connect(Number(server.url.port), "127.0.0.1", () => {
    socket.write(
      `POST /api/analytics/view HTTP/1.1\r\nHost: localhost\r\nCF-Connecting-IP: ${address()}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    setTimeout(() => socket.destroy(), after_ms);
  });
  socket.on("error", () => {}).on("close", () => resolve());
  return promise;
}

async function send(): Promise<string | number> {
  try {
    const response = await fetch(new URL("/api/analytics/view", server.url), {
      method: "POST",
      headers: { "CF-Connecting-IP": address() },
      body: JSON.stringify({ page_id: "hot" }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return String(error);
  }
}

test("everybody is answered, while others who share the call hang up", {
  timeout: START_TIMEOUT_MS,
}, async () => {
  expect(await send()).toBe(202);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gone = hangUp(round % 6);
    const answers = await Promise.all(Array.from({ length: COMPANY }, send));
    await gone;
    expect(answers, `round ${round}`).toEqual(Array(COMPANY).fill(202));
  }
});
