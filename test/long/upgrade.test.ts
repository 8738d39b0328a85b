/**
 * docs/faults.md F16 with real releases: the code of today on the state that the last release left, with traffic
 * through the change and back again. Each version's router calls the other's objects, as it does while a deployment
 * spreads. Clients send each event until it is acknowledged; what was sent and what is counted are compared as sets.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { bundledWorker } from "../../src/commands/serve/bundle.ts";
import { readBundle } from "../../src/commands/serve/modules.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { notAdditive } from "../releases/additive.ts";
import { migrationsOf, type Release, readReleases } from "../releases/release-file.ts";
import { type Side, TwoVersions } from "../releases/two-versions.ts";

const TIMEOUT_MS = 300_000;
const PAGES = 3;
const LINKS = ["a", "b"];
/** Events of each client in each phase, at least: it goes on until the change is over. */
const EVENTS = 8;
const CLIENTS = 4;
/** Of one event, with up to 0.2 s in between: longer than any restart takes. */
const TRIES_MAX = 300;
/** Of them, after the change, so that each router gets some. */
const AFTER = 4;
/** Milliseconds between two events of a client. */
const PACE_MS = 40;
/** Who owns the objects: before, the new code, back again, and forward for good. */
const PHASES: readonly Side[] = ["old", "new", "old", "new"];
/** Milliseconds in which D1 must have what the objects have. */
const FLUSHED_MS = 30_000;

const releases = await readReleases();
const secret = () => randomBytes(32).toString("base64");

let statePath: string;
beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-upgrade-"));
});
afterEach(() => rm(statePath, { recursive: true, force: true }));

interface Sent {
  page_id: string;
  link_id: string;
  event_id: string;
}

/** The routers that serve now, of both versions; not there while workerd restarts. */
let routers: string[] = [];
/** Requests that were not acknowledged. */
let failures = 0;
/** Routers that have acknowledged an event since the last change. */
const answering = new Set<string>();

/** Sends until it is acknowledged; answers by which outcome. */
async function send({ page_id, link_id, event_id }: Sent, from: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const router = routers[(attempt + event_id.charCodeAt(0)) % 2];
    const response =
      router === undefined
        ? null
        : await fetch(`${router}api/analytics/view`, {
            method: "POST",
            headers: { "CF-Connecting-IP": from, "User-Agent": "Mozilla/5.0 Firefox/140.0" },
            body: JSON.stringify({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }),
            signal: AbortSignal.timeout(5_000),
          }).catch(() => null);
    const outcome = response?.headers.get("X-Beacon-Outcome") ?? null;
    await response?.arrayBuffer().catch(() => null);
    if (outcome === "counted" || outcome === "duplicate") {
      answering.add(router ?? "");
      return outcome;
    }
    failures += 1;
    if (attempt > TRIES_MAX)
      throw new Error(`${event_id} was not acknowledged: ${response?.status}`);
    expect(outcome, "the limit is not met").not.toBe("limited");
    await pause(20 + 10 * Math.min(attempt, 20));
  }
}

test.for(releases.map((release): [string, Release] => [release.version, release]))(
  "F16: nothing is lost or counted twice from release %s to today's code, back, and forward again",
  { timeout: TIMEOUT_MS },
  async ([, release]) => {
    const bundle = await readBundle(await bundledWorker(join(statePath, "bundle")));
    const vars = {
      SENDER_KEY: secret(),
      SESSION_KEY: secret(),
      HUB_WEBHOOK_SECRET: `whsec_${secret()}`,
      FLUSH_SECONDS: "1",
      QUIET_FLUSH_SECONDS: "1",
    };
    const service = await TwoVersions.make(statePath, vars, release, bundle);
    const sent: Sent[] = [];
    try {
      await service.serve("old");
      await service.migrateToOld(release);
      for (let i = 0; i < PAGES; i += 1) {
        const links = LINKS.map((link_id) => ({ link_id, url: "https://sila.example/" }));
        await storePage(await service.db(), plainPage({ page_id: `page-${i}`, links }));
      }
      let senders = 0;
      /** Sends before, while and after `change` restarts the service. */
      const traffic = async (change: () => Promise<void>) => {
        let has_changed = false;
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          for (let i = 0, after = 0; i < EVENTS || after < AFTER; i += 1) {
            if (has_changed) after += 1;
            const event = {
              page_id: `page-${(client + i) % PAGES}`,
              link_id: ["", ...LINKS][i % 3] ?? "",
              event_id: randomUUID(),
            };
            sent.push(event);
            senders += 1;
            await send(event, `10.0.${senders >> 8}.${senders & 255}`);
            await pause(PACE_MS);
          }
        });
        await pause(3 * PACE_MS);
        await change();
        has_changed = true;
        await Promise.all(clients);
      };
      routers = await service.routers();
      answering.clear();
      for (const [i, side] of PHASES.entries()) {
        const before = failures;
        await traffic(async () => {
          if (i === 0) return;
          // Before the new code, as `npm run deploy` does; the code that serves goes on.
          if (i === 1) await service.migrateToNew();
          await service.serve(side);
          routers = await service.routers();
          answering.clear();
        });
        expect([...answering].sort(), "both versions answer").toEqual([...routers].sort());
        if (i > 0) expect(failures, "requests met the change").toBeGreaterThan(before);
      }
      // As sets: each id is remembered, so none was lost …
      const again = await Promise.all(
        sent.map(async (event, i) => [event.event_id, await send(event, `198.51.100.${i % 250}`)]),
      );
      expect(again.filter(([, outcome]) => outcome !== "duplicate")).toEqual([]);
      // … and each total is the number of its ids, so none was counted twice and nothing else was counted.
      const expected: Record<string, number> = {};
      for (const { page_id, link_id } of sent) {
        const key = `${page_id}/${link_id}`;
        expected[key] = (expected[key] ?? 0) + 1;
      }
      const counted: Record<string, number> = {};
      for (let i = 0; i < PAGES; i += 1) {
        for (const { link_id, accepted } of await service.totals(`page-${i}`)) {
          const key = `page-${i}/${link_id}`;
          counted[key] = (counted[key] ?? 0) + accepted;
        }
      }
      expect(counted).toEqual(expected);
      await expect.poll(() => sumsIn(service), { timeout: FLUSHED_MS }).toEqual(expected);
    } finally {
      await service.stop();
    }
  },
);

async function sumsIn(service: TwoVersions): Promise<Record<string, number>> {
  const { results } = await (await service.db())
    .prepare("SELECT page_id, link_id, SUM(n) AS n FROM tallies GROUP BY page_id, link_id")
    .all<{ page_id: string; link_id: string; n: number }>();
  return Object.fromEntries(results.map(({ page_id, link_id, n }) => [`${page_id}/${link_id}`, n]));
}

test("a migration of a release is never edited, and later ones only add", async () => {
  expect(releases.length).toBeGreaterThan(0);
  const now = await migrationsOf(ROOT);
  for (const { migrations } of releases) {
    expect(now).toMatchObject(migrations);
    for (const folder of new Set(Object.keys(now).map(dirname))) {
      const before: string[] = [];
      for (const name of Object.keys(now).filter((one) => dirname(one) === folder)) {
        const sql = await readFile(join(ROOT, "migrations", name), "utf8");
        if (!Object.hasOwn(migrations, name)) expect(notAdditive(before, sql), name).toEqual([]);
        before.push(sql);
      }
    }
  }
});
