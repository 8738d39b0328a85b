/**
 * docs/faults.md F1, F2, F3, F9 and F10 in the real runtime, with F11 and F12: workerd is ended with
 * SIGKILL, or an object by the platform, exactly at a step of counting, of limiting or of a flush. Clients
 * send the same ids again, from other addresses and through another router. What was acknowledged is
 * compared with what was counted, as sets of ids, down to the files on disk.
 *
 * `test/simulate/simulate.test.ts` does the same under load, at random moments, with all other faults.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import {
  readSecrets,
  type Server,
  type ServerOptions,
  startServer,
} from "../../src/commands/serve/server.ts";
import { eventKey } from "../../src/counting/event-key.ts";
import { LIMITS_PER_MINUTE } from "../../src/http/limits.ts";
import type { Secret } from "../../src/http/secret.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { secretOf } from "../secret.ts";
import { type Fate, Steering } from "../server/steering.ts";
import { storedKeys } from "../simulate/disk.ts";

const START_TIMEOUT_MS = 60_000;
/** Milliseconds. Each start of workerd takes ten seconds beside a browser on a slow machine. */
const TEST_TIMEOUT_MS = 120_000;
/** Longest wait for D1, in milliseconds; an alarm that was ended with its process comes 15 s later. */
const FLUSHED_MS = 50_000;
const RETRY_MS = 20;
/** Seconds between flushes, so that each flush of a test is over before the next one begins by itself. */
const FLUSH_SECONDS = "3";

const LINK = "shop";
const VISITORS = 10;
/** A browser; without it an event is a bot's. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let statePath: string;
let steering: Steering;
let server: Server;

async function start(options: Pick<ServerOptions, "vars" | "seed"> = {}): Promise<void> {
  statePath = await mkdtemp(join(await scratchFolder(), "sila-kill-"));
  steering = new Steering();
  const { around } = steering;
  server = await startServer({ ...options, statePath, around, routers: 2, onLine: () => {} });
  steering.steer(server);
}

async function stop(): Promise<void> {
  await server?.dispose();
  await rm(statePath, { recursive: true, force: true });
}

function router(n: number): URL {
  return server.routers[n % server.routers.length] ?? server.url;
}

/** Each page is used by one test, and each sender for one request. */
let pages = 0;
let senders = 0;

function newSender(): string {
  senders += 1;
  return `10.${senders >> 16}.${(senders >> 8) & 255}.${senders & 255}`;
}

