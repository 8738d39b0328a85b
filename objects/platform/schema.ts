/**
 * The tables inside an object, as numbered steps that are never edited once landed: an object that
 * slept through several versions takes the missing ones when it wakes (docs/faults.md F16).
 *
 * They are made with the first thing that is accepted, never before: asking an object for what does
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
 * Takes the steps that are missing, all or none. Does nothing when up to date, or ahead after a
 * deploy was rolled back: the newer code must not find its steps forgotten and take them again.
 */
export function migrate(storage: Storage, steps: Steps): void {
  const version = storage.kv.get<number>(VERSION_KEY) ?? 0;
  if (version >= steps.length) return;
  storage.transactionSync(() => {
    for (const statement of steps.slice(version).flat()) storage.sql.exec(statement);
    storage.kv.put(VERSION_KEY, steps.length);
  });
}
