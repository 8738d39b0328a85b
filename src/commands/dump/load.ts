/**
 * Loads a dump into a deployment without pages: tables of D1 but the pages, so that nothing counts,
 * then objects, pictures and files, then the pages, their notes, and last the alarms. A load that
 * was cut off is begun again, and writes what is missing.
 */
import { createHash } from "node:crypto";
import {
  AUDITED_PAGES_MAX,
  type Described,
  FORMAT,
  type ObjectClass,
} from "../../operate/dump/dump-steps.ts";
import type { Value } from "../../operate/dump/dump-tables.ts";
import { type Call, Refused } from "./call-service.ts";
import { MANIFEST, type Manifest, type MediaEntry } from "./dump.ts";
import type { Folder } from "./folder.ts";
import { POINTS_TABLES, Points } from "./points.ts";

const STATE = "load.json";
/** The loss where the deployment has another secret than the old one. */
const ENDS = {
  SENDER_KEY: "an event that is sent again counts a second time",
  SESSION_KEY: "links to files, and those to unsubscribe in tables that creators have, answer 404",
};
const NAMED_MAX = 20;

/** Keys of `src/accounts/page-notes.ts`. */
const NOTES = "notes/";

/** After the objects, which are called from the first page on; slugs at rest would refuse pages. */
const LAST = ["pages", "former_slugs", "newsletters"];

interface LoadState {
  origin: string;
  /** Unix milliseconds; null while a page is missing there, or its counts are not exact. */
  finished_at: number | null;
}

export interface Loaded {
  rows: number;
  objects: number;
  media: number;
  pages: number;
  /** Pages that are missing, or whose counts are not exact. */
  inexact: string[];
  /** Objects that had something else. */
  refused: string[];
  wrong_points: string[];
  /** Passkeys do not work any more, because the address has changed. */
  moved: { from: string; to: string } | null;
}

export async function loadAll(
  call: Call,
  folder: Folder,
  origin: string,
  say: (line: string) => void,
  otherKeys: boolean,
): Promise<Loaded> {
  const manifest = await folder.readState<Manifest>(MANIFEST);
  if (manifest === null) throw new Refused(`${folder.path} has no dump`);
  if (manifest.format !== FORMAT) throw new Refused("a newer version has made this dump");
  if (manifest.finished_at === null) throw new Refused("this dump was cut off: let it end first");
  if (folder.isEncrypted !== (manifest.recipient !== null)) {
    const wanted = folder.isEncrypted
      ? "not encrypted: leave --identity out"
      : "encrypted: give --identity";
    throw new Refused(`this dump is ${wanted}`);
  }
  const damaged = await folder.damaged();
  if (damaged.length > 0) {
    throw new Refused(
      [`${folder.path} is not as it was dumped:`, ...damaged.slice(0, NAMED_MAX)].join("\n  "),
    );
  }
  const described = await call<Described>({ do: "describe" }, null, (answer) => answer.json());
  if (described.schema < manifest.schema) {
    throw new Refused(`the deployment is older than the dump: it lacks ${manifest.schema}`);
  }
  const state = await folder.readState<LoadState>(STATE);
  if (!described.is_empty && state?.origin !== origin) {
    throw new Refused(`${origin} has pages or users: a dump is loaded into an empty deployment`);
  }
  if (!described.is_empty && state !== null && state.finished_at !== null) {
    throw new Refused(
      `${origin} has this dump: a second load would bring back what was deleted since`,
    );
  }
  if (!otherKeys) expectSameKeys(manifest, described);
  const begun: LoadState = { origin, finished_at: null };
  await folder.writeState(STATE, begun);
  const [from, to] = [manifest.site, described.origin];
  const loaded: Loaded = {
    ...{ rows: 0, objects: 0, media: 0, pages: 0, inexact: [], refused: [], wrong_points: [] },
    moved: new URL(from).host === new URL(to).host ? null : { from, to },
  };
  const points = new Points();
  const tables = await folder.list("d1");
  const isLast = (file: string) => LAST.includes(file.split("/")[2] ?? "");
  for (const file of tables.filter((file) => !isLast(file))) {
    loaded.rows += await loadRows(call, folder, file, points);
    say(file);
  }
  loaded.wrong_points = points.wrong();
  const alarms = await loadObjects(call, folder, loaded, say);
  const media = await folder.list("media-index");
  for (const file of media) {
    loaded.media += await loadMedia(call, folder, file, (key) => !key.startsWith(NOTES));
    say(file);
  }
  for (const table of LAST) {
    for (const file of tables.filter((file) => file.split("/")[2] === table)) {
      loaded.rows += await loadRows(call, folder, file);
      say(file);
    }
  }
  // To the cron, a note of the last hour of a page that D1 lacks is a sign of a restored D1.
  for (const file of media) {
    loaded.media += await loadMedia(call, folder, file, (key) => key.startsWith(NOTES));
  }
  for (const { of, name, alarm_ms } of alarms) {
    await call({ do: "arm", class: of, name, alarm_ms }, null, (answer) => answer.json());
  }
  await audit(call, folder, tables, loaded);
  if (loaded.inexact.length === 0) {
    await folder.writeState(STATE, { ...begun, finished_at: Date.now() });
  }
  return loaded;
}

