import type { EventClass } from "../../../objects/events/event.ts";
import { MAIN, openStats, statsDatabases } from "../../../objects/page/home/databases.ts";
import { withTimeout } from "../../../objects/platform/clock.ts";
import { utf8 } from "../../http/bytes.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../../http/limits.ts";
import type { Page } from "../../pages/document/pages-store.ts";
import { listRemovedLinks } from "../../pages/document/removed-links-store.ts";
import { picturesOf } from "../edit.ts";
import { isoTime, pageJson } from "../page-json.ts";
import { FILES, FORMAT, FORMAT_VERSION, pictureFile } from "./export-format.ts";
import {
  type ExportedTally,
  exportedDays,
  exportedRevisions,
  exportedTallies,
  exportedTips,
  findRolledTo,
} from "./export-store.ts";
import type { ZippedFile } from "./zip-stream.ts";

const PIECE_CHARS = 65_536;

/**
 * The files in the order of the zip, made while they are read. Rejects where D1 or R2 fails.
 *
 * @param home answers the name of the database that has the page's statistics
 */
export async function* exportedFiles(
  env: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  page: Page,
  now: number,
  home: () => Promise<string> = async () => MAIN,
): AsyncGenerator<ZippedFile> {
  const { DB, MEDIA } = env;
  const { page_id } = page;
  const name = await home();
  const stats = openStats(DB, statsDatabases(env), name);
  const rolled_to = await findRolledTo(stats, page_id);
  const totals = new Totals();
  yield jsonLines(FILES.tallies, totals.adding(exportedTallies(stats, page_id)));
  // A roll in between moved tallies to the start of their day, where they were not read.
  if ((await findRolledTo(stats, page_id)) !== rolled_to) throw new Error("hours became days");
  yield jsonLines(FILES.days, parsed(exportedDays(stats, page_id), "breakdowns"));
  if ((await home()) !== name) throw new Error("the page moved to another database");
  yield jsonLines(FILES.revisions, parsed(exportedRevisions(DB, page_id), "document", "what"));
  yield jsonLines(FILES.tips, exportedTips(DB, page_id));
  const file = {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    exported_at: isoTime(now),
    page: pageJson(page),
    removed_links: await listRemovedLinks(DB, page_id),
    rolled_to,
    totals: totals.list(),
  };
  yield {
    name: FILES.page,
    is_deflated: true,
    content: oneAfterAnother([utf8(JSON.stringify(file, null, 2))]),
  };
  for (const key of picturesOf(page)) {
    const picture = await withTimeout(MEDIA.get(key), DEPENDENCY_TIMEOUT_MS);
    if (picture === null) continue;
    yield { name: pictureFile(key), is_deflated: false, content: picture.body };
  }
}

interface Total {
  kind: "view" | "click";
  /** `''` for views. */
  link_id: string;
  class: EventClass;
  /** Counted by the page's object, unlike `imported` history. */
  counted: number;
  imported: number;
}

class Totals {
  readonly #totals = new Map<string, Total>();

  async *adding(tallies: AsyncIterable<ExportedTally>): AsyncGenerator<ExportedTally> {
    for await (const tally of tallies) {
      this.#add(tally);
      yield tally;
    }
  }

  list(): Total[] {
    return [...this.#totals.values()];
  }

  #add({ kind, link_id, class: eventClass, shard, n }: ExportedTally): void {
    const key = `${link_id}/${eventClass}`;
    const none = { kind, link_id, class: eventClass, counted: 0, imported: 0 };
    const total = this.#totals.get(key) ?? none;
    this.#totals.set(key, total);
    total[shard < 0 ? "imported" : "counted"] += n;
  }
}

async function* parsed<Row extends object>(
  rows: AsyncIterable<Row>,
  ...columns: readonly (keyof Row & string)[]
): AsyncGenerator<object> {
  for await (const row of rows) {
    const values = columns.map((column) => [column, JSON.parse(String(row[column]))]);
    yield { ...row, ...Object.fromEntries(values) };
  }
}

function jsonLines(name: string, rows: AsyncIterable<object>): ZippedFile {
  return { name, is_deflated: true, content: pieces(rows) };
}

async function* pieces(rows: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  let text = "";
  for await (const row of rows) {
    text += `${JSON.stringify(row)}\n`;
    if (text.length < PIECE_CHARS) continue;
    yield utf8(text);
    text = "";
  }
  yield utf8(text);
}

async function* oneAfterAnother<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
