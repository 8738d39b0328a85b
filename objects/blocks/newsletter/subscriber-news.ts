/** SubscriberNews: tells the page's object each confirmation, and the number of subscribers. */

import { ConversionOutbox } from "../../events/conversion-outbox.ts";
import { hasTables } from "../../platform/schema.ts";
import { inTime, type NewsletterPorts } from "./newsletter-ports.ts";
import type { Subscriber, SubscriberTables } from "./subscriber-tables.ts";

/** Versions of the number of subscribers: the present one, and the one announced. */
const VERSION = "version";
const ANNOUNCED = "announced";

export class SubscriberNews {
  readonly #ports: NewsletterPorts;
  readonly #tables: SubscriberTables;
  readonly #outbox: ConversionOutbox;

  constructor(ports: NewsletterPorts, tables: SubscriberTables) {
    this.#ports = ports;
    this.#tables = tables;
    this.#outbox = new ConversionOutbox(ports, {
      exists: () => this.#exists,
      convert: ports.convert,
      failed: () => ports.failed("newsletter_delivery_failed"),
    });
  }

  get isWaiting(): boolean {
    return this.isNumberWaiting || this.dueAt !== null;
  }

  get isNumberWaiting(): boolean {
    return this.#version > this.#announced;
  }

  get dueAt(): number | null {
    return this.#outbox.dueAt;
  }

  /** Belongs into the transaction that confirms. */
  addConversion({ id, link_id, class: class_, origin: text }: Subscriber, now: number): void {
    const origin = text === null ? null : JSON.parse(text);
    const body = { id, link_id, class: class_, origin, tip: null, is_subscriber: true };
    this.#outbox.add({ id, body }, this.#ports.pageId(), now);
  }

  /** Belongs into the transaction that adds or deletes a subscriber. */
  numberChanged(): void {
    this.#ports.storage.kv.put(VERSION, this.#version + 1);
  }

  get version(): number {
    return this.#version;
  }

  async deliver(): Promise<boolean> {
    const { storage, announce, failed } = this.#ports;
    await this.#outbox.deliver();
    if (!this.#exists) return true;
    try {
      const version = this.#version;
      if (version > this.#announced) {
        await inTime(announce(this.#tables.confirmed, version), this.#ports);
        if (this.#exists) storage.kv.put(ANNOUNCED, version);
      }
      return true;
    } catch {
      failed("newsletter_delivery_failed");
      return false;
    }
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  get #version(): number {
    return this.#ports.storage.kv.get<number>(VERSION) ?? 0;
  }

  get #announced(): number {
    return this.#ports.storage.kv.get<number>(ANNOUNCED) ?? 0;
  }
}
