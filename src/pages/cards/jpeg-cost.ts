/** A small file can ask for any amount of memory and time, so its cost is known before it is decoded. */

/** Start of image and start of scan, with their prefix (ITU-T T.81 table B.1). */
const SOI = 0xffd8;
const SOS = 0xffda;
const PREFIX = 0xff;
/** All of 0xc0 to 0xcf but the tables 0xc4 and 0xcc and the extension 0xc8. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

export interface JpegCost {
  width: number;
  height: number;
  /** Each scan visits all pixels again. A progressive JPEG of an encoder has about ten. */
  scans: number;
}

/** The first frame's size in pixels, and the most scans behind it; null for what is no JPEG. */
export function jpegCost(bytes: Uint8Array): JpegCost | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 2 || view.getUint16(0) !== SOI) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (view.getUint8(at) !== PREFIX) return null;
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) {
      return {
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
        scans: countScans(view, at),
      };
    }
    // Any number of fill bytes may stand before a marker.
    at += marker === PREFIX ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

/** Compressed pixels never have these two bytes; other segments may, so it is a bound. */
function countScans(view: DataView, from: number): number {
  let scans = 0;
  for (let at = from; at + 2 <= view.byteLength; at += 1) {
    if (view.getUint16(at) === SOS) scans += 1;
  }
  return scans;
}
