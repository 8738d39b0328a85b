/**
 * Tips: what one user sends, each exactly once. What a tipper's object does, without the platform
 * around it.
 *
 *   send ─▶ row `asked`, alarm ─▶ hub: transfer with the row's key ─▶ row `sent` + outbox ─▶ page
 *                                  │ 402: `refused`    401: `void`
 *                                  └ no answer: `asked` ─ alarm ─▶ hub: close ─▶ `sent` or `void`
 *
 * The row is on disk before the hub is asked, and the hub moves points once for each key, so
 * whatever ends in between, the row tells that the hub may have moved them. After `CLOSE_AFTER_MS`
 * the alarm closes the key: the hub answers whether it has, and from then on it refuses the key. So
 * within a minute a tip is sent on both sides or on none.
 *
 * The cookie is in memory alone. Forgets keys after a day; sent tips stay until their user is
 * deleted (`end`).
 */

import { ConversionOutbox, type SendConversions } from "../../events/conversion-outbox.ts";
import { Alarm } from "../../platform/alarm.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Ports } from "../../platform/ports.ts";
import { AlarmPauses } from "../../platform/retries.ts";
import { hasTables, migrate } from "../../platform/schema.ts";
import { Transaction } from "../../platform/transaction.ts";
import type { Transfer, Transfers } from "./hub-transfers.ts";
import type { RecentTip, SentTip, TipAnswer, TipCursor, TipOrder } from "./tip.ts";
import {
  conversionOf,
  hubKey,
  KEY_KEPT_MS,
  sentTip,
  TIP_STEPS,
  TipBook,
  type TipRow,
  type TipState,
} from "./tip-book.ts";

/** A tip whose outcome is still not known after this time is closed. Longer than a request. */
export const CLOSE_AFTER_MS = 10 * SECOND_MS;
/** Shortest pause before the alarm, for what a page has not taken and for the end of the user. */
const DELIVER_AFTER_MS = 2 * SECOND_MS;
/** Somebody may come back to a page within this time because the answer to a tip was lost. */
const RECENT_MS = 15 * MINUTE_MS;
const CLOSES_MAX = 20;
/** Set while the object of a deleted user settles its last tips. */
const ENDED = "ended";

export interface TipPorts extends Ports {
  hub: Transfers;
  convert: SendConversions;
  newId: () => string;
  onFailed: (error: unknown) => void;
}

export class Tips {
  readonly #ports: TipPorts;
  readonly #book: TipBook;
  readonly #outbox: ConversionOutbox;
  readonly #alarm: Alarm;
  readonly #pauses: AlarmPauses;
  /** Requests to the hub under way, by tip: a request with the same key joins them. */
  readonly #asking = new Map<string, Promise<TipAnswer>>();

