/**
 * AVIF (AV1 Image File Format, in the boxes of ISO/IEC 14496-12 and 23008-12): its size, and a copy
 * whose metadata is overwritten with zeros. Nothing is cut out, because the file points at its parts
 * by their offsets.
 */
import { ByteReader, type ParsedPicture, UnreadablePicture } from "./picture-bytes.ts";

interface Box {
  type: string;
  /** What follows the box's length and type. */
  body: ByteReader;
}

/** The parts of the box `meta` that are read: item names, item locations, properties, data. */
const PARTS: ReadonlySet<string> = new Set(["iinf", "iloc", "iprp", "idat"]);
/** Longest first box: 60 brands. */
const BRANDS_BYTES_MAX = 256;

/** Boxes that decoders skip. They can hold anything, and XMP is one of the uses of `uuid`. */
const SKIPPED: ReadonlySet<string> = new Set(["free", "skip", "udta", "uuid"]);
/** Items that hold EXIF, XMP and the like. */
const METADATA_ITEMS: ReadonlySet<string> = new Set(["Exif", "mime", "uri "]);

export function readAvif(bytes: Uint8Array<ArrayBuffer>): ParsedPicture {
  const copy = bytes.slice();
  let meta: Box | null = null;
  for (const box of boxesIn(new ByteReader(copy))) {
    if (box.type === "moov") throw new UnreadablePicture("it is animated");
    if (box.type === "meta" && meta === null) meta = box;
    else if (SKIPPED.has(box.type)) box.body.bytes.fill(0);
    else if (box.type !== "ftyp" && box.type !== "mdat") {
      throw new UnreadablePicture("it has an unknown box");
    }
  }
  if (meta === null) throw new UnreadablePicture("it has no pixels");
  // Version and flags.
  meta.body.take(4);
  const boxes = new Map<string, Box>();
  for (const box of boxesIn(meta.body)) {
    if (SKIPPED.has(box.type)) box.body.bytes.fill(0);
    if (PARTS.has(box.type)) boxes.set(box.type, box);
  }
  clearMetadata(copy, boxes);
  return { ...sizeIn(boxes), bytes: copy };
}

/** Whether the first box is that of a still AVIF. */
export function isAvif(bytes: Uint8Array<ArrayBuffer>): boolean {
  if (bytes.length < 16) return false;
  const reader = new ByteReader(bytes);
  const length = Math.min(reader.u32(), bytes.length - 3);
  if (reader.name() !== "ftyp" || length > BRANDS_BYTES_MAX) return false;
  const brands: string[] = [];
  while (reader.at < length) brands.push(reader.name());
  return brands.includes("avif");
}

function* boxesIn(reader: ByteReader): Generator<Box> {
  while (reader.left > 0) {
    reader.countPart();
    const start = reader.at;
    let length = reader.u32();
    const type = reader.name();
    if (length === 1) length = reader.u64();
    else if (length === 0) length = reader.bytes.length - start;
    const header = reader.at - start;
    if (length < header) throw new UnreadablePicture("its boxes are broken");
    yield { type, body: new ByteReader(reader.take(length - header), reader) };
  }
}

/**
 * The largest size that the file declares: alpha planes, tiles and thumbnails are not larger than
 * the picture. A picture that is turned by 90° is shown as high as it is wide.
 */
function sizeIn(boxes: ReadonlyMap<string, Box>): { width: number; height: number } {
  const properties = boxes.get("iprp");
  let [width, height, is_turned] = [0, 0, false];
  for (const container of properties === undefined ? [] : boxesIn(properties.body)) {
    if (container.type !== "ipco") continue;
    for (const { type, body } of boxesIn(container.body)) {
      if (type === "irot") is_turned ||= (body.u8() & 1) === 1;
      if (type !== "ispe") continue;
      body.take(4);
      width = Math.max(width, body.u32());
      height = Math.max(height, body.u32());
    }
  }
  return is_turned ? { width: height, height: width } : { width, height };
}

/** Overwrites what the items of metadata point at. Throws where an item is outside of the file. */
function clearMetadata(copy: Uint8Array<ArrayBuffer>, boxes: ReadonlyMap<string, Box>): void {
  const [info, locations, data] = [boxes.get("iinf"), boxes.get("iloc"), boxes.get("idat")];
  if (info === undefined || locations === undefined) {
    throw new UnreadablePicture("it has no items");
  }
  const items = metadataItems(info);
  // Without this bound a small file could name the same megabytes many times.
  let clearable = copy.length;
  for (const { item, in_idat, from, length } of extentsIn(locations.body)) {
    const source = in_idat ? (data?.body.bytes ?? copy.subarray(0, 0)) : copy;
    // A length of 0 means the rest.
    const to = length === 0 ? source.length : from + length;
    if (from >= to || to > source.length) throw new UnreadablePicture("it is cut off");
    if (!items.has(item)) continue;
    clearable -= to - from;
    if (clearable < 0) throw new UnreadablePicture("its items are broken");
    source.fill(0, from, to);
  }
}

function metadataItems({ body }: Box): Set<number> {
  const version = body.u32() >>> 24;
  body.take(version === 0 ? 2 : 4);
  const items = new Set<number>();
  for (const entry of boxesIn(body)) {
    const entry_version = entry.body.u32() >>> 24;
    if (entry.type !== "infe" || entry_version < 2) {
      throw new UnreadablePicture("its items are broken");
    }
    const item = entry_version === 2 ? entry.body.u16() : entry.body.u32();
    entry.body.take(2);
    if (METADATA_ITEMS.has(entry.body.name())) items.add(item);
  }
  return items;
}

interface Extent {
  item: number;
  /** Inside the box `idat`; else inside the file. */
  in_idat: boolean;
  from: number;
  length: number;
}

function* extentsIn(body: ByteReader): Generator<Extent> {
  const version = body.u32() >>> 24;
  const sizes = body.u16();
  const [offset_size, length_size, base_size] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const index_size = version === 0 ? 0 : sizes & 15;
  for (let items = version < 2 ? body.u16() : body.u32(); items > 0; items -= 1) {
    const item = version < 2 ? body.u16() : body.u32();
    const method = version === 0 ? 0 : body.u16() & 15;
    if (method > 1) throw new UnreadablePicture("its items are broken");
    body.take(2);
    const base = sized(body, base_size);
    for (let extents = body.u16(); extents > 0; extents -= 1) {
      sized(body, index_size);
      const from = base + sized(body, offset_size);
      yield { item, in_idat: method === 1, from, length: sized(body, length_size) };
    }
  }
}

function sized(body: ByteReader, size: number): number {
  if (size === 0) return 0;
  if (size === 4) return body.u32();
  if (size === 8) return body.u64();
  throw new UnreadablePicture("its items are broken");
}
