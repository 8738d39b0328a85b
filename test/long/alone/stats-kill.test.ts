/**
 * Databases of statistics that are added and emptied in the real runtime, while people click: workerd is
 * started anew with more of them, ended with SIGKILL, and D1 loses replies. At the end each click is in
 * one database, once, and so is what was imported.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homeOf } from "../../../objects/page/home/databases.ts";
import { plainPage } from "../../plain-page.ts";
import { Serving } from "../../server/serving.ts";

const PAGES = 12;
/** Each click has a link of its own, so the links show which were counted, and how often. */
const LINKS = 60;
const CLICKS = PAGES * LINKS;
const CLIENTS = 24;
const IMPORTED = 5;
const ANSWER_MS = 10_000;
const FAULTY = fileURLToPath(new URL("../../simulate/worker/faulty.ts", import.meta.url));
const pageId = (p: number) => `page-${p}`;

/** The deployments, one after the other. */
const DEPLOYMENTS = [
  { stats: 0, leaving: "" },
  { stats: 1, leaving: "" },
  { stats: 2, leaving: "" },
  { stats: 3, leaving: "STATS_0" },
] as const;
const HOMES = ["STATS_1", "STATS_2"];
/** Clicks that people make at each of three moments of a deployment. */
const SHARE = CLICKS / DEPLOYMENTS.length / 3;
const NAMES = ["DB", "STATS_0", ...HOMES];

let statePath: string;
let serving: Serving;
beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-stats-"));
});
afterEach(async () => {
  await serving.stop();
  await rm(statePath, { recursive: true, force: true });
});

/** Where the service is at the moment; empty between two deployments. */
let base = "";

async function deploy({ stats, leaving }: (typeof DEPLOYMENTS)[number]): Promise<void> {
  base = "";
  await serving?.stop();
  serving = new Serving(join(statePath, "log"));
  base = await serving.call("start", {
    statePath,
    vars: {
      FLUSH_SECONDS: "1",
      QUIET_FLUSH_SECONDS: "1",
      LIMITER_SHARDS: "1",
      STATS_LEAVING: leaving,
    },
    module: FAULTY,
    stats,
    pages: stats > 0 ? [] : Array.from({ length: PAGES }, (_, p) => page(p)),
  });
}

function page(p: number) {
  const links = Array.from({ length: LINKS }, (_, l) => ({
    link_id: `l${l}`,
    label: `${l}`,
    url: "https://example.org/",
  }));
  return plainPage({ page_id: pageId(p), links });
}

/** Sends a click until it is acknowledged, always with the same id. */
async function click(n: number): Promise<void> {
  const body = JSON.stringify({
    page_id: pageId(n % PAGES),
    link_id: `l${Math.floor(n / PAGES)}`,
    event_id: `event-${n}`,
  });
  for (;;) {
    const response = await fetch(`${base}api/analytics/view`, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "CF-Connecting-IP": `10.1.${n >> 8}.${n & 255}`,
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      },
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.status === 202) return;
    // No router answers between two deployments and while workerd restarts.
    await pause(100);
  }
}

interface Sums {
  counted: number;
  imported: number;
}

const SUMS = `SELECT COALESCE(SUM(n) FILTER (WHERE shard >= 0), 0) AS counted,
  COALESCE(SUM(n) FILTER (WHERE shard < 0), 0) AS imported FROM tallies WHERE page_id = ?1`;

/** What a reader finds in the database that the page's object names; null if it flushed meanwhile. */
async function read(page_id: string): Promise<Sums | null> {
  const before = await serving.call("home", page_id);
  const [found] = (await serving.call("query", before.stats, SUMS, page_id)) as Sums[];
  const after = await serving.call("home", page_id);
  const isSame = after.version === before.version && after.stats === before.stats;
  return isSame ? (found ?? null) : null;
}

test("no click is lost, counted twice or left behind while pages move between databases", {
  timeout: 300_000,
}, async () => {
  await deploy(DEPLOYMENTS[0]);
  for (let p = 0; p < PAGES; p += 1) {
    const insert = "INSERT INTO tallies VALUES (?1, 3600, 'view', '', 'human', -2, ?2)";
    await serving.call("query", "DB", insert, pageId(p), IMPORTED);
  }
  let next = 0;
  let acknowledged = 0;
  let allowed = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (next < CLICKS) {
      const n = next;
      next += 1;
      // The clicks spread over all deployments.
      while (n >= allowed) await pause(20);
      await click(n);
      acknowledged += 1;
    }
  });
  const highest = new Map<string, number>();
  const release = (clicks: number) => {
    allowed += clicks;
  };
  for (const [i, deployment] of DEPLOYMENTS.entries()) {
    // Clicks come while workerd is away, while D1 loses replies, and while workerd is killed.
    release(SHARE);
    if (i > 0) await deploy(deployment);
    const broken = await serving.call("brokenD1Calls");
    await serving.call("breakD1", "lose reply");
    release(SHARE);
    // The flush of one of these clicks meets it.
    while ((await serving.call("brokenD1Calls")) === broken) await pause(20);
    await serving.call("breakD1", "none");
    for (let reads = 0; reads < PAGES; ) {
      const page_id = pageId(reads);
      const found = await read(page_id).catch(() => null);
      if (found === null) {
        await pause(50);
        continue;
      }
      // The numbers are right during the move.
      expect(found.imported).toBe(IMPORTED);
      expect(found.counted).toBeGreaterThanOrEqual(highest.get(page_id) ?? 0);
      highest.set(page_id, found.counted);
      reads += 1;
      if (reads !== PAGES / 2) continue;
      release(SHARE);
      while (!(await serving.call("kill"))) await pause(20);
    }
  }
  await Promise.all(clients);
  expect(acknowledged).toBe(CLICKS);
  // The sweep reaches the pages that nobody clicked since.
  await serving.call("deliverEdits", pageId(0));
  const byPage = async () => {
    const found: Record<string, string> = {};
    for (const name of NAMES) {
      const rows = (await serving.call(
        "query",
        name,
        "SELECT page_id, SUM(n) AS n FROM tallies GROUP BY page_id",
      )) as { page_id: string; n: number }[];
      for (const { page_id, n } of rows) found[page_id] = `${found[page_id] ?? ""}${name}:${n} `;
    }
    return found;
  };
  const expected = Object.fromEntries(
    Array.from({ length: PAGES }, (_, p) => [
      pageId(p),
      `${homeOf(pageId(p), HOMES)}:${LINKS + IMPORTED} `,
    ]),
  );
  await expect.poll(byPage, { timeout: 60_000, interval: 500 }).toEqual(expected);
  for (const name of HOMES) {
    const wrong = await serving.call(
      "query",
      name,
      `SELECT page_id, link_id, SUM(n) AS n FROM tallies WHERE shard = 0
       GROUP BY page_id, link_id HAVING SUM(n) <> 1`,
    );
    expect(wrong).toEqual([]);
  }
});
