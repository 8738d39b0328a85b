/**
 * LinkSchedule: when the page's links open and close. At that second the edge cache is purged of
 * the page, whose HTML has other links from then on (docs/contract.md section 10).
 *
 * The next time is stored, and the object's alarm fires then (`page-ledger.ts`, `dueAt`). It is
 * replaced before the purge, so a purge that fails twice or dies with its object is lost: the edge
 * keeps no page beyond the next opening or closing anyway. Clicks need no alarm: each is judged by
 * its own time (`known-page.ts`).
 */
import { SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Ports } from "../platform/ports.ts";
import type { PageTargets } from "./page-row.ts";

/** Unix second of the next opening or closing; absent without one. */
const STORED_AS = "next_boundary";
const PURGE_TRIES = 2;
const PURGE_TIMEOUT_MS = 10 * SECOND_MS;
const PURGE_PAUSE_MS = SECOND_MS;

export interface SchedulePorts extends Pick<Ports, "storage" | "clock"> {
  purge: () => Promise<void>;
  /** Gets every error; must not throw. */
  onPurgeFailed: (error: unknown) => void;
}

export class LinkSchedule {
  readonly #ports: SchedulePorts;

  constructor(ports: SchedulePorts) {
    this.#ports = ports;
  }

  /** Unix milliseconds; null if no link opens or closes any more. */
  dueAt(): number | null {
    const next_s = this.#next_s();
    return next_s === null ? null : next_s * SECOND_MS;
  }

  /** A purge that is due stays due. */
  replace(page: PageTargets | null): void {
    const now_s = this.#now_s();
    const next_s = this.#next_s();
    if (next_s === null || next_s > now_s) this.#store(nextBoundary(page, now_s));
  }

  /** Never rejects. */
  async onAlarm(page: PageTargets | null): Promise<void> {
    const now_s = this.#now_s();
    const next_s = this.#next_s();
    if (next_s === null || next_s > now_s) return;
    try {
      this.#store(nextBoundary(page, now_s));
    } catch (error) {
      this.#ports.onPurgeFailed(error);
      return;
    }
    await this.#purge();
  }

  async #purge(): Promise<void> {
    const { clock, purge, onPurgeFailed } = this.#ports;
    for (let tries = 1; tries <= PURGE_TRIES; tries += 1) {
      try {
        return await withTimeout(purge(), PURGE_TIMEOUT_MS, clock);
      } catch (error) {
        onPurgeFailed(error);
        if (tries < PURGE_TRIES) {
          await new Promise<void>((resolve) => clock.after(PURGE_PAUSE_MS, resolve));
        }
      }
    }
  }

  #next_s(): number | null {
    return this.#ports.storage.kv.get<number>(STORED_AS) ?? null;
  }

  #store(next_s: number | null): void {
    const { kv } = this.#ports.storage;
    if (next_s === this.#next_s()) return;
    if (next_s === null) kv.delete(STORED_AS);
    else kv.put(STORED_AS, next_s);
  }

  #now_s(): number {
    return Math.floor(this.#ports.clock.now() / SECOND_MS);
  }
}

function nextBoundary(page: PageTargets | null, now_s: number): number | null {
  if (page?.status !== "published") return null;
  const next_s = Math.min(...page.boundaries.filter((at_s) => at_s > now_s));
  return next_s === Number.POSITIVE_INFINITY ? null : next_s;
}