  constructor(ports: TipPorts) {
    this.#ports = ports;
    this.#book = new TipBook(ports.storage.sql);
    this.#outbox = new ConversionOutbox(ports, {
      exists: () => this.#exists,
      convert: ports.convert,
      failed: ports.onFailed,
    });
    this.#alarm = new Alarm(ports.storage);
    this.#pauses = new AlarmPauses(ports.storage.kv);
    if (this.#exists) migrate(ports.storage, TIP_STEPS);
  }

  /** Replaces an alarm that the platform has given up (after six failures). */
  async ready(): Promise<void> {
    await this.#alarm.load();
    const now = this.#ports.clock.now();
    const isSet = this.#alarm.firesBy(Number.MAX_SAFE_INTEGER, now);
    if (this.#exists && !isSet) this.#armNext(DELIVER_AFTER_MS);
  }

  /** Sends once for a key. An outcome is durable. Rejects, having sent nothing, if storage fails. */
  send(order: TipOrder, cookie: string): Promise<TipAnswer> {
    const { storage } = this.#ports;
    if (storage.kv.get(ENDED) !== undefined) return answer("signed_out");
    const known = this.#exists ? this.#book.findByKey(order.key) : undefined;
    if (known !== undefined) {
      if (known.hash !== order.hash) return answer("conflict");
      const asking = this.#asking.get(known.tip_id);
      if (asking !== undefined) return asking;
      if (known.state === "sent" || known.state === "refused") return this.#durable(known);
    }
    const tip = this.#note(order, known);
    const asking = this.#ask(tip, cookie).finally(() => this.#asking.delete(tip.tip_id));
    this.#asking.set(tip.tip_id, asking);
    return asking;
  }

  /** The answer to a request that was made before; null if its key is new or void. */
  async recall(key: string, hash: string): Promise<TipAnswer | null> {
    const known = this.#exists ? this.#book.findByKey(key) : undefined;
    if (known === undefined || known.state === "void") return null;
    if (known.hash !== hash) return { outcome: "conflict" };
    return this.#asking.get(known.tip_id) ?? this.#durable(known);
  }

  recent(page_id: string): RecentTip | null {
    const since_ms = this.#ports.clock.now() - RECENT_MS;
    const tip = this.#exists ? this.#book.newest(page_id, since_ms) : undefined;
    return tip === undefined ? null : { points: tip.points, is_sent: tip.state === "sent" };
  }

  hasTipped(page_id: string): boolean {
    return this.#exists && this.#book.hasSent(page_id);
  }

  list(limit: number, after: TipCursor | null): SentTip[] {
    const newest = { at: Number.MAX_SAFE_INTEGER, id: "" };
    return this.#exists ? this.#book.sent(after ?? newest, limit) : [];
  }

  /** The user was deleted: settles what is under way, and deletes everything. */
  async end(): Promise<void> {
    const { storage, clock } = this.#ports;
    if (!this.#exists) return;
    storage.kv.put(ENDED, clock.now());
    this.#alarm.arm(clock.now());
    await storage.sync();
  }

  /** Never rejects: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    const { storage, random, onFailed } = this.#ports;
    this.#alarm.fired();
    if (!this.#exists) return;
    let pause_ms = 0;
    try {
      // Neither a hub nor a page that fails holds up the rest.
      await allOf([this.#settleAll(), this.#outbox.deliver(), this.#forget()]);
      this.#pauses.succeeded();
    } catch (error) {
      onFailed(error);
      pause_ms = this.#pauses.failed(random());
    }
    // Nothing may be under way when everything is deleted.
    await this.#outbox.deliver();
    if (this.#isOver && pause_ms === 0) await storage.deleteAll();
    else this.#armNext(pause_ms);
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  get #isOver(): boolean {
    const hasEnded = this.#ports.storage.kv.get(ENDED) !== undefined;
    return hasEnded && this.#book.askedSince() === null && this.#outbox.dueAt === null;
  }

  /** The alarm settles the tip if the hub's answer is lost. */
  #note(order: TipOrder, known: TipRow | undefined): TipRow {
    const { storage, clock, newId } = this.#ports;
    const now = clock.now();
    return Transaction.run(this.#ports, () => {
      migrate(storage, TIP_STEPS);
      this.#alarm.armBy(now + CLOSE_AFTER_MS, now);
      return known === undefined
        ? this.#book.insert(newId(), order, now)
        : this.#book.askAgain(known, now);
    });
  }

  async #ask(tip: TipRow, cookie: string): Promise<TipAnswer> {
    const { storage, hub, onFailed } = this.#ports;
    await storage.sync();
    const order = { to: tip.owner_id, points: tip.points };
    const transfer = await hub.make(cookie, hubKey(tip), order);
    const { outcome } = transfer;
    if (outcome === "completed") return this.#settle(tip, "sent", transfer.id);
    if (outcome === "refused" || outcome === "signed_out") {
      // An earlier request with this key may still be on its way, and the hub could yet take it.
      if (tip.asks === 1) return this.#settle(tip, stateAfter(outcome), null, outcome);
      try {
        const id = await hub.close(tip.from_id, hubKey(tip));
        return await this.#settle(tip, id === null ? stateAfter(outcome) : "sent", id, outcome);
      } catch (error) {
        onFailed(error);
        return { outcome: "unknown" };
      }
    }
    return this.#answerNow(tip, outcome === "late" ? "late" : "unknown");
  }

  /** Changes nothing if another request or the alarm was first; answers what is stored. */
  async #settle(
    tip: TipRow,
    state: Exclude<TipState, "asked">,
    transfer_id: string | null,
    otherwise: Exclude<TipAnswer["outcome"], "sent"> = "unknown",
  ): Promise<TipAnswer> {
    const { storage, clock } = this.#ports;
    const isChanged = Transaction.run(this.#ports, () => {
      const stored = this.#book.find(tip.tip_id);
      if (stored?.state !== "asked" || stored.attempt !== tip.attempt) return false;
      this.#book.settle(tip.tip_id, state, transfer_id);
      const now = clock.now();
      if (state === "sent") {
        this.#outbox.add({ id: tip.tip_id, body: conversionOf(tip) }, tip.page_id, now);
      }
      this.#alarm.armBy(now + CLOSE_AFTER_MS, now);
      return true;
    });
    await storage.sync();
    if (isChanged && state === "sent") void this.#deliver();
    return this.#answerNow(tip, otherwise);
  }

  /** Nobody waits for the page; what it does not take is left to the alarm. */
  async #deliver(): Promise<void> {
    await this.#outbox.deliver();
    const now = this.#ports.clock.now();
    if (this.#exists) this.#alarm.armBy(this.#deliverAt(now), now);
  }

  #deliverAt(now: number): number {
    return Math.max(this.#outbox.dueAt ?? Number.POSITIVE_INFINITY, now + DELIVER_AFTER_MS);
  }

  async #forget(): Promise<void> {
    this.#book.forget(this.#ports.clock.now() - KEY_KEPT_MS);
  }

  /** Rejects if the hub fails, after all have been tried and the others are settled. */
  async #settleAll(): Promise<void> {
    const { clock, hub } = this.#ports;
    const errors: unknown[] = [];
    for (let after: TipCursor = { at: 0, id: "" }; ; ) {
      const open = this.#book.askedUntil(clock.now() - CLOSE_AFTER_MS, after, CLOSES_MAX);
      const last = open.at(-1);
      if (last === undefined) break;
      after = { at: last.at, id: last.tip_id };
      const closing = open.map(async (tip) => {
        const id = await hub.close(tip.from_id, hubKey(tip));
        await this.#settle(tip, id === null ? "void" : "sent", id);
      });
      await allOf(closing).catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  /** `otherwise` is the answer while the outcome is not known, or if the tip is void. */
  #answerNow({ tip_id }: TipRow, otherwise: Exclude<TipAnswer["outcome"], "sent">): TipAnswer {
    const stored = this.#book.find(tip_id);
    if (stored?.state === "sent") return { outcome: "sent", tip: sentTip(stored) };
    return { outcome: stored?.state === "refused" ? "refused" : otherwise };
  }

  async #durable(tip: TipRow): Promise<TipAnswer> {
    await this.#ports.storage.sync();
    return this.#answerNow(tip, "unknown");
  }

  #armNext(pause_ms: number): void {
    const now = this.#ports.clock.now();
    const asked_at = this.#book.askedSince();
    const keyed_at = this.#book.keyedSince();
    const due = [
      ...(asked_at === null ? [] : [Math.max(asked_at + CLOSE_AFTER_MS, now + pause_ms)]),
      this.#isOver ? now + Math.max(DELIVER_AFTER_MS, pause_ms) : this.#deliverAt(now),
      ...(keyed_at === null ? [] : [Math.max(keyed_at + KEY_KEPT_MS, now + CLOSE_AFTER_MS)]),
    ];
    this.#alarm.armBy(Math.min(...due), now);
  }
}

async function allOf(work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

function stateAfter(outcome: Extract<Transfer["outcome"], "refused" | "signed_out">) {
  return outcome === "refused" ? "refused" : "void";
}

function answer(outcome: Exclude<TipAnswer["outcome"], "sent">): Promise<TipAnswer> {
  return Promise.resolve({ outcome });
}
