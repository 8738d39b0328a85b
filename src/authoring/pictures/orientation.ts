/**
 * The orientation of a picture, the one field of EXIF (JEITA CP-3451) that is kept: phones store
 * portraits lying on their side. The place, the time and the camera's serial number are dropped.
 */
import { ByteReader, letters, UnreadablePicture } from "./picture-bytes.ts";

/** 1 is upright; 2 to 8 are turned or mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;

/** Bytes of a TIFF with this field only; a container adds at most 32. */
export const ORIENTATION_ROOM = 26 + 32;

/** The orientation in an EXIF block, which is a TIFF; 1 where it has none or is malformed. */
export function orientationIn(tiff: Uint8Array<ArrayBuffer>): Orientation {
  try {
    return readOrientation(new ByteReader(tiff));
  } catch (error) {
    if (error instanceof UnreadablePicture) return 1;
    throw error;
  }
}

function readOrientation(reader: ByteReader): Orientation {
  const order = reader.u16();
  const is_little = order === 0x4949;
  if (!is_little && order !== 0x4d4d) return 1;
  const u16 = () => (is_little ? reader.u16le() : reader.u16());
  const u32 = () => (is_little ? reader.u32le() : reader.u32());
  if (u16() !== 42) return 1;
  reader.at = u32();
  for (let entries = u16(); entries > 0; entries -= 1) {
    const [tag, type, count, value] = [u16(), u16(), u32(), u16()];
    reader.take(2);
    if (tag === ORIENTATION_TAG) {
      return type === SHORT && count === 1 && isOrientation(value) ? value : 1;
    }
  }
  return 1;
}

function isOrientation(value: number): value is Orientation {
  return value >= 1 && value <= 8;
}

export function tiffWith(orientation: Orientation): number[] {
  const entry = [0x01, 0x12, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0];
  return [...letters("MM"), 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
}

/** Orientations 5 to 8 lie on their side. */
export function shownSize(width: number, height: number, orientation: Orientation) {
  return orientation < 5 ? { width, height } : { width: height, height: width };
}
