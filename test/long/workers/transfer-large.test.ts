/** The largest exports: bounded time and memory in, one piece after another out. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { DIMENSIONS } from "../../../objects/events/event.ts";
import { PICTURE_BYTES_MAX } from "../../../src/authoring/pictures/limits.ts";
import { checkPictures } from "../../../src/authoring/transfer/check-pictures.ts";
import { exportedFiles } from "../../../src/authoring/transfer/export-page.ts";
import { fromZip } from "../../../src/authoring/transfer/from-export.ts";
import { ImportRefused, REASONS } from "../../../src/authoring/transfer/import-reasons.ts";
import {
  EXPORTED_DAYS_BYTES_MAX,
  EXPORTED_PAGE_BYTES_MAX,
  IMPORT_BYTES_MAX,
  IMPORTED_DAYS_MAX,
  IMPORTED_PICTURES_BYTES_MAX,
  IMPORTED_TALLIES_MAX,
} from "../../../src/authoring/transfer/limits.ts";
import { zipped } from "../../../src/authoring/transfer/zip-stream.ts";
import { LINKS_MAX, REMOVED_LINKS_MAX } from "../../../src/pages/document/limits.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { plainPage } from "../../plain-page.ts";
import { creator } from "../../workers/authoring/authoring-kit.ts";
import {
  deletePagesOf,
  end,
  exported,
  imported,
  pageFile,
  statsOf,
} from "../../workers/authoring/transfer/transfer-kit.ts";
import { type MadeEntry, makeZip } from "../../workers/authoring/transfer/zip-maker.ts";

const NOW_S = Math.floor(Date.now() / 1_000);
/** For the largest page, on a busy machine. */
const LONG_MS = 120_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const THIS_HOUR = NOW_S - (NOW_S % HOUR_S);

const layan = await creator();
await deletePagesOf("demo-business");

/** An export with these rows. */
function exportOf(
  { tallies = [], days = [] }: { tallies?: readonly object[]; days?: readonly object[] },
  members: object = {},
): Uint8Array<ArrayBuffer> {
  const links = [{ link_id: "a", label: { ar: "أ" }, url: "https://a.example/" }];
  const page = { name: { ar: "ليان" }, links };
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  return makeZip([
    pageFile(page, members),
    { name: "tallies.jsonl", content: lines(tallies), is_deflated: true },
    { name: "days.jsonl", content: lines(days), is_deflated: true },
  ]);
}

function read(file: Uint8Array<ArrayBuffer>) {
  return fromZip(file, { now_s: NOW_S, makeId: () => crypto.randomUUID() });
}

test(
  "a page with as many rows, days and links as allowed comes in one transaction",
  async () => {
    const tallies = Array.from({ length: IMPORTED_TALLIES_MAX }, (_, i) => ({
      hour: THIS_HOUR - (i >> 2) * HOUR_S,
      link_id: i % 2 === 0 ? "" : "a",
      class: i % 4 < 2 ? "human" : "bot",
      n: 1,
    }));
    // As many bytes as allowed, of which the Arabic letter makes twice as many in UTF-16.
    const labels = ["a", "b", "c"].map((name) => [`ن${name.repeat(180)}`, [1, 1]]);
    const breakdowns = Object.fromEntries(
      DIMENSIONS.map((dimension) => [dimension, Object.fromEntries(labels)]),
    );
    const days = Array.from({ length: IMPORTED_DAYS_MAX }, (_, i) => ({
      day: THIS_HOUR - (THIS_HOUR % DAY_S) - i * DAY_S,
      visitors: 1,
      breakdowns,
    }));
    const label = { ar: "ن".repeat(1_000), en: "n".repeat(1_000) };
    const members = {
      page: {
        name: { ar: "ليان" },
        links: Array.from({ length: LINKS_MAX }, (_, i) => ({
          link_id: i === 0 ? "a" : `l${i}`,
          label: { ar: "أ" },
          url: `https://a.example/${i}`,
        })),
      },
      removed_links: Array.from({ length: REMOVED_LINKS_MAX }, (_, i) => ({
        link_id: `r${i}`,
        label,
      })),
    };
    const file = exportOf({ tallies, days }, members);
    expect(file.length).toBeLessThanOrEqual(IMPORT_BYTES_MAX);
    const { page, refused, counts } = await imported(layan, "application/zip", file);
    expect(refused).toEqual([]);
    const half = IMPORTED_TALLIES_MAX / 4;
    expect(counts).toEqual({ views: half, clicks: half });
    const rows = async (table: string) =>
      env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE page_id = ?1`)
        .bind(page.page_id)
        .first("n");
    expect(await rows("tallies")).toBe(IMPORTED_TALLIES_MAX);
    expect(await rows("days")).toBe(IMPORTED_DAYS_MAX);
    expect(await rows("removed_links")).toBe(REMOVED_LINKS_MAX);

    // Its export is read again, whole.
    const copy = await imported(layan, "application/zip", await exported(layan, page.page_id));
    expect(copy.counts).toEqual(counts);
    await end(page.page_id);
    await end(copy.page.page_id);
  },
  LONG_MS,
);

test("rows past the limit come in as days, which the statistics count in the same period", async () => {
  const hours = IMPORTED_TALLIES_MAX / 2 + 1;
  const tallies = Array.from({ length: 2 * hours }, (_, i) => ({
    hour: THIS_HOUR - (i >> 1) * HOUR_S,
    link_id: i % 2 === 0 ? "" : "a",
    class: "human",
    n: 1,
  }));
  const { page, notes, counts } = await imported(layan, "application/zip", exportOf({ tallies }));
  expect(notes.map(({ reason_en }) => reason_en)).toEqual([REASONS.folded.en]);
  expect(counts).toEqual({ views: hours, clicks: hours });
  // Whole days of the past month, but the first hours of today, which are in the range too.
  const { totals, links, imported: history } = await statsOf(layan, page.page_id);
  const shown = 29 * 24 + ((THIS_HOUR % DAY_S) / HOUR_S + 1);
  expect(totals).toMatchObject({ views: shown, clicks: shown });
  expect(links).toMatchObject([{ clicks: shown }]);
  expect(history).toMatchObject({ views: shown, clicks: shown });
  await end(page.page_id);
});

/** 40 MB of these lines. */
function fullOf(line: string): MadeEntry[] {
  const content = line.repeat(Math.floor(40_000_000 / line.length));
  return [pageFile({ name: { ar: "ل" } }), { name: "tallies.jsonl", content, is_deflated: true }];
}

test.each([
  ["empty lines", "\n"],
  ["opened brackets", "[\n"],
  ["short rows", '{"hour":0,"link_id":"","class":"bot","n":0}\n'],
])("a file full of %s takes bounded time", async (_, line) => {
  const file = makeZip(fullOf(line));
  expect(file.length).toBeLessThan(IMPORT_BYTES_MAX);
  // The time limit of the test is the bound: what is not linear takes hours.
  try {
    expect((await read(file)).counts?.tallies).toHaveLength(1);
  } catch (error) {
    expect(error).toBeInstanceOf(ImportRefused);
  }
});

test("files of an export that are larger than allowed are not unzipped", async () => {
  const large = (name: string, bytes: number): MadeEntry => ({
    ...{ name, content: new Uint8Array(bytes), is_deflated: true },
  });
  const file = large("days.jsonl", EXPORTED_DAYS_BYTES_MAX + 1);
  const days = await read(makeZip([pageFile({ name: { ar: "ل" } }), file]));
  expect(days.refused.list).toMatchObject([
    { text: "days.jsonl", reason: REASONS.counts_left_out },
  ]);
  const refused = read(makeZip([large("page.json", EXPORTED_PAGE_BYTES_MAX + 1)]));
  await expect(refused).rejects.toThrow(REASONS.zip_too_large.en);
});

/** An export of a page with a card for each of these keys, and these pictures. */
function exportWith(keys: readonly string[], pictures: readonly MadeEntry[]) {
  const links = keys.map((image, i) => ({
    kind: "card",
    label: { ar: "أ" },
    url: `https://a.example/${i}`,
    image,
  }));
  return makeZip([pageFile({ name: { ar: "ليان" }, links }), ...pictures]);
}

