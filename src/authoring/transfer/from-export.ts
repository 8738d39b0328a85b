/**
 * Imports an export of this service (`export-format.ts`). The page and its links get new ids, and
 * counts follow them. Links are checked like a client's, because anybody can change the file.
 */
import { CONTACT_LINK } from "../../../objects/events/event.ts";
import { LINKS_MAX, REMOVED_LINKS_MAX } from "../../pages/document/limits.ts";
import { type DocumentInput, LinkInput } from "../../pages/document/page-document.ts";
import type { RemovedLink } from "../../pages/document/removed-links-store.ts";
import { Look } from "../../views/look.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";
import { PICTURE_BYTES_MAX } from "../pictures/limits.ts";
import { FILES, FORMAT, FORMAT_VERSION, pictureFile } from "./export-format.ts";
import { excerptOf, listOf, objectOf, parseForeign, textOf } from "./foreign-json.ts";
import { ImportRefused, REASONS, reasonOf } from "./import-reasons.ts";
import { decodeText, linesIn } from "./import-text.ts";
import { BadCountError, CountSum, type ImportedCounts } from "./imported-counts.ts";
import { fitDocument, type ImportedPage, parseDocument } from "./imported-page.ts";
import {
  EXPORTED_DAYS_BYTES_MAX,
  EXPORTED_PAGE_BYTES_MAX,
  IMPORT_DAY_CHARS_MAX,
  IMPORT_LINE_CHARS_MAX,
  IMPORTED_PICTURES_BYTES_MAX,
  UNZIPPED_BYTES_MAX,
} from "./limits.ts";
import { Remarks } from "./remarks.ts";
import { ZipFile } from "./unzip.ts";

export interface ImportTime {
  /** Unix seconds; later counts are refused. */
  now_s: number;
  makeId: () => string;
}

export async function fromZip(
  file: Uint8Array<ArrayBuffer>,
  time: ImportTime,
): Promise<ImportedPage> {
  const zip = new ZipFile(file);
  const entry = zip.entries.get(FILES.page);
  if (entry === undefined) throw new ImportRefused(REASONS.not_export);
  if (entry.bytes > EXPORTED_PAGE_BYTES_MAX) throw new ImportRefused(REASONS.zip_too_large);
  return fromExport(parseForeign(decodeText(zip.read(entry))), zip, time);
}

export function isExport(file: unknown): boolean {
  return objectOf(file).format === FORMAT;
}

/** Rejects with `ImportRefused` where the schema refuses more than links. */
export async function fromExport(
  file: unknown,
  zip: ZipFile | null,
  { now_s, makeId }: ImportTime,
): Promise<ImportedPage> {
  const { format_version, page: exported, removed_links, rolled_to } = objectOf(file);
  if (!isExport(file)) throw new ImportRefused(REASONS.not_export);
  if (typeof format_version !== "number" || format_version > FORMAT_VERSION) {
    throw new ImportRefused(REASONS.newer_export);
  }
  const page = objectOf(exported);
  const [refused, notes] = [new Remarks(), new Remarks()];
  const ids = new LinkIds(makeId);
  const document = documentOf(page, notes);
  document.links = linksOf(listOf(page.links) ?? [], ids, refused);
  fitDocument(document, refused);
  const pictures = takePictures(document, zip, notes);
  const removed = removedOf(listOf(removed_links) ?? [], ids);
  const counts = zip === null ? null : await countsIn(zip, { ids, now_s, refused, rolled_to });
  if (counts?.is_folded) notes.add(null, FILES.tallies, REASONS.folded);
  const slug = textOf(page.slug) || null;
  return { slug, document, removed, pictures, is_export: true, counts, refused, notes };
}

class LinkIds {
  readonly #makeId: () => string;
  readonly #new = new Map([[CONTACT_LINK, CONTACT_LINK]]);
  /** Takes the counts of all links past the limit, so that totals stay the same. */
  #rest: string | null = null;

  constructor(makeId: () => string) {
    this.#makeId = makeId;
  }

  /** Returns the link's new id; without an old one, another each time. */
  add(link_id: unknown): string {
    const id = this.#makeId();
    const is_new = typeof link_id === "string" && !this.#new.has(link_id);
    if (is_new) this.#new.set(link_id, id);
    return id;
  }

