/** What goes into and comes out of a page's object for webhooks (docs/contract.md section 12). */
import { PAGE_EVENTS } from "../../events/page-news.ts";

export const WEBHOOK_EVENTS = [...PAGE_EVENTS, "link.down", "link.up"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** Sent when its owner asks for it, whatever the endpoint has chosen. */
export const TEST_EVENT = "webhook.test";

export const ENDPOINTS_MAX = 3;

/** `off`: by its owner. `failing`: everything failed for three days. `gone`: it answered 410. */
export type EndpointState = "on" | "off" | "failing" | "gone";

export interface EndpointInput {
  url: string;
  events: WebhookEvent[];
}

export interface EndpointChange extends Partial<EndpointInput> {
  enabled?: boolean;
}

export interface Endpoint extends EndpointInput {
  id: string;
  state: EndpointState;
  /** Has `whsec_` and base64. */
  secret: string;
  /** The secret before this one signs too until this ISO 8601 time. */
  old_secret_until: string | null;
  created_at: string;
  /** Events that it did not get because too many waited. */
  dropped: number;
  waiting: number;
}

export type DeliveryState = "waiting" | "delivered" | "failed";

/**
 * `answered`: with another status than 2xx. `redirected`: redirects are not followed. `refused`:
 * the address is not public. `left`: the subscriber has left, and their address is gone.
 */
export type AttemptOutcome =
  | "delivered"
  | "answered"
  | "redirected"
  | "late"
  | "unreachable"
  | "refused"
  | "left";

export interface Attempt {
  at: string;
  outcome: AttemptOutcome;
  status: number | null;
  /** Milliseconds until the answer's headers. */
  latency_ms: number;
  /** The first characters of the answer: foreign text. */
  answer: string;
}

export interface Delivery {
  id: number;
  webhook_id: string;
  event_id: string;
  type: string;
  state: DeliveryState;
  tries: number;
  created_at: string;
  /** Null unless it waits. */
  next_at: string | null;
}

export interface DeliveryDetail extends Delivery {
  /** The body, as it is sent; null if the subscriber has left. */
  payload: string | null;
  attempts: Attempt[];
}
