/** Sends an alert: a Standard Webhook (standardwebhooks.com, specification 1.0), or a mail. */
import { createHmac } from "node:crypto";
import { SECOND_MS } from "../platform/clock.ts";
import type { Delivery } from "./alert-book.ts";
import type { AlertSettings } from "./alert-settings.ts";

export const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;

export interface AlertMail {
  from: { email: string; name: string };
  to: string;
  subject: string;
  text: string;
  headers: Record<string, string>;
}

export interface DeliveryPorts {
  settings: AlertSettings;
  fetch: (
    url: string,
    init: RequestInit,
  ) => Promise<{ status: number; body: ReadableStream | null }>;
  sendMail: (mail: AlertMail) => Promise<unknown>;
}

/** Rejects if the receiver did not take it; it may have taken it all the same. */
export async function deliver(
  { settings, fetch, sendMail }: DeliveryPorts,
  { id, channel, subject, body }: Delivery,
  now: number,
): Promise<void> {
  const { webhook, mail } = settings;
  if (channel === "mail") {
    if (mail === null) return;
    const from = { email: mail.from, name: "صلة · Sila" };
    await sendMail({ from, to: mail.to, subject, text: body, headers: { "X-Sila-Mail-Id": id } });
    return;
  }
  if (webhook === null) return;
  const timestamp = String(Math.floor(now / SECOND_MS));
  const signed = createHmac("sha256", webhook.key).update(`${id}.${timestamp}.${body}`);
  const response = await fetch(webhook.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signed.digest("base64")}`,
    },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (response.status < 200 || response.status > 299) {
    throw new Error(`the receiver answered ${response.status}`);
  }
}
