/** What the parts of a page's object for webhooks need from outside. */
import type { Database, Ports } from "../../platform/ports.ts";
import type { CheckLink, SendEvent } from "./call-outside.ts";

/** A subscriber as the newsletter's object knows them; null if they have left. */
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
  /** Tells the page's object which events are wanted; the larger version is the newer one. */
  announce: (types: string[], version: number) => Promise<void>;
  randomBytes: (size: number) => Uint8Array;
  failed: (error: unknown) => void;
}

/** Makes a change in one transaction, with the alarm that goes on with it. Resolves when it is durable. */
export type Store = (change: () => void) => Promise<void>;

/** As many random bytes as hex. */
export function randomHex(
  { randomBytes }: Pick<WebhookPorts, "randomBytes">,
  bytes: number,
): string {
  return Buffer.from(randomBytes(bytes)).toString("hex");
}
