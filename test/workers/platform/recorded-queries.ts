/// <reference types="vite/types/importMeta.d.ts" />
/** Records every query that the code sends to D1, with what it cost. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";

export interface Query {
  sql: string;
  values: readonly unknown[];
  /** Where the code prepared it: the file below the root, and the position in it. */
  place: { file: string; position: string };
  /** Rows that D1 read for it, triggers and indexes included, and rows that it answered. */
  rows_read: number;
  rows_answered: number;
}

type Prepared = Pick<Query, "sql" | "values" | "place">;

const d1: D1Database = Object.getPrototypeOf(env.DB);
const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));

/** The code's own frame; tests and the test runner have others. */
const FRAME = /\/((?:src|objects)\/[^:)]+):(\d+:\d+)/;

/** Records the queries of the router and of the objects until `vi.restoreAllMocks()`. */
export function recordQueries(): readonly Query[] {
  const queries: Query[] = [];
  const prepared = new WeakMap<D1PreparedStatement, Prepared>();
  const note = (asked: D1PreparedStatement, { meta, results }: D1Result<unknown>) => {
    const found = prepared.get(asked);
    if (found === undefined) return;
    queries.push({ ...found, rows_read: meta.rows_read, rows_answered: results.length });
  };

  const { prepare, batch } = d1;
  vi.spyOn(d1, "prepare").mockImplementation(function (this: D1Database, sql) {
    const made = prepare.call(this, sql);
    const [, file, position] = FRAME.exec(new Error().stack ?? "") ?? [];
    if (file !== undefined && position !== undefined) {
      prepared.set(made, { sql, values: [], place: { file, position } });
    }
    return made;
  });
  vi.spyOn(d1, "batch").mockImplementation(async function (this: D1Database, statements) {
    const results = await batch.call(this, statements);
    for (const [i, result] of results.entries()) {
      const asked = statements[i];
      if (asked !== undefined) note(asked, result);
    }
    return results as never;
  });

  const { bind, all } = statement;
  vi.spyOn(statement, "bind").mockImplementation(function (this: D1PreparedStatement, ...values) {
    const bound = bind.apply(this, values);
    const found = prepared.get(this);
    if (found !== undefined) prepared.set(bound, { ...found, values });
    return bound;
  });
  async function recorded(this: D1PreparedStatement) {
    const result = await all.call(this);
    note(this, result);
    return result;
  }
  vi.spyOn(statement, "all").mockImplementation(recorded as never);
  vi.spyOn(statement, "run").mockImplementation(recorded as never);
  // D1 says what a query cost in the answer to `all` only.
  vi.spyOn(statement, "first").mockImplementation(async function (
    this: D1PreparedStatement,
    column?: string,
  ) {
    const { results } = await recorded.call(this);
    const [row] = results as Record<string, unknown>[];
    if (row === undefined) return null;
    return (column === undefined ? row : row[column]) as never;
  });
  return queries;
}

/** Of the Workers: `src/commands/serve` prepares statements before a start, on one machine. */
const SOURCES = import.meta.glob<string>(
  ["/{src,objects}/**/*.{ts,tsx}", "!/src/commands/serve/**"],
  { query: "?raw", import: "default", eager: true },
);

/** How many places in each file of the code prepare a statement for D1. */
export function placesToPrepare(): Record<string, number> {
  const places: Record<string, number> = {};
  for (const [path, source] of Object.entries(SOURCES)) {
    const n = source.match(/\bdb\s*\.prepare\(/gi)?.length ?? 0;
    if (n > 0) places[path.slice(1)] = n;
  }
  return places;
}

const SUBQUERY = /^(CO-ROUTINE|MATERIALIZE) /;

/**
 * The tables that D1 walks from end to end for a query, by its plan; a walk along an index is one too.
 * Lists of `json_each`, subqueries and constants are no tables.
 */
export async function walkedTables({ sql, values }: Query): Promise<string[]> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  ).all<{ name: string }>();
  const { results: plan } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return plan.flatMap(({ detail }) => {
    const [, scanned] = /^SCAN (\w+)/.exec(detail) ?? [];
    if (scanned === undefined || detail.includes("VIRTUAL TABLE")) return [];
    // A subquery may have the name of a table.
    if (plan.some(({ detail }) => SUBQUERY.test(detail) && detail.endsWith(` ${scanned}`)))
      return [];
    const table = tables.find(
      ({ name }) => name === scanned || new RegExp(`\\b${name}\\s+AS\\s+${scanned}\\b`).test(sql),
    );
    return table === undefined ? [] : [table.name];
  });
}
