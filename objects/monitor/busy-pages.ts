/** BusyPages: chooses the pages that operators look at. Their numbers come from D1. */
import { HOUR_MS } from "../platform/clock.ts";
import type { Storage } from "../platform/ports.ts";

const PAGES_MAX = 500;
export const BUSY_PAGES_SHOWN = 100;
const AGED_AT = "busy_aged_at";

export interface BusyPage {
  page_id: string;
  n: number;
}

export class BusyPages {
  readonly #storage: Pick<Storage, "sql" | "kv">;

  constructor(storage: Pick<Storage, "sql" | "kv">) {
    this.#storage = storage;
  }

  add(pages: ReadonlyMap<string, number>): void {
    const rows = [...pages].filter(([page_id, n]) => page_id.length <= 64 && n > 0);
    this.#storage.sql.exec(
      `INSERT INTO busy (page_id, n) SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
      JSON.stringify(rows),
    );
  }

  /** Halves the numbers once an hour, and keeps the largest. Belongs into a transaction. */
  age(now: number): void {
    const { sql, kv } = this.#storage;
    const hour = Math.floor(now / HOUR_MS);
    sql.exec(
      "DELETE FROM busy WHERE page_id IN (SELECT page_id FROM busy ORDER BY n DESC LIMIT -1 OFFSET ?1)",
      PAGES_MAX,
    );
    if (kv.get<number>(AGED_AT) === hour) return;
    kv.put(AGED_AT, hour);
    sql.exec("UPDATE busy SET n = n / 2");
    sql.exec("DELETE FROM busy WHERE n = 0");
  }

  most(): BusyPage[] {
    return this.#storage.sql
      .exec<{ page_id: string; n: number }>(
        "SELECT page_id, n FROM busy ORDER BY n DESC, page_id LIMIT ?1",
        BUSY_PAGES_SHOWN,
      )
      .toArray();
  }
}
