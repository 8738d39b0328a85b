/**
 * Writes only to a D1 that still holds what it confirmed before. A D1 that was restored to an older
 * point gets everything again instead (docs/faults.md F20). Otherwise it could take the newest rows
 * while its reply is lost, and nothing would show later that older rows are missing.
 *
 * The caller passes a guard: a statement that reads, as `n`, how much D1 has. Every write of the
 * same transaction repeats the condition in its own WHERE.
 */
import type { Database, Statement } from "../platform/ports.ts";

interface GuardRow {
  n: number | null;
}

/** Answers how much D1 had before. Rejects, and has written nothing, if the guard reads NULL. */
export async function writeGuarded(
  db: Database,
  guard: Statement,
  writes: readonly Statement[],
): Promise<{ n_in_d1: number; results: { results: unknown[] }[] }> {
  const [before, ...results] = await db.batch<unknown>([guard, ...writes]);
  return { n_in_d1: numberIn(before as { results: GuardRow[] } | undefined), results };
}

/** Rejects if the guard reads NULL. */
export async function readGuard(guard: Statement): Promise<number> {
  return numberIn(await guard.all<GuardRow>());
}

function numberIn(result: { results: GuardRow[] } | undefined): number {
  const n = result?.results[0]?.n;
  // NULL: D1 already has a later roll, so these rows are out of date.
  if (n === undefined || n === null) throw new Error("D1 did not answer how much it holds");
  return n;
}
