/**
 * docs/faults.md F21, F22 and F23 on the deployed bundle: calls of objects, D1, KV and the hub are
 * delayed, clients hang up, D1 hangs, and objects fail. At any distance every request is answered and
 * every count is exact.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clickKey, eventKey } from "../../src/counting/event-key.ts";
import { LIMITS_PER_MINUTE, REDIRECT_BUDGET_MS } from "../../src/http/limits.ts";
import type { Secret } from "../../src/http/secret.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { startWithHub, type WithHub } from "../demo/hub/with-hub.ts";
import { seedDemo } from "../demo/seed.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { secretOf } from "../secret.ts";
import { ROOT } from "../server/bundle.ts";
import { freePair } from "../server/ports.ts";
import { scratchFolder } from "../server/scratch.ts";
import { readSecrets } from "../server/server.ts";
import { type Setting, WELL } from "../server/worker/setting.ts";

const START_TIMEOUT_MS = 60_000;
const TEST_TIMEOUT_MS = 30_000;
/** Time from the answer to the count: longer than all tries of a click (`COUNT_RETRY_MAX_MS`). */
const COUNT_DEADLINE_MS = 26_000;
const POLL_MS = 50;

const DISTANCES_MS = [1, 5, 30, 150];
/** Concurrent requests. */
const CROWD = 200;
const LIMIT = LIMITS_PER_MINUTE.public;
const LINK = "shop";
/** A browser's user agent; without it a request is a bot's and counted as such. */
const USER_AGENT =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36";

const statePath = await mkdtemp(join(await scratchFolder(), "sila-distance-"));
let world: WithHub;
let secret: Secret;
let session: string;

/** workerd's warning about a promise that another request has resolved. */
const FOREIGN_PROMISE = "resolved or rejected from a different request context";
let foreign_promises = 0;

/** One request, made by the clients of all tests. */
interface Sent {
  method: "GET" | "HEAD" | "POST";
  path: string;
  sender: string;
  body?: string;
}

interface Answer {
  status: number;
  /** The outcome of the event; null if the answer has none. */
  outcome: string | null;
  request_id: string | null;
  text: string;
  took_ms: number;
}

/** One way to count an event. */
interface Lane {
  name: string;
  kind: "view" | "click";
  status: number;
  request(page_id: string, event_id: string, sender: string): Sent;
  /** The key by which the page remembers the event; null if every event is new. */
  key?(event_id: string, sender: string): string;
}

function beacon(name: string, link_id: string): Lane {
  return {
    name,
    kind: link_id === "" ? "view" : "click",
    status: 202,
    request: (page_id, event_id, sender) => ({
      method: "POST",
      path: "/api/analytics/view",
      sender,
      body: JSON.stringify({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }),
    }),
    key: (event_id) => eventKey(secret, event_id, link_id),
  };
}

const VIEW = beacon("beacon of a view", "");
const CLICK = beacon("beacon of a click", LINK);
const PIXEL: Lane = {
  name: "pixel",
  kind: "view",
  status: 200,
  request: (page_id, _, sender) => ({ method: "GET", path: `/p/${page_id}.gif`, sender }),
};
const REDIRECT: Lane = {
  name: "redirect",
  kind: "click",
  status: 302,
  request: (page_id, event_id, sender) => ({
    method: "GET",
    path: `/r/${page_id}/${LINK}?e=${event_id}`,
    sender,
  }),
  key: (event_id, sender) => {
    const ids = { event_id, tap_id: undefined };
    return clickKey(secret, { sender, is_bot: false }, ids, LINK) ?? "";
  },
};
const LANES = [VIEW, CLICK, PIXEL, REDIRECT];

const PRIVATE_PATHS = [
  "/api/me/wallet",
  "/api/me/notifications",
  "/api/me/pages/demo/stats",
  "/api/me/pages/demo/stats.csv",
  "/api/me/pages/demo/audit",
];

/** Senders shared by many tests; each stays far below its limit. */
const SENDERS = Array.from({ length: CROWD }, (_, n) => `10.1.0.${n}`);

let made = 0;

/** A page or a sender used by one test. */
function fresh(prefix: string): string {
  made += 1;
  return `${prefix}${made}`;
}

