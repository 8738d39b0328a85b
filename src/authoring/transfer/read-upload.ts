/** Reads an uploaded file in the workshop (`src/workshop`), so the result crosses an RPC. */
import { RpcTarget } from "cloudflare:workers";
import { utf8 } from "../../http/bytes.ts";
import { newId } from "../../http/new-id.ts";
import { checkPictures, isAvif } from "./check-pictures.ts";
import type { ImportType } from "./import-query.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import type { ImportedCounts, ImportedDay } from "./imported-counts.ts";
import type { ImportedPage } from "./imported-page.ts";
import { readFile } from "./read-file.ts";
import type { Remark } from "./remarks.ts";

interface RemarkList {
  list: Remark[];
  n: number;
}

/**
 * Breakdowns are UTF-8: one letter that is not Latin would send the text as UTF-16, in which the largest file's
 * exceed the 32 MiB of an RPC.
 */
export interface UploadedCounts extends Omit<ImportedCounts, "days"> {
  days: (Omit<ImportedDay, "breakdowns"> & { breakdowns: Uint8Array<ArrayBuffer> })[];
}

export interface UploadedPage
  extends Omit<ImportedPage, "pictures" | "refused" | "notes" | "counts"> {
  counts: UploadedCounts | null;
  refused: RemarkList;
  notes: RemarkList;
  picture_keys: string[];
  /** AVIFs that the document uses; D1 decides which stay, and the others get the remark. */
  avifs: { key: string; if_refused: Remark }[];
}

export interface ReadUpload {
  page: UploadedPage | null;
  pictures: UploadedPictures;
  /** Why there is no page; the first remark is on the whole file. */
  faults: Remark[];
}

/** Pictures of a file, one at a time: together they may exceed the answer of an RPC. */
export class UploadedPictures extends RpcTarget {
  readonly #pictures: ImportedPage["pictures"];

  constructor(pictures: ImportedPage["pictures"]) {
    super();
    this.#pictures = pictures;
  }

  read(key: string): Uint8Array<ArrayBuffer> {
    const read = this.#pictures.get(key);
    if (read === undefined) throw new Error("no such picture");
    return read();
  }
}

/** @param now_s unix seconds; later counts are refused */
export async function readUpload(
  type: ImportType,
  file: Uint8Array<ArrayBuffer>,
  now_s: number,
): Promise<ReadUpload> {
  try {
    const imported = await readFile(type, file, { now_s, makeId: newId });
    checkPictures(imported);
    const { pictures, refused, notes, counts, ...page } = imported;
    const keys = [...pictures.keys()];
    const uploaded = {
      ...page,
      counts: counts && { ...counts, days: counts.days.map(toBytes) },
      refused: { list: refused.list, n: refused.n },
      notes: { list: notes.list, n: notes.n },
      picture_keys: keys.filter((key) => !isAvif(key)),
      avifs: keys.filter(isAvif).map((key) => ({
        key,
        if_refused: { line: null, text: key, reason: REASONS.picture_refused },
      })),
    };
    return { page: uploaded, pictures: new UploadedPictures(pictures), faults: [] };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    const { reason, line, remarks } = error;
    const faults = [{ line, text: "", reason }, ...remarks];
    return { page: null, pictures: new UploadedPictures(new Map()), faults };
  }
}

function toBytes({ breakdowns, ...day }: ImportedDay): UploadedCounts["days"][number] {
  return { ...day, breakdowns: utf8(breakdowns) };
}
