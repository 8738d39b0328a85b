/**
 * Reservations: the exact quota that one user has of something that costs, or one mailbox of mails:
 * at most `limit` units are used in any 24 hours, of these `per_hour` in any hour, and none is
 * refused before that (docs/contract.md section 11).
 *
 *   reserve ─▶ reserved ─(settle)─▶ settled ─(24 h after its reservation)─▶ gone
 *                  └────(give back, or 60 s without either)───────────────▶ gone
 *
 * Each change is durable before it is answered, and may be repeated under the same id: a lost
 * answer uses no second unit. One row a unit; memory is only a cache of the rows.
 */
import { HOUR_MS } from "../platform/clock.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Ports } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import type { Verdict } from "./sliding-window.ts";

export const QUOTA_MS = 86_400_000;
export const RESERVATION_MS = 60_000;

/** No key of a scope's journal or of a sender begins so. */
const UNIT = "unit/";

export interface UnitCall {
  id: string;
  /** Units in any 24 hours. It may change from call to call. */
  limit: number;
  /** As many as in 24 hours if absent. */
  per_hour?: number;
}

interface Unit {
  reserved_at: number;
  is_settled: boolean;
}

type Change = UnitCall & { to: "reserved" | "settled" | "gone" };

export class Reservations {
  readonly #ports: Ports;
  readonly #sweepBy: (at_ms: number, now: number) => void;
  readonly #changes: GroupCommit<Change, Verdict>;
  #units: ReadonlyMap<string, Unit> = new Map();

  /** `sweepBy` sees that the object's alarm fires by then. */
  constructor(ports: Ports, sweepBy: (at_ms: number, now: number) => void) {
    this.#ports = ports;
    this.#sweepBy = sweepBy;
    this.#changes = new GroupCommit((group) => this.#decide(group), ports.storage);
  }

  static isRow(key: string): boolean {
    return key.startsWith(UNIT);
  }

  load(rows: readonly [key: string, unit: Unit][]): void {
    const by_age = rows.toSorted(([, one], [, other]) => one.reserved_at - other.reserved_at);
    this.#units = new Map(by_age);
  }

  /** The same id uses one unit. */
  reserve(call: UnitCall): Promise<Verdict> {
    return this.#changes.submit({ ...call, to: "reserved" });
  }

  /** Uses the reserved unit for its 24 hours. Not `admitted`: the reservation is gone. */
  settle(call: UnitCall): Promise<Verdict> {
    return this.#changes.submit({ ...call, to: "settled" });
  }

  /** Also ends the use of a settled unit: the caller knows that it had no benefit. */
  giveBack(call: UnitCall): Promise<Verdict> {
    return this.#changes.submit({ ...call, to: "gone" });
  }

  isOver(now: number): boolean {
    return [...this.#units.values()].every((unit) => endOf(unit) <= now);
  }

  drop(tx: Transaction, now: number): void {
    const draft = new Draft(this.#units);
    draft.dropEnded(now);
    this.#save(tx, draft);
  }

  clear(): void {
    this.#units = new Map();
  }

  firstEnd(now: number): number {
    // After a step back of the clock a reservation may be ahead of `now`.
    const ends = [...this.#units.values()].map(endOf);
    return Math.min(...ends.map((end) => Math.min(end, now + QUOTA_MS)));
  }

  #decide(group: Change[]): Verdict[] {
    const now = this.#ports.clock.now();
    const draft = new Draft(this.#units);
    draft.rebase(now);
    const answers = group.map((change) => draft.apply(change, now));
    if (draft.changed.size > 0) {
      Transaction.run(this.#ports, (tx) => this.#save(tx, draft));
      this.#sweepBy(now + QUOTA_MS, now);
    }
    return answers;
  }

  #save(tx: Transaction, draft: Draft): void {
    const { kv } = this.#ports.storage;
    for (const key of draft.changed) {
      const unit = draft.units.get(key);
      if (unit === undefined) kv.delete(key);
      else kv.put(key, unit);
    }
    tx.afterCommit(() => {
      this.#units = draft.units;
    });
  }
}

class Draft {
  readonly units: Map<string, Unit>;
  readonly changed = new Set<string>();

  constructor(units: ReadonlyMap<string, Unit>) {
    this.units = new Map(units);
  }

  apply({ to, ...call }: Change, now: number): Verdict {
    const key = UNIT + call.id;
    const unit = this.units.get(key);
    const is_live = unit !== undefined && endOf(unit) > now;
    if (to === "reserved" && !is_live) {
      const admitted = this.#left(call, now).remaining > 0;
      if (admitted) {
        this.dropEnded(now);
        this.#put(key, { reserved_at: now, is_settled: false });
      }
      return { admitted, ...this.#left(call, now) };
    }
    if (to === "settled" && is_live && !unit.is_settled)
      this.#put(key, { ...unit, is_settled: true });
    if (to === "gone" && unit !== undefined) this.#delete(key);
    return { admitted: is_live || to === "gone", ...this.#left(call, now) };
  }

  /** A clock stepped back: the newest unit was reserved just now, and the distances stay. */
  rebase(now: number): void {
    const newest = Math.max(...[...this.units.values()].map(({ reserved_at }) => reserved_at));
    if (newest <= now) return;
    for (const [key, unit] of this.units) {
      this.#put(key, { ...unit, reserved_at: unit.reserved_at - (newest - now) });
    }
  }

  dropEnded(now: number): void {
    for (const [key, unit] of this.units) if (endOf(unit) <= now) this.#delete(key);
  }

  /**
   * Answers for the window with the least left; if both have none, for the one that is full for
   * longest. `reset_ms` supposes that each reservation will be settled, which takes longest: a
   * client that waits so long is not refused again.
   */
  #left({ limit, per_hour }: UnitCall, now: number): Omit<Verdict, "admitted"> {
    const day = this.#leftIn(QUOTA_MS, limit, now);
    if (per_hour === undefined) return day;
    const hour = this.#leftIn(HOUR_MS, per_hour, now);
    const is_hour_longer = hour.reset_ms > day.reset_ms;
    const binds =
      hour.remaining < day.remaining || (hour.remaining === day.remaining && is_hour_longer);
    return binds ? hour : day;
  }

  #leftIn(window_ms: number, limit: number, now: number): Omit<Verdict, "admitted"> {
    const used = [...this.units.values()]
      .filter((unit) => endOf(unit) > now && now - unit.reserved_at < window_ms)
      .map(({ reserved_at }) => reserved_at);
    // A smaller plan may have fewer units than are used.
    const freed_by = used[Math.max(0, used.length - limit)];
    return {
      remaining: Math.max(0, limit - used.length),
      reset_ms: freed_by === undefined ? 0 : freed_by + window_ms - now,
    };
  }

  #put(key: string, unit: Unit): void {
    this.units.set(key, unit);
    this.changed.add(key);
  }

  #delete(key: string): void {
    this.units.delete(key);
    this.changed.add(key);
  }
}

function endOf({ reserved_at, is_settled }: Unit): number {
  return reserved_at + (is_settled ? QUOTA_MS : RESERVATION_MS);
}
