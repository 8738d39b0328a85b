/**
 * Newsletters in the real runtime, with the demo hub's mailbox: workerd is ended with SIGKILL while
 * people sign up, confirm and leave, each time at another step, and the mailbox refuses mails. What was acknowledged is
 * compared with the owner's list and the mailbox, as sets of addresses.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWithHub, type WithHub } from "../demo/hub/with-hub.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";
import { Steering } from "../server/steering.ts";

const START_TIMEOUT_MS = 120_000;
const READERS = 24;
/** Where workerd is ended while a part of the readers sign up. */
const KILLS = ["mail, after", "confirm, before", "mail, before", "confirm, after"] as const;
/** Mails that the mailbox refuses in a row. */
const REFUSED = 2;
/**
 * Longest time to wait for a mail, in milliseconds. A kill in the middle of an alarm delays the next one
 * by 15 s, and a mail that was refused three times by up to 9 s; on a busy machine several kills meet a mail.
 */
const MAIL_MS = 80_000;

interface Mail {
  to: string;
  text: string;
  headers: Record<string, string>;
}

const steering = new Steering();
let statePath: string;
let running: WithHub;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-newsletter-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no free port");
  const page = plainPage({ page_id: "news", owner_id: "demo-pro", slug: "news" });
  const block = {
    kind: "newsletter",
    ...{ link_id: "block", label: { ar: "نشرة" }, url: null, enabled: true },
    ...{ from: null, until: null, highlight: false, image: null, block: {} },
  } as const;
  running = await startWithHub({
    port: pair.port,
    hostname: "127.0.0.1",
    statePath,
    around: steering.around,
    seed: (db) => storePage(db, { ...page, links: [block] }),
    onLine: () => {},
  });
  steering.steer(running.server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
}, START_TIMEOUT_MS);

/** Longer than workerd takes to start on a busy machine. */
const ANSWER_MS = 60_000;

/** The answer of a request that is repeated until there is one. Each sender is somebody else. */
async function ask(path: string, init: RequestInit, sender: number): Promise<Response> {
  for (const since = Date.now(); Date.now() - since < ANSWER_MS; await pause(100)) {
    try {
      const headers = {
        ...init.headers,
        "CF-Connecting-IP": `203.0.113.${sender}`,
        // Without it they would be bots.
        "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0",
      };
      const response = await fetch(new URL(path, running.origin), { ...init, headers });
      if (response.status < 500 && response.status !== 429) return response;
    } catch {
      // workerd is being started again.
    }
  }
  throw new Error(`no answer from ${path}`);
}

async function mailTo(to: string, kind: RegExp): Promise<string> {
  for (const since = Date.now(); Date.now() - since < MAIL_MS; await pause(200)) {
    const { mails } = (await running.hub.control("POST", "/mails", { to })) as { mails: Mail[] };
    const token = mails.map(({ text }) => kind.exec(text)?.[1]).find((found) => found);
    if (token !== undefined) return token;
  }
  throw new Error(`no mail to ${to}`);
}

const CONFIRM = /\/newsletter\/confirm\?token=(\S+)/;

/** Signs up, confirms, and leaves if it is the reader's turn. Answers whether it has stayed. */
async function read(email: string, n: number): Promise<boolean> {
  const body = JSON.stringify({ page_id: "news", email });
  const asked = await ask("/api/newsletter", { method: "POST", body }, n);
  expect(asked.status).toBe(202);
  const query = `?token=${await mailTo(email, CONFIRM)}`;
  const confirmed = await ask(`/newsletter/confirm${query}`, { method: "POST" }, n);
  expect(confirmed.status).toBe(200);
  if (n % 3 !== 0) return true;
  const left = await ask(`/newsletter/unsubscribe${query}`, { method: "POST" }, n);
  expect(left.status).toBe(200);
  return false;
}

test("no acknowledged subscription is lost or counted twice, through SIGKILL and lost mails", {
  timeout: 180_000,
}, async () => {
  const emails = Array.from({ length: READERS }, (_, n) => `reader-${n}@example.com`);
  let allowed = 0;
  const reading = Promise.all(
    emails.map(async (email, n) => {
      while (n >= allowed) await pause(20);
      return { email, stays: await read(email, n) };
    }),
  );
  reading.catch(() => {});
  for (const step of KILLS) {
    // The next readers' mails meet it.
    const fault = { path: "/api/mails", fault: "error", times: REFUSED };
    await running.hub.control("PUT", "/fault", fault);
    const ending = steering.at(step, "SIGKILL");
    allowed += READERS / KILLS.length;
    await ending;
    await steering.isUp();
  }
  await running.hub.control("PUT", "/fault", { path: "*", fault: null });
  const readers = await reading;
  const stayed = readers.filter(({ stays }) => stays).map(({ email }) => email);

  const { cookie } = (await running.hub.control("POST", "/sign-in", { user_id: "demo-pro" })) as {
    cookie: string;
  };
  const headers = { Cookie: `hub_session=${cookie}` };
  const list = await ask("/api/me/pages/news/subscribers?limit=100", { headers }, 200);
  const { subscribers, total, pending } = (await list.json()) as {
    subscribers: { email: string }[];
    total: number;
    pending: number;
  };
  expect(subscribers.map(({ email }) => email).toSorted()).toEqual(stayed.toSorted());
  expect({ total, pending }).toEqual({ total: stayed.length, pending: 0 });
  // Each who confirmed is one click of the block, also those who have left.
  await expect
    .poll(
      async () => {
        const response = await ask("/api/me/pages/news/totals", { headers }, 201);
        return ((await response.json()) as { totals: { links: object } }).totals.links;
      },
      { timeout: MAIL_MS, interval: 500 },
    )
    .toEqual({ block: READERS });
  // Who stayed has the mail that says so; one that came twice is the same mail.
  for (const email of stayed) await mailTo(email, /(تأكّد اشتراكك|is confirmed)/);
  const { mails } = (await running.hub.control("DELETE", "/mails")) as { mails: Mail[] };
  const by_id = new Map<string, string>();
  for (const { to, text, headers } of mails) {
    const id = headers["X-Sila-Mail-Id"] ?? "";
    expect(by_id.get(id) ?? to + text).toBe(to + text);
    by_id.set(id, to + text);
  }
  expect(by_id.size).toBeGreaterThanOrEqual(READERS + stayed.length);
  expect(by_id.size).toBeLessThanOrEqual(2 * READERS);
});
