/**
 * The exact limit: asks the sender's RateLimiter object, remembers its refusals, and writes the
 * answer's headers (CONTRACT section 6; draft-ietf-httpapi-ratelimit-headers-11).
 */
import { createMiddleware } from "hono/factory";
import { withTimeout } from "../../objects/clock.ts";
import type { Verdict } from "../../objects/sliding-window.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { ApiError, dependencyDown } from "../errors.ts";
import {
  CLOSED_SCOPES,
  LIMITER_TIMEOUT_MS,
  LIMITS_PER_MINUTE,
  type Scope,
  scopeOf,
  WINDOW_S,
} from "../limits.ts";
import { logError } from "../log.ts";
import { parseSender, senderName } from "../sender.ts";

/** Senders whose refusal is remembered; beyond it the oldest is asked for again. */
const REFUSALS_MAX = 10_000;

/**
 * Until when a sender is known to be refused in a scope. Per isolate, and only a shortcut: the
 * object is the judge. Counted from before the object was asked, so it never outlasts the truth.
 */
const refusals = new Map<string, { seen_at: number; until: number }>();

/** Charges every request that passes to the scope of its path, or refuses it with 429. */
export const exactLimit = createMiddleware<AppEnv>(async (c, next) => {
  const scope = scopeOf(c.req.path);
  const verdict = await charge(c, scope);
  if (verdict !== null && !verdict.admitted) throw refusal(scope, verdict);
  await next();
});

/**
 * Charges one request to a scope and writes the limit's headers into the answer. Null when the
 * limiter cannot be asked and the scope is one that stays open; throws 503 where it must close.
 */
export async function charge(c: AppContext, scope: Scope): Promise<Verdict | null> {
  let verdict: Verdict;
  try {
    verdict = await ask(c, scope);
  } catch (error) {
    logError("limiter_failed", { scope, request_id: c.get("requestId") }, error);
    if (CLOSED_SCOPES.has(scope)) throw dependencyDown();
    return null;
  }
  c.header("RateLimit-Policy", `"${scope}";q=${LIMITS_PER_MINUTE[scope]};w=${WINDOW_S}`);
  c.header("RateLimit", `"${scope}";r=${verdict.remaining};t=${seconds(verdict.reset_ms)}`);
  return verdict;
}

/** The 429 for a refused verdict; its `Retry-After` is true to the second (SECURITY S1). */
export function refusal(scope: Scope, verdict: Verdict): ApiError {
  const retry_after_s = seconds(verdict.reset_ms);
  return new ApiError("RATE_LIMITED", {
    details: { scope, limit: LIMITS_PER_MINUTE[scope], window_s: WINDOW_S, retry_after_s },
    headers: { "Retry-After": String(retry_after_s) },
  });
}

async function ask({ env, req }: AppContext, scope: Scope): Promise<Verdict> {
  const sender = await senderName(env.SENDER_KEY, parseSender(req.header("CF-Connecting-IP")));
  const asked_at = Date.now();
  const key = `${sender}/${scope}`;
  const refused = refusals.get(key);
  if (refused !== undefined) {
    // A clock that stepped back would stretch the refusal: then the object is asked anew.
    if (refused.seen_at <= asked_at && asked_at < refused.until) {
      refused.seen_at = asked_at;
      return { admitted: false, remaining: 0, reset_ms: refused.until - asked_at };
    }
    refusals.delete(key);
  }
  const limiter = env.LIMITER.getByName(objectName(env.LIMITER_SHARDS, sender));
  const checking = limiter.check({ sender, scope, limit: LIMITS_PER_MINUTE[scope] });
  const verdict = await withTimeout(checking, LIMITER_TIMEOUT_MS);
  if (!verdict.admitted) remember(key, asked_at, asked_at + verdict.reset_ms);
  return verdict;
}

/** One object per sender, or one of a fixed number that senders are folded into by their hash. */
function objectName(shards_setting: string, sender: string): string {
  const shards = Number(shards_setting);
  return shards > 0 ? `shard-${Number.parseInt(sender.slice(0, 8), 16) % shards}` : sender;
}

function remember(key: string, seen_at: number, until: number): void {
  const oldest = refusals.keys().next().value;
  if (refusals.size >= REFUSALS_MAX && oldest !== undefined) refusals.delete(oldest);
  refusals.set(key, { seen_at, until });
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
