/**
 * SubscriberNews: what the page's object is to learn of its subscribers: each confirmation as a conversion,
 * and their number.
 */

import { ConversionOutbox } from "../../events/conversion-outbox.ts";
import { hasTables } from "../../platform/schema.ts";
import { inTime, type NewsletterPorts } from "./newsletter-ports.ts";
import type { Subscriber, SubscriberTables } from "./subscriber-tables.ts";

/** Counts the changes of the number of subscribers, and which of them the page's object has. */
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

  /** Whether the page's object lacks a conversion, or the present number. */
  get isWaiting(): boolean {
    return this.isNumberWaiting || this.dueAt !== null;
  }

  get isNumberWaiting(): boolean {
    return this.#version > this.#announced;
  }

  /** When a conversion is due; null if none waits. */
  get dueAt(): number | null {
    return this.#outbox.dueAt;
  }

  /** Notes a confirmation; belongs into the transaction that confirms. */
  addConversion({ id, link_id, class: class_, origin: text }: Subscriber, now: number): void {
    const origin = text === null ? null : JSON.parse(text);
    const body = { id, link_id, class: class_, origin, tip: null, is_subscriber: true };
    this.#outbox.add({ id, body }, this.#ports.pageId(), now);
  }

  /** Notes that there are more or fewer subscribers; belongs into the transaction that changes them. */
  numberChanged(): void {
    this.#ports.storage.kv.put(VERSION, this.#version + 1);
  }

  /** How often the number has changed. */
  get version(): number {
    return this.#version;
  }

  /** Reports conversions and the number to the page's object; false if it did not take the number. */
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
