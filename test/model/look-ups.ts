/**
 * Judges the other events of a page while its object asks D1 for an unknown link (docs/faults.md
 * F23): an event on a link that the object has counted before must not wait for that.
 */
import type { Receipt } from "../../objects/tables/event.ts";
import type { World } from "./world.ts";

/** Two commits, and no call to D1. */
const KNOWN_MS = 1_500;
/** A look-up that takes this long was given up, because D1 did not answer. */
const GIVEN_UP_MS = 4_900;

export class LookUps {
  readonly #world: World;
  /** By page and link, the version of the page in which its object counted an event. */
  readonly #known = new Map<string, number>();
  /**
   * Events of a page that may wait for D1, and whether one on another link was answered meanwhile.
   */
  readonly #waiting = new Map<string, Set<{ overtaken: boolean }>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Runs one `record` in an object. */
  async watch(page_id: string, link_id: string, record: () => Promise<Receipt>): Promise<Receipt> {
    const { scheduler, truth, notes } = this.#world;
    const key = `${page_id}/${link_id}`;
    const version = truth.version(page_id);
    const isKnown = this.#known.get(key) === version;
    const began_ms = scheduler.now_ms;
    const waiting = this.#waitingOn(page_id);
    const self = { overtaken: false };
    if (!isKnown) waiting.add(self);
    let failed = true;
    try {
      const receipt = await record();
      failed = false;
      if ("url" in receipt) {
        if (truth.hasApplied(page_id, link_id)) this.#known.set(key, version);
        for (const other of waiting) other.overtaken = true;
      }
      return receipt;
    } finally {
      waiting.delete(self);
      const took_ms = scheduler.now_ms - began_ms;
      if (failed && self.overtaken && took_ms > GIVEN_UP_MS) this.#world.hit("F23");
      if (isKnown && truth.version(page_id) === version && took_ms > KNOWN_MS) {
        notes.violated("F23", `${key}, a known link, took its object ${Math.round(took_ms)} ms`);
      }
    }
  }

  #waitingOn(page_id: string): Set<{ overtaken: boolean }> {
    let waiting = this.#waiting.get(page_id);
    if (waiting === undefined) {
      waiting = new Set();
      this.#waiting.set(page_id, waiting);
    }
    return waiting;
  }
}
