/**
 * The quota of suggestions, exact per user (docs/contract.md section 11). A unit is reserved before
 * the call, settled if the endpoint must be paid, else given back. It expires if its request dies.
 */

import type { Context } from "hono";
import type { UnitCall } from "../../../objects/limiter/reservations.ts";
import type { Verdict } from "../../../objects/limiter/sliding-window.ts";
import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { requireConfig } from "../../http/config.ts";
import { LIMITER_TIMEOUT_MS } from "../../http/limits.ts";
import { newId } from "../../http/new-id.ts";
import { senderName } from "../../http/sender.ts";
import { seconds, tooMany } from "../../http/too-many.ts";
import { AI_REQUESTS_PER_PLAN, AI_RETRY_AFTER_S, AI_WINDOW_S } from "./limits.ts";

/**
 * Runs `work` for one unit of the quota. Throws 429 AI_QUOTA_EXCEEDED without a call of `work`; 503
 * where the limiter fails; 503 with the unit used where `work` returned null (it cost something and
 * gave nothing); and what `work` throws, with the unit given back.
 */
export async function forOneUnit<T>(
  c: Context<SignedIn>,
  work: () => Promise<T | null>,
): Promise<T> {
  const { user } = c.get("session");
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const limit = AI_REQUESTS_PER_PLAN[user.plan];
  const name = senderName(SENDER_KEY, `ai\n${user.id}`);
  const unit: UnitCall = { id: newId(), limit };
  // A stub for each try: one whose object ended rejects every later call.
  const change = (step: "reserve" | "settle" | "giveBack") =>
    twice(() => c.env.LIMITER.getByName(name)[step](unit));
  const giveBack = async () => showQuota(c, limit, await change("giveBack"));

  const reserved = await change("reserve");
  if (reserved === null) {
    // It may be reserved all the same; if this fails too, the reservation expires.
    c.executionCtx.waitUntil(change("giveBack"));
    throw dependencyDown();
  }
  showQuota(c, limit, reserved);
  if (!reserved.admitted) throw exceeded(limit, reserved);

  const result = await work().catch(async (error) => {
    await giveBack();
    throw error;
  });
  const settled = await change("settle");
  if (settled?.admitted === true && result !== null) return result;
  // An unsettled unit would come back, and the suggestions would have cost nothing.
  if (settled?.admitted !== true) await giveBack();
  throw unavailable();
}

export function unavailable(cause?: unknown): ApiError {
  const headers = { "Retry-After": String(AI_RETRY_AFTER_S) };
  return new ApiError("AI_UNAVAILABLE", { headers, cause });
}

function exceeded(limit: number, { reset_ms }: Verdict): ApiError {
  return tooMany({ limit, window_s: AI_WINDOW_S }, reset_ms, "AI_QUOTA_EXCEEDED");
}

function showQuota(c: Context<SignedIn>, limit: number, verdict: Verdict | null): void {
  if (verdict === null) return;
  c.header("RateLimit-Policy", `"ai";q=${limit};w=${AI_WINDOW_S}`);
  c.header("RateLimit", `"ai";r=${verdict.remaining};t=${seconds(verdict.reset_ms)}`);
}

/** Calls the limiter again where it failed or its answer was lost: its steps may be repeated. */
async function twice(call: () => Promise<Verdict>): Promise<Verdict | null> {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      return await withTimeout(call(), LIMITER_TIMEOUT_MS);
    } catch (error) {
      logError("limiter_failed", { scope: "ai" }, error);
    }
  }
  return null;
}
