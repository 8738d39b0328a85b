/**
 * The exact limit: asks the sender's RateLimiter object, remembers its refusals, and writes the
 * answer's headers (CONTRACT section 6; draft-ietf-httpapi-ratelimit-headers-11).
 */
import { createMiddleware } from "hono/factory";
import type { Verdict } from "../../objects/sliding-window.ts";
import type { Check } from "../../objects/windows.ts";
import { type Config, requireConfig } from "../config.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { ApiError, dependencyDown } from "../errors.ts";
import { Gatherer } from "../gather.ts";
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

/** Checks on their way to limiter objects, by the object's name. */
const checking = new Gatherer<Check, Verdict>(
  (env, name, checks) => env.LIMITER.getByName(name).checkAll(checks),
  LIMITER_TIMEOUT_MS,
);

/** Senders whose refusal is remembered; beyond it the oldest is asked for again. */
const REFUSALS_MAX = 10_000;

/**
 * What is known of a sender's refusal in a scope. Per isolate, and only a shortcut: the object is
 * the judge. When it decided lies between asking and hearing of it, so there are two ends.
 */
interface Refusal {
  seen_at: number;
  /** Counted from the asking: before it the object would surely refuse. */
  until: number;
  /** Counted from the answer: at it the object will surely admit. What `Retry-After` promises. */
  retry_at: number;
}

const refusals = new Map<string, Refusal>();

/** Charges every request that passes to the scope of its path, or refuses it with 429. */
export const exactLimit = createMiddleware<AppEnv>(async (c, next) => {
  const scope = scopeOf(c.req.path);
  const verdict = await charge(c, scope);
  if (verdict !== null && !verdict.admitted) throw refusal(scope, verdict);
  await next();
});

/**
 * Charges one request to a scope and writes the limit's headers into the answer. Null when the
 * limiter cannot be asked and the scope is one that stays open; throws 503 where it must close, and in every
 * scope while the deployment lacks the settings for counting: without `SENDER_KEY` no limit could hold.
 */
export async function charge(c: AppContext, scope: Scope): Promise<Verdict | null> {
  const settings = requireConfig(c.env, "counting");
  let verdict: Verdict;
  try {
    verdict = await ask(c, scope, settings);
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

async function ask(
  c: AppContext,
  scope: Scope,
  { SENDER_KEY, LIMITER_SHARDS }: NonNullable<Config["counting"]>,
): Promise<Verdict> {
  const sender = await senderName(SENDER_KEY, parseSender(c.req.header("CF-Connecting-IP")));
  const asked_at = Date.now();
  const key = `${sender}/${scope}`;
  const refused = refusals.get(key);
  if (refused !== undefined) {
    // A clock that stepped back would stretch the refusal: then the object is asked anew.
    if (refused.seen_at <= asked_at && asked_at < refused.until) {
      refused.seen_at = asked_at;
      return { admitted: false, remaining: 0, reset_ms: refused.retry_at - asked_at };
    }
    refusals.delete(key);
  }
  const name = objectName(LIMITER_SHARDS, sender);
  const verdict = await checking.submit(c, name, {
    sender,
    scope,
    limit: LIMITS_PER_MINUTE[scope],
  });
  if (!verdict.admitted) {
    const answered_at = Date.now();
    remember(key, {
      seen_at: asked_at,
      until: asked_at + verdict.reset_ms,
      retry_at: answered_at + verdict.reset_ms,
    });
  }
  return verdict;
}

/** One object per sender, or one of a fixed number that senders are folded into by their hash. */
function objectName(shards: number, sender: string): string {
  return shards > 0 ? `shard-${Number.parseInt(sender.slice(0, 8), 16) % shards}` : sender;
}

function remember(key: string, refusal: Refusal): void {
  const oldest = refusals.keys().next().value;
  if (refusals.size >= REFUSALS_MAX && oldest !== undefined) refusals.delete(oldest);
  refusals.set(key, refusal);
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
