/**
 * Judges the other events of a page while its object asks D1 for an unknown link (docs/faults.md
 * F23): an event on a link that the object has counted before must not wait for that.
 */
import type { Receipt } from "../../objects/events/event.ts";
import type { World } from "./world.ts";

/** Two commits, and no call to D1. */
const KNOWN_MS = 1_500;
/** A look-up that takes this long was given up, because D1 did not answer. */
const GIVEN_UP_MS = 4_900;

export class LookUps {
  readonly #world: World;
  /** By page and link, the version of the page in which its object counted an event. */
  readonly #known = new Map<string, number>();
  /** Events of a page that may wait for D1, and whether one on another link was answered meanwhile. */
  readonly #waiting = new Map<string, Set<{ overtaken: boolean }>>();

  constructor(world: World) {
    this.#world = world;
  }

  async watch(
    page_id: string,
    links: readonly string[],
    record: () => Promise<Receipt[]>,
  ): Promise<Receipt[]> {
    const { scheduler, truth, notes, plan } = this.#world;
    const keys = links.map((link_id) => `${page_id}/${link_id}`);
    const version = truth.version(page_id);
    const known = keys.find((key) => this.#known.get(key) === version);
    const began_ms = scheduler.now_ms;
    const waiting = this.#waiting.get(page_id) ?? new Set<{ overtaken: boolean }>();
    this.#waiting.set(page_id, waiting);
    const self = { overtaken: false };
    if (known === undefined) waiting.add(self);
    let failed = true;
    try {
      const receipts = await record();
      failed = false;
      for (const [i, receipt] of receipts.entries()) {
        if (!("url" in receipt)) continue;
        if (truth.hasApplied(page_id, links[i] ?? "")) this.#known.set(keys[i] ?? "", version);
        for (const other of waiting) other.overtaken = true;
      }
      return receipts;
    } finally {
      waiting.delete(self);
      const took_ms = scheduler.now_ms - began_ms;
      if (failed && self.overtaken && took_ms > GIVEN_UP_MS) this.#world.hit("F23");
      if (known !== undefined && truth.version(page_id) === version) {
        if (took_ms > KNOWN_MS) {
          const took = `took its object ${Math.round(took_ms)} ms`;
          notes.violated("F23", `${known}, a known link, ${took}`);
        }
        // Of what an event on a known link needs, only the disk can fail.
        if (failed && plan.fullDisk === 0) {
          notes.violated("F23", `${known}, a known link, failed in a batch of ${links.length}`);
        }
      }
    }
  }
}
