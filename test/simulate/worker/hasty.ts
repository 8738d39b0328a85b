/**
 * Broken on purpose, to prove that the simulator finds it: a page object that answers from memory and
 * writes a moment later. While nothing ends it, it counts every event exactly once.
 */
import * as faulty from "./faulty.ts";

export * from "./faulty.ts";
export { default } from "./faulty.ts";

const WRITES_AFTER_MS = 100;

export class PageObject extends faulty.PageObject {
  readonly #heard = new Set<string>();

  override async record(event: { key: string }): Promise<{ outcome: string; url: string }> {
    const outcome = this.#heard.has(event.key) ? "duplicate" : "counted";
    this.#heard.add(event.key);
    setTimeout(() => super.record(event).catch(() => {}), WRITES_AFTER_MS);
    return { outcome, url: "https://link.example/" };
  }
}
