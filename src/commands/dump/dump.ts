/**
 * Writes everything that a deployment has into a folder: the tables of D1, what only objects have,
 * and pictures and files. A dump that was cut off goes on where it was.
 *
 *   manifest.json                  when, of what, and how far
 *   SHA256SUMS                     of each other file, once all are there
 *   d1/DB/pages/000001.jsonl       {"columns": […]}, then a row a line
 *   stored/PAGE/<page_id>.jsonl   the object's lines (`objects/platform/dump.ts`)
 *   media/<key>                    a picture or file
 *   media-index/000001.jsonl       key, type and metadata of each, with its SHA-256
 */
import { createHash } from "node:crypto";
import { ERROR_LOGS } from "../../../objects/errors/error-report.ts";
import {
  AUDITED_PAGES_MAX,
  type Described,
  FORMAT,
  type ObjectClass,
} from "../../operate/dump/dump-steps.ts";
import type { DumpedTable, Rows, Value } from "../../operate/dump/dump-tables.ts";
import { type Call, Refused } from "./call-service.ts";
import type { Folder } from "./folder.ts";
import { POINTS_TABLES, Points } from "./points.ts";

export const MANIFEST = "manifest.json";
const MEDIA = "media-index";

export interface Manifest {
  format: typeof FORMAT;
  schema: string;
  origin: string;
  /** Passkeys belong to this site. */
  site: string;
  keys: Described["keys"];
  /** The files are encrypted for this recipient: `age1…`. */
  recipient: string | null;
  /** Unix milliseconds. */
  began_at: number;
  finished_at: number | null;
  progress: Record<string, Progress>;
  objects: number;
  /** Pages whose counts in D1 were not those of their objects, in the moment they were asked. */
  inexact: string[];
  /** Users whose points moved each time that they were read. */
  wrong_points: string[];
}

interface Progress {
  files: number;
  n: number;
  /** The part continues behind this row or key; null at the beginning. */
  after: Value[] | string | null;
  is_whole: boolean;
}

export interface MediaEntry {
  key: string;
  size: number;
  content_type: string | null;
  metadata: Record<string, string>;
  sha256: string;
}

export const OF_PAGES: readonly ObjectClass[] = ["PAGE", "SUBSCRIBERS", "WEBHOOKS", "DOWNLOADS"];
/** Users, each of whom may have an object for tips, are in these columns. */
const USERS: Readonly<Record<string, string>> = {
  auth_users: "id",
  files: "owner_id",
  hub_notifications: "user_id",
  tips: "from_id",
  pages: "owner_id",
};
/** Readings of the points until they add up: a service at rest needs one. */
const POINTS_READINGS_MAX = 5;
/** These keys of R2 belong to the old database. */
const LEFT_OUT = /^(?:d1-restored\.json$|cron\/)/;

export async function dumpAll(
  call: Call,
  folder: Folder,
  origin: string,
  say: (line: string) => void,
): Promise<Manifest> {
  const described = await call<Described>({ do: "describe" }, null, (answer) => answer.json());
  const manifest = (await folder.readState<Manifest>(MANIFEST)) ?? begin(described, origin, folder);
  if (manifest.origin !== origin) {
    throw new Refused(`${folder.path} has a dump of ${manifest.origin}: take another folder`);
  }
  if (manifest.recipient !== folder.recipient) {
    throw new Refused(`${folder.path} was begun with another --recipient: give the same`);
  }
  if (manifest.finished_at !== null) {
    throw new Refused(`${folder.path} has a whole dump already: take another folder`);
  }
  if (manifest.schema !== described.schema) {
    throw new Refused("the database was migrated since the dump began: take another folder");
  }
  const dump = new Dump(call, folder, manifest, say);
  for (const [database, tables] of Object.entries(described.databases)) {
    // The first table: what D1 confirms to an object from now on is in a later table or nowhere.
    // With fewer events than it was confirmed, a loaded object sends everything again; with as
    // many, and without a day, it would not.
    const [first, others] = [
      tables.filter(({ name }) => name === "tallies"),
      tables.filter(({ name }) => !["tallies", "pages", ...POINTS_TABLES].includes(name)),
    ];
    for (const table of [...first, ...others]) await dump.table(database, table);
  }
  for (const name of ERROR_LOGS) await dump.object("ERROR_LOG", name);
  await dump.media();
  // The last table and its objects: a load expects them to be newer than their rows in D1.
  const main = described.databases.DB ?? [];
  const pages = main.find(({ name }) => name === "pages");
  if (pages === undefined) throw new Refused("the deployment has no table of pages");
  await dump.table("DB", pages);
  // Points come after all tips: for one that was paid the books have the transfer.
  await dump.points(main.filter(({ name }) => POINTS_TABLES.includes(name)));
  manifest.objects = (await folder.list("stored")).length;
  await folder.seal();
  manifest.finished_at = Date.now();
  await folder.writeState(MANIFEST, manifest);
  return manifest;
}

function begin(described: Described, origin: string, { recipient }: Folder): Manifest {
  const { schema, keys, origin: site } = described;
  return {
    ...{ format: FORMAT, schema, origin, site, keys, recipient },
    ...{ began_at: Date.now(), finished_at: null },
    ...{ progress: {}, objects: 0, inexact: [], wrong_points: [] },
  };
}

export function sumsOf({ progress }: Manifest): { rows: number; media: number } {
  const sum = { rows: 0, media: 0 };
  for (const [part, { n }] of Object.entries(progress)) sum[part === MEDIA ? "media" : "rows"] += n;
  return sum;
}

