/**
 * Writing only to a D1 that still holds what it confirmed before. One that was restored to an older
 * point is sent everything instead (docs/faults.md F20); were it given the newest rows first and the reply
 * lost, nobody could tell any more that older ones are missing.
 *
 * Whoever flushes says what D1 must hold as a statement with one number, `n`, and makes every write
 * of the same transaction depend on it.
 */
import type { Database, Statement } from "../platform/ports.ts";

interface Held {
  n: number | null;
}

/**
 * Runs the writes in one transaction. Answers the number that D1 held before them, and their results; if it
 * is less than `n`, the writes, which ask the same in their own WHERE, have written nothing. Rejects, and has
 * written nothing either, if D1 answers NULL.
 */
export async function writeGuarded(
  db: Database,
  held: Statement,
  writes: readonly Statement[],
): Promise<{ held: number; results: { results: unknown[] }[] }> {
  const [before, ...results] = await db.batch<unknown>([held, ...writes]);
  return { held: numberIn(before as { results: Held[] } | undefined), results };
}

/** The number that D1 holds. */
export async function readGuard(held: Statement): Promise<number> {
  return numberIn(await held.all<Held>());
}

function numberIn(result: { results: Held[] } | undefined): number {
  const n = result?.results[0]?.n;
  // Missing, or NULL: the writes were overtaken by newer ones, and their numbers say nothing any more.
  if (n === undefined || n === null) throw new Error("D1 did not say what it holds");
  return n;
}
