/**
 * All that an object has stored, as lines of JSON: its tables with their rows, its values and its
 * alarm. It is the same for every class of objects, so a dump forgets no table that is added.
 *
 *   {"sql": "CREATE TABLE …"}   {"table": "seen", "row": [1, {"$buffer": "…"}]}   {"key": "ended", "value": 1}
 *   {"alarm": 1790000000000}
 */
import type { ObjectState, Row, Storage } from "./ports.ts";

/** SQLite and the platform make the others. Tables come before their indexes. */
const MADE = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' AND substr(name, 1, 4) <> '_cf_'
  ORDER BY type DESC, name`;

/** Sent at once; a row may have ten times as many characters. */
const CHUNK_CHARS = 65_536;

const LINE_FEED = 0x0a;

type Line =
  | { sql: string }
  | { table: string; row: unknown[] }
  | { key: string; value: unknown }
  | { alarm: number };

/** Reads all in one step: the dump of an object that goes on counting is of one moment. */
export async function dumpObject(storage: Storage): Promise<ReadableStream<Uint8Array>> {
  const lines = [...readLines(storage)];
  const alarm = await storage.getAlarm();
  if (alarm !== null && lines.length > 0) lines.push(JSON.stringify({ alarm }));
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let some = "";
      while (next < lines.length && some.length < CHUNK_CHARS) some += `${lines[next++]}\n`;
      if (some !== "") return controller.enqueue(encoder.encode(some));
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

function* readLines({ sql, kv }: Storage): Generator<string> {
  const line = (of: Line) => JSON.stringify(of, pack);
  const made = sql.exec<{ type: string; name: string; sql: string }>(MADE).toArray();
  for (const { sql } of made) yield line({ sql });
  for (const { type, name } of made) {
    if (type !== "table") continue;
    for (const row of sql.exec<Row>(`SELECT * FROM "${name}"`)) {
      yield line({ table: name, row: Object.values(row) });
    }
  }
  for (const [key, value] of kv.list()) yield line({ key, value });
}

const LOADED = "loaded";

/**
 * Stores the lines in an object that has stored nothing, all or none, without the alarm. Then the
 * object ends, so that it is made anew from what is stored: the call rejects, and the next one
 * answers true. Answers false for an object that has something else. `lines` is null to ask only.
 */
export async function loadObject(
  state: ObjectState,
  lines: ReadableStream<Uint8Array> | null,
  sha256: string,
): Promise<boolean> {
  const { storage } = state;
  const { kv } = storage;
  if (lines === null) return kv.get(LOADED) === sha256;
  const bytes = await new Response(lines).bytes();
  if (kv.get(LOADED) === sha256) return true;
  if (!readLines(storage).next().done) return false;
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (found !== sha256) throw new Error("the dump of an object is not as it was");
  storage.transactionSync(() => {
    storeLines(storage, bytes);
    kv.put(LOADED, sha256);
  });
  await storage.sync();
  state.abort("loaded");
  return true;
}

function storeLines({ sql, kv }: Storage, bytes: Uint8Array): void {
  for (const line of linesOf(bytes)) {
    if ("sql" in line) sql.exec(line.sql);
    else if ("key" in line) kv.put(line.key, line.value);
    else if ("table" in line) {
      const values = line.row.map((_, i) => `?${i + 1}`);
      sql.exec(`INSERT INTO "${line.table}" VALUES (${values.join()})`, ...line.row);
    }
  }
}

/** Call it once D1 has what the object will ask for. A set alarm stays. */
export async function armLoaded(storage: Storage, alarm_ms: number): Promise<void> {
  if ((await storage.getAlarm()) === null) await storage.setAlarm(alarm_ms);
}

/** As one text all lines would have two bytes a character, from the first Arabic letter on. */
function* linesOf(bytes: Uint8Array): Generator<Line> {
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end === -1) throw new Error("the dump of an object is cut off");
    yield JSON.parse(decoder.decode(bytes.subarray(at, end)), unpack) as Line;
    at = end + 1;
  }
}

/** JSON has no bytes and maps. What else it cannot say is an error, and not lost. */
function pack(_key: string, value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof ArrayBuffer) return { $buffer: new Uint8Array(value).toBase64() };
  if (value instanceof Uint8Array) return { $bytes: value.toBase64() };
  if (typeof value === "object" && value !== null && !isPlain(value)) {
    throw new Error(`${value.constructor.name} cannot be dumped`);
  }
  return value;
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function unpack(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("$buffer" in value) return Uint8Array.fromBase64(value.$buffer as string).buffer;
  if ("$bytes" in value) return Uint8Array.fromBase64(value.$bytes as string);
  return "$map" in value ? new Map(value.$map as [unknown, unknown][]) : value;
}
