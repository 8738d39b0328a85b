/** A page's webhooks, for its owner alone (docs/contract.md section 12). */

import type { Endpoint, EndpointChange } from "../../../objects/blocks/webhooks/webhook.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import {
  DELIVERIES_PATH,
  DELIVERY_PATH,
  SEND_AGAIN_PATH,
  TEST_WEBHOOK_PATH,
  WEBHOOK_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOKS_PATH,
} from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { WEBHOOK_BODY_BYTES_MAX } from "./limits.ts";
import { endpointAddress } from "./webhook-address.ts";
import {
  ask,
  changeEndpoints,
  createEndpoint,
  requireOwnPage,
  sendByHand,
  tellAgain,
} from "./webhook-calls.ts";
import { DeliveriesQuery, DeliveryId, WebhookBody, WebhookChange } from "./webhook-schema.ts";

export const pageWebhooks = new Hono<SignedIn>();

for (const path of [
  WEBHOOKS_PATH,
  WEBHOOK_PATH,
  WEBHOOK_SECRET_PATH,
  TEST_WEBHOOK_PATH,
  DELIVERIES_PATH,
  DELIVERY_PATH,
  SEND_AGAIN_PATH,
]) {
  pageWebhooks.use(path, exactLimit);
}

/** 200 `{ok, webhooks, dropped}`; 404 for a page of somebody else. */
pageWebhooks.get(WEBHOOKS_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const { endpoints, dropped } = await ask(c, page_id, (object) => object.list());
  tellAgain(c, page_id);
  return c.json({ ok: true, webhooks: endpoints, dropped });
});

/** Adds an endpoint. 201 `{ok, webhook}` with its secret; 403 PLAN_LIMIT for a fourth one. */
pageWebhooks.post(WEBHOOKS_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const { url, events } = await readJson(c.req.raw, WebhookBody, WEBHOOK_BODY_BYTES_MAX);
  const input = { url: endpointAddress(c, url), events };
  return c.json({ ok: true, webhook: await createEndpoint(c, page_id, input) }, 201);
});
pageWebhooks.all(WEBHOOKS_PATH, onlyMethods("GET", "POST"));

/** Changes address, events, or whether it is on. 200 `{ok, webhook}`; 404. */
pageWebhooks.patch(WEBHOOK_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const { url, events, enabled } = await readJson(c.req.raw, WebhookChange, WEBHOOK_BODY_BYTES_MAX);
  const change: EndpointChange = {
    ...(url === undefined ? {} : { url: endpointAddress(c, url) }),
    ...(events === undefined ? {} : { events }),
    ...(enabled === undefined ? {} : { enabled }),
  };
  const id = c.req.param("id");
  const webhook = await changeEndpoints(c, page_id, (object) => object.change(id, change));
  return c.json({ ok: true, webhook: found(webhook) });
});

/** Deletes it with its deliveries. 200 `{ok}`; 404. */
pageWebhooks.delete(WEBHOOK_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const id = c.req.param("id");
  const is_removed = await changeEndpoints(c, page_id, (object) => object.remove(id));
  if (!is_removed) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true });
});
pageWebhooks.all(WEBHOOK_PATH, onlyMethods("PATCH", "DELETE"));

/** Makes a new secret; the old one signs too for a day. 200 `{ok, webhook}`; 404. */
pageWebhooks.post(WEBHOOK_SECRET_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const webhook = await ask(c, page_id, (object) => object.rotate(c.req.param("id")));
  return c.json({ ok: true, webhook: found(webhook) });
});
pageWebhooks.all(WEBHOOK_SECRET_PATH, onlyMethods("POST"));

/** Sends a test event. 202 `{ok, delivery_id}`; 404, 409 WEBHOOK_OFF, 429 past 30 in any hour. */
pageWebhooks.post(TEST_WEBHOOK_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const id = await sendByHand(c, page_id, (object) => object.sendTest(c.req.param("id")));
  return c.json({ ok: true, delivery_id: id }, 202);
});
pageWebhooks.all(TEST_WEBHOOK_PATH, onlyMethods("POST"));

/** 200 `{ok, deliveries, next_cursor}`, newest first. */
pageWebhooks.get(DELIVERIES_PATH, privateRoute, async (c) => {
  const { limit, cursor } = validate(DeliveriesQuery, c.req.query());
  const { page_id } = await requireOwnPage(c);
  const rows = await ask(c, page_id, (object) => object.deliveries(cursor ?? null, limit + 1));
  const deliveries = rows.slice(0, limit);
  const last = rows.length > limit ? deliveries.at(-1) : undefined;
  return c.json({ ok: true, deliveries, next_cursor: last === undefined ? null : String(last.id) });
});
pageWebhooks.all(DELIVERIES_PATH, onlyMethods("GET"));

/** 200 `{ok, delivery}` with its body and its attempts; 404. */
pageWebhooks.get(DELIVERY_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const id = deliveryId(c.req.param("id"));
  const delivery = await ask(c, page_id, (object) => object.delivery(id));
  if (delivery === null) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true, delivery });
});
pageWebhooks.all(DELIVERY_PATH, onlyMethods("GET"));

/** Repeats it with the same id. 202 `{ok, delivery_id}`; errors as for a test event. */
pageWebhooks.post(SEND_AGAIN_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const id = deliveryId(c.req.param("id"));
  await sendByHand(c, page_id, (object) => object.sendAgain(id));
  return c.json({ ok: true, delivery_id: id }, 202);
});
pageWebhooks.all(SEND_AGAIN_PATH, onlyMethods("POST"));

function found(webhook: Endpoint | null): Endpoint {
  if (webhook === null) throw new ApiError("NOT_FOUND");
  return webhook;
}

function deliveryId(text: string): number {
  const id = DeliveryId.safeParse(text);
  if (!id.success) throw new ApiError("NOT_FOUND");
  return id.data;
}
