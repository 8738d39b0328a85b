/**
 * Tips in the real runtime: workerd is ended with SIGKILL before and after the hub has a transfer, and the
 * hub loses answers. Within a minute the hub's books, the tipper's history and the page hold the same
 * tips, as sets of ids.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWithHub, type WithHub } from "../../demo/hub/with-hub.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { freePair } from "../../server/ports.ts";
import { Steering } from "../../server/steering.ts";

const TIMEOUT_MS = 150_000;
const TIPS = 60;
const CLIENTS = 6;
/** Every third client gives up after its first try, whatever has become of it. */
const IMPATIENT_EVERY = 3;
/** Longest wait until both sides agree: a poll. */
const AGREE_MS = 30_000;
const PAGE_ID = "tipped";
const TRANSFERS = "/api/wallet/transfers";
/** Answers of the hub that are lost in a row. */
const LOST = 3;
/** What happens while tips are sent, one after the other: workerd is ended at a step, or the hub loses answers. */
const FAULTS = [
  `fetch ${TRANSFERS}, before`,
  `fetch ${TRANSFERS}, after`,
  "lost",
  `fetch ${TRANSFERS}, after`,
  "lost",
  `fetch ${TRANSFERS}, before`,
] as const;
const SHARE = TIPS / FAULTS.length;

const steering = new Steering();
let statePath: string;
let running: WithHub;

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-tips-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("there is no free port");
  const page = plainPage({
    page_id: PAGE_ID,
    slug: "tipped",
    owner_id: "demo-pro",
    links: [{ link_id: "jar", kind: "tip", label: "إكرامية", url: null, block: { amounts: [1] } }],
  });
  running = await startWithHub({
    port: pair.port,
    hostname: "127.0.0.1",
    statePath,
    around: steering.around,
    seed: (db) => storePage(db, page),
    vars: { LIMITER_SHARDS: "4" },
    // The hub fails on purpose.
    onLine: () => {},
  });
  steering.steer(running.server);
}, TIMEOUT_MS);
afterEach(async () => {
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
}, TIMEOUT_MS);

let requests = 0;

/** Null where no router answers because workerd restarts. */
async function ask(path: string, init: RequestInit = {}): Promise<Response | null> {
  requests += 1;
  const headers = new Headers(init.headers);
  headers.set("CF-Connecting-IP", `10.1.${requests >> 8}.${requests & 255}`);
  try {
    const response = await fetch(running.origin + path, { ...init, headers });
    const body = await response.text();
    return new Response(body, { status: response.status });
  } catch {
    return null;
  }
}

async function json<T>(path: string, headers: Record<string, string>): Promise<T | null> {
  const response = await ask(path, { headers });
  return response?.status === 200 ? ((await response.json()) as T) : null;
}

interface Sides {
  /** Tips in the hub's books, in the tipper's history, and of the page, by their messages. */
  hub: string[];
  tipper: string[];
  page: string[];
}

async function sides(headers: Record<string, string>): Promise<Sides | null> {
  const { transfers } = (await running.hub.control("GET", "/books")) as {
    transfers: { key: string; recipient: string; points: number }[];
  };
  const sent = await json<{ tips: { id: string; message: string }[] }>(
    "/api/me/tips?limit=100",
    headers,
  );
  if (sent === null) return null;
  const message_of = new Map(sent.tips.map(({ id, message }) => [id, message]));
  const db = await running.server.db();
  const { results } = await db
    .prepare("SELECT message FROM tips WHERE page_id = ?1 ORDER BY seq")
    .bind(PAGE_ID)
    .all<{ message: string }>();
  return {
    hub: transfers
      .map(({ key }) => key.replace(/\.\d+$/, ""))
      .map((id) => message_of.get(id) ?? `unknown to the tipper: ${id}`)
      .sort(),
    tipper: [...message_of.values()].sort(),
    page: results.map(({ message }) => message).sort(),
  };
}

test("a tip is sent on both sides or on none, through SIGKILL and lost answers", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { cookie } = (await running.hub.control("POST", "/sign-in", {
    user_id: "demo-business",
  })) as { cookie: string };
  const Cookie = `hub_session=${cookie}`;
  const session = await json<{ csrf_token: string }>("/api/auth/session", { Cookie });
  const headers = {
    Cookie,
    "X-CSRF-Token": session?.csrf_token ?? "",
    Origin: running.origin,
    "Content-Type": "application/json",
  };
  const acknowledged: string[] = [];
  let next = 0;
  let allowed = 0;
  const client = async () => {
    while (next < TIPS) {
      const n = next;
      next += 1;
      while (n >= allowed) await pause(20);
      const key = `tip-${n}`;
      const body = JSON.stringify({ page_id: PAGE_ID, points: 1, message: key });
      for (let isOver = false; !isOver; await pause(100)) {
        const response = await ask("/api/tip", {
          method: "POST",
          headers: { ...headers, "Idempotency-Key": key },
          body,
        });
        if (response?.status === 201) acknowledged.push(key);
        isOver = response?.status === 201 || n % IMPATIENT_EVERY === 0;
      }
    }
  };
  /** The transfers that the hub was asked for since the last time. */
  const transfers = async () => {
    const { calls } = (await running.hub.control("DELETE", "/calls")) as {
      calls: { path: string }[];
    };
    return calls.filter(({ path }) => path === TRANSFERS).length;
  };
  const loseAnswers = async () => {
    await transfers();
    await running.hub.control("PUT", "/fault", { path: TRANSFERS, fault: "lost", times: LOST });
    allowed += SHARE;
    for (let lost = 0; lost < LOST; lost += await transfers()) await pause(20);
  };
  const faults = async () => {
    for (const fault of FAULTS) {
      if (fault === "lost") {
        await loseAnswers();
        continue;
      }
      const ending = steering.at(fault, "SIGKILL");
      allowed += SHARE;
      await ending;
      await steering.isUp();
    }
  };
  await Promise.all([faults(), ...Array.from({ length: CLIENTS }, client)]);
  let last: Sides | null = null;
  await expect
    .poll(
      async () => {
        last = await sides({ Cookie });
        if (last === null) return "no answer";
        const { hub, tipper, page } = last;
        return hub.join() === tipper.join() && tipper.join() === page.join() ? "equal" : last;
      },
      { timeout: AGREE_MS, interval: 500 },
    )
    .toBe("equal");
  const { hub } = last ?? { hub: [] as string[] };
  expect(new Set(hub).size, "none twice").toBe(hub.length);
  expect(
    acknowledged.filter((key) => !hub.includes(key)),
    "acknowledged, and lost",
  ).toEqual([]);
  const patient = Array.from({ length: TIPS }, (_, n) => n).filter(
    (n) => n % IMPATIENT_EVERY !== 0,
  );
  expect(acknowledged).toEqual(expect.arrayContaining(patient.map((n) => `tip-${n}`)));
});
