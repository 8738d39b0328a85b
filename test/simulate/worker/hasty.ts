/**
 * Broken on purpose, to prove that the simulator finds it: a page object that answers from memory and
 * writes later. While nothing ends it, it counts every event exactly once.
 */
import type { PageEvent, Receipt } from "../../../objects/events/event.ts";
import { PackedEvents } from "../../../objects/events/packed-events.ts";
import { hexOf } from "../../../objects/keys/key-list.ts";
import * as faulty from "./faulty.ts";

export * from "./faulty.ts";
export { default } from "./faulty.ts";

/**
 * Unless somebody looks at its numbers before. Far longer than from an answer to the kill that is due with
 * it, so a kill always meets what is not written; and shorter than the runtime keeps an idle object.
 */
const WRITES_AFTER_MS = 5_000;

export class PageObject extends faulty.PageObject {
  readonly #heard = new Set<string>();
  #unwritten: PageEvent[] = [];

  override async recordBatch(bytes: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    const events = PackedEvents.read(bytes).events();
    setTimeout(() => void this.#write(), WRITES_AFTER_MS);
    return events.map(({ key, link_id, class: of_class }): Receipt => {
      const event = { key: hexOf(key), link_id, class: of_class, visitor: null, origin: null };
      const outcome = this.#heard.has(event.key) ? "duplicate" : "counted";
      this.#heard.add(event.key);
      this.#unwritten.push(event);
      return { outcome, url: "https://link.example/" };
    });
  }

  override async snapshot(): Promise<unknown> {
    await this.#write();
    return super.snapshot();
  }

  async #write(): Promise<void> {
    const events = this.#unwritten;
    this.#unwritten = [];
    await Promise.allSettled(events.map((event) => super.record(event)));
  }
}
