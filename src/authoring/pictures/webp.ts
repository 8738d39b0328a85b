/**
 * WebP (RFC 9649), lossy, lossless and extended: its size, and a copy without metadata. The copy
 * keeps pixels, transparency, the colour profile, and the orientation of the EXIF chunk, which Safari
 * obeys and Chromium does not; the size is that of the stored pixels. What follows the RIFF container
 * is dropped.
 */
import { ORIENTATION_ROOM, type Orientation, orientationIn, tiffWith } from "./orientation.ts";
import {
  ByteReader,
  ByteWriter,
  letters,
  type ParsedPicture,
  startsWith,
  UnreadablePicture,
} from "./picture-bytes.ts";

const ANIMATED = 0x02;
const HAS_EXIF = 0x08;
const KEPT_FLAGS = 0x30;

const PIXELS: ReadonlySet<string> = new Set(["VP8 ", "VP8L"]);
const KEPT: ReadonlySet<string> = new Set(["ICCP", "ALPH", ...PIXELS]);

interface Chunk {
  name: string;
  data: Uint8Array<ArrayBuffer>;
}

interface Size {
  width: number;
  height: number;
}

export function readWebp(bytes: Uint8Array<ArrayBuffer>): ParsedPicture {
  const container = new ByteReader(bytes);
  container.take(4);
  const reader = new ByteReader(container.take(container.u32le()));
  reader.take(4);
  const kept = new ByteWriter(bytes.length + ORIENTATION_ROOM);
  kept.add(bytes.subarray(0, 12));
  const first = nextChunk(reader);
  const picture = first.name === "VP8X" ? readExtended(first, reader, kept) : pixelSize(first);
  if (first.name !== "VP8X") addChunk(kept, first);
  const written = kept.written();
  new DataView(written.buffer).setUint32(4, written.length - 8, true);
  return { ...picture, bytes: written };
}

function readExtended({ data }: Chunk, reader: ByteReader, kept: ByteWriter): Size {
  const header = new ByteReader(data);
  const flags = header.u8();
  header.take(3);
  const [width, height] = [header.u24le() + 1, header.u24le() + 1];
  if ((flags & ANIMATED) !== 0) throw new UnreadablePicture("it is animated");
  const from = kept.written().length;
  addChunk(kept, { name: "VP8X", data: data.slice(0, 10).fill(0, 1, 4) });
  let orientation: Orientation | null = null;
  const seen = new Set<string>();
  while (reader.left > 0) {
    const chunk = nextChunk(reader);
    const { name } = chunk;
    if (name === "ANIM" || name === "ANMF") throw new UnreadablePicture("it is animated");
    if (name === "EXIF") orientation ??= orientationOf(chunk);
    if (!KEPT.has(name)) continue;
    const part = PIXELS.has(name) ? "pixels" : name;
    if (seen.has(part)) throw new UnreadablePicture("it has a chunk twice");
    seen.add(part);
    if (part === "pixels") {
      const size = pixelSize(chunk);
      if (size.width !== width || size.height !== height) {
        throw new UnreadablePicture("its sizes differ");
      }
    }
    addChunk(kept, chunk);
  }
  if (!seen.has("pixels")) throw new UnreadablePicture("it has no pixels");
  orientation ??= 1;
  if (orientation !== 1) {
    addChunk(kept, { name: "EXIF", data: new Uint8Array(tiffWith(orientation)) });
  }
  kept.written()[from + 8] = (flags & KEPT_FLAGS) | (orientation === 1 ? 0 : HAS_EXIF);
  return { width, height };
}

/** Some encoders begin the block as JPEG does. */
function orientationOf({ data }: Chunk): Orientation {
  return orientationIn(startsWith(data, "Exif\0\0") ? data.subarray(6) : data);
}

/** A chunk, with the byte that makes its length even; the last one may lack that byte. */
function nextChunk(reader: ByteReader): Chunk {
  reader.countPart();
  const name = reader.name();
  const data = reader.take(reader.u32le());
  if (data.length % 2 === 1 && reader.left > 0) reader.take(1);
  return { name, data };
}

function addChunk(kept: ByteWriter, { name, data }: Chunk): void {
  kept.add(letters(name));
  kept.u32le(data.length);
  kept.add(data, data.length % 2 === 1 ? [0] : []);
}

function pixelSize({ name, data }: Chunk): Size {
  const reader = new ByteReader(data);
  if (name === "VP8 ") {
    const is_key_frame = (reader.u24le() & 1) === 0;
    if (!is_key_frame || !startsWith(reader.take(3), "\x9d\x01\x2a")) {
      throw new UnreadablePicture("its pixels are broken");
    }
    return { width: reader.u16le() & 0x3fff, height: reader.u16le() & 0x3fff };
  }
  if (name !== "VP8L" || reader.u8() !== 0x2f) throw new UnreadablePicture("it has no pixels");
  const bits = reader.u32le();
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
