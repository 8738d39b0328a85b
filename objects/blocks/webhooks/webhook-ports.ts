import type { Database, Ports } from "../../platform/ports.ts";
import type { CheckLink, SendEvent } from "./call-outside.ts";

/** Null if the subscriber has left. */
export type FindSubscriber = (id: string) => Promise<{
  email: string;
  confirmed_at: string;
  source: { link_id: string; locale: string };
} | null>;

export interface WebhookPorts extends Ports {
  pageId: () => string;
  db: Database;
  send: SendEvent;
  checkLink: CheckLink;
  findSubscriber: FindSubscriber;
  randomBytes: (size: number) => Uint8Array;
  failed: (error: unknown) => void;
}

/** Runs a transaction that also sets the alarm that goes on with it. Durable when it resolves. */
export type Store = (change: () => void) => Promise<void>;

export function randomHex(
  { randomBytes }: Pick<WebhookPorts, "randomBytes">,
  bytes: number,
): string {
  return Buffer.from(randomBytes(bytes)).toString("hex");
}
