/**
 * Receivers that hang, dribble, flood, redirect or talk nonsense, through workerd's own `fetch`: each attempt ends in
 * its time, reads little, and says what has happened (docs/security.md S27, docs/faults.md F32).
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ANSWER_CHARS_MAX,
  linkChecker,
  SEND_TIMEOUT_MS,
} from "../../objects/blocks/webhooks/call-outside.ts";
import type { DeliveryDetail, Endpoint } from "../../objects/blocks/webhooks/webhook.ts";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";

const TIMEOUT_MS = 120_000;
const DRIBBLE_MS = 100;
/** Unpacked, of 300 KB. */
const BOMB_BYTES = 300_000_000;
/** An attempt ends this much after its time at the latest, on a busy machine. */
const MARGIN_MS = 10_000;
const MEGABYTE = 1_048_576;
const OWNER = "demo-pro";

const bomb = gzipSync(Buffer.alloc(BOMB_BYTES, "a"));
/** Paths that were asked for, and `hang ended` when that attempt was given up. */
const seen: string[] = [];

/** Sends a byte now and then, for as long as somebody listens. */
function dribble({ socket }: ServerResponse, head: string): void {
  socket?.write(head);
  const timer = setInterval(() => socket?.write("x"), DRIBBLE_MS);
  socket?.once("close", () => clearInterval(timer));
}

const BEHAVIOURS: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  fine: (response) => response.end("thank you"),
  hang: () => {},
  "slow-head": (response) => dribble(response, "HTTP/1.1 200 OK\r\nX-Long: "),
  endless: (response) =>
    dribble(response, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbegun "),
  redirect: (response) => response.writeHead(307, { Location: "/followed" }).end("elsewhere"),
  bomb: (response) => response.writeHead(500, { "Content-Encoding": "gzip" }).end(bomb),
  reset: (response) => response.socket?.resetAndDestroy(),
  nonsense: (response) => response.socket?.end("good morning\r\n\r\n"),
  odd: (response) => response.socket?.end("HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nno"),
  "no-head": (response, { method }) => {
    if (method === "HEAD") response.socket?.destroy();
    else response.end("fine");
  },
  "hangs-head": (response, { method }) => {
    if (method !== "HEAD") response.end("fine");
  },
};

