/** Sends tips through the tipper's object, for the API and for the page without a script. */
import { createHash } from "node:crypto";
import type { RecentTip, SentTip, TipAnswer } from "../../../objects/blocks/tips/tip.ts";
import { authRequired } from "../../accounts/require-session.ts";
import type { Session } from "../../accounts/session.ts";
import { classify } from "../../counting/classify.ts";
import { ApiError } from "../../http/api-error.ts";
import type { AppContext } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { parseSender } from "../../http/sender.ts";
import type { TipBody } from "./tip-body.ts";
import { findTipJar, type TipJar } from "./tip-jar.ts";

type Request = Pick<AppContext, "env" | "req">;

/**
 * Sends the tip, once for this key. The same key with the same body gets the same answer for 24 hours.
 * Throws what `findTipJar` throws, 401, 402 INSUFFICIENT_POINTS, 403 OWN_PAGE, 409
 * IDEMPOTENCY_CONFLICT, and 502, 503 or 504 where the outcome is still unknown: repeat with the same
 * key.
 */
export async function sendTip(
  c: Request,
  { user, cookie }: Session,
  key: string,
  body: TipBody,
): Promise<SentTip> {
  const { page_id, points, message, link_id } = body;
  let jar: TipJar;
  try {
    jar = await findTipJar(c.env.DB, page_id, link_id, Date.now());
    if (jar.owner_id === user.id) throw new ApiError("OWN_PAGE");
  } catch (error) {
    // A sent tip stays sent, whatever became of its page.
    const before = await recallTip(c, user.id, key, body);
    if (before !== null) return before;
    throw error;
  }
  const address = parseSender(c.req.header("CF-Connecting-IP"));
  const { class: seen, origin } = classify(c.env, c.req.raw, page_id, address, {});
  const order = {
    key,
    hash: hashOf(body),
    page_id,
    owner_id: jar.owner_id,
    link_id: jar.link.link_id,
    points,
    message,
    from_id: user.id,
    from_name: user.name,
    class: seen === "limited" ? ("human" as const) : seen,
    origin,
  };
  return sentOrThrow(c, await asked(async () => await senderOf(c, user.id).send(order, cookie)));
}

/** The user's tip with this key, or null. Throws what `sendTip` throws for a used key. */
export async function recallTip(
  c: Request,
  user_id: string,
  key: string,
  body: TipBody,
): Promise<SentTip | null> {
  const before = await asked(async () => await senderOf(c, user_id).recall(key, hashOf(body)));
  return before === null ? null : sentOrThrow(c, before);
}

/** The user's newest tip to the page of the last minutes; null for none, and if the object fails. */
export function recentTip(c: Request, user_id: string, page_id: string): Promise<RecentTip | null> {
  return asked(async () => await senderOf(c, user_id).recent(page_id)).catch(() => null);
}

function senderOf(c: Request, user_id: string) {
  return c.env.TIPS.getByName(user_id);
}

/** One key with two hashes is a conflict. */
function hashOf({ page_id, points, message, link_id = "" }: TipBody): string {
  const asked_for = JSON.stringify([page_id, points, message, link_id]);
  return createHash("sha256").update(asked_for).digest("hex");
}

function asked<T>(ask: () => Promise<T>): Promise<T> {
  return callDependency("tip_failed", ask);
}

function sentOrThrow(c: Request, answer: TipAnswer): SentTip {
  switch (answer.outcome) {
    case "sent":
      return answer.tip;
    case "refused":
      throw new ApiError("INSUFFICIENT_POINTS");
    case "conflict":
      throw new ApiError("IDEMPOTENCY_CONFLICT");
    case "signed_out":
      throw authRequired(c.req.url);
    case "unknown":
      throw new ApiError("UPSTREAM_ERROR");
    case "late":
      throw new ApiError("UPSTREAM_TIMEOUT");
  }
}
