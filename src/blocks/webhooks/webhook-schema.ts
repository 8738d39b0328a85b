import * as z from "zod/mini";
import { WEBHOOK_EVENTS } from "../../../objects/blocks/webhooks/webhook.ts";
import { ADDRESS_CHARS_MAX } from "../../../objects/platform/public-address.ts";
import { DELIVERIES_PER_PAGE, DELIVERIES_PER_PAGE_MAX } from "./limits.ts";

/** `webhook-address.ts` decides whether it may be called: that depends on the deployment. */
const Address = z.string().check(z.maxLength(ADDRESS_CHARS_MAX));
export const WebhookEventName = z.enum(WEBHOOK_EVENTS);
const Events = z.array(WebhookEventName).check(
  z.minLength(1),
  z.refine((events) => new Set(events).size === events.length, "each event once"),
);

export const WebhookBody = z.object({ url: Address, events: Events });
export const WebhookChange = z.object({
  url: z.optional(Address),
  events: z.optional(Events),
  enabled: z.optional(z.boolean()),
});

export const DeliveryId = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,11}$/, "the id of a delivery")),
  z.transform(Number),
);

export const DeliveriesQuery = z.object({
  limit: z.pipe(
    z._default(
      z.string().check(z.regex(/^(?:[1-9]\d?|100)$/, `1 to ${DELIVERIES_PER_PAGE_MAX}`)),
      String(DELIVERIES_PER_PAGE),
    ),
    z.transform(Number),
  ),
  cursor: z.optional(DeliveryId),
});