beforeAll(async () => {
  const found = await freePair(0);
  if ("taken" in found) throw new Error(`port ${found.taken} is taken`);
  world = await startWithHub({
    statePath,
    port: found.port,
    hostname: "127.0.0.1",
    seed: seedDemo,
    around: { module: join(ROOT, "test/server/worker/far.ts"), services: {} },
    onLine: (line) => {
      if (line.includes(FOREIGN_PROMISE)) foreign_promises += 1;
      // The lines of the warning's stack come one by one.
      else if (foreign_promises === 0 || !line.startsWith("    at ")) console.error(line);
    },
  });
  secret = secretOf((await readSecrets(statePath)).SENDER_KEY);
  const begun = await world.hub.control("POST", "/sign-in", { user_id: DEMO_OWNER });
  session = (begun as { cookie: string }).cookie;
}, START_TIMEOUT_MS);

afterAll(async () => {
  await world?.dispose();
  await rm(statePath, { recursive: true, force: true });
});

beforeEach(async () => {
  await far({ ms: 0 });
});

/** Changes the setting; returns the Worker's log since the last call. */
async function far(setting: Partial<Setting>): Promise<string[]> {
  const body = JSON.stringify({ ...WELL, ...setting });
  const response = await fetch(new URL("/far", world.origin), { method: "POST", body });
  return (await response.json()) as string[];
}

async function makePage(page_id: string): Promise<string> {
  const links = [{ link_id: LINK, url: "https://shop.example/" }];
  await storePage(await world.server.db(), plainPage({ page_id, name: page_id, links }));
  return page_id;
}

function headersOf({ sender, body }: Sent): Record<string, string> {
  return {
    "CF-Connecting-IP": sender,
    "User-Agent": USER_AGENT,
    Cookie: `hub_session=${session}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
}

async function send(sent: Sent): Promise<Answer> {
  const { method, path, body = null } = sent;
  const sent_at = performance.now();
  const init: RequestInit = { method, headers: headersOf(sent), body, redirect: "manual" };
  const response = await fetch(new URL(path, world.origin), init);
  const text = await response.text();
  const { status, headers } = response;
  return {
    status,
    outcome: headers.get("X-Beacon-Outcome"),
    request_id: headers.get("X-Request-Id"),
    text,
    took_ms: performance.now() - sent_at,
  };
}

/** Sends a request and hangs up after so many milliseconds. */
async function hangUp(sent: Sent, after_ms: number): Promise<void> {
  const { method, path, body = "" } = sent;
  const headers = { Host: "localhost", ...headersOf(sent), "Content-Length": `${body.length}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(world.origin).port), "127.0.0.1");
  const closed = once(socket, "close");
  // The server may close it first; the result is the same.
  socket.on("error", () => {});
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  await pause(after_ms);
  socket.destroy();
  await closed;
}

/** The number of answers by status: `{"202": 60, "429": 140}`. */
function statuses(answers: readonly Answer[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { status } of answers) times[status] = (times[status] ?? 0) + 1;
  return times;
}

/** The RPC methods of an object that are used here. */
interface PageStub {
  totals(): Promise<{ kind: string; class: string; accepted: number }[]>;
  remembers(keys: readonly string[]): Promise<boolean[]>;
  flush(): Promise<void>;
  evict(): Promise<void>;
}

async function pageObject(page_id: string): Promise<PageStub> {
  const { miniflare } = world.server.workerd;
  const namespace = await miniflare.getDurableObjectNamespace("PAGE");
  // Importing `workers-types` would declare its globals too.
  return (namespace as unknown as { getByName(name: string): PageStub }).getByName(page_id);
}

/** Accepted events by class, of all kinds and links together: `{human: 200}`. */
async function counts(page_id: string): Promise<Record<string, number>> {
  const by_class: Record<string, number> = {};
  for (const { class: name, accepted } of await (await pageObject(page_id)).totals()) {
    by_class[name] = (by_class[name] ?? 0) + accepted;
  }
  return by_class;
}

async function flushedCounts(page_id: string): Promise<Record<string, number>> {
  await (await pageObject(page_id)).flush();
  const { results } = await (await world.server.db())
    .prepare("SELECT class, SUM(n) AS n FROM tallies WHERE page_id = ?1 GROUP BY class")
    .bind(page_id)
    .all<{ class: string; n: number }>();
  return Object.fromEntries(results.map(({ class: name, n }) => [name, n]));
}

function sumOf(counted: Record<string, number>): number {
  return Object.values(counted).reduce((sum, n) => sum + n, 0);
}

/** Waits for the work after the answers, then compares the object's numbers and D1's with `expected`. */
async function expectCounts(page_id: string, expected: Record<string, number>): Promise<void> {
  const deadline = Date.now() + COUNT_DEADLINE_MS;
  while (sumOf(await counts(page_id)) < sumOf(expected) && Date.now() < deadline) {
    await pause(POLL_MS);
  }
  expect(await counts(page_id), "in the object").toEqual(expected);
  expect(await flushedCounts(page_id), "in D1").toEqual(expected);
}

