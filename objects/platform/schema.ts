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

export type Steps = readonly (readonly string[])[];

/** Whether anything was ever accepted. Tables that few objects need have their own `key`. */
export function hasTables(storage: Pick<Storage, "kv">, key = VERSION_KEY): boolean {
  return storage.kv.get<number>(key) !== undefined;
}

/**
 * All or none. Does nothing if the tables are newer because a deploy was rolled back; a lowered
 * version would make the newer code take its steps twice.
 */
export function migrate(storage: Storage, steps: Steps, key = VERSION_KEY): void {
  const version = storage.kv.get<number>(key) ?? 0;
  if (version >= steps.length) return;
  storage.transactionSync(() => {
    for (const statement of steps.slice(version).flat()) storage.sql.exec(statement);
    storage.kv.put(key, steps.length);
  });
}
