/**
 * The naive design's router: the product's middleware, checks and classification. As in the product, each
 * event is one call of a limiter and one of a page; these two differ.
 */
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import type { Receipt } from "../../../objects/events/event.ts";
import { withTimeout } from "../../../objects/platform/clock.ts";
import { Beacon } from "../../../src/counting/beacon-schema.ts";
import { BEACON_BYTES_MAX, RECORD_TIMEOUT_MS } from "../../../src/counting/limits.ts";
import { beaconEvent, OUTCOME_HEADER } from "../../../src/counting/record.ts";
import { ApiError } from "../../../src/http/api-error.ts";
import { readJson } from "../../../src/http/body.ts";
import { requireConfig } from "../../../src/http/config.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { answerError } from "../../../src/http/error-answer.tsx";
import { refusal } from "../../../src/http/exact-limit.ts";
import { LIMITER_TIMEOUT_MS, LIMITS_PER_MINUTE, WINDOW_S } from "../../../src/http/limits.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";
import { parseSender, senderName } from "../../../src/http/sender.ts";

const SCOPE = "public";

export const naive = new Hono<AppEnv>();
naive.use(requestId({ limitLength: 64 }), securityHeaders);
naive.onError(answerError);

naive.post("/api/analytics/view", async (c) => {
  const { env, req } = c;
  const { SENDER_KEY, LIMITER_SHARDS } = requireConfig(env, "counting");
  const sender = await senderName(SENDER_KEY, parseSender(req.header("CF-Connecting-IP")));
  const check = { sender, scope: SCOPE, limit: LIMITS_PER_MINUTE[SCOPE] };
  const name = limiterName(LIMITER_SHARDS, sender);
  const checking = env.NAIVE_LIMITER.getByName(name).check(check);
  const verdict = await withTimeout(checking, LIMITER_TIMEOUT_MS);
  c.header("RateLimit-Policy", `"${SCOPE}";q=${check.limit};w=${WINDOW_S}`);
  const reset_s = Math.ceil(verdict.reset_ms / 1_000);
  c.header("RateLimit", `"${SCOPE}";r=${verdict.remaining};t=${reset_s}`);
  if (!verdict.admitted) throw refusal(SCOPE, verdict);

  const beacon = await readJson(req.raw, Beacon, BEACON_BYTES_MAX);
  const { page_id, link_id = "", event_id, ...claims } = beacon;
  const event = await beaconEvent(c, page_id, link_id, event_id, claims);
  const recording = env.NAIVE_PAGE.getByName(page_id).record(event);
  const receipt = await withTimeout<Receipt>(recording, RECORD_TIMEOUT_MS);
  if (!("url" in receipt)) throw new ApiError("PAGE_NOT_FOUND");
  c.header(OUTCOME_HEADER, receipt.outcome);
  return c.json({ ok: true }, 202);
});

function limiterName(shards: number, sender: string): string {
  return shards > 0 ? `shard-${Number.parseInt(sender.slice(0, 8), 16) % shards}` : sender;
}