test("a picture that many keys name is unzipped and checked once", async () => {
  const keys = Array.from({ length: LINKS_MAX }, (_, i) => `k${i}/x.png`);
  const content = new Uint8Array(PICTURE_BYTES_MAX);
  const page = await read(
    exportWith(keys, [{ name: "pictures/x.png", content, is_deflated: true }]),
  );
  const reads = [...page.pictures].map(([key, bytes]) => [key, vi.fn(bytes)] as const);
  expect(reads.map(([key]) => key)).toEqual(["k0/x.png"]);
  expect(new Set(page.document.links.map(({ image }) => image))).toEqual(new Set(["k0/x.png"]));
  checkPictures({ ...page, pictures: new Map(reads) });
  expect(reads[0]?.[1]).toHaveBeenCalledOnce();
  expect(page.document.links.every(({ image }) => image === null)).toBe(true);
});

test("pictures that are larger together than allowed are left out and noted", async () => {
  const names = Array.from({ length: 6 }, (_, i) => `${i}.png`);
  const content = new Uint8Array(PICTURE_BYTES_MAX);
  const { document, notes, pictures } = await read(
    exportWith(
      names.map((name) => `k/${name}`),
      names.map((name) => ({ name: `pictures/${name}`, content, is_deflated: true })),
    ),
  );
  const fit = Math.floor(IMPORTED_PICTURES_BYTES_MAX / PICTURE_BYTES_MAX);
  expect(pictures.size).toBe(fit);
  expect(document.links.filter(({ image }) => image !== null)).toHaveLength(fit);
  expect(notes.list.map(({ line, reason }) => [line, reason])).toEqual(
    names.slice(fit).map((_, i) => [fit + i + 1, REASONS.large_pictures]),
  );
});

test("an export reads a picture when the client has taken what came before", async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `pictures/large/${i}.png`);
  const picture = crypto.getRandomValues(new Uint8Array(65_536));
  let read_keys = 0;
  const MEDIA = {
    get: async () => {
      read_keys += 1;
      return { body: new Blob([picture]).stream() };
    },
  } as unknown as R2Bucket;
  const links = keys.map((image, i) => ({ link_id: `l${i}`, kind: "card" as const, image }));
  const page: Page = plainPage({ page_id: "large", links });
  const bytes = zipped(exportedFiles({ DB: env.DB, MEDIA }, page, 0), new Date());
  let taken = 0;
  for await (const piece of bytes) {
    taken += piece.length;
    expect(read_keys).toBeLessThanOrEqual(taken / picture.length + 2);
  }
  expect(read_keys).toBe(keys.length);
});
