import type { Context } from "hono";
import type { Endpoint, EndpointInput } from "../../../objects/blocks/webhooks/webhook.ts";
import { ENDPOINTS_MAX } from "../../../objects/blocks/webhooks/webhook.ts";
import type { WebhookSender } from "../../../objects/blocks/webhooks/webhook-sender.ts";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { requireConfig } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { senderName } from "../../http/sender.ts";
import { tooMany } from "../../http/too-many.ts";
import { findPage, type Page } from "../../pages/document/pages-store.ts";
import { WEBHOOK_SENDS_PER_HOUR, WEBHOOK_WINDOW_S } from "./limits.ts";

const FAILED = "webhook_send_failed";

export async function requireOwnPage(c: Context<SignedIn>): Promise<Page> {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency(FAILED, () => findPage(c.env.DB, owner_id, page_id));
  const has_ended = page !== null && page.ends_at !== null && page.ends_at <= Date.now();
  if (page === null || has_ended) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}

/** Calls the page's object. Throws 503 if it fails. */
export function ask<T>(
  c: Context<SignedIn>,
  page_id: string,
  question: (object: DurableObjectStub<WebhookSender>) => Promise<T>,
): Promise<T> {
  return callDependency(FAILED, () => question(c.env.WEBHOOKS.getByName(page_id)));
}

/**
 * Changes endpoints and brings to the page's object which events are wanted now, under `waitUntil`, so that a client
 * that hangs up leaves nothing half done. Throws 503 if one of the two objects fails. The change may be made then, and
 * the same request again brings it to the page's object.
 */
export function changeEndpoints<Answer>(
  c: Context<SignedIn>,
  page_id: string,
  change: (object: DurableObjectStub<WebhookSender>) => Promise<Answer>,
): Promise<Answer> {
  const changing = ask(c, page_id, async (object) => {
    const answer = await change(object);
    await tellPage(c, page_id, object);
    return answer;
  });
  c.executionCtx.waitUntil(changing.catch(() => undefined));
  return changing;
}

/**
 * To be called with each list that an owner gets: what a change could not bring to the page's object reaches it behind
 * the answer, which does not wait for it.
 */
export function tellAgain(c: Context<SignedIn>, page_id: string): void {
  const telling = ask(c, page_id, (object) => tellPage(c, page_id, object));
  c.executionCtx.waitUntil(telling.catch(() => undefined));
}

async function tellPage(
  c: Context<SignedIn>,
  page_id: string,
  object: DurableObjectStub<WebhookSender>,
): Promise<void> {
  const { types, version } = await object.wanted();
  // Nothing was ever wanted, and nothing is what an object wants that was never told.
  if (version === 0) return;
  await c.env.PAGE.getByName(page_id).webhooksAre(types, version);
}

/** Throws 403 PLAN_LIMIT past the endpoints of a page, and what {@link changeEndpoints} throws. */
export async function createEndpoint(
  c: Context<SignedIn>,
  page_id: string,
  input: EndpointInput,
): Promise<Endpoint> {
  const made = await changeEndpoints(c, page_id, (object) => object.create(input));
  if (made === null) throw new ApiError("PLAN_LIMIT", { details: { webhooks_max: ENDPOINTS_MAX } });
  return made;
}

/**
 * Exactly limited per user and hour, so that nobody can flood somebody through this service. Throws
 * 404, 409 WEBHOOK_OFF, 429, and 503 if the limiter fails.
 */
export async function sendByHand(
  c: Context<SignedIn>,
  page_id: string,
  question: (object: DurableObjectStub<WebhookSender>) => Promise<number | "off" | null>,
): Promise<number> {
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const sender = senderName(SENDER_KEY, `webhook\n${c.get("session").user.id}`);
  const limit = WEBHOOK_SENDS_PER_HOUR;
  const verdict = await callDependency("limiter_failed", () =>
    c.env.LIMITER.getByName(sender).check({ sender, scope: "webhook", limit, window_ms: HOUR_MS }),
  );
  if (!verdict.admitted) {
    throw tooMany({ scope: "webhook", limit, window_s: WEBHOOK_WINDOW_S }, verdict.reset_ms);
  }
  const sent = await ask(c, page_id, question);
  if (sent === null) throw new ApiError("NOT_FOUND");
  if (sent === "off") throw new ApiError("WEBHOOK_OFF");
  return sent;
}