/** One event of each of `SENDERS`, with ids that tests of the same page share. */
function crowd(lane: Lane, page_id: string) {
  return SENDERS.map((sender, n) => {
    const event_id = `event-${n}`;
    const key = () => lane.key?.(event_id, sender) ?? "";
    return { request: lane.request(page_id, event_id, sender), key };
  });
}

async function remembered(
  page_id: string,
  events: readonly { key: () => string }[],
): Promise<boolean[]> {
  const keys = events.map(({ key }) => key());
  return (await pageObject(page_id)).remembers(keys);
}

describe.each(DISTANCES_MS)("F21: with %i ms between the router and what it calls", (ms) => {
  test.each(LANES)(
    "200 at once are all answered and counted: $name",
    {
      timeout: TEST_TIMEOUT_MS,
    },
    async (lane) => {
      const page_id = await makePage(fresh("crowd-"));
      await far({ ms });
      const events = crowd(lane, page_id);
      const answers = await Promise.all(events.map(({ request }) => send(request)));
      expect(statuses(answers)).toEqual({ [lane.status]: CROWD });
      const others = answers.filter(({ outcome }) => outcome !== "counted");
      // A redirect waits at most 300 ms for its click to be counted.
      if (lane === REDIRECT) expect(others.every(({ outcome }) => outcome === null)).toBe(true);
      else expect(others).toEqual([]);
      // Two delayed calls; each of the four timers may be a millisecond early.
      const way_ms = Math.min(2 * ms, REDIRECT_BUDGET_MS) - 4;
      expect(Math.min(...answers.map(({ took_ms }) => took_ms))).toBeGreaterThan(way_ms);
      await expectCounts(page_id, { human: CROWD });
      if (lane.key === undefined) return;
      // As many as there are ids, each once: none lost, none doubled.
      expect((await remembered(page_id, events)).filter((is_there) => !is_there)).toEqual([]);
    },
  );

  test("200 concurrent HEAD requests to a link are all answered, and count nothing", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("looked-at-"));
    const looks = SENDERS.map((sender) => REDIRECT.request(page_id, "", sender));
    await far({ ms });
    const answers = await Promise.all(looks.map((look) => send({ ...look, method: "HEAD" })));
    expect(statuses(answers)).toEqual({ 302: CROWD });
    expect(await counts(page_id)).toEqual({});
  });

  test.each(PRIVATE_PATHS)(
    "200 at once, signed in, are all answered: %s",
    {
      timeout: TEST_TIMEOUT_MS,
    },
    async (path) => {
      await far({ ms });
      const answers = await Promise.all(
        SENDERS.map((sender) => send({ method: "GET", path, sender })),
      );
      expect(statuses(answers)).toEqual({ 200: CROWD });
      const isWhole = ({ text }: Answer) =>
        path.endsWith(".csv") ? text.startsWith("section,key,") : JSON.parse(text).ok === true;
      expect(answers.every(isWhole)).toBe(true);
    },
  );

  test("of 200 from one sender the limit admits 60, and the page counts the others as limited", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("limited-"));
    const sender = fresh("10.3.0.");
    await far({ ms });
    const answers = await Promise.all(
      SENDERS.map((_, n) => send(VIEW.request(page_id, `event-${n}`, sender))),
    );
    expect(statuses(answers)).toEqual({ 202: LIMIT, 429: CROWD - LIMIT });
    await expectCounts(page_id, { human: LIMIT, limited: CROWD - LIMIT });
  });

  test("of 200 clicks from one sender 60 are human, and all are redirected", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("clicked-"));
    const sender = fresh("10.3.0.");
    await far({ ms });
    const answers = await Promise.all(
      SENDERS.map((_, n) => send(REDIRECT.request(page_id, `event-${n}`, sender))),
    );
    expect(statuses(answers)).toEqual({ 302: CROWD });
    await expectCounts(page_id, { human: LIMIT, limited: CROWD - LIMIT });
  });

  test("of 200 private requests from one sender the limit admits 60", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const sender = fresh("10.3.0.");
    await far({ ms });
    const answers = await Promise.all(
      SENDERS.map((_, n) => {
        const path = PRIVATE_PATHS[n % PRIVATE_PATHS.length] ?? "";
        return send({ method: "GET", path, sender });
      }),
    );
    expect(statuses(answers)).toEqual({ 200: LIMIT, 429: CROWD - LIMIT });
  });
});

