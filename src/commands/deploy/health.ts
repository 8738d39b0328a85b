/** Asks a running service whether it is well, and says in words what is not. */
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two probes; a result is reused for 5 s there. */
const PROBE_INTERVAL_MS = 3_000;
/** Of one request. */
const REQUEST_TIMEOUT_MS = 15_000;

/** What each failing check of `/health/deep` means for the user. */
const CHECKS: Record<string, string> = {
  d1: "the database does not answer, or lacks its tables",
  kv: "the KV namespace does not answer",
  r2: "the bucket of pictures and files does not answer",
  hub: "the account hub does not answer at HUB_URL; without one, the Worker for accounts",
  config: "a setting is refused; its name is in the log: npx wrangler tail, or: npm run doctor",
};

interface Answer {
  ok?: boolean;
  version?: string;
  checks?: Record<string, { ok: boolean }>;
  details?: { checks?: Record<string, { ok: boolean }> };
}

/** A request that follows no redirect. */
export function request(url: string, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  return fetch(url, { redirect: "manual", signal, ...init });
}

/**
 * What is wrong, in words; nothing if it is well.
 *
 * @param version the one that must answer; undefined: any
 */
export async function probe(url: string, version?: string): Promise<string[]> {
  let response: Response;
  try {
    response = await request(`${url}/health/deep`);
  } catch (error) {
    return [`${url} does not answer (${causeOf(error)})`];
  }
  const body = (await response.json().catch(() => null)) as Answer | null;
  if (response.status === 200 && body?.ok === true) {
    const isOther = version !== undefined && body.version !== version;
    return isOther ? [`version ${body.version} answers, and not yet ${version}`] : [];
  }
  const checks = body?.checks ?? body?.details?.checks ?? {};
  const failing = Object.keys(checks).filter((name) => checks[name]?.ok === false);
  if (failing.length === 0) return [`${url}/health/deep answers ${response.status}`];
  return failing.map((name) => `${name}: ${CHECKS[name] ?? "this check fails"}`);
}

/** Probes until it is well, or until `wait_ms` are over; answers what the last probe found wrong. */
export async function untilWell(url: string, wait_ms: number, version: string): Promise<string[]> {
  const until = Date.now() + wait_ms;
  for (;;) {
    const faults = await probe(url, version);
    if (faults.length === 0 || Date.now() + PROBE_INTERVAL_MS > until) return faults;
    await pause(PROBE_INTERVAL_MS);
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
