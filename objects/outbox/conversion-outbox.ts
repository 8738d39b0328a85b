/**
 * ConversionOutbox: conversions on their way from the object of a block to the pages' objects. Each
 * is stored in the transaction that makes it and deleted once the page has it, so it arrives at
 * least once; the page counts it once, by its id (`PageObject.convert`).
 *
 * The owner makes the table in its own steps ({@link OUTBOX_TABLE}), delivers right after a commit,
 * without waiting, and again from its alarm while `isEmpty` is false.
 */
import type { Storage } from "../platform/ports.ts";
import type { Conversion } from "../tables/conversion.ts";

/** For the owner's steps (`platform/schema.ts`). */
export const OUTBOX_TABLE =
  "CREATE TABLE outbox (id TEXT PRIMARY KEY, page_id TEXT NOT NULL, conversion TEXT NOT NULL) WITHOUT ROWID";

/** Conversions in one call of a page's object. */
const BATCH_MAX = 100;

export type SendConversions = (page_id: string, conversions: Conversion[]) => Promise<void>;

export class ConversionOutbox {
  readonly #storage: Pick<Storage, "sql">;
  /** The delivery under way, which those who come meanwhile wait for; never rejects. */
  #delivering: Promise<unknown> = Promise.resolve();

  constructor({ storage }: { storage: Pick<Storage, "sql"> }) {
    this.#storage = storage;
  }

  /** Whether every conversion has arrived. */
  get isEmpty(): boolean {
    return this.#storage.sql.exec("SELECT 1 AS n FROM outbox LIMIT 1").toArray().length === 0;
  }

  /** Stores a conversion; belongs into the transaction that makes it. */
  add(page_id: string, conversion: Conversion): void {
    this.#storage.sql.exec(
      "INSERT INTO outbox (id, page_id, conversion) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
      conversion.id,
      page_id,
      JSON.stringify(conversion),
    );
  }

  /**
   * Sends everything, one page after another. Rejects if a page fails, after the others have got
   * theirs: then the caller has to call again later.
   */
  deliver(send: SendConversions): Promise<void> {
    const delivering = this.#delivering.then(() => this.#deliverAll(send));
    this.#delivering = delivering.catch(() => undefined);
    return delivering;
  }

  async #deliverAll(send: SendConversions): Promise<void> {
    const errors: unknown[] = [];
    for (let after = ""; ; ) {
      const page_id = this.#nextPage(after);
      if (page_id === null) break;
      after = page_id;
      try {
        await this.#deliverTo(page_id, send);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  async #deliverTo(page_id: string, send: SendConversions): Promise<void> {
    for (;;) {
      const rows = this.#storage.sql
        .exec<{ id: string; conversion: string }>(
          "SELECT id, conversion FROM outbox WHERE page_id = ?1 LIMIT ?2",
          page_id,
          BATCH_MAX,
        )
        .toArray();
      if (rows.length === 0) return;
      await send(
        page_id,
        rows.map(({ conversion }) => JSON.parse(conversion) as Conversion),
      );
      this.#storage.sql.exec(
        "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?1))",
        JSON.stringify(rows.map(({ id }) => id)),
      );
    }
  }

  #nextPage(after: string): string | null {
    const [next] = this.#storage.sql
      .exec<{ page_id: string | null }>(
        "SELECT MIN(page_id) AS page_id FROM outbox WHERE page_id > ?1",
        after,
      )
      .toArray();
    return next?.page_id ?? null;
  }
}
