/**
 * The exact limit: calls the sender's RateLimiter object and sets the limit's headers
 * (docs/contract.md section 6, draft-ietf-httpapi-ratelimit-headers-11).
 */
import { createMiddleware } from "hono/factory";
import type {
  Check,
  CheckTogether,
  TogetherVerdict,
} from "../../objects/limiter/sender-windows.ts";
import type { Verdict } from "../../objects/limiter/sliding-window.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { systemClock } from "../../objects/platform/ports.ts";
import { Admission, type Decision } from "./admission.ts";
import { type ApiError, dependencyDown } from "./api-error.ts";
import { type AppContext, type AppEnv, countingSettings, senderOf, timersOf } from "./context.ts";
import { type CheckPorts, LimiterCalls } from "./limiter-calls.ts";
import {
  FAIL_CLOSED_SCOPES,
  LIMITER_TIMEOUT_MS,
  LIMITS_PER_MINUTE,
  type Scope,
  scopeOf,
  WINDOW_S,
} from "./limits.ts";
import { requestCounts } from "./request-counts.ts";
import { senderName } from "./sender.ts";
import { seconds, tooMany } from "./too-many.ts";

/** One per isolate, because it caches refusals. */
const admission = new Admission(systemClock);
const calls = new LimiterCalls(systemClock);

/** Charges each request to the scope of its path, or refuses it with 429. */
export const exactLimit = createMiddleware<AppEnv>(async (c, next) => {
  const scope = scopeOf(c.req.path);
  const refused = await chargeOrRefuse(c, scope);
  if (refused !== null) throw refused;
  await next();
});

/** Returns the 429 of a refused request, for routes that count refusals, or null. */
export async function chargeOrRefuse(c: AppContext, scope: Scope): Promise<ApiError | null> {
  const decision = await charge(c, scope);
  return decision === null || decision.admitted ? null : refusal(scope, decision);
}

/**
 * Charges one request and sets the limit's headers. When the limiter fails: null in a scope that
 * fails open, 503 in one that fails closed. Throws 503 in every scope while the settings for
 * counting are invalid, because no limit holds without `SENDER_KEY`.
 */
export async function charge(c: AppContext, scope: Scope): Promise<Decision | null> {
  const decision = await callLimiter(c, { scope, limit: LIMITS_PER_MINUTE[scope] });
  if (decision === null && FAIL_CLOSED_SCOPES.has(scope)) throw dependencyDown();
  if (decision !== null) {
    if (!decision.admitted) requestCounts.refused(scope);
    c.header("RateLimit-Policy", policyOf(scope));
    c.header("RateLimit", limitOf(scope, decision));
  }
  return decision;
}

export function policyOf(scope: Scope): string {
  return `"${scope}";q=${LIMITS_PER_MINUTE[scope]};w=${WINDOW_S}`;
}

export function limitOf(scope: Scope, { remaining, reset_ms }: Verdict): string {
  return `"${scope}";r=${remaining};t=${seconds(reset_ms)}`;
}

export function refusal(scope: Scope, { reset_ms }: Verdict): ApiError {
  return tooMany({ scope, limit: LIMITS_PER_MINUTE[scope], window_s: WINDOW_S }, reset_ms);
}

/**
 * Null, with a line in the log, when the call fails: the scope decides whether that refuses. 503 while
 * counting's settings are invalid.
 */
export async function callLimiter(
  c: AppContext,
  limit: Omit<Check, "sender">,
): Promise<Decision | null> {
  const { SENDER_KEY, LIMITER_SHARDS, SHARED_CALLS } = countingSettings(c);
  try {
    const sender = senderName(SENDER_KEY, senderOf(c));
    const name = objectName(LIMITER_SHARDS, sender);
    const ports: CheckPorts = {
      checkAll: (name, batch) => c.env.LIMITER.getByName(name).checkAll(batch),
      waitUntil: (promise) => c.executionCtx.waitUntil(promise),
      shares: SHARED_CALLS === "on",
      clock: timersOf(c),
    };
    const ask = (check: Check) => calls.check(ports, name, check);
    return await admission.decide({ ...limit, sender }, ask);
  } catch (error) {
    logError("limiter_failed", { scope: limit.scope, request_id: c.get("requestId") }, error);
    return null;
  }
}

/** Charges several windows of one object: all or none. A failed call is logged and throws 503. */
export async function checkTogether(
  env: Cloudflare.Env,
  name: string,
  check: CheckTogether,
): Promise<TogetherVerdict> {
  const call = env.LIMITER.getByName(name).checkTogether(check);
  return withTimeout(call, LIMITER_TIMEOUT_MS).catch((cause) => {
    logError("limiter_failed", { scope: check.scope }, cause);
    throw dependencyDown(cause);
  });
}

export function objectName(shards: number, sender: string): string {
  return shards > 0 ? `shard-${Number.parseInt(sender.slice(0, 8), 16) % shards}` : sender;
}
