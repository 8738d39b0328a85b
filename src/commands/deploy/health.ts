import { setTimeout as pause } from "node:timers/promises";

/** The service reuses the result of a probe for 5 s. */
const PROBE_INTERVAL_MS = 3_000;
const REQUEST_TIMEOUT_MS = 15_000;

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

/** Follows no redirect: another address would answer. */
export function request(url: string, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  return fetch(url, { redirect: "manual", signal, ...init });
}

/** Says what is wrong; empty if all is well. Where `version` is given, that one must answer. */
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

/** Probes until all is well or `wait_ms` are over; answers what the last probe found wrong. */
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
