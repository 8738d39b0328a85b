/**
 * The deep probe (docs/contract.md section 7): asks D1, KV, R2 and the hub in parallel, each with its own time-out, and
 * checks that the settings are complete. It is behind the edge cache, so any number of requests makes one round of
 * probes in 5 s, and the route is no amplifier (docs/security.md S19).
 *
 * The answer is always 200, so that failures are cached for those 5 s too. The gateway turns them into 503.
 */

import type * as z from "zod/mini";
import { statsDatabases } from "../../objects/page/home/databases.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import { fetchHub } from "../../objects/platform/hub.ts";
import { logError } from "../../objects/platform/log.ts";
import { isConfigured, requireConfig } from "../http/config.ts";
import { edgeCacheControl } from "../pages/cache/freshness.ts";
import type { Check, Checks } from "./checks.ts";

export const PROBE_TIMEOUT_MS = 2_000;
export const PROBE_REUSED_S = 5;

/** A key that is never written: "not found" proves that a store works. */
const ABSENT_KEY = "probe";

/** The cheapest request to each dependency. Rejects for an unexpected answer. */
const PROBES: Readonly<
  Record<Exclude<keyof z.infer<typeof Checks>, "config">, (env: Cloudflare.Env) => Promise<unknown>>
> = {
  d1: (env) =>
    Promise.all(
      [env.DB, ...statsDatabases(env).bound.values()].map((db) => db.prepare("SELECT 1").first()),
    ),
  kv: (env) => env.KV.get(ABSENT_KEY),
  r2: (env) => env.MEDIA.head(ABSENT_KEY),
  hub: askHub,
};

export async function probeAll(
  env: Cloudflare.Env,
  failed: (dependency: string, error: unknown) => void = () => {},
): Promise<z.infer<typeof Checks>> {
  const checks = await Promise.all(
    Object.entries(PROBES).map(async ([name, probe]) => [
      name,
      await check(env, probe, (error) => failed(name, error)),
    ]),
  );
  // Not a request. `config.ts` has logged which setting is wrong.
  const config = { ok: isConfigured(env), latency_ms: 0 };
  return Object.fromEntries([...checks, ["config", config]]);
}

export async function renderProbes(env: Cloudflare.Env): Promise<Response> {
  const checks = await probeAll(env, (dependency, error) =>
    logError("probe_failed", { dependency }, error),
  );
  return Response.json(checks, {
    headers: edgeCacheControl({
      max_age_s: PROBE_REUSED_S,
      stale_if_error_s: 0,
    }),
  });
}

async function check(
  env: Cloudflare.Env,
  probe: (env: Cloudflare.Env) => Promise<unknown>,
  failed: (error: unknown) => void,
): Promise<z.infer<typeof Check>> {
  const started_at = Date.now();
  const taken_ms = () => Math.max(0, Date.now() - started_at);
  try {
    await withTimeout(probe(env), PROBE_TIMEOUT_MS);
    return { ok: true, latency_ms: taken_ms() };
  } catch (error) {
    failed(error);
    return { ok: false, latency_ms: taken_ms() };
  }
}

/** Rejects unless the hub itself answers 200. Its body is not read. */
async function askHub(env: Cloudflare.Env): Promise<void> {
  requireConfig(env, "hub");
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const response = await fetchHub(env, "/health", { method: "GET", signal });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`the hub answered ${response.status}`);
}
