import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import { SEND_TIP_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { TIP_BYTES_MAX } from "./limits.ts";
import { sendTip } from "./send-tip.ts";
import { idempotencyKey, TipBody } from "./tip-body.ts";
import { tipJson } from "./tip-json.ts";

export const tip = new Hono<SignedIn>();

tip.use(SEND_TIP_PATH, exactLimit);

/**
 * Sends points of the signed-in user to the owner of a page, once for each Idempotency-Key
 * (docs/contract.md section 11). 201 `{ok, tip:{id, page_id, link_id, points, message, at,
 * status:"sent"}}`; 400 IDEMPOTENCY_KEY_REQUIRED, 401, 402 INSUFFICIENT_POINTS, 403 CSRF_REQUIRED or
 * OWN_PAGE, 404, 409 IDEMPOTENCY_CONFLICT, 410, 413, 415, 429; 502, 503 and 504 where the outcome is
 * still unknown: repeat with the same key.
 */
tip.post(SEND_TIP_PATH, privateRoute, async (c) => {
  const key = idempotencyKey(c.req.header("Idempotency-Key"));
  if (key === null) throw new ApiError("IDEMPOTENCY_KEY_REQUIRED");
  const body = await readJson(c.req.raw, TipBody, TIP_BYTES_MAX);
  return c.json({ ok: true, tip: tipJson(await sendTip(c, c.get("session"), key, body)) }, 201);
});
tip.all(SEND_TIP_PATH, onlyMethods("POST"));