describe("an event that is acknowledged is counted once", () => {
  const acknowledged: { page_id: string; key: string }[] = [];
  let secret: Secret;

  beforeAll(async () => {
    await start({ vars: { FLUSH_SECONDS, QUIET_FLUSH_SECONDS: FLUSH_SECONDS } });
    secret = secretOf((await readSecrets(statePath)).SENDER_KEY);
  }, START_TIMEOUT_MS);
  afterAll(stop);

  interface SentEvent {
    page_id: string;
    event_id: string;
    /** `''` for a view. */
    link_id: string;
    key: string;
  }

  /** A view and a click of each visitor, with one id for both (F12). */
  function eventsOf(page_id: string): SentEvent[] {
    return Array.from({ length: VISITORS }, (_, n) => `${page_id}-${n}`).flatMap((event_id) =>
      ["", LINK].map((link_id) => {
        return { page_id, event_id, link_id, key: eventKey(secret, event_id, link_id) };
      }),
    );
  }

  async function deliver(event: SentEvent): Promise<{ tries: number; outcome: string | null }> {
    const { page_id, event_id, link_id, key } = event;
    const body = { page_id, event_id, ...(link_id === "" ? {} : { link_id }) };
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(new URL("/api/analytics/view", router(senders)), {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "User-Agent": USER_AGENT,
          "CF-Connecting-IP": newSender(),
        },
        body: JSON.stringify(body),
      }).catch(() => null);
      await response?.arrayBuffer().catch(() => undefined);
      if (response?.status === 202) {
        acknowledged.push({ page_id, key });
        return { tries, outcome: response.headers.get("X-Beacon-Outcome") };
      }
      // Nobody answers while workerd starts; 503 is the end of an object.
      if (response !== null && response.status !== 503) throw new Error(`${response.status}`);
      await pause(RETRY_MS);
    }
  }

  /** A page whose object knows it, so that events need no D1. Its first view is acknowledged. */
  async function makePage(): Promise<string> {
    pages += 1;
    const page_id = `page-${pages}`;
    const links = [{ link_id: LINK, url: "https://shop.example/" }];
    await storePage(await server.db(), plainPage({ page_id, name: page_id, links }));
    const event_id = `${page_id}-first`;
    await deliver({ page_id, event_id, link_id: "", key: eventKey(secret, event_id, "") });
    return page_id;
  }

  interface PageStub {
    totals(): Promise<{ accepted: number; flushed: number }[]>;
    remembers(keys: readonly string[]): Promise<boolean[]>;
    flush(): Promise<void>;
  }

  interface PageNamespace {
    getByName(name: string): PageStub;
    idFromName(name: string): { toString(): string };
  }

  async function pageObjects(): Promise<PageNamespace> {
    const found = await server.workerd.miniflare.getDurableObjectNamespace("PAGE");
    // Importing `workers-types` would declare its globals too.
    return found as unknown as PageNamespace;
  }

  async function countedInObject(page_id: string): Promise<number> {
    const totals = await (await pageObjects()).getByName(page_id).totals();
    return totals.reduce((sum, { accepted }) => sum + accepted, 0);
  }

  async function countedInD1(page_id: string): Promise<number> {
    const found = await (await server.db())
      .prepare("SELECT SUM(n) AS n FROM tallies WHERE page_id = ?1")
      .bind(page_id)
      .first<{ n: number | null }>();
    return found?.n ?? 0;
  }

  const FATES: readonly Fate[] = ["SIGKILL", "eviction"];

  describe.each(FATES)("through %s", (fate) => {
    test.each([
      { rule: "F2: before its commit nothing was counted", when: "before", again: "counted" },
      {
        rule: "F1: after its commit the same id is a duplicate",
        when: "after",
        again: "duplicate",
      },
    ])("$rule", { timeout: TEST_TIMEOUT_MS }, async ({ when, again }) => {
      const page_id = await makePage();
      const events = eventsOf(page_id);
      const ending = steering.at(`page ${page_id}, ${when}`, fate);
      const delivering = Promise.all(events.map(deliver));
      const met = (await ending).split(",");
      const delivered = await delivering;
      const hit = delivered.filter((_, n) => met.includes(events[n]?.key ?? ""));
      expect(hit.length, "events in the call that ended").toBeGreaterThan(0);
      expect(hit.length).toBe(met.length);
      for (const { tries, outcome } of hit) {
        expect(tries, "of an event that was not acknowledged at first").toBeGreaterThan(1);
        expect(outcome).toBe(again);
      }
      await steering.isUp();
      expect(await countedInObject(page_id)).toBe(1 + events.length);
    });
  });

  describe.each([
    { when: "before", rule: "F9: before D1's commit: the alarm that was pending brings it" },
    { when: "after", rule: "F3: after D1's commit and before its reply: D1 has it once" },
  ])("through SIGKILL of a flush", ({ when, rule }) => {
    test(rule, { timeout: TEST_TIMEOUT_MS }, async () => {
      const page_id = await makePage();
      const events = eventsOf(page_id);
      await Promise.all(events.map(deliver));
      const ending = steering.at(`D1 of ${page_id}, ${when}`, "SIGKILL");
      const flushing = (await pageObjects()).getByName(page_id).flush();
      flushing.catch(() => {});
      await ending;
      await steering.isUp();
      // Nobody calls the object: its alarm is what flushes.
      await expect
        .poll(() => countedInD1(page_id), { timeout: FLUSHED_MS })
        .toBe(1 + events.length);
      const isFlushed = async () => {
        const totals = await (await pageObjects()).getByName(page_id).totals();
        return totals.every(({ accepted, flushed }) => accepted === flushed);
      };
      await expect.poll(isFlushed, { timeout: FLUSHED_MS }).toBe(true);
      expect(await countedInD1(page_id)).toBe(1 + events.length);
    });
  });

  test("at the end memory, disk and D1 have exactly what was acknowledged", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    // Something to compare, also where this test runs alone.
    await makePage();
    const of_page = Map.groupBy(acknowledged, ({ page_id }) => page_id);
    const names = new Map<string, string>();
    for (const [page_id, events] of of_page) {
      const objects = await pageObjects();
      names.set(objects.idFromName(page_id).toString(), page_id);
      const keys = events.map(({ key }) => key);
      expect(await objects.getByName(page_id).remembers(keys)).toEqual(keys.map(() => true));
      await objects.getByName(page_id).flush();
      expect(await countedInD1(page_id)).toBe(keys.length);
    }
    await server.dispose();
    const found = await storedKeys(statePath, names);
    const lines = (list: readonly { page_id: string; key: string }[]) =>
      list.map(({ page_id, key }) => `${page_id} ${key}`).sort();
    expect(lines(found)).toEqual(lines(acknowledged));
  });
});

describe("the limit of a sender", () => {
  const LIMIT = LIMITS_PER_MINUTE.public;
  const SENDER = "192.0.2.9";

  beforeAll(async () => {
    await start({
      // The clock stands, so that every request is within one window, however long the test takes.
      vars: { CLOCK_AT: String(Date.now()) },
      seed: (db) => storePage(db, plainPage({ page_id: "page" })),
    });
  }, START_TIMEOUT_MS);
  afterAll(stop);
  afterEach(() => steering.isUp());

  async function view(n: number): Promise<number | null> {
    const headers = { "CF-Connecting-IP": SENDER };
    const response = await fetch(new URL("/p/page.gif", router(n)), { headers }).catch(() => null);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status ?? null;
  }

  test("holds through any number of SIGKILLs, at each step: 60 in a minute", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const statuses: (number | null)[] = [];
    const send = async (times: number) => {
      for (let n = 0; n < times; n += 1) statuses.push(await view(n));
    };
    const endAt = async (step: string) => {
      const [status] = await Promise.all([view(0), steering.at(step, "SIGKILL")]);
      expect(status).toBeNull();
      await steering.isUp();
    };
    await send(20);
    // It was not charged.
    await endAt("limiter, before");
    await send(20);
    // It was charged, and its sender never heard of it.
    await endAt("limiter, after");
    await send(30);
    // The routers have forgotten that they refused.
    await steering.kill();
    await steering.isUp();
    await send(10);
    const admitted = LIMIT - 1;
    expect(statuses).toEqual([...Array(admitted).fill(200), ...Array(80 - admitted).fill(429)]);
  });
});