  /** Returns a link's new id for its counts; a link without a label has none in the file either. */
  of(link_id: string): string {
    const known = this.#new.get(link_id);
    if (known !== undefined) return known;
    if (this.#new.size <= LINKS_MAX + REMOVED_LINKS_MAX) return this.add(link_id);
    this.#rest ??= this.#makeId();
    return this.#rest;
  }
}

function documentOf(page: Readonly<Record<string, unknown>>, notes: Remarks): DocumentInput {
  const { locales, time_zone, indexed, name, bio, avatar, contact } = page;
  const look = Look.safeParse(page.look ?? USUAL_LOOK);
  if (!look.success) notes.add(null, `${FILES.page}: look`, REASONS.look_replaced);
  const fields = { locales, time_zone, indexed, name, bio, avatar, contact };
  return parseDocument(FILES.page, { ...fields, look: look.data ?? USUAL_LOOK });
}

function linksOf(links: readonly unknown[], ids: LinkIds, refused: Remarks): LinkInput[] {
  const kept: LinkInput[] = [];
  for (const [i, value] of links.entries()) {
    const { link_id, ...link } = objectOf(value);
    const result = LinkInput.safeParse(link);
    if (!result.success) refused.add(i + 1, excerptOf(value), reasonOf(result.error));
    else if (kept.length >= LINKS_MAX) refused.add(i + 1, excerptOf(value), REASONS.too_many);
    else kept.push({ ...result.data, link_id: ids.add(link_id) });
  }
  return kept;
}

function removedOf(links: readonly unknown[], ids: LinkIds): RemovedLink[] {
  return links.slice(0, REMOVED_LINKS_MAX).flatMap((value) => {
    const { link_id, label } = objectOf(value);
    const known = LinkInput.shape.label.safeParse(label);
    return known.success ? [{ link_id: ids.add(link_id), label: known.data }] : [];
  });
}

/** Removes pictures that the file lacks. Keys of one file become one key: it is unzipped once. */
function takePictures(
  document: DocumentInput,
  zip: ZipFile | null,
  notes: Remarks,
): ImportedPage["pictures"] {
  const pictures = new Map<string, () => Uint8Array<ArrayBuffer>>();
  const taken = new Map<string, string>();
  let bytes = 0;
  const take = (key: string | null, line: number | null): string | null => {
    if (key === null) return null;
    const file = pictureFile(key);
    const known = taken.get(file);
    if (known !== undefined) return known;
    const entry = zip?.entries.get(file);
    if (zip === null || entry === undefined) notes.add(line, key, REASONS.picture_missing);
    else if (entry.bytes > PICTURE_BYTES_MAX) notes.add(line, key, REASONS.picture_refused);
    else if (bytes + entry.bytes > IMPORTED_PICTURES_BYTES_MAX) {
      notes.add(line, key, REASONS.large_pictures);
    } else {
      bytes += entry.bytes;
      taken.set(file, key);
      pictures.set(key, () => zip.read(entry));
      return key;
    }
    return null;
  };
  document.avatar = take(document.avatar, null);
  for (const [i, link] of document.links.entries()) link.image = take(link.image, i + 1);
  return pictures;
}

/** Bad rows that are skipped; past that, the file is refused. */
const BAD_ROWS_MAX = 1_000;

interface CountSource {
  ids: LinkIds;
  now_s: number;
  refused: Remarks;
  /** Read from the file, not checked. */
  rolled_to: unknown;
}

async function countsIn(
  zip: ZipFile,
  { ids, now_s, refused, rolled_to }: CountSource,
): Promise<ImportedCounts> {
  const sum = new CountSum(now_s, (link_id) => ids.of(link_id));
  const addAll = async (
    name: string,
    bytes_max: number,
    add: (row: unknown) => void,
  ): Promise<void> => {
    const entry = zip.entries.get(name);
    if (entry === undefined) return;
    if (entry.bytes > bytes_max) {
      refused.add(null, name, REASONS.counts_left_out);
      return;
    }
    let [line, bad] = [0, 0];
    for await (const text of linesIn(zip.pieces(entry), IMPORT_DAY_CHARS_MAX)) {
      line += 1;
      try {
        add(JSON.parse(text));
      } catch (error) {
        if (!(error instanceof BadCountError || error instanceof SyntaxError)) throw error;
        refused.add(line, `${name}: ${text.slice(0, IMPORT_LINE_CHARS_MAX)}`, REASONS.bad_count);
        // 64 MiB may be as many lines, and each bad one takes microseconds.
        bad += 1;
        if (bad > BAD_ROWS_MAX) throw new ImportRefused(REASONS.bad_counts, null, refused.list);
      }
    }
  };
  await addAll(FILES.tallies, UNZIPPED_BYTES_MAX, (row) => sum.addTally(row));
  await addAll(FILES.days, EXPORTED_DAYS_BYTES_MAX, (row) => sum.addDay(row));
  return sum.finish(typeof rolled_to === "number" && rolled_to > 0 ? Math.floor(rolled_to) : 0);
}
