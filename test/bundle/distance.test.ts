/**
 * docs/faults.md F21, F22 and F23 on the deployed bundle: calls of objects, D1, KV and the hub are
 * delayed, clients hang up, D1 hangs, and objects fail. At any distance every request is answered and
 * every count is exact. `npm test` has the smallest crowd and two distances, `npm run test:long` the others.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { readSecrets } from "../../src/commands/serve/server.ts";
import { clickKey, eventKey } from "../../src/counting/event-key.ts";
import { PACE_MS } from "../../src/http/batcher.ts";
import { LIMITS_PER_MINUTE } from "../../src/http/limits.ts";
import { TICK_MS } from "../../src/http/request-timers.ts";
import type { Secret } from "../../src/http/secret.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { seedDemo } from "../demo/seed.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { secretOf } from "../secret.ts";
import { freePair } from "../server/ports.ts";
import { type FarSeen, type Setting, WELL } from "../server/worker/setting.ts";

const START_TIMEOUT_MS = 60_000;
const TEST_TIMEOUT_MS = 30_000;
/** Time from the answer to the count: longer than all tries of a click (`COUNT_RETRY_MAX_MS`). */
const COUNT_DEADLINE_MS = 26_000;
const POLL_MS = 50;

/** Round trips in milliseconds, and the number of concurrent requests. */
const { distances_ms: DISTANCES_MS, crowd: CROWD } = inject("distances");
/** Longest wait of a page object for D1, in milliseconds (`objects/page/known-page.ts`). */
const LOOK_UP_TIMEOUT_MS = 5_000;
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

/** Of the hub, of D1 and of the page's object. */
const PRIVATE_PATHS = ["/api/me/wallet", "/api/me/pages/demo/stats", "/api/me/pages/demo/audit"];

/** The senders of one test. Another one has others, so that each stays below its limit however fast the tests are. */
let senders: string[] = [];

let made = 0;

/** A page used by one test. */
function fresh(prefix: string): string {
  made += 1;
  return `${prefix}${made}`;
}

/** A sender used by one test, apart from its `senders`. */
function freshSender(): string {
  made += 1;
  return `192.168.${made >> 8}.${made & 255}`;
}