describe.each([5, 30])("F22: with %i ms between the router and what it calls", (ms) => {
  test.each([VIEW, REDIRECT])(
    "half of 200 clients hang up: the others are answered, nothing counts twice: $name",
    { timeout: TEST_TIMEOUT_MS },
    async (lane) => {
      const page_id = await makePage(fresh("left-"));
      const events = crowd(lane, page_id);
      const leaving = events.filter((_, n) => n % 2 === 1);
      const staying = events.filter((_, n) => n % 2 === 0);
      await far({ ms });
      const [answers] = await Promise.all([
        Promise.all(staying.map(({ request }) => send(request))),
        Promise.all(leaving.map(({ request }, n) => hangUp(request, n))),
      ]);
      expect(statuses(answers)).toEqual({ [lane.status]: staying.length });
      // The clients that hung up send again: it is one event, whether or not the first request counted.
      const again = await Promise.all(leaving.map(({ request }) => send(request)));
      expect(statuses(again)).toEqual({ [lane.status]: leaving.length });
      await expectCounts(page_id, { human: CROWD });
      expect(await remembered(page_id, events)).toEqual(events.map(() => true));
    },
  );
});

test("F23: five beacons with an unknown link, while D1 hangs, delay none of 40 views", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("hanging-"));
  expect(await send(VIEW.request(page_id, "first", fresh("10.3.0.")))).toMatchObject({
    status: 202,
  });
  // After a look-up an unknown link is refused from memory for 5 s; a new instance has no such memory.
  // The call breaks.
  await (await pageObject(page_id)).evict().catch(() => {});
  await far({ ms: 5, d1_hangs: true, is_quiet: true });
  const unknown = beacon("", "nowhere");
  let unknown_answered = 0;
  const asking = SENDERS.slice(0, 5).map(async (sender, n) => {
    const answer = await send(unknown.request(page_id, `unknown-${n}`, sender));
    unknown_answered += 1;
    return answer;
  });
  const viewing = SENDERS.slice(5, 45).map((sender, n) =>
    send(VIEW.request(page_id, `view-${n}`, sender)),
  );
  const views = await Promise.all(viewing);
  expect(unknown_answered).toBe(0);
  expect(statuses(views)).toEqual({ 202: 40 });
  // An unknown link takes two calls, the second one alone, so its look-up may begin after the views.
  const hung = async () => (await fetch(new URL("/hung", world.origin))).json();
  await expect.poll(hung).toContain(page_id);
  await far({ ms: 5, is_quiet: true });
  // One look-up hangs and is given up after 5 s; the four that waited for it share the next one.
  const unknowns = await Promise.all(asking);
  expect(statuses(unknowns)).toEqual({ 404: 4, 503: 1 });
  await expectCounts(page_id, { human: 1 + 40 });
});

describe("F21: with a page whose object is slow and fails every second time", () => {
  test("every click is redirected at once and counted later", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("slow-"));
    await warm(page_id);
    const clicks = crowd(REDIRECT, page_id).slice(0, 60);
    await far({ ms: 5, pages: "slow", is_quiet: true });
    const answers = await Promise.all(clicks.map(({ request }) => send(request)));
    expect(statuses(answers)).toEqual({ 302: clicks.length });
    await expectCounts(page_id, { human: 1 + clicks.length });
    expect(await remembered(page_id, clicks)).toEqual(clicks.map(() => true));
  });

  test("a beacon that is sent again after 503 is counted once", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("slow-"));
    await warm(page_id);
    const views = crowd(VIEW, page_id).slice(0, 60);
    await far({ ms: 5, pages: "slow", is_quiet: true });
    const answers = await Promise.all(views.map(({ request }) => send(request)));
    expect(statuses(answers)).toEqual({ 503: views.length });
    const again = await Promise.all(views.map(({ request }) => send(request)));
    expect(statuses(again)).toEqual({ 202: views.length });
    // Half of the first requests were counted before they failed.
    expect(again.filter(({ outcome }) => outcome === "duplicate").length).toBe(views.length / 2);
    await expectCounts(page_id, { human: 1 + views.length });
  });
});

/** Counts a first view, after which the object knows the page and its links. */
async function warm(page_id: string): Promise<void> {
  const first = VIEW.request(page_id, "first", fresh("10.4.0."));
  expect(await send(first)).toMatchObject({ status: 202, outcome: "counted" });
}

/** Calls with events that page objects have got so far. */
async function batches(): Promise<number> {
  return (await (await fetch(new URL("/batches", world.origin))).json()) as number;
}