class Dump {
  readonly #call: Call;
  readonly #folder: Folder;
  readonly #manifest: Manifest;
  readonly #say: (line: string) => void;

  constructor(call: Call, folder: Folder, manifest: Manifest, say: (line: string) => void) {
    this.#call = call;
    this.#folder = folder;
    this.#manifest = manifest;
    this.#say = say;
  }

  async table(
    database: string,
    table: DumpedTable,
    onRows: (rows: Value[][]) => void = () => {},
  ): Promise<void> {
    const part = partOf(database, table);
    for (;;) {
      const at = this.#at(part);
      if (at.is_whole) return;
      const after = at.after as Value[] | null;
      const { rows, next } = await this.#call<Rows>(
        { do: "rows", database, table: table.name, after },
        null,
        (answer) => answer.json(),
      );
      const lines = [{ columns: table.columns }, ...rows].map(
        (line) => `${JSON.stringify(line)}\n`,
      );
      if (rows.length > 0) await this.#folder.write(fileOf(part, at.files + 1), lines.join(""));
      await this.#objectsOf(database, table, rows);
      onRows(rows);
      await this.#noted(part, at, rows.length, next);
      if (rows.length > 0) this.#say(`${part}: ${rows.length} rows`);
    }
  }

  /** Reads the tables of points again where one moved between them. */
  async points(tables: readonly DumpedTable[]): Promise<void> {
    for (let reading = 1; reading <= POINTS_READINGS_MAX; reading += 1) {
      const points = new Points();
      for (const table of tables) {
        const part = partOf("DB", table);
        delete this.#manifest.progress[part];
        await this.#folder.remove(part);
        await this.table("DB", table, (rows) => points.add(table, rows));
      }
      this.#manifest.wrong_points = points.wrong();
      if (this.#manifest.wrong_points.length === 0) return;
      this.#say("points moved while they were read");
    }
  }

  async #objectsOf(
    database: string,
    { name, columns }: DumpedTable,
    rows: Value[][],
  ): Promise<void> {
    if (database !== "DB") return;
    const of = (column: string) => {
      const at = columns.indexOf(column);
      return new Set(rows.flatMap((row) => (at === -1 || row[at] === null ? [] : String(row[at]))));
    };
    for (const user_id of of(USERS[name] ?? ""))
      if (user_id !== "") await this.object("TIPS", user_id);
    if (name !== "pages") return;
    const page_ids = [...of("page_id")];
    for (let from = 0; from < page_ids.length; from += AUDITED_PAGES_MAX) {
      const some = page_ids.slice(from, from + AUDITED_PAGES_MAX);
      const { inexact } = await this.#call<{ inexact: string[] }>(
        { do: "audit", page_ids: some },
        null,
        (answer) => answer.json(),
      );
      this.#manifest.inexact.push(...inexact);
      for (const page_id of some) {
        for (const each of OF_PAGES) await this.object(each, page_id);
      }
    }
  }

  async object(of: ObjectClass, name: string): Promise<void> {
    const file = objectFile(of, name);
    if (this.#folder.has(file)) return;
    const lines = await this.#call({ do: "object", class: of, name }, null, (answer) =>
      answer.bytes(),
    );
    if (lines.length === 0) return;
    await this.#folder.write(file, new Blob([lines]).stream());
  }

  async media(): Promise<void> {
    for (;;) {
      const at = this.#at(MEDIA);
      if (at.is_whole) return;
      const { objects, next } = await this.#call<{
        objects: Omit<MediaEntry, "sha256">[];
        next: string | null;
      }>({ do: "media", after: (at.after as string | null) ?? "" }, null, (answer) =>
        answer.json(),
      );
      const entries: MediaEntry[] = [];
      for (const entry of objects) {
        if (LEFT_OUT.test(entry.key)) continue;
        const content = await this.#content(entry.key);
        // The file was deleted since it was listed.
        if (content === null) continue;
        await this.#folder.write(`media/${entry.key}`, new Blob([content]).stream());
        entries.push({ ...entry, sha256: createHash("sha256").update(content).digest("hex") });
      }
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
      if (lines.length > 0) await this.#folder.write(fileOf(MEDIA, at.files + 1), lines.join(""));
      await this.#noted(MEDIA, at, entries.length, next);
      if (lines.length > 0) this.#say(`media: ${entries.length} pictures and files`);
    }
  }

  async #content(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#call({ do: "content", key }, null, async (answer) =>
      answer.status === 204 ? null : new Uint8Array(await answer.arrayBuffer()),
    );
  }

  #at(part: string): Progress {
    const { progress } = this.#manifest;
    return progress[part] ?? { files: 0, n: 0, after: null, is_whole: false };
  }

  async #noted(
    part: string,
    { files, n }: Progress,
    more: number,
    next: Value[] | string | null,
  ): Promise<void> {
    this.#manifest.progress[part] = {
      ...{ files: more > 0 ? files + 1 : files, n: n + more },
      ...{ after: next, is_whole: next === null },
    };
    await this.#folder.writeState(MANIFEST, this.#manifest);
  }
}

function partOf(database: string, { name }: DumpedTable): string {
  return `d1/${database}/${name}`;
}

function fileOf(part: string, n: number): string {
  return `${part}/${String(n).padStart(6, "0")}.jsonl`;
}

export function objectFile(of: ObjectClass, name: string): string {
  return `stored/${of}/${encodeURIComponent(name)}.jsonl`;
}