beforeAll(async () => {
  const found = await freePair(0);
  if ("taken" in found) throw new Error(`port ${found.taken} is taken`);
  world = await startWithHub({
    statePath,
    port: found.port,
    hostname: "127.0.0.1",
    // As on the platform: each sender has a limiter of its own.
    vars: { LIMITER_SHARDS: "0" },
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
  made += 1;
  senders = Array.from({ length: CROWD }, (_, n) => `10.${made >> 8}.${made & 255}.${n}`);
  await far({ ms: 0 });
});

/** Changes the setting; returns the Worker's log since the last call. */
async function far(setting: Partial<Setting>): Promise<string[]> {
  const body = JSON.stringify({ ...WELL, ...setting });
  const response = await fetch(new URL("/far", world.origin), { method: "POST", body });
  return (await response.json()) as string[];
}

async function seen(): Promise<FarSeen> {
  return (await (await fetch(new URL("/seen", world.origin))).json()) as FarSeen;
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
  const init: RequestInit = { method, headers: headersOf(sent), body, redirect: "manual" };
  const response = await fetch(new URL(path, world.origin), init);
  const text = await response.text();
  const { status, headers } = response;
  return {
    status,
    outcome: headers.get("X-Beacon-Outcome"),
    request_id: headers.get("X-Request-Id"),
    text,
  };
}

/** Sends a request over a connection of its own; answers the function that hangs up. */
function begin(sent: Sent): () => Promise<void> {
  const { method, path, body = "" } = sent;
  const headers = { Host: "localhost", ...headersOf(sent), "Content-Length": `${body.length}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(world.origin).port), "127.0.0.1");
  const closed = once(socket, "close");
  // The server may close it first; the result is the same.
  socket.on("error", () => {});
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  return async () => {
    socket.destroy();
    await closed;
  };
}

/** Sends a request and hangs up after so many milliseconds. */
async function hangUp(sent: Sent, after_ms: number): Promise<void> {
  const end = begin(sent);
  await pause(after_ms);
  await end();
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

/** One event of each of `senders`, with ids that tests of the same page share. */
function crowd(lane: Lane, page_id: string) {
  return senders.map((sender, n) => {
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
    `${CROWD} at once are all answered and counted: $name`,
    {
      timeout: TEST_TIMEOUT_MS,
    },
    async (lane) => {
      const page_id = await makePage(fresh("crowd-"));
      await far({ ms });
      const events = crowd(lane, page_id);
      const before = (await seen()).delayed;
      const answers = await Promise.all(events.map(({ request }) => send(request)));
      expect(statuses(answers)).toEqual({ [lane.status]: CROWD });
      // Each sender has a limiter of its own.
      if (ms > 0) expect((await seen()).delayed - before).toBeGreaterThan(CROWD);
      const others = answers.filter(({ outcome }) => outcome !== "counted");
      // A redirect waits at most 300 ms for its click to be counted.
      if (lane === REDIRECT) expect(others.every(({ outcome }) => outcome === null)).toBe(true);
      else expect(others).toEqual([]);
      await expectCounts(page_id, { human: CROWD });
      if (lane.key === undefined) return;
      // As many as there are ids, each once: none lost, none doubled.
      expect((await remembered(page_id, events)).filter((is_there) => !is_there)).toEqual([]);
    },
  );

  test(`of ${CROWD} from one sender the limit admits 60, and the page counts the others as limited`, {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("limited-"));
    const sender = freshSender();
    await far({ ms });
    const answers = await Promise.all(
      senders.map((_, n) => send(VIEW.request(page_id, `event-${n}`, sender))),
    );
    expect(statuses(answers)).toEqual({ 202: LIMIT, 429: CROWD - LIMIT });
    await expectCounts(page_id, { human: LIMIT, limited: CROWD - LIMIT });
  });

  test(`of ${CROWD} clicks from one sender 60 are human, and all are redirected`, {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("clicked-"));
    const sender = freshSender();
    await far({ ms });
    const answers = await Promise.all(
      senders.map((_, n) => send(REDIRECT.request(page_id, `event-${n}`, sender))),
    );
    expect(statuses(answers)).toEqual({ 302: CROWD });
    await expectCounts(page_id, { human: LIMIT, limited: CROWD - LIMIT });
  });
});

/** What counts nothing needs the greatest distance alone. */
describe.each(DISTANCES_MS.slice(-1))(
  "F21: with %i ms between the router and what it calls",
  (ms) => {
    test(`${CROWD} concurrent HEAD requests to a link are all answered, and count nothing`, {
      timeout: TEST_TIMEOUT_MS,
    }, async () => {
      const page_id = await makePage(fresh("looked-at-"));
      const looks = senders.map((sender) => REDIRECT.request(page_id, "", sender));
      await far({ ms });
      const answers = await Promise.all(looks.map((look) => send({ ...look, method: "HEAD" })));
      expect(statuses(answers)).toEqual({ 302: CROWD });
      expect(await counts(page_id)).toEqual({});
    });

    test.each(PRIVATE_PATHS)(
      `${CROWD} at once, signed in, are all answered: %s`,
      {
        timeout: TEST_TIMEOUT_MS,
      },
      async (path) => {
        await far({ ms });
        const answers = await Promise.all(
          senders.map((sender) => send({ method: "GET", path, sender })),
        );
        expect(statuses(answers)).toEqual({ 200: CROWD });
        expect(answers.every(({ text }) => JSON.parse(text).ok === true)).toBe(true);
      },
    );

    test(`of ${CROWD} private requests from one sender the limit admits 60`, {
      timeout: TEST_TIMEOUT_MS,
    }, async () => {
      const sender = freshSender();
      await far({ ms });
      const answers = await Promise.all(
        senders.map((_, n) => {
          const path = PRIVATE_PATHS[n % PRIVATE_PATHS.length] ?? "";
          return send({ method: "GET", path, sender });
        }),
      );
      expect(statuses(answers)).toEqual({ 200: LIMIT, 429: CROWD - LIMIT });
    });
  },
);

describe.each(DISTANCES_MS)("F22: with %i ms between the router and what it calls", (ms) => {
  test.each([VIEW, REDIRECT])(
    `half of ${CROWD} clients hang up: the others are answered, nothing counts twice: $name`,
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
  expect(await send(VIEW.request(page_id, "first", freshSender()))).toMatchObject({
    status: 202,
  });
  // After a look-up an unknown link is refused from memory for 5 s; a new instance has no such memory.
  // The call breaks.
  await (await pageObject(page_id)).evict().catch(() => {});
  // No time-out passes before the test says so: whoever waits for D1 waits for ever.
  const timers = { [TICK_MS]: "held", [LOOK_UP_TIMEOUT_MS]: "held" } as const;
  await far({ ms: 5, d1_hangs: true, timers, is_quiet: true });
  const unknown = beacon("", "nowhere");
  const asking = Promise.all(
    senders.slice(0, 5).map((sender, n) => send(unknown.request(page_id, `unknown-${n}`, sender))),
  );
  // An unknown link takes two calls, the second one alone.
  await expect.poll(async () => (await seen()).hung).toContain(page_id);
  const views = await Promise.all(
    senders.slice(5, 45).map((sender, n) => send(VIEW.request(page_id, `view-${n}`, sender))),
  );
  expect(statuses(views)).toEqual({ 202: 40 });
  await far({ ms: 5, is_quiet: true });
  // The look-up that hung is given up; the four that waited for it share the next one.
  expect(statuses(await asking)).toEqual({ 404: 4, 503: 1 });
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
  const first = VIEW.request(page_id, "first", freshSender());
  expect(await send(first)).toMatchObject({ status: 202, outcome: "counted" });
}

test("F15: a click that an overloaded object refused is not retried, and its loss is logged", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("overloaded-"));
  await warm(page_id);
  const clicks = crowd(REDIRECT, page_id).slice(0, 60);
  const [first, last] = [clicks.slice(0, 30), clicks.slice(30)];
  await far({ ms: 5, pages: "overloaded", is_quiet: true });
  const refused = await Promise.all(first.map(({ request }) => send(request)));
  expect(statuses(refused)).toEqual({ 302: first.length });
  // A loss is logged when nothing more will be tried.
  const lost: string[] = [];
  const overloaded = { ms: 5, pages: "overloaded", is_quiet: true } as const;
  const isLogged = async () => {
    const lines = (await far(overloaded)).filter((line) => line.includes("click_not_counted"));
    lost.push(...lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id));
    return lost.length >= first.length;
  };
  await expect.poll(isLogged).toBe(true);
  expect(lost.sort()).toEqual(refused.map(({ request_id }) => request_id).sort());
  await far({ ms: 5 });
  const counted = await Promise.all(last.map(({ request }) => send(request)));
  expect(statuses(counted)).toEqual({ 302: last.length });
  await expectCounts(page_id, { human: 1 + last.length });
  expect(await remembered(page_id, clicks)).toEqual(clicks.map((_, n) => n >= first.length));
});

test("F21: a limiter that does not answer refuses no beacon, and no private request", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const page_id = await makePage(fresh("unlimited-"));
  await far({ ms: 5, limiters: "silent", is_quiet: true });
  const [views, wallets] = await Promise.all([
    Promise.all(crowd(VIEW, page_id).map(({ request }) => send(request))),
    Promise.all(senders.map((sender) => send({ method: "GET", path: "/api/me/wallet", sender }))),
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
    Promise.all(senders.map((sender) => send({ method: "GET", path: "/api/me/wallet", sender }))),
  ]);
  expect(counted.map(statuses)).toEqual(lanes.map(({ status }) => ({ [status]: CROWD })));
  expect(statuses(wallets)).toEqual({ 200: CROWD });
  await expect.poll(async () => sumOf(await counts(page_id))).toBe(lanes.length * CROWD);
});

describe.each(DISTANCES_MS)("F22: with %i ms between the router and what it calls", (ms) => {
  test("64 at once share two calls, and a third that hang up take nobody's event with them", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const page_id = await makePage(fresh("met-"));
    await warm(page_id);
    // The limiter's answer is the last thing that a pixel waits for before it meets others.
    const requests = senders.slice(0, 64).map((sender) => PIXEL.request(page_id, "", sender));
    const leaving = requests.filter((_, n) => n % 3 === 0);
    const staying = requests.filter((_, n) => n % 3 !== 0);
    // As if all had come at once: nobody's timer ends, and the first call is under way.
    const timers = { [PACE_MS]: "held", [TICK_MS]: "held" } as const;
    await far({ ms, pages: "held", timers, clock_stands: true });
    const before = await seen();
    const [first, ...others] = leaving;
    if (first === undefined) throw new Error("nobody leaves");
    const hangingUp = [begin(first)];
    await expect.poll(async () => (await seen()).held - before.held).toBe(1);
    hangingUp.push(...others.map(begin));
    const answering = Promise.all(staying.map(send));
    await expect.poll(async () => (await seen()).checked - before.checked).toBe(requests.length);
    expect((await seen()).held - before.held, "all others wait for that call").toBe(1);
    // Among them the client of the call, and the first of those who wait.
    await Promise.all(hangingUp.map((hangUp) => hangUp()));
    await far({ ms, clock_stands: true });
    const answers = await answering;
    expect(answers.map(({ outcome }) => outcome)).toEqual(staying.map(() => "counted"));
    // What the clients that hung up have left behind is taken along by the others' call.
    await expectCounts(page_id, { human: 1 + requests.length });
    expect((await seen()).batches - before.batches).toBe(2);
  });
});

describe.each(DISTANCES_MS)("F21: requests that share calls, %i ms away", (ms) => {
  const check = (path: string, by: readonly string[]) =>
    Promise.all(by.map((sender) => send({ method: "GET", path, sender })));

  /** A call of the first is under way until all others wait for its end. */
  async function checkDuringCall(path: string) {
    const [first = "", ...others] = senders;
    const ofLine = `${path}?line=${fresh("line-")}`;
    const before = await seen();
    await far({ ms, limiters: "held", is_quiet: true });
    const calling = check(ofLine, [first]);
    await expect.poll(async () => (await seen()).held - before.held).toBe(1);
    return { calling, waiting: check(ofLine, others), waiters: others.length };
  }

  test("are all answered, each with timers of its own", async () => {
    const { calling, waiting, waiters } = await checkDuringCall("/shared-check");
    await far({ ms });
    expect(statuses(await calling)).toEqual({ 200: 1 });
    expect(statuses(await waiting)).toEqual({ 200: waiters });
  });

  test("would be cancelled without timers of their own", async () => {
    const { calling, waiting, waiters } = await checkDuringCall("/shared-check/broken");
    expect(statuses(await waiting)).toEqual({ 500: waiters });
    await far({ ms, is_quiet: true });
    expect(statuses(await calling)).toEqual({ 200: 1 });
  });
});
