/**
 * Broken on purpose, to prove that the simulator finds it: a page object that answers from memory and
 * writes a moment later. While nothing ends it, it counts every event exactly once.
 */
import type { Receipt } from "../../../objects/tables/event.ts";
import { hexOf } from "../../../objects/tables/key-list.ts";
import { PackedEvents } from "../../../objects/tables/packed-events.ts";
import * as faulty from "./faulty.ts";

export * from "./faulty.ts";
export { default } from "./faulty.ts";

const WRITES_AFTER_MS = 100;

export class PageObject extends faulty.PageObject {
  readonly #heard = new Set<string>();

  override async recordBatch(bytes: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    const events = PackedEvents.read(bytes).events();
    return events.map(({ key, link_id, class: of_class }): Receipt => {
      const event = { key: hexOf(key), link_id, class: of_class, visitor: null, origin: null };
      const outcome = this.#heard.has(event.key) ? "duplicate" : "counted";
      this.#heard.add(event.key);
      setTimeout(() => super.record(event).catch(() => {}), WRITES_AFTER_MS);
      return { outcome, url: "https://link.example/" };
    });
  }
}
