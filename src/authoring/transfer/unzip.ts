/**
 * Reads a zip that a stranger made (APPNOTE 6.3.10). What to refuse is decided here, from the central
 * directory and before the runtime inflates anything.
 *
 * Refused: too many entries or bytes, a size that is not the real one (a zip bomb), entries that share
 * bytes, names that leave the folder or occur twice, encryption, methods other than stored and deflated,
 * a header that differs from its directory, a wrong checksum, and Zip64, which no file of the allowed
 * size needs.
 */
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import { UNZIPPED_BYTES_MAX, ZIP_ENTRIES_MAX } from "./limits.ts";

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** Bits of the general purpose flag: encrypted, patched data, strong encryption, masked headers. */
const REFUSED_FLAGS = 0x0001 | 0x0020 | 0x0040 | 0x2000;
const PIECE_BYTES = 65_536;

export interface ZipEntry {
  name: string;
  /** The real size: reading fails otherwise. */
  bytes: number;
  method: number;
  crc: number;
  start: number;
  end: number;
}

export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly #file: Uint8Array<ArrayBuffer>;

  constructor(file: Uint8Array<ArrayBuffer>) {
    this.#file = file;
    this.entries = readDirectory(new DataView(file.buffer, file.byteOffset, file.byteLength));
  }

  read(entry: ZipEntry): Uint8Array<ArrayBuffer> {
    const data = this.#file.subarray(entry.start, entry.end);
    const bytes = entry.method === STORED ? data.slice() : inflated(data, entry.bytes);
    if (bytes.length !== entry.bytes || crc32(bytes) !== entry.crc) {
      throw new ImportRefused(REASONS.broken_zip);
    }
    return bytes;
  }

  /** Reads an entry in pieces. It may throw after the last one, so keep nothing before the end. */
  async *pieces(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let crc = 0;
    const data = this.#file.subarray(entry.start, entry.end);
    for await (const piece of entry.method === STORED ? [data] : inflatedPieces(data)) {
      bytes += piece.length;
      if (bytes > entry.bytes) throw new ImportRefused(REASONS.broken_zip);
      crc = crc32(piece, crc);
      yield piece;
    }
    if (bytes !== entry.bytes || crc !== entry.crc) throw new ImportRefused(REASONS.broken_zip);
  }
}

/** Inflates to `bytes`, or up to twice as many; throws past that. */
function inflated(data: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  try {
    // workerd compares the size of its buffer, which grows to at most twice the content. 0 is refused.
    const made = inflateRawSync(data, { maxOutputLength: Math.max(2 * bytes, 1) });
    return new Uint8Array(made.buffer, made.byteOffset, made.byteLength);
  } catch {
    throw new ImportRefused(REASONS.broken_zip);
  }
}

/**
 * Inflates a piece once the last one was taken, and stops when the reader leaves. A
 * `DecompressionStream` of workerd inflates everything that is written to it, read or not.
 */
async function* inflatedPieces(data: Uint8Array): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(data);
  try {
    for await (const piece of inflate) yield piece;
  } catch {
    throw new ImportRefused(REASONS.broken_zip);
  }
}

function readDirectory(view: DataView): Map<string, ZipEntry> {
  const { directory_start, directory_end, n } = readEnd(view);
  const entries = new Map<string, ZipEntry>();
  const spans: { start: number; end: number }[] = [];
  let at = directory_start;
  let bytes = 0;
  for (let i = 0; i < n; i += 1) {
    const { entry, span, next } = readEntry(view, at, directory_end);
    at = next;
    bytes += entry.bytes;
    if (bytes > UNZIPPED_BYTES_MAX) throw new ImportRefused(REASONS.zip_too_large);
    spans.push(span);
    if (entry.name.endsWith("/") && entry.bytes === 0) continue;
    if (!isPlainPath(entry.name) || entries.has(entry.name)) {
      throw new ImportRefused(REASONS.broken_zip);
    }
    entries.set(entry.name, entry);
  }
  // Entries that share their bytes are how a small file unzips to a large one.
  spans.sort((a, b) => a.start - b.start);
  for (const [i, { end }] of spans.entries()) {
    if (end > (spans[i + 1]?.start ?? directory_start)) throw new ImportRefused(REASONS.broken_zip);
  }
  return entries;
}

interface Directory {
  directory_start: number;
  directory_end: number;
  n: number;
}

/** The record at the file's end. Its comment may have any length, and must end with the file. */
function readEnd(view: DataView): Directory {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= 0 && at >= last - COMMENT_BYTES_MAX; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) !== view.byteLength) continue;
    const n = view.getUint16(at + 10, true);
    if (n > ZIP_ENTRIES_MAX) throw new ImportRefused(REASONS.zip_too_large);
    const is_one_file = view.getUint32(at + 4, true) === 0 && view.getUint16(at + 8, true) === n;
    const directory_start = view.getUint32(at + 16, true);
    const directory_end = directory_start + view.getUint32(at + 12, true);
    if (!is_one_file || directory_end > at) throw new ImportRefused(REASONS.broken_zip);
    return { directory_start, directory_end, n };
  }
  throw new ImportRefused(REASONS.broken_zip);
}

/** One entry of the directory, checked against its header; `span` covers all of its bytes. */
function readEntry(
  view: DataView,
  at: number,
  directory_end: number,
): { entry: ZipEntry; span: { start: number; end: number }; next: number } {
  const u16 = (offset: number) => view.getUint16(offset, true);
  const u32 = (offset: number) => view.getUint32(offset, true);
  if (at + DIRECTORY_BYTES > directory_end || u32(at) !== DIRECTORY_SIGNATURE) {
    throw new ImportRefused(REASONS.broken_zip);
  }
  const [flags, method, crc] = [u16(at + 8), u16(at + 10), u32(at + 16)];
  const [zipped, bytes] = [u32(at + 20), u32(at + 24)];
  const name_end = at + DIRECTORY_BYTES + u16(at + 28);
  const next = name_end + u16(at + 30) + u16(at + 32);
  if (next > directory_end) throw new ImportRefused(REASONS.broken_zip);
  const name = nameAt(view, at + DIRECTORY_BYTES, name_end);
  if ((flags & REFUSED_FLAGS) !== 0) throw new ImportRefused(REASONS.zip_encrypted);
  if (method !== STORED && method !== DEFLATED) throw new ImportRefused(REASONS.broken_zip);

  const local = u32(at + 42);
  if (local + LOCAL_BYTES > directory_end) throw new ImportRefused(REASONS.broken_zip);
  const local_name_end = local + LOCAL_BYTES + u16(local + 26);
  const start = local_name_end + u16(local + 28);
  const end = start + zipped;
  const is_same =
    end <= directory_end &&
    u32(local) === LOCAL_SIGNATURE &&
    u16(local + 8) === method &&
    (u16(local + 6) & REFUSED_FLAGS) === 0 &&
    nameAt(view, local + LOCAL_BYTES, local_name_end) === name;
  if (!is_same) throw new ImportRefused(REASONS.broken_zip);
  const entry = { name, bytes, method, crc, start, end };
  return { entry, span: { start: local, end }, next };
}

function nameAt(view: DataView, start: number, end: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + start, end - start);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ImportRefused(REASONS.broken_zip);
  }
}

/** A relative path with `/` between its parts, none of which is empty or leads upwards. */
function isPlainPath(name: string): boolean {
  return (
    !/[\p{Cc}\\:]/u.test(name) &&
    name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}