const receiver = createServer((request, response) => {
  const path = (request.url ?? "").slice(1);
  seen.push(path);
  response.socket?.on("error", () => {});
  if (path === "hang") response.socket?.once("close", () => seen.push("hang ended"));
  request.resume();
  BEHAVIOURS[path]?.(response, request);
});
const addressOf = (path: string) =>
  `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;

beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

describe("an attempt", () => {
  const PAGES = ["first", "second", "third"];
  const RECEIVERS = [
    ["fine", "hang", "slow-head"],
    ["endless", "redirect", "bomb"],
    ["reset", "nonsense", "odd"],
  ];
  let statePath: string;
  let running: WithHub;
  /** Of the owner's requests. */
  let headers: Record<string, string>;
  const tests = new Map<string, { page_id: string; id: number }>();

  beforeAll(async () => {
    const pair = await freePair(0);
    if ("taken" in pair) throw new Error("there is no free port");
    statePath = await mkdtemp(join(tmpdir(), "sila-webhooks-"));
    running = await startWithHub({
      ...pair,
      hostname: "127.0.0.1",
      statePath,
      seed: async (db) => {
        for (const page_id of PAGES) await storePage(db, plainPage({ page_id, owner_id: OWNER }));
      },
      // Attempts that fail on purpose are logged.
      onLine: () => {},
    });
    const { cookie } = (await running.hub.control("POST", "/sign-in", { user_id: OWNER })) as {
      cookie: string;
    };
    headers = { Cookie: `hub_session=${cookie}` };
    const { csrf_token } = await ask<{ csrf_token: string }>("GET", "/api/auth/session");
    Object.assign(headers, {
      "X-CSRF-Token": csrf_token,
      Origin: running.origin,
      "Content-Type": "application/json",
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await running?.dispose();
    await rm(statePath, { recursive: true, force: true });
  }, TIMEOUT_MS);

  let senders = 0;
  async function ask<Answer>(method: string, path: string, body?: string): Promise<Answer> {
    senders += 1;
    const response = await fetch(running.origin + path, {
      method,
      headers: { ...headers, "CF-Connecting-IP": `10.1.${senders >> 8}.${senders & 255}` },
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as Answer;
  }

  const memory = async () => {
    const status = await readFile(`/proc/${running.server.workerd.pid()}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  };

  async function listen(page_id: string, path: string) {
    const body = JSON.stringify({ url: addressOf(path), events: ["link.up"] });
    const added = await ask<{ webhook: Endpoint }>(
      "POST",
      `/api/me/pages/${page_id}/webhooks`,
      body,
    );
    return { page_id, path, id: added.webhook.id };
  }

  async function sendTo({ page_id, path, id }: Awaited<ReturnType<typeof listen>>): Promise<void> {
    const test = `/api/me/pages/${page_id}/webhooks/${id}/test`;
    const { delivery_id } = await ask<{ delivery_id: number }>("POST", test);
    tests.set(path, { page_id, id: delivery_id });
  }

  async function firstAttempt(path: string): Promise<DeliveryDetail["attempts"][number]> {
    const { page_id = "", id = 0 } = tests.get(path) ?? {};
    for (const since = Date.now(); ; await pause(500)) {
      const detail = `/api/me/pages/${page_id}/webhook-deliveries/${id}`;
      const { delivery } = await ask<{ delivery: DeliveryDetail }>("GET", detail);
      const first = delivery.attempts.at(-1);
      if (first !== undefined) return first;
      if (Date.now() - since > SEND_TIMEOUT_MS + MARGIN_MS) throw new Error(`${path} has no end`);
    }
  }

  test("ends in its time whatever a receiver does, and tells its owner what has happened", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const before = await memory();
    const endpoints: Awaited<ReturnType<typeof listen>>[] = [];
    for (const [i, paths] of RECEIVERS.entries()) {
      for (const path of paths) endpoints.push(await listen(PAGES[i] ?? "", path));
    }
    await Promise.all(endpoints.map(sendTo));
    const quick = ["fine", "redirect", "bomb", "reset", "nonsense", "odd"];
    const outcomes: Record<string, [outcome: string, status: number | null]> = {};
    const answers: Record<string, string> = {};
    for (const path of [...quick, "hang", "slow-head", "endless"]) {
      const { outcome, status, answer } = await firstAttempt(path);
      outcomes[path] = [outcome, status];
      answers[path] = answer;
    }
    expect(outcomes).toEqual({
      fine: ["delivered", 200],
      redirect: ["redirected", 307],
      bomb: ["answered", 500],
      reset: ["unreachable", null],
      nonsense: ["unreachable", null],
      odd: ["answered", 999],
      hang: ["late", null],
      "slow-head": ["late", null],
      endless: ["delivered", 200],
    });
    expect(answers.fine).toBe("thank you");
    expect(answers.bomb).toBe("a".repeat(ANSWER_CHARS_MAX));
    expect(answers.endless).toMatch(/^begun x+$/);
    expect(seen).not.toContain("followed");
    const given_up = seen.indexOf("hang ended");
    for (const path of quick) {
      expect(seen.indexOf(path), `${path} waits for nobody that hangs`).toBeLessThan(given_up);
    }
    expect((await memory()) - before).toBeLessThan((BOMB_BYTES / MEGABYTE) * 0.5);
  });
});

describe("a look at a link", () => {
  const look = linkChecker(true);

  test.for([
    ["no-head", 200],
    ["hangs-head", 200],
    ["nonsense", "unreachable"],
    ["bomb", 500],
  ] as const)("of %s answers %s", { timeout: 20_000 }, async ([path, answer]) => {
    expect(await look(addressOf(path))).toBe(answer);
  });
});
