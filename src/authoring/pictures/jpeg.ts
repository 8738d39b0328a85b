/**
 * JPEG (ITU-T T.81): its size, and a copy without metadata. The copy keeps the segments that a
 * decoder needs, the colour profile, and the orientation of the EXIF block. What follows the end
 * marker is dropped too: phones append videos and further pictures there.
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
  startsWith,
  UnreadablePicture,
} from "./picture-bytes.ts";

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const COM = 0xfe;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
/** Baseline, extended and progressive: the frames that browsers show. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Huffman tables, quantization tables, restart interval. */
const TABLES: ReadonlySet<number> = new Set([0xc4, 0xdb, 0xdd]);

const EXIF = "Exif\0\0";
const ICC = "ICC_PROFILE\0";
const ADOBE = "Adobe";

export function readJpeg(bytes: Uint8Array<ArrayBuffer>): ParsedPicture {
  const reader = new ByteReader(bytes);
  const kept = new ByteWriter(bytes.length + ORIENTATION_ROOM);
  kept.add(reader.take(2));
  let frame: { width: number; height: number } | null = null;
  let orientation: Orientation | null = null;
  let has_scan = false;
  for (;;) {
    const marker = nextMarker(reader);
    if (marker === EOI) break;
    const from = reader.at;
    const length = reader.u16();
    if (length < 2) throw new UnreadablePicture("its segments are broken");
    const payload = reader.take(length - 2);
    if (FRAMES.has(marker)) {
      if (frame !== null) throw new UnreadablePicture("it has two frames");
      frame = frameSize(payload);
    } else if (marker === SOS) {
      if (frame === null) throw new UnreadablePicture("it has no frame");
      has_scan = true;
      skipScan(reader);
    } else if (marker === APP1 && orientation === null && startsWith(payload, EXIF)) {
      orientation = orientationIn(payload.subarray(EXIF.length));
      addOrientation(kept, orientation);
      continue;
    } else if (isDropped(marker, payload)) {
      continue;
    } else if (!TABLES.has(marker) && marker !== APP2 && marker !== APP14) {
      throw new UnreadablePicture("it has an unknown segment");
    }
    kept.add([0xff, marker], bytes.subarray(from, reader.at));
  }
  if (frame === null || !has_scan) throw new UnreadablePicture("it has no pixels");
  kept.add([0xff, EOI]);
  return { ...shownSize(frame.width, frame.height, orientation ?? 1), bytes: kept.written() };
}

/** Any number of fill bytes may stand before a marker. */
function nextMarker(reader: ByteReader): number {
  reader.countPart();
  if (reader.u8() !== 0xff) throw new UnreadablePicture("its segments are broken");
  for (;;) {
    const marker = reader.u8();
    if (marker === SOI || marker === 0) throw new UnreadablePicture("its segments are broken");
    if (marker !== 0xff) return marker;
  }
}

function frameSize(payload: Uint8Array<ArrayBuffer>): { width: number; height: number } {
  const frame = new ByteReader(payload);
  frame.u8();
  const [height, width, components] = [frame.u16(), frame.u16(), frame.u8()];
  if (payload.length !== 6 + 3 * components) throw new UnreadablePicture("its frame is broken");
  return { width, height };
}

/** Moves to the marker after the compressed pixels, in which 0xff is followed by 0 or a restart. */
function skipScan(reader: ByteReader): void {
  const { bytes } = reader;
  for (let at = bytes.indexOf(0xff, reader.at); at !== -1; at = bytes.indexOf(0xff, at)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) {
      reader.at = at;
      return;
    }
    at += next === 0xff ? 1 : 2;
  }
  throw new UnreadablePicture("it is cut off");
}

/** Comments and application segments are dropped, except the colour profile and transform. */
function isDropped(marker: number, payload: Uint8Array): boolean {
  if (marker === APP2) return !startsWith(payload, ICC);
  if (marker === APP14) return !startsWith(payload, ADOBE);
  return marker === COM || (marker >= APP0 && marker <= APP15);
}

function addOrientation(kept: ByteWriter, orientation: Orientation): void {
  if (orientation === 1) return;
  const exif = [...letters(EXIF), ...tiffWith(orientation)];
  kept.add([0xff, APP1]);
  kept.u16(2 + exif.length);
  kept.add(exif);
}
