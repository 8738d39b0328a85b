/**
 * The tables inside an object, as numbered steps that are never edited after they have landed: an
 * object that was last awake several versions ago takes the missing steps when it wakes
 * (docs/faults.md F16).
 *
 * Tables are made when the first event is accepted, never before: a request for a page that does
 * not exist leaves nothing stored (docs/security.md S23).
 */
import type { Storage } from "./ports.ts";

const VERSION_KEY = "schema_version";

/** The statements of each version, the first one first. */
export type Steps = readonly (readonly string[])[];

/** Whether this object has ever accepted anything. */
export function hasTables(storage: Storage): boolean {
  return storage.kv.get<number>(VERSION_KEY) !== undefined;
}

/**
 * Takes the missing steps, all or none. Does nothing if the tables are up to date, or newer because
 * a deploy was rolled back; a lowered version would make the newer code take its steps twice.
 */
export function migrate(storage: Storage, steps: Steps): void {
  const version = storage.kv.get<number>(VERSION_KEY) ?? 0;
  if (version >= steps.length) return;
  storage.transactionSync(() => {
    for (const statement of steps.slice(version).flat()) storage.sql.exec(statement);
    storage.kv.put(VERSION_KEY, steps.length);
  });
}
