/** Limits of webhooks (docs/contract.md sections 6 and 12). A name ends in its unit. */

/** Deliveries in one answer: default and maximum. */
export const DELIVERIES_PER_PAGE = 20;
export const DELIVERIES_PER_PAGE_MAX = 100;
export const WEBHOOK_BODY_BYTES_MAX = 8_192;
/** Nobody can flood somebody through this service by test events and repeated deliveries. */
export const WEBHOOK_SENDS_PER_HOUR = 30;
export const WEBHOOK_WINDOW_S = 3_600;
