/**
 * The deep probe (docs/contract.md section 7): D1, KV, R2 and the hub, side by side, each with a time of its own, and whether
 * the settings are complete. Being in the cached lane is what keeps it from being an amplifier (docs/security.md S19): however
 * many ask, one round of probes is made in 5 s.
 *
 * Always 200, so that failures are kept for those 5 s too; the gateway says what they mean.
 */
import type * as z from "zod";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { isConfigured, requireConfig } from "../http/config.ts";
import { edgeCacheControl } from "../pages/freshness.ts";
import type { Check, Checks } from "./openapi/answers.ts";

/** Longest wait for one dependency, in milliseconds; then it counts as down. */
export const PROBE_TIMEOUT_MS = 2_000;
/** Seconds for which one round of probes answers everybody. */
export const PROBE_REUSED_S = 5;

/** A key that nobody writes: that a store says so is the proof that it answers. */
const ABSENT_KEY = "probe";

/** Asks one dependency for as little as possible. Rejects when it does not answer as it should. */
const PROBES: Readonly<
  Record<Exclude<keyof z.infer<typeof Checks>, "config">, (env: Cloudflare.Env) => Promise<unknown>>
> = {
  d1: (env) => env.DB.prepare("SELECT 1").first(),
  kv: (env) => env.KV.get(ABSENT_KEY),
  r2: (env) => env.MEDIA.head(ABSENT_KEY),
  hub: askHub,
};

/** The checks as JSON. */
export async function renderProbes(env: Cloudflare.Env): Promise<Response> {
  const checks = await Promise.all(
    Object.entries(PROBES).map(async ([name, probe]) => [name, await check(env, name, probe)]),
  );
  // No probe: it takes no time, and `config.ts` has logged what is wrong.
  const config = { ok: isConfigured(env), latency_ms: 0 };
  return Response.json(Object.fromEntries([...checks, ["config", config]]), {
    headers: edgeCacheControl({
      max_age_s: PROBE_REUSED_S,
      stale_if_error_s: 0,
    }),
  });
}

async function check(
  env: Cloudflare.Env,
  dependency: string,
  probe: (env: Cloudflare.Env) => Promise<unknown>,
): Promise<z.infer<typeof Check>> {
  const started_at = Date.now();
  const taken_ms = () => Math.max(0, Date.now() - started_at);
  try {
    await withTimeout(probe(env), PROBE_TIMEOUT_MS);
    return { ok: true, latency_ms: taken_ms() };
  } catch (error) {
    logError("probe_failed", { dependency }, error);
    return { ok: false, latency_ms: taken_ms() };
  }
}

/** 200 from where we asked, and nothing of what it says is read. */
async function askHub(env: Cloudflare.Env): Promise<void> {
  const { HUB_URL } = requireConfig(env, "hub");
  const response = await fetch(`${HUB_URL}/health`, {
    redirect: "manual",
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`the hub answered ${response.status}`);
}
