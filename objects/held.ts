/**
 * Writing only to a D1 that still holds what it confirmed before. One that was restored to an older
 * point is sent everything instead (FAULTS F20); were it given the newest rows first and the reply
 * lost, nobody could tell any more that older ones are missing.
 *
 * Whoever flushes says what D1 must hold as a statement with one number, `n`, and makes every write
 * of the same transaction depend on it.
 */
import type { Database, Statement } from "./ports.ts";

/**
 * Runs the writes in one transaction. Answers whether D1 held at least `n`; if not, the writes, which
 * ask the same in their own WHERE, have written nothing.
 */
export async function writeIfHeld(
  db: Database,
  held: Statement,
  n: number,
  writes: readonly Statement[],
): Promise<boolean> {
  const [before] = await db.batch<{ n: number }>([held, ...writes]);
  return numberIn(before) >= n;
}

/** Whether D1 holds at least `n`. */
export async function isHeld(held: Statement, n: number): Promise<boolean> {
  return numberIn(await held.all<{ n: number }>()) >= n;
}

function numberIn(result: { results: { n: number }[] } | undefined): number {
  const n = result?.results[0]?.n;
  if (n === undefined) throw new Error("D1 did not say what it holds");
  return n;
}
