/**
 * PageNews: what the page's object is to learn of its subscribers: each confirmation as a conversion,
 * and their number.
 */
import { ConversionOutbox } from "../outbox/conversion-outbox.ts";
import { hasTables } from "../platform/schema.ts";
import { inTime, type NewsletterPorts } from "./newsletter-ports.ts";
import type { Subscriber, SubscriberTables } from "./subscriber-tables.ts";

/** Counts the changes of the number of subscribers, and which of them the page's object has. */
const VERSION = "version";
const ANNOUNCED = "announced";

export class PageNews {
  readonly #ports: NewsletterPorts;
  readonly #tables: SubscriberTables;
  readonly #outbox: ConversionOutbox;

  constructor(ports: NewsletterPorts, tables: SubscriberTables) {
    this.#ports = ports;
    this.#tables = tables;
    this.#outbox = new ConversionOutbox(ports);
  }

  /** Whether the page's object lacks a conversion, or the present number. */
  get isWaiting(): boolean {
    return this.#version > this.#announced || !this.#outbox.isEmpty;
  }

  /** Notes a confirmation; belongs into the transaction that confirms. */
  addConversion({ id, link_id, class: class_, origin }: Subscriber): void {
    this.#outbox.add(this.#ports.pageId(), {
      id,
      link_id,
      class: class_,
      origin: origin === null ? null : JSON.parse(origin),
      tip: null,
      is_subscriber: true,
    });
  }

  /** Notes that there are more or fewer subscribers; belongs into the transaction that changes them. */
  numberChanged(): void {
    this.#ports.storage.kv.put(VERSION, this.#version + 1);
  }

  /** The same after a restore: the number becomes newer than this version too. */
  numberRestored(version: number): void {
    this.#ports.storage.kv.put(VERSION, Math.max(version, this.#version) + 1);
  }

  /** How often the number has changed. */
  get version(): number {
    return this.#version;
  }

  /** Reports conversions and the number to the page's object; false if that failed. */
  async deliver(): Promise<boolean> {
    if (!this.#exists) return true;
    const { storage, convert, announce, failed } = this.#ports;
    try {
      if (!this.#outbox.isEmpty) {
        await this.#outbox.deliver((page_id, conversions) =>
          inTime(convert(page_id, conversions), this.#ports),
        );
      }
      if (!this.#exists) return true;
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
