/**
 * D1 as the objects see it over a network: real SQLite with the project's migrations, and calls
 * that arrive late, are answered late, fail, or are never answered. A batch is one transaction.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Milestone, Totals } from "../../objects/page/tables/milestones.ts";
import type { Database, Statement } from "../../objects/platform/ports.ts";
import type { HostWorld } from "./host.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations/", import.meta.url));
const schemaOf = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
const SCHEMA = schemaOf(MIGRATIONS);
const STATS_SCHEMA = schemaOf(join(MIGRATIONS, "stats"));

const CHANGES_PAGES = /^\s*(INSERT INTO|UPDATE|DELETE FROM) pages\b/;

const FLUSHES = /^\s*INSERT INTO (tallies|days|months|milestones|rolled_days|tips)\b/;

export type Mood = "well" | "refuses" | "loses-reply" | "hangs";

export interface D1World extends HostWorld {
  d1Mood(): Mood;
  d1Written(): void;
  readonly truth: {
    /** Pages were changed. */
    read(): void;
    restored(): void;
  };
}

interface ChosenPage {
  owner_id?: string;
  time_zone?: string;
  links?: readonly object[];
}

interface Query {
  sql: string;
  values: (string | number | null)[];
}

interface BoundStatement extends Statement {
  query: Query;
  /** As in `D1PreparedStatement`; the router's stores use it. */
  first<R>(): Promise<R | null>;
}

/** How a caller waits for an answer; an answer after the caller's end is dropped. */
export type Through = <R>(send: (isAlive: () => boolean) => Promise<R>) => Promise<R>;

type Rows = Record<string, string | number | null>[];
/** Tables that page objects write. */
const FLUSHED = ["tallies", "days", "months", "milestones", "rolled_days", "tips"] as const;
const COUNTS = ["tallies", "days", "months", "rolled_days"] as const;
const TABLES = {
  main: {
    flushed: [...FLUSHED, "left_pages"],
    of_page: [...FLUSHED, "pages"],
    more: ["pages", "page_changes"],
  },
  stats: { flushed: [...COUNTS, "left_pages"], of_page: COUNTS, more: [] },
} as const;
export type Snapshot = Record<string, Rows>;

export class SimulatedD1 {
  readonly #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #world: D1World;
  /** Number of the newest batch executed for each caller, which shows that another was overtaken (F7). */
  readonly #newest = new Map<string, number>();
  #calls = 0;

  readonly #tables: (typeof TABLES)[keyof typeof TABLES];

  /** `stats`: a database of statistics, which has no pages. */
  constructor(world: D1World, kind: keyof typeof TABLES = "main") {
    this.#world = world;
    this.#tables = TABLES[kind];
    // D1's own clock shows the time of the run, so that equal seeds give equal runs.
    this.#db.function("unixepoch", { varargs: true }, () => world.scheduler.unix_ms / 1_000);
    this.#db.exec(kind === "main" ? SCHEMA : STATS_SCHEMA);
  }

  /** Runs a statement from outside the run, at once and without faults. */
  read(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#run({ sql, values });
  }

  insertPage(page_id: string, { owner_id, ...chosen }: ChosenPage = {}): void {
    const usual = { locales: ["ar"], time_zone: "UTC", indexed: true, contact: null, links: [] };
    this.read(
      `INSERT INTO pages
         (page_id, owner_id, slug, status, version, save_id, document, created_at, updated_at)
       VALUES (?1, ?2, ?1, 'published', 1, '', ?3, 0, 0)`,
      page_id,
      owner_id ?? null,
      JSON.stringify({ ...usual, ...chosen }),
    );
  }

  /** Lacks the page, as a D1 that was restored to an older time does. Answers what brings it back. */
  lack(page_id: string): () => void {
    const rename = (from: string, to: string) =>
      void this.read("UPDATE pages SET page_id = ?2 WHERE page_id = ?1", from, to);
    const elsewhere = `${page_id} elsewhere`;
    rename(page_id, elsewhere);
    return () => rename(elsewhere, page_id);
  }

  people(page_id: string): Totals {
    const rows = this.read(
      "SELECT kind, SUM(n) AS n FROM tallies WHERE page_id = ?1 AND class = 'human' AND shard = 0 GROUP BY kind",
      page_id,
    );
    const of = (kind: string) => Number(rows.find((row) => row.kind === kind)?.n ?? 0);
    return { view: of("view"), click: of("click") };
  }

  /** The events that a page's days have by their referrer, by the unix second of the day's start. */
  days(page_id: string): [from_s: number, events: number][] {
    const rows = this.read(
      `SELECT day, (SELECT coalesce(sum((value ->> 0) + (value ->> 1)), 0)
         FROM json_each(breakdowns, '$.referrer')) AS n
       FROM days WHERE page_id = ?1 AND shard = 0 ORDER BY day`,
      page_id,
    );
    return rows.map(({ day, n }) => [Number(day), Number(n)]);
  }

  counted(page_id: string): number {
    return this.#sum("shard = 0", page_id);
  }

  imported(page_id: string): number {
    return this.#sum("shard < 0", page_id);
  }

