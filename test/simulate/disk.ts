/** Reads the page objects' files after everything has stopped. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hexOf } from "../../objects/keys/key-list.ts";
import { eventsOf } from "../../objects/page/tables/journal.ts";

/** Event keys are 16 hex digits, without separators. */
const KEY = /.{16}/g;

/**
 * The keys of all events in the files of all page objects, repeated as often as they are stored.
 *
 * @param pages page ids by object id; a file of another object is reported by its object id
 */
export async function storedKeys(
  statePath: string,
  pages: ReadonlyMap<string, string>,
): Promise<{ page_id: string; key: string }[]> {
  const folder = join(statePath, "v3/do/sila-PageObject");
  const stored: { page_id: string; key: string }[] = [];
  for (const file of await readdir(folder)) {
    if (!file.endsWith(".sqlite") || file === "metadata.sqlite") continue;
    const id = file.slice(0, -".sqlite".length);
    for (const key of keysIn(join(folder, file))) {
      stored.push({ page_id: pages.get(id) ?? id, key });
    }
  }
  return stored;
}

function keysIn(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    // An object that never counted anything has no tables.
    const tables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'").all();
    if (tables.length === 0) return [];
    const packed = db.prepare("SELECT lower(hex(keys)) AS keys FROM checkpoints").all();
    const stored = packed.flatMap(({ keys }) => String(keys).match(KEY) ?? []);
    const rows = db.prepare("SELECT events FROM journal").all();
    // A copy: SQLite's buffer may be longer than the row.
    const journal = rows.flatMap(({ events }) =>
      eventsOf(new Uint8Array(events as Uint8Array).buffer),
    );
    return [...stored, ...journal.map(({ key }) => hexOf(key))];
  } finally {
    db.close();
  }
}