test("F15: a click that an overloaded object refused is not retried, and its loss is logged", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("overloaded-"));
  await warm(page_id);
  const clicks = crowd(REDIRECT, page_id).slice(0, 60);
  await far({ ms: 5, pages: "overloaded", is_quiet: true });
  const answers = await Promise.all(clicks.map(({ request }) => send(request)));
  expect(statuses(answers)).toEqual({ 302: clicks.length });
  const lost = (await far({ ms: 5 })).filter((line) => line.includes("click_not_counted"));
  // Half of the calls are refused, whatever number of clicks each of them carries.
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(clicks.length);
  await expectCounts(page_id, { human: 1 + clicks.length - lost.length });
  const are_there = await remembered(page_id, clicks);
  const missing = answers.filter((_, n) => are_there[n] === false);
  const lost_ids = lost.map((line) => (JSON.parse(line) as { request_id: string }).request_id);
  expect(lost_ids.sort()).toEqual(missing.map(({ request_id }) => request_id).sort());
});

test("F21: a limiter that does not answer refuses no beacon, and no private request", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("unlimited-"));
  await far({ ms: 5, limiters: "silent", is_quiet: true });
  const [views, wallets] = await Promise.all([
    Promise.all(crowd(VIEW, page_id).map(({ request }) => send(request))),
    Promise.all(SENDERS.map((sender) => send({ method: "GET", path: "/api/me/wallet", sender }))),
  ]);
  expect(statuses(views)).toEqual({ 202: CROWD });
  expect(statuses(wallets)).toEqual({ 200: CROWD });
  await expectCounts(page_id, { human: CROWD });
});

test("F21: a page object that does not answer does not stop redirects", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("silent-"));
  await far({ ms: 5, pages: "silent", is_quiet: true });
  const answers = await Promise.all(crowd(REDIRECT, page_id).map(({ request }) => send(request)));
  expect(statuses(answers)).toEqual({ 302: CROWD });
  // They are counted 10 s later, when these calls are given up and repeated.
});

test("F21: while D1 and KV do not answer, events are counted and sessions are checked at the hub", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("storeless-"));
  await far({ ms: 5, stores: "silent", is_quiet: true });
  const lanes = [VIEW, CLICK, REDIRECT];
  const [counted, wallets] = await Promise.all([
    Promise.all(
      lanes.map((lane) => Promise.all(crowd(lane, page_id).map(({ request }) => send(request)))),
    ),
    Promise.all(SENDERS.map((sender) => send({ method: "GET", path: "/api/me/wallet", sender }))),
  ]);
  expect(counted.map(statuses)).toEqual(lanes.map(({ status }) => ({ [status]: CROWD })));
  expect(statuses(wallets)).toEqual({ 200: CROWD });
  expect(sumOf(await counts(page_id))).toBe(lanes.length * CROWD);
});

describe.each([0, 5, 20])("F22: with %i ms between the router and what it calls", (ms) => {
  test("64 at once share calls, and a third that hang up take nobody's event with them", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("met-"));
    await warm(page_id);
    const events = crowd(VIEW, page_id).slice(0, 64);
    const leaving = events.filter((_, n) => n % 3 === 1);
    const staying = events.filter((_, n) => n % 3 !== 1);
    await far({ ms });
    const before = await batches();
    const [answers] = await Promise.all([
      Promise.all(staying.map(({ request }) => send(request))),
      Promise.all(leaving.map(({ request }) => hangUp(request, 0))),
    ]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(staying.map(() => "counted"));
    expect((await batches()) - before).toBeLessThan(staying.length / 2);
    // Of those that hung up, any number may have been counted.
    const { human = 0, ...others } = await counts(page_id);
    expect(others).toEqual({});
    expect(human).toBeGreaterThanOrEqual(1 + staying.length);
    expect(human).toBeLessThanOrEqual(1 + events.length);
    const again = await Promise.all(leaving.map(({ request }) => send(request)));
    expect(statuses(again)).toEqual({ 202: leaving.length });
    await expectCounts(page_id, { human: 1 + events.length });
    expect(await remembered(page_id, events)).toEqual(events.map(() => true));
  });
});

describe.each([5, 20])("F21: requests that share calls, %i ms away", (ms) => {
  const check = (path: string) =>
    Promise.all(SENDERS.map((sender) => send({ method: "GET", path, sender })));

  test("are all answered, each with timers of its own", async () => {
    await far({ ms });
    expect(statuses(await check("/shared-check"))).toEqual({ 200: CROWD });
  });

  test("would be cancelled without timers of their own", async () => {
    await far({ ms, is_quiet: true });
    expect(statuses(await check("/shared-check/broken"))[500]).toBeGreaterThan(0);
  });
});
