/**
 * The cron's measurements for the monitor, and for Analytics Engine where it is bound. A
 * measurement that fails is missing; it stops nothing else.
 */
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { BUDGET, mailsSent } from "../../objects/mail/mail-budget.ts";
import { mailSettings } from "../../objects/mail/mail-settings.ts";
import { addSample, probed, type Sample } from "../../objects/monitor/sample.ts";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { eventsPerDay } from "../http/config.ts";
import { tallyDatabases } from "./databases.ts";
import { dataPoints } from "./metrics.ts";

const MEASURE_TIMEOUT_MS = 3 * SECOND_MS;
const MONITOR_TIMEOUT_MS = 10 * SECOND_MS;

type Checks = Readonly<Record<string, { ok: boolean; latency_ms: number }>>;

/** Never rejects. */
export async function measure(env: Cloudflare.Env, probe: () => Promise<Checks>): Promise<void> {
  const { mail_from, per_day } = mailSettings(env);
  const [checks, objects, bytes] = await Promise.all([
    orNull(probe),
    askObjects(env),
    orNull(() => largest(tallyDatabases(env))),
  ]);
  const sample: Sample = {};
  for (const [component, check] of Object.entries(checks ?? {})) {
    addSample(sample, probed(component, check));
  }
  addSample(sample, probed("objects", objects));
  if (objects.mails !== null) addSample(sample, { "max.mail": objects.mails });
  if (bytes !== null) addSample(sample, { "max.db_bytes": bytes });
  const measured = {
    ...{ sample, mail_per_day: mail_from === "" ? 0 : per_day },
    events_per_day: eventsPerDay(env),
  };
  try {
    const monitor = env.MONITOR.getByName(MONITOR);
    await withTimeout(monitor.measured(measured), MONITOR_TIMEOUT_MS);
    if (env.METRICS === undefined) return;
    const numbers = await withTimeout(monitor.numbers(), MONITOR_TIMEOUT_MS);
    for (const point of numbers === null ? [] : dataPoints(numbers)) {
      env.METRICS.writeDataPoint(point);
    }
  } catch (error) {
    logError("monitor_failed", {}, error);
  }
}

/** Reports how many alarms the sweep had to set again. Never rejects. */
export async function reportLostAlarms(env: Cloudflare.Env, n: number): Promise<void> {
  try {
    const monitor = env.MONITOR.getByName(MONITOR);
    const reporting = monitor.counted({ sample: { "alarms.lost": n }, pages: {} });
    await withTimeout(reporting, MONITOR_TIMEOUT_MS);
  } catch (error) {
    logError("monitor_failed", {}, error);
  }
}

/** Whether objects answer, by one that exists only where mails were sent; the call stores nothing. */
async function askObjects(env: Cloudflare.Env) {
  const started_at = Date.now();
  const mails = await orNull(() => mailsSent(env.LIMITER.getByName(BUDGET)));
  return { ok: mails !== null, latency_ms: Math.max(0, Date.now() - started_at), mails };
}

async function largest(databases: readonly D1Database[]): Promise<number> {
  const answers = await Promise.all(databases.map((db) => db.prepare("SELECT 1").all()));
  return Math.max(...answers.map(({ meta }) => meta.size_after));
}

/** A failure shows on the operators' page as a missing value. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(work(), MEASURE_TIMEOUT_MS);
  } catch {
    return null;
  }
}
