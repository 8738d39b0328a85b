/**
 * PageDownloads: who has used the downloads of one page.
 *
 * Owns, per block, the number of uses, the bytes sent, and the tokens of its uses. A use is stored
 * before it is answered, together with the conversion that makes it a click of the block
 * (`events/conversion-outbox.ts`). The numbers go to D1 and to the page's object, both by the
 * alarm. Nothing is kept in memory, so nothing is lost with it. Forgets a token once it has
 * expired, and everything when the page ends.
 */

import type { LinkDownloads } from "../../events/announced.ts";
import type { Conversion } from "../../events/conversion.ts";
import { ConversionOutbox, type SendConversions } from "../../events/conversion-outbox.ts";
import { Alarm } from "../../platform/alarm.ts";
import { HOUR_MS, SECOND_MS, withTimeout } from "../../platform/clock.ts";
import { GroupCommit } from "../../platform/group-commit.ts";
import type { Database, Ports, Row } from "../../platform/ports.ts";
import { AlarmPauses } from "../../platform/retries.ts";
import { hasTables, migrate } from "../../platform/schema.ts";
import { DOWNLOAD_STEPS } from "./download-schema.ts";
import { flushDownloads } from "./flush-downloads.ts";

/** Uses and bytes of this time share one call to the page's object: a hot file would call it all the time. */
export const REPORT_WITHIN_MS = SECOND_MS;
/** A page has as many blocks, and some that were removed from it. */
export const ANNOUNCED_MAX = 500;
const CALL_TIMEOUT_MS = 10_000;
/** An expired token may stay this much longer, so that each does not cost an alarm of its own. */
const SWEEP_MS = HOUR_MS;
const ENDED = "ended";
/** The version of the numbers that the page's object has. */
const ANNOUNCED = "announced";

export interface Use extends Pick<Conversion, "class" | "origin"> {
  link_id: string;
  token_id: string;
  /** Unix milliseconds until which requests with the token are the same use; null: for ever. */
  until: number | null;
  /** The block allows so many uses; null is no limit. */
  uses_max: number | null;
  /** The creator's link by which the token was got. */
  voucher: { id: string; uses_max: number | null; until: number } | null;
  /** False for HEAD, which asks and uses nothing up. */
  takes: boolean;
}

export type UseOutcome = "admitted" | "used_up";

export interface DownloadPorts extends Ports {
  db: Database;
  pageId: () => string;
  convert: SendConversions;
  announce: (links: LinkDownloads[], version: number) => Promise<void>;
  flush_interval_ms: number;
  onFailed: (error: unknown) => void;
}

export class PageDownloads {
  readonly #ports: DownloadPorts;
  readonly #alarm: Alarm;
  readonly #pauses: AlarmPauses;
  readonly #outbox: ConversionOutbox;
  readonly #uses: GroupCommit<Use, UseOutcome>;
  #ended: boolean;
  #flushed_at = Number.NEGATIVE_INFINITY;
  #swept_at = Number.NEGATIVE_INFINITY;

