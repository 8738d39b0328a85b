/**
 * Alerts in the real runtime: workerd is ended with SIGKILL while an alert begins and ends, and the receiver loses
 * answers. It hears of each beginning and each end, and of nothing else; what comes again has the same id.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { MonitorBook } from "../../objects/monitor/monitor-book.ts";
import { HOUR_MS } from "../../objects/platform/clock.ts";
import { startWithHub, type WithHub } from "../demo/hub/with-hub.ts";
import { randomSecret } from "../secret.ts";
import { freePair } from "../server/ports.ts";
import { Steering } from "../server/steering.ts";

const TIMEOUT_MS = 180_000;
const KILLS = 3;
/** Longest wait for an answer while workerd restarts, and for a delivery after a kill: its lease, and pauses. */
const ANSWER_MS = 60_000;
const ARRIVE_MS = 60_000;

const steering = new Steering();
let statePath: string;
let running: WithHub;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-monitor-"));
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("there is no free port");
  const secret = `whsec_${randomSecret()}`;
  running = await startWithHub({
    port: pair.port,
    hostname: "127.0.0.1",
    statePath,
    around: steering.around,
    vars: { ALERT_URL: `http://127.0.0.1:${pair.port + 1}/hooks`, ALERT_SECRET: secret },
    // Calls under way are lost on purpose.
    onLine: () => {},
  });
  steering.steer(running.server);
  await running.hub.control("POST", "/hooks", { secret });
}, TIMEOUT_MS);
afterAll(async () => {
  await running?.dispose();
  await rm(statePath, { recursive: true, force: true });
}, TIMEOUT_MS);

/** The object; its methods are calls. */
async function monitor(): Promise<{
  measured(...args: Parameters<MonitorBook["measured"]>): Promise<void>;
  overview(): Promise<ReturnType<MonitorBook["overview"]>>;
}> {
  const namespace = await running.server.workerd.miniflare.getDurableObjectNamespace("MONITOR");
  return namespace.getByName(MONITOR) as never;
}

/**
 * Hands the monitor a measurement, as the cron does, until it has taken it. The cron itself measures no
 * backup here.
 */
async function measured(backup_at: number): Promise<void> {
  for (const since = Date.now(); Date.now() - since < ANSWER_MS; await pause(100)) {
    try {
      await (await monitor()).measured({ sample: {}, mail_per_day: 0, backup_at });
      return;
    } catch {
      // workerd is being started again.
    }
  }
  throw new Error("the monitor did not answer");
}

async function heard() {
  const { hooks } = (await running.hub.control("GET", "/hooks")) as {
    hooks: { id: string; is_verified: number; body: string }[];
  };
  return hooks;
}

/** The types of alerts by the distinct ids that arrived. */
async function told(): Promise<string[]> {
  const types = new Map((await heard()).map(({ id, body }) => [id, JSON.parse(body).type]));
  return [...types.values()].sort();
}

/**
 * Measures this, through kills, until exactly these alerts have arrived. Until then each answer is lost, so the new
 * one comes again; it ends when the monitor has an answer to each, because the next alert waits for that.
 */
async function through(backup_at: () => number, expected: string[]): Promise<void> {
  await running.hub.control("PUT", "/fault", { path: "/hooks", fault: "lost" });
  // The receiver has heard of it, and the monitor does not know.
  const ending = steering.at("fetch /hooks, after", "SIGKILL");
  await measured(backup_at());
  await ending;
  for (let kills = 1; kills < KILLS; kills += 1) {
    await steering.isUp();
    await measured(backup_at());
    await steering.kill();
  }
  await steering.isUp();
  await measured(backup_at());
  await expect.poll(told, { timeout: ARRIVE_MS, interval: 300 }).toEqual(expected);
  await running.hub.control("PUT", "/fault", { path: "/hooks", fault: null });
  const waiting = async () => (await (await monitor()).overview())?.waiting;
  await expect.poll(waiting, { timeout: ARRIVE_MS, interval: 300 }).toBe(0);
}

test("an alert is told once when it begins and once when it ends, through SIGKILL and lost answers", {
  timeout: TIMEOUT_MS,
}, async () => {
  await through(() => Date.now() - 27 * HOUR_MS, ["alert.began"]);
  await through(Date.now, ["alert.began", "alert.ended"]);
  const hooks = await heard();
  const attempts = [...Map.groupBy(hooks, ({ id }) => id).values()].map(({ length }) => length);
  expect(attempts).toHaveLength(2);
  expect(Math.min(...attempts), "after lost answers").toBeGreaterThan(1);
  expect(hooks.every(({ is_verified }) => is_verified === 1)).toBe(true);
  expect(new Set(hooks.map(({ body }) => body)).size, "the same in every attempt").toBe(2);
});
