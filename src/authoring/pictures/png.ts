/**
 * PNG (third edition): its size, and a copy without metadata. The copy keeps the chunks with pixels
 * and colours, and the orientation of the EXIF chunk; what follows the last chunk is dropped.
 */
import {
  ORIENTATION_ROOM,
  type Orientation,
  orientationIn,
  shownSize,
  tiffWith,
} from "./orientation.ts";
import {
  ByteReader,
  ByteWriter,
  letters,
  type ParsedPicture,
  UnreadablePicture,
} from "./picture-bytes.ts";

export const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";

const CRC_BYTES = 4;
const KEPT: ReadonlySet<string> = new Set([
  ...["PLTE", "IDAT", "IEND", "tRNS"],
  ...["cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI"],
]);

export function readPng(bytes: Uint8Array<ArrayBuffer>): ParsedPicture {
  const reader = new ByteReader(bytes);
  const kept = new ByteWriter(bytes.length + ORIENTATION_ROOM);
  reader.take(PNG_SIGNATURE.length);
  if (reader.u32() !== 13 || reader.name() !== "IHDR") {
    throw new UnreadablePicture("it has no header");
  }
  const [width, height] = [reader.u32(), reader.u32()];
  reader.take(5 + CRC_BYTES);
  kept.add(bytes.subarray(0, reader.at));
  let orientation: Orientation | null = null;
  let has_pixels = false;
  for (let type = ""; type !== "IEND"; ) {
    reader.countPart();
    const from = reader.at;
    const length = reader.u32();
    type = reader.name();
    const data = reader.take(length);
    reader.take(CRC_BYTES);
    if (type === "acTL") throw new UnreadablePicture("it is animated");
    if (type === "IDAT") has_pixels = true;
    if (KEPT.has(type)) kept.add(bytes.subarray(from, reader.at));
    else if (isCritical(type)) throw new UnreadablePicture("it has an unknown chunk");
    if (type === "eXIf" && orientation === null) {
      orientation = orientationIn(data);
      addOrientation(kept, orientation);
    }
  }
  if (!has_pixels) throw new UnreadablePicture("it has no pixels");
  return { ...shownSize(width, height, orientation ?? 1), bytes: kept.written() };
}

/** A decoder must not ignore a chunk whose name begins with an upper-case letter. */
function isCritical(type: string): boolean {
  return !/^[a-z]/.test(type);
}

function addOrientation(kept: ByteWriter, orientation: Orientation): void {
  if (orientation === 1) return;
  const tiff = tiffWith(orientation);
  const chunk = [...letters("eXIf"), ...tiff];
  kept.u32(tiff.length);
  kept.add(chunk);
  kept.u32(crc32(chunk));
}

function crc32(bytes: readonly number[]): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}