  constructor(ports: DownloadPorts) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.#pauses = new AlarmPauses(ports.storage.kv);
    this.#outbox = new ConversionOutbox(ports, {
      exists: () => this.#exists,
      convert: ports.convert,
      failed: ports.onFailed,
    });
    this.#uses = new GroupCommit((uses) => this.#commit(uses), ports.storage);
    this.#ended = ports.storage.kv.get(ENDED) !== undefined;
    if (this.#exists) migrate(ports.storage, DOWNLOAD_STEPS);
  }

  async ready(): Promise<void> {
    await this.#alarm.load();
  }

  /** A new use is durable when this resolves. Rejects if nothing was used. */
  async use(use: Use): Promise<UseOutcome> {
    const outcome = await this.#uses.submit(use);
    if (outcome === "admitted" && use.takes) void this.#outbox.deliver();
    return outcome;
  }

  /** Repeated, it would add the bytes twice. */
  sent(link_id: string, bytes: number): void {
    if (!this.#exists || bytes <= 0) return;
    const now = this.#ports.clock.now();
    this.#exec("UPDATE links SET bytes = bytes + ?2 WHERE link_id = ?1", link_id, bytes);
    this.#alarm.armBy(now + REPORT_WITHIN_MS, now);
  }

  /**
   * The reader found `in_d1` in D1. If that is less than D1 confirmed, because it was restored to
   * an older point (F20), it gets everything again.
   */
  look(in_d1: readonly LinkDownloads[]): LinkDownloads[] {
    if (!this.#exists) return [];
    const lost = this.#select(
      `UPDATE links SET flushed_uses = 0, flushed_bytes = 0
       WHERE flushed_uses + flushed_bytes > 0 AND NOT EXISTS (
         SELECT 1 FROM json_each(?1) WHERE value ->> 'link_id' = links.link_id
           AND value ->> 'uses' >= flushed_uses AND value ->> 'bytes' >= flushed_bytes)
       RETURNING link_id`,
      JSON.stringify(in_d1),
    );
    const now = this.#ports.clock.now();
    if (lost.length > 0) this.#alarm.armBy(now + this.#ports.flush_interval_ms, now);
    return this.totals();
  }

  totals(): LinkDownloads[] {
    if (!this.#exists) return [];
    return this.#select<{ [column in keyof LinkDownloads]: LinkDownloads[column] }>(
      "SELECT link_id, uses, bytes FROM links ORDER BY link_id",
    );
  }

  /** Rejects if D1 fails. */
  async flush(): Promise<void> {
    if (!this.#isDirty()) return;
    const { db, clock, pageId } = this.#ports;
    const links = this.totals();
    await withTimeout(flushDownloads(db, pageId(), links), CALL_TIMEOUT_MS, clock);
    this.#flushed_at = clock.now();
    if (!this.#exists) return;
    this.#exec(
      `UPDATE links SET flushed_uses = max(flushed_uses, sent.uses),
         flushed_bytes = max(flushed_bytes, sent.bytes)
       FROM (SELECT value ->> 'link_id' AS link_id, value ->> 'uses' AS uses,
                    value ->> 'bytes' AS bytes FROM json_each(?1)) AS sent
       WHERE links.link_id = sent.link_id`,
      JSON.stringify(links),
    );
  }

  /** Never throws: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
    const { clock, random, onFailed, flush_interval_ms } = this.#ports;
    let pause_ms = 0;
    try {
      const isFlushDue = clock.now() - this.#flushed_at >= flush_interval_ms;
      // Neither waits for the other: D1 may be down, or the page's object.
      const reports = [this.#outbox.deliver(), this.#announce(), isFlushDue ? this.flush() : null];
      const failed = (await Promise.allSettled(reports)).find((each) => each.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      this.#pauses.succeeded();
    } catch (error) {
      if (!this.#exists) return;
      onFailed(error);
      pause_ms = this.#pauses.failed(random());
    }
    if (this.#exists) this.#armForRest(pause_ms);
  }

  async end(): Promise<void> {
    const { storage, clock } = this.#ports;
    this.#ended = true;
    if (hasTables(storage)) {
      await storage.deleteAll();
      // A request that is under way must not make the tables again.
      storage.kv.put(ENDED, clock.now());
    }
    await storage.sync();
  }

  get #exists(): boolean {
    return !this.#ended && hasTables(this.#ports.storage);
  }

  #commit(uses: readonly Use[]): UseOutcome[] {
    const { storage, clock } = this.#ports;
    if (this.#ended) return uses.map(() => "used_up");
    const now = clock.now();
    return storage.transactionSync(() => uses.map((use) => this.#decide(use, now)));
  }

  #decide(use: Use, now: number): UseOutcome {
    const { link_id, token_id, until, voucher } = use;
    if (!hasTables(this.#ports.storage)) {
      if (isBarred(use)) return "used_up";
      if (!use.takes) return "admitted";
      migrate(this.#ports.storage, DOWNLOAD_STEPS);
    }
    const known = this.#select(
      "SELECT 1 AS n FROM tokens WHERE link_id = ?1 AND token_id = ?2",
      link_id,
      token_id,
    );
    if (known.length > 0) return "admitted";
    const used = this.#number("SELECT uses AS n FROM links WHERE link_id = ?1", link_id);
    if (isBarred(use) || (use.uses_max !== null && used >= use.uses_max)) return "used_up";
    if (voucher !== null && voucher.uses_max !== null) {
      const used = this.#number("SELECT uses AS n FROM vouchers WHERE voucher_id = ?1", voucher.id);
      if (used >= voucher.uses_max) return "used_up";
    }
    if (!use.takes) return "admitted";
    this.#exec(
      "INSERT INTO tokens (link_id, token_id, until) VALUES (?1, ?2, ?3)",
      link_id,
      token_id,
      until,
    );
    this.#exec(
      `INSERT INTO links (link_id, uses, bytes) VALUES (?1, ?2, 0)
       ON CONFLICT DO UPDATE SET uses = uses + excluded.uses`,
      link_id,
      use.class === "bot" ? 0 : 1,
    );
    if (voucher !== null) {
      this.#exec(
        `INSERT INTO vouchers (voucher_id, uses, until) VALUES (?1, 1, ?2)
         ON CONFLICT DO UPDATE SET uses = uses + 1`,
        voucher.id,
        voucher.until,
      );
    }
    const id = `${link_id}.${token_id}`;
    const body = { id, link_id, class: use.class, origin: use.origin, tip: null };
    this.#outbox.add({ id, body }, this.#ports.pageId(), now);
    this.#alarm.armBy(now + REPORT_WITHIN_MS, now);
    return "admitted";
  }

  async #announce(): Promise<void> {
    if (!this.#hasNews) return;
    const { storage, clock, announce } = this.#ports;
    const version = this.#version;
    const links = this.totals().sort((one, other) => other.uses - one.uses);
    // What is not on disk yet could be lost, and other numbers would get this version.
    await storage.sync();
    await withTimeout(announce(links.slice(0, ANNOUNCED_MAX), version), CALL_TIMEOUT_MS, clock);
    if (this.#exists) storage.kv.put(ANNOUNCED, version);
  }

  /** Grows with every use and every byte, and needs no row of its own. */
  get #version(): number {
    return this.#number("SELECT SUM(uses + bytes) AS n FROM links");
  }

  get #hasNews(): boolean {
    const { kv } = this.#ports.storage;
    return this.#exists && this.#version > (kv.get<number>(ANNOUNCED) ?? 0);
  }

  #armForRest(pause_ms: number): void {
    const { clock, flush_interval_ms } = this.#ports;
    const now = clock.now();
    const deliver_at = this.#outbox.dueAt ?? Number.POSITIVE_INFINITY;
    this.#alarm.armBy(Math.max(deliver_at, now + REPORT_WITHIN_MS), now);
    if (this.#hasNews) this.#alarm.armBy(now + Math.max(REPORT_WITHIN_MS, pause_ms), now);
    if (this.#isDirty()) this.#alarm.armBy(now + (pause_ms || flush_interval_ms), now);
    if (now - this.#swept_at >= SWEEP_MS || now < this.#swept_at) {
      this.#swept_at = now;
      this.#exec("DELETE FROM tokens WHERE until IS NOT NULL AND until <= ?1", now);
      this.#exec("DELETE FROM vouchers WHERE until <= ?1", now);
    }
    // Each reads one row of an index: a page may have very many tokens.
    const first = this.#number(
      `SELECT MIN(at) AS n FROM
         (SELECT MIN(until) AS at FROM tokens WHERE until IS NOT NULL
          UNION ALL SELECT MIN(until) FROM vouchers)`,
    );
    if (first > 0) this.#alarm.armBy(Math.max(first, now + SWEEP_MS), now);
  }

  #isDirty(): boolean {
    const dirty =
      "SELECT 1 AS n FROM links WHERE uses > flushed_uses OR bytes > flushed_bytes LIMIT 1";
    return this.#exists && this.#select(dirty).length > 0;
  }

  #number(query: string, ...bindings: unknown[]): number {
    return this.#select<{ n: number | null }>(query, ...bindings)[0]?.n ?? 0;
  }

  #select<R extends Row>(query: string, ...bindings: unknown[]): R[] {
    return this.#ports.storage.sql.exec<R>(query, ...bindings).toArray();
  }

  #exec(query: string, ...bindings: unknown[]): void {
    this.#ports.storage.sql.exec(query, ...bindings);
  }
}

/** Bots never use a limited download up. */
function isBarred(use: Use): boolean {
  const isLimited = use.uses_max !== null || (use.voucher?.uses_max ?? null) !== null;
  return use.class === "bot" && isLimited;
}
