/** Reads what the page objects have on disk, when nothing runs any more. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Event keys are 16 hex digits, packed one after the other. */
const KEY = /.{16}/g;

/**
 * The keys of all events in the files of all page objects, each as often as it stands there.
 *
 * @param pages page ids by the object's id; a file of any other object is named by its id
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
    // An object that was asked for but has never counted anything has no tables.
    const tables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'").all();
    if (tables.length === 0) return [];
    const packed = db.prepare("SELECT lower(hex(keys)) AS keys FROM checkpoints").all();
    const journal = db
      .prepare("SELECT value ->> 0 AS keys FROM journal, json_each(journal.events)")
      .all();
    return [...packed, ...journal].flatMap(({ keys }) => String(keys).match(KEY) ?? []);
  } finally {
    db.close();
  }
}