  #sum(where: string, page_id: string): number {
    const sql = `SELECT SUM(n) AS n FROM tallies WHERE page_id = ?1 AND ${where}`;
    return Number(this.read(sql, page_id)[0]?.n ?? 0);
  }

  has(page_id: string): boolean {
    const one = this.#tables.of_page.map((table) => `SELECT 1 FROM ${table} WHERE page_id = ?1`);
    return this.read(one.join(" UNION ALL "), page_id).length > 0;
  }

  milestones(page_id: string): Milestone[] {
    return this.read(
      "SELECT kind, n, reached_at FROM milestones WHERE page_id = ?1 ORDER BY n",
      page_id,
    ) as unknown as Milestone[];
  }

  close(): void {
    this.#db.close();
  }

  /** D1 for one caller. `gate` resolves when everything the caller wrote is on disk. */
  connect(caller: string, through: Through, gate = () => Promise.resolve()): Database {
    const send = <R>(queries: Query[]): Promise<{ results: R[] }[]> => {
      this.#calls += 1;
      const number = this.#calls;
      return through(
        (isAlive) =>
          new Promise((resolve, reject) => {
            // Nothing leaves an object before what it wrote is on disk.
            void gate().then(() => {
              if (!isAlive()) return;
              const give = resolve as (rows: unknown) => void;
              this.#carry(caller, number, queries, isAlive, give, reject);
            });
          }),
      );
    };
    const prepare = (sql: string, values: Query["values"] = []): BoundStatement => {
      const all = async <R>() => (await send<R>([{ sql, values }]))[0] as { results: R[] };
      return {
        query: { sql, values },
        bind: (...bound) => prepare(sql, bound as Query["values"]),
        all,
        first: async <R>() => (await all<R>()).results[0] ?? null,
      };
    };
    return {
      prepare,
      batch: (statements) => send(statements.map((each) => (each as BoundStatement).query)),
    };
  }

  /** One call: its way there, its execution and its way back, each of which may fail. */
  #carry(
    caller: string,
    number: number,
    queries: Query[],
    isAlive: () => boolean,
    resolve: (rows: unknown) => void,
    reject: (error: Error) => void,
  ): void {
    const { scheduler } = this.#world;
    const mood = this.#world.d1Mood();
    const trace = (end: string) => this.#world.trace(`D1: call ${number} of ${caller} ${end}`);
    const writes = queries.some(({ sql }) => FLUSHES.test(sql));
    const settle = (give: () => void) =>
      scheduler.after(this.#world.latency(), () => {
        if (isAlive()) give();
        else if (writes && mood !== "refuses") this.#world.hit("F3");
      });
    // A call that hangs may still be executed, long after its caller has given it up.
    const delay_ms =
      this.#world.latency() + (mood === "hangs" ? 60_000 + 20_000 * this.#world.random() : 0);
    scheduler.after(delay_ms, () => {
      trace(mood === "well" ? "executed" : mood);
      if (mood === "refuses") return void settle(() => reject(new Error("D1 refuses")));
      const results = this.#transaction(queries);
      if (queries.some(({ sql }) => CHANGES_PAGES.test(sql))) this.#world.truth.read();
      if (writes) {
        if (number < (this.#newest.get(caller) ?? 0)) this.#world.hit("F7");
        this.#newest.set(caller, Math.max(number, this.#newest.get(caller) ?? 0));
        this.#world.d1Written();
      }
      if (mood === "hangs") return;
      settle(
        mood === "loses-reply"
          ? () => reject(new Error("D1's reply was lost"))
          : () => resolve(results),
      );
    });
  }

  snapshot(): Snapshot {
    const rows = (table: string) => {
      // Without generated columns, which cannot be restored.
      const columns = this.read("SELECT name FROM pragma_table_info(?1)", table);
      return this.read(`SELECT ${columns.map(({ name }) => name).join()} FROM ${table}`) as Rows;
    };
    const { flushed, more } = this.#tables;
    return Object.fromEntries([...flushed, ...more].map((table) => [table, rows(table)]));
  }

  /**
   * Restores the tables that page objects flush, the stored changes, and the pages that were
   * deleted since. Existing pages keep their edits: no object is notified of a restored D1, so an
   * older version would stay in use until the next edit. `isEnded`: rows of such a page are left out,
   * as the cron deletes them from a restored database of statistics.
   */
  restore(snapshot: Snapshot, isEnded: (page_id: string) => boolean = () => false): void {
    const { flushed } = this.#tables;
    for (const table of flushed) this.read(`DELETE FROM ${table}`);
    const { pages = [], page_changes = [] } = snapshot;
    if (pages.length > 0) {
      const gone = new Set(pages.map(({ page_id }) => page_id));
      for (const { page_id } of this.read("SELECT page_id FROM pages"))
        gone.delete(String(page_id));
      for (const row of pages) if (gone.has(row.page_id ?? "")) this.#insert("pages", row);
    }
    for (const table of flushed) {
      for (const row of snapshot[table] ?? []) {
        if (!isEnded(String(row.page_id))) this.#insert(table, row);
      }
    }
    for (const row of page_changes) this.#insert("page_changes", row);
    this.#world.truth.restored();
  }

  #insert(table: string, row: Rows[number]): void {
    const places = Object.keys(row).map(() => "?");
    this.read(
      `INSERT OR IGNORE INTO ${table} (${Object.keys(row).join()}) VALUES (${places.join()})`,
      ...Object.values(row),
    );
  }

  #transaction(queries: Query[]): { results: unknown[] }[] {
    this.#db.exec("BEGIN");
    const results = queries.map((query) => ({ results: this.#run(query) }));
    this.#db.exec("COMMIT");
    return results;
  }

  #run({ sql, values }: Query): Record<string, unknown>[] {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as Record<string, unknown>[];
  }
}
