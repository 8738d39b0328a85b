/** Asks the deployed service whether it is well, and says in words what is not. */
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two probes; a result is reused for 5 s there. */
const PROBE_INTERVAL_MS = 3_000;
/** Of one request. */
const REQUEST_TIMEOUT_MS = 15_000;

/** What each failing check of `/health/deep` means for the user. */
const CHECKS: Record<string, string> = {
  d1: "the database does not answer, or lacks its tables; look at D1 in the dashboard of the account",
  kv: "the KV namespace does not answer; look at KV in the dashboard of the account",
  r2: "the bucket does not answer; look at R2 in the dashboard of the account",
  backups:
    "the bucket of backups is gone or does not answer; look at R2, or run npm run deploy, which makes it",
  hub: "the account hub does not answer at HUB_URL; look whether its address is right and whether it runs",
  config:
    "a secret or variable is refused; its name is in the log: npx wrangler tail, or run: npm run doctor",
};

export interface Health {
  ok: boolean;
  status: number;
  version: string | null;
  /** What is wrong, in words. */
  faults: string[];
}

/** One answer of `/health/deep`. */
export async function probe(url: string): Promise<Health> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    response = await fetch(`${url}/health/deep`, { signal, redirect: "manual" });
  } catch (error) {
    const reason = error instanceof Error ? causeOf(error) : String(error);
    return { ok: false, status: 0, version: null, faults: [`${url} does not answer (${reason})`] };
  }
  const { status } = response;
  const body = (await response.json().catch(() => null)) as {
    ok?: boolean;
    version?: string;
    checks?: Record<string, { ok: boolean }>;
    details?: { checks?: Record<string, { ok: boolean }> };
  } | null;
  const checks = body?.checks ?? body?.details?.checks ?? {};
  const failing = Object.keys(checks).filter((name) => checks[name]?.ok === false);
  const faults = failing.map((name) => `${name}: ${CHECKS[name] ?? "this check fails"}`);
  const ok = status === 200 && body?.ok === true;
  if (!ok && faults.length === 0) faults.push(`${url}/health/deep answers ${status}`);
  return { ok, status, version: body?.version ?? null, faults };
}

/**
 * Probes until it is well, or until `wait_ms` are over; answers the last result.
 *
 * @param version the one that must answer; undefined: any
 */
export async function untilWell(url: string, wait_ms: number, version?: string): Promise<Health> {
  const until = Date.now() + wait_ms;
  for (;;) {
    let health = await probe(url);
    if (health.ok && version !== undefined && health.version !== version) {
      const fault = `version ${health.version} answers, and not yet ${version}`;
      health = { ...health, ok: false, faults: [fault] };
    }
    if (health.ok || Date.now() + PROBE_INTERVAL_MS > until) return health;
    await pause(PROBE_INTERVAL_MS);
  }
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