function expectSameKeys({ keys }: Manifest, described: Described): void {
  const others = (["SENDER_KEY", "SESSION_KEY"] as const).filter(
    (name) => keys[name] !== described.keys[name],
  );
  if (others.length === 0) return;
  throw new Refused(
    [
      "the deployment has other secrets than the one that was dumped. Give it the same SILA_KEY, or load --with-other-keys:",
      ...others.map((name) => `  ${name}: ${ENDS[name]}`),
    ].join("\n"),
  );
}

/** `d1/DB/pages/000001.jsonl`. Answers how many rows it has. */
async function loadRows(
  call: Call,
  folder: Folder,
  file: string,
  points?: Points,
): Promise<number> {
  const [, database = "", table = ""] = file.split("/");
  const { columns, rows } = rowsIn(await folder.readText(file));
  const body = JSON.stringify(rows);
  await call(
    { do: "write rows", database, table, columns, sha256: sha256Of(body) },
    body,
    (answer) => answer.json(),
  );
  if (POINTS_TABLES.includes(table)) points?.add({ name: table, columns }, rows);
  return rows.length;
}

function sha256Of(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

function rowsIn(text: string): { columns: string[]; rows: Value[][] } {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const { columns } = JSON.parse(head) as { columns: string[] };
  return { columns, rows: lines.map((line) => JSON.parse(line) as Value[]) };
}

interface LoadedAlarm {
  of: ObjectClass;
  name: string;
  alarm_ms: number;
}

async function loadObjects(
  call: Call,
  folder: Folder,
  loaded: Loaded,
  say: (line: string) => void,
): Promise<LoadedAlarm[]> {
  const alarms: LoadedAlarm[] = [];
  for (const file of await folder.list("stored")) {
    const [, of = "", encoded = ""] = file.split("/");
    const name = decodeURIComponent(encoded.replace(/\.jsonl$/, ""));
    const lines = await folder.read(file);
    const sha256 = sha256Of(lines);
    const object = { class: of as ObjectClass, name };
    const answer = await call<{ loaded: boolean }>(
      { do: "load object", ...object, sha256 },
      lines,
      (answer) => answer.json(),
    );
    if (!answer.loaded) loaded.refused.push(`${of} ${name}`);
    const alarm_ms = alarmIn(lines);
    if (alarm_ms !== null) alarms.push({ of: object.class, name, alarm_ms });
    loaded.objects += 1;
    if (loaded.objects % 100 === 0) say(`${loaded.objects} objects`);
  }
  return alarms;
}

function alarmIn(lines: Uint8Array): number | null {
  const end = new TextDecoder().decode(lines.subarray(-100));
  const found = /\n\{"alarm":(\d+)\}\n$/.exec(end)?.[1];
  return found === undefined ? null : Number(found);
}

async function loadMedia(
  call: Call,
  folder: Folder,
  file: string,
  isWanted: (key: string) => boolean,
): Promise<number> {
  const lines = (await folder.readText(file)).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as MediaEntry);
  const wanted = entries.filter(({ key }) => isWanted(key));
  for (const { key, sha256, content_type, metadata } of wanted) {
    const content = await folder.read(`media/${key}`);
    await call({ do: "write content", key, sha256, content_type, metadata }, content, (answer) =>
      answer.json(),
    );
  }
  return wanted.length;
}

async function audit(call: Call, folder: Folder, tables: string[], loaded: Loaded): Promise<void> {
  for (const file of tables.filter((file) => file.startsWith("d1/DB/pages/"))) {
    const { columns, rows } = rowsIn(await folder.readText(file));
    const at = columns.indexOf("page_id");
    const page_ids = rows.map((row) => String(row[at]));
    for (let from = 0; from < page_ids.length; from += AUDITED_PAGES_MAX) {
      const some = page_ids.slice(from, from + AUDITED_PAGES_MAX);
      const { inexact } = await call<{ inexact: string[] }>(
        { do: "audit", page_ids: some },
        null,
        (answer) => answer.json(),
      );
      loaded.inexact.push(...inexact);
    }
    loaded.pages += page_ids.length;
  }
}
