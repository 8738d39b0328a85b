/**
 * D1 as the objects see it over a network: real SQLite with the project's migrations, and calls that
 * arrive late, answer late, answer wrongly or not at all. A batch is one transaction.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Milestone, Totals } from "../../objects/milestones.ts";
import type { Database, Statement } from "../../objects/ports.ts";
import type { World } from "./world.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations/", import.meta.url));
const SCHEMA = readdirSync(MIGRATIONS)
  .sort()
  .map((file) => readFileSync(join(MIGRATIONS, file), "utf8"))
  .join("\n");

/** How a call to D1 ends. */
export type Mood = "well" | "refuses" | "loses-reply" | "hangs";

interface Query {
  sql: string;
  values: (string | number | null)[];
}

interface BoundStatement extends Statement {
  query: Query;
}

/** Rows of the tables that page objects write. */
type Snapshot = Record<
  "tallies" | "days" | "milestones" | "rolled_days",
  Record<string, string | number | null>[]
>;

export class SimulatedD1 {
  readonly #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #world: World;
  /** Number of the newest batch carried out for each caller, to see one overtaken (F7). */
  readonly #newest = new Map<string, number>();
  #calls = 0;

  constructor(world: World) {
    this.#world = world;
    this.#db.exec(SCHEMA);
  }

  /** A look from outside, at once and without faults. */
  read(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#run({ sql, values });
  }

  /** What D1 has counted on a page, by kind. */
  counted(page_id: string): Totals {
    const rows = this.read(
      "SELECT kind, SUM(n) AS n FROM tallies WHERE page_id = ?1 GROUP BY kind",
      page_id,
    );
    const of = (kind: string) => Number(rows.find((row) => row.kind === kind)?.n ?? 0);
    return { view: of("view"), click: of("click") };
  }

  /** The milestones of a page that D1 knows. */
  milestones(page_id: string): Milestone[] {
    return this.read(
      "SELECT kind, n, reached_at FROM milestones WHERE page_id = ?1 ORDER BY n",
      page_id,
    ) as unknown as Milestone[];
  }

  close(): void {
    this.#db.close();
  }

  /** D1 as one incarnation of an object holds it: what comes after its end goes nowhere. */
  connect(caller: string, isAlive: () => boolean, gate: () => Promise<void>): Database {
    const send = <R>(queries: Query[]): Promise<{ results: R[] }[]> => {
      this.#calls += 1;
      const number = this.#calls;
      // Nothing leaves an object before what it wrote is on disk.
      return new Promise((resolve, reject) => {
        void gate().then(() => {
          if (!isAlive()) return;
          this.#carry(caller, number, queries, isAlive, resolve as (rows: unknown) => void, reject);
        });
      });
    };
    const prepare = (sql: string, values: Query["values"] = []): BoundStatement => ({
      query: { sql, values },
      bind: (...bound) => prepare(sql, bound as Query["values"]),
      all: async <R>() => (await send<R>([{ sql, values }]))[0] as { results: R[] },
    });
    return {
      prepare,
      batch: (statements) => send(statements.map((each) => (each as BoundStatement).query)),
    };
  }

  /** One call: on its way, carried out or not, and back or not. */
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
    const tell = (end: string) => this.#world.tell(`D1: call ${number} of ${caller} ${end}`);
    const writes = queries.some(({ sql }) => /^\s*INSERT/.test(sql));
    const settle = (give: () => void) =>
      scheduler.after(this.#world.latency(), () => {
        if (isAlive()) give();
        else if (writes && mood !== "refuses") this.#world.hit("F3");
      });
    // One that hangs may still be carried out, long after its caller has given it up.
    const delay_ms =
      this.#world.latency() + (mood === "hangs" ? 60_000 + 20_000 * this.#world.random() : 0);
    scheduler.after(delay_ms, () => {
      tell(mood === "well" ? "carried out" : mood);
      if (mood === "refuses") return void settle(() => reject(new Error("D1 refuses")));
      const results = this.#transaction(queries);
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

  /** What page objects have flushed, to be put back later: a backup. */
  snapshot(): Snapshot {
    const rows = (table: string) => this.read(`SELECT * FROM ${table}`) as Snapshot["tallies"];
    return {
      tallies: rows("tallies"),
      days: rows("days"),
      milestones: rows("milestones"),
      rolled_days: rows("rolled_days"),
    };
  }

  restore(snapshot: Snapshot): void {
    for (const [table, rows] of Object.entries(snapshot)) {
      this.read(`DELETE FROM ${table}`);
      for (const row of rows) {
        const values = Object.values(row);
        const places = values.map(() => "?").join();
        this.read(
          `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${places})`,
          ...values,
        );
      }
    }
  }

  #transaction(queries: Query[]): { results: unknown[] }[] {
    this.#db.exec("BEGIN");
    const results = queries.map((query) => ({ results: this.#run(query) }));
    this.#db.exec("COMMIT");
    return results;
  }

  #run({ sql, values }: Query): Record<string, unknown>[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values) as Record<string, unknown>[];
  }
}
