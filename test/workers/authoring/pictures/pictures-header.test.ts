import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  PICTURE_BYTES_MAX,
  PICTURE_SIDE_PIXELS_MAX,
} from "../../../../src/authoring/pictures/limits.ts";
import { orientationIn, tiffWith } from "../../../../src/authoring/pictures/orientation.ts";
import { readPicture } from "../../../../src/authoring/pictures/picture-header.ts";
import { ApiError } from "../../../../src/http/api-error.ts";
import { cases, seedOfTheDay } from "../../kit/cases.ts";
import {
  bytesOf,
  findText,
  jpegOf,
  pngChunk,
  pngOf,
  SAMPLE_NAMES,
  type SampleName,
  sample,
  segment,
  typeOfSample,
  u32,
  webpChunk,
  webpOf,
  webpOfSize,
} from "./picture-samples.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The refusal's code and reason, or null where the picture is accepted. */
function refusalOf(bytes: Bytes): { code: string; reason: unknown } | null {
  try {
    readPicture(bytes);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, reason: error.details.reason };
  }
}

function images(): ImagesBinding {
  if (env.IMAGES === undefined) throw new Error("no binding IMAGES");
  return env.IMAGES;
}

/** What libvips says about a file. */
function judge(bytes: Bytes): Promise<ImageInfoResponse> {
  return images().info(new Blob([bytes]).stream());
}

/** The pixels as they are shown, in a lossless format without the picture's resolution. */
async function pixelsOf(bytes: Bytes): Promise<Uint8Array> {
  const result = await images()
    .input(new Blob([bytes]).stream())
    .output({ format: "image/png" });
  return readPicture(new Uint8Array(await result.response().arrayBuffer())).bytes;
}

/** A sample with these parts at a place between its own. */
const inside = (bytes: Bytes, at: number, ...parts: Uint8Array[]) =>
  bytesOf(bytes.subarray(0, at), ...parts, bytes.subarray(at));
const inPng = (...parts: Uint8Array[]) => inside(sample("png"), 33, ...parts);

/** The extended header of a WebP of 40 by 24 pixels. */
const vp8x = (flags: number) => webpChunk("VP8X", [flags, 0, 0, 0, 39, 0, 0, 23, 0, 0]);

/** What must not be stored: the camera, the owner, the place. */
const SECRETS = ["SecretCam", "SecretPlace", "Layla", "xmpmeta", "x:xmp"];

describe("S26: a picture is known by its content", () => {
  test.each(SAMPLE_NAMES)("%s has the type and size that libvips finds", async (name) => {
    const { type, width, height } = readPicture(sample(name));
    expect(type).toBe(typeOfSample(name));
    const found = (await judge(sample(name))) as { format: string; width: number; height: number };
    expect(found).toMatchObject({ format: type, width: 40, height: 24 });
    // Orientation 6 lies on its side. Chromium turns no WebP.
    const is_turned = name === "jpegPhoto" || name === "pngPhoto";
    expect([width, height]).toEqual(is_turned ? [24, 40] : [40, 24]);
  });

  test.each(SAMPLE_NAMES)("%s keeps its pixels, without metadata", async (name) => {
    const { type, bytes } = readPicture(sample(name));
    for (const secret of SECRETS) expect([secret, findText(bytes, secret)]).toEqual([secret, -1]);
    expect(await judge(bytes)).toMatchObject({ format: type, width: 40, height: 24 });
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(sample(name)));
  });

  test("photos had what is taken out of them, and keep their colour profile", () => {
    for (const name of ["jpegPhoto", "pngPhoto", "webpPhoto"] as const) {
      expect(findText(sample(name), "SecretCam")).toBeGreaterThan(0);
      const profile = {
        jpegPhoto: "ICC_PROFILE",
        pngPhoto: "iCCP",
        webpPhoto: "ICCP",
      };
      if (findText(sample(name), profile[name]) === -1) continue;
      expect(findText(readPicture(sample(name)).bytes, profile[name])).toBeGreaterThan(0);
    }
  });

  test.each([
    ["nothing", ""],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
    ["GIF", "GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01\0;"],
    ["a sound in RIFF", "RIFF\x24\0\0\0WAVEfmt "],
    ["HEIC", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"],
    ["AVIF", "\0\0\0\x1cftypavif\0\0\0\0mif1avifmiaf"],
    ["HTML that begins as a JPEG", "\xff\xd8\xff<html><script>alert(1)</script>"],
    ["HTML that begins as a PNG", "\x89PNG\r\n\x1a\n<html>"],
    ["HTML that begins as a WebP", "RIFF\x30\0\0\0WEBP<html><script>alert(1)</script></html>     "],
  ])("%s is refused", (_, text) => {
    expect(refusalOf(bytesOf(text))).toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE" });
  });

  test.each(SAMPLE_NAMES)("%s that is cut off anywhere is refused", (name) => {
    const whole = sample(name);
    const step = Math.ceil(whole.length / 400);
    for (let length = 0; length < whole.length; length += step) {
      const refusal = refusalOf(whole.slice(0, length));
      expect([length, refusal?.code]).toEqual([length, "UNSUPPORTED_MEDIA_TYPE"]);
    }
  });

  test.each(SAMPLE_NAMES)("%s loses what another file appended", (name) => {
    const clean = readPicture(sample(name)).bytes;
    const polyglot = bytesOf(sample(name), "<html><script>alert(1)</script></html>");
    expect(readPicture(polyglot).bytes).toEqual(clean);
  });

  test("a page in a comment or an unknown part is dropped", () => {
    const html = "<html><script>alert(1)</script></html>";
    for (const polyglot of [
      inside(sample("jpeg"), 2, segment(0xfe, html)),
      inside(sample("jpeg"), 2, segment(0xe2, `MPF\0${html}`)),
      inPng(pngChunk("heXX", html)),
    ]) {
      expect(findText(readPicture(polyglot).bytes, "script")).toBe(-1);
    }
  });
});

describe("S26: the size of a picture", () => {
  const OF_SIZE = { JPEG: jpegOf, PNG: pngOf, WebP: webpOfSize };

  test.each(Object.entries(OF_SIZE))("%s: up to 4,096 pixels a side", (_, of) => {
    const max = PICTURE_SIDE_PIXELS_MAX;
    expect(readPicture(of(max, max))).toMatchObject({ width: max, height: max });
    expect(readPicture(of(1, max))).toMatchObject({ width: 1, height: max });
    for (const [width, height] of [
      [max + 1, 1],
      [1, max + 1],
      [max + 1, max + 1],
    ] as const) {
      expect(refusalOf(of(width, height))?.code).toBe("VALIDATION_FAILED");
    }
  });

  test.each([
    ["JPEG", jpegOf(0, 24)],
    ["PNG", pngOf(40, 0)],
    ["WebP", webpOf(webpChunk("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 0, 0, 24, 0]))],
  ])("%s: zero is refused", (_, bytes) => {
    expect(refusalOf(bytes)?.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test("4,097 pixels are named with their side", () => {
    const issues = ["width", "height"].map((path) => ({ path, message: "at most 4096 pixels" }));
    expect(() => readPicture(pngOf(4_097, 5_000))).toThrow(
      expect.objectContaining({ details: { issues } }),
    );
  });

  test("the pixels of an extended WebP are as large as its header says", () => {
    const extended = webpOf(vp8x(0), webpOfSize(5_000, 5_000).subarray(12));
    expect(refusalOf(extended)?.reason).toBe("its sizes differ");
  });
});

describe("a picture that moves is refused", () => {
  test.each([
    ["PNG", inPng(pngChunk("acTL", u32(2)))],
    ["WebP", webpOf(vp8x(2), webpChunk("ANIM"))],
    ["WebP", webpOf(vp8x(0), webpChunk("ANMF"))],
  ])("%s", (_, bytes) => {
    expect(refusalOf(bytes)).toEqual({ code: "UNSUPPORTED_MEDIA_TYPE", reason: "it is animated" });
  });
});

describe("the orientation of a photo", () => {
  const JPEG_EXIF = (tiff: readonly number[] | Uint8Array) =>
    inside(sample("jpeg"), 2, segment(0xe1, bytesOf("Exif\0\0", tiff)));

  test.each([1, 2, 3, 4, 5, 6, 7, 8] as const)("%i survives in each type", async (orientation) => {
    const tiff = new Uint8Array(tiffWith(orientation));
    const pixels = sample("webp").subarray(12);
    for (const photo of [
      JPEG_EXIF(tiff),
      inPng(pngChunk("eXIf", tiff)),
      webpOf(vp8x(8), pixels, webpChunk("EXIF", tiff)),
      webpOf(vp8x(8), webpChunk("EXIF", bytesOf("Exif\0\0", tiff)), pixels),
    ]) {
      const picture = readPicture(photo);
      const is_turned = orientation >= 5 && picture.type !== "image/webp";
      expect([picture.width, picture.height]).toEqual(is_turned ? [24, 40] : [40, 24]);
      expect(readPicture(picture.bytes.slice())).toEqual(picture);
      // Turned by libvips, both look the same.
      expect(await pixelsOf(picture.bytes)).toEqual(await pixelsOf(photo));
    }
  });

  test("is read in both byte orders, and is 1 where the block is malformed", () => {
    const big = tiffWith(6);
    const little = bytesOf("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0");
    expect(orientationIn(new Uint8Array(big))).toBe(6);
    expect(orientationIn(new Uint8Array(little))).toBe(6);
    for (const wrong of [[], bytesOf("MM\0+"), big.with(19, 9), big.with(19, 0), big.with(11, 4)]) {
      expect(orientationIn(new Uint8Array(wrong))).toBe(1);
    }
  });

  test("property: of any bytes is 1 to 8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, is_little) => {
        const tiff = bytesOf(is_little ? "II*\0" : "MM\0*", bytes);
        expect(orientationIn(tiff)).toBeGreaterThanOrEqual(1);
        expect(readPicture(JPEG_EXIF(tiff)).type).toBe("image/jpeg");
      }),
      { numRuns: cases(500), seed: seedOfTheDay() },
    );
  });
});

describe("hostile bytes", () => {
  /** A sample with some bytes overwritten, inserted or cut. */
  const Mutated = fc
    .tuple(
      fc.constantFrom<SampleName>(...SAMPLE_NAMES),
      fc.array(
        fc.record({
          at: fc.nat(1_000),
          skip: fc.nat(6),
          put: fc.oneof(
            fc.uint8Array({ maxLength: 6 }),
            fc.constantFrom(
              bytesOf([0xff, 0xff, 0xff, 0xff]),
              bytesOf([0, 0, 0, 0]),
              bytesOf("IEND"),
            ),
          ),
        }),
        { maxLength: 6 },
      ),
    )
    .map(([name, changes]) =>
      changes.reduce<Bytes>((bytes, { at, skip, put }) => {
        const from = at % (bytes.length + 1);
        return bytesOf(bytes.subarray(0, from), put, bytes.subarray(from + skip));
      }, sample(name)),
    );

  test("property: are a picture within the bounds, or refused as no picture", () => {
    let accepted = 0;
    fc.assert(
      fc.property(Mutated, (bytes) => {
        const before = bytes.slice();
        try {
          const { width, height, bytes: kept } = readPicture(bytes);
          accepted += 1;
          expect(Math.min(width, height)).toBeGreaterThan(0);
          expect(Math.max(width, height)).toBeLessThanOrEqual(PICTURE_SIDE_PIXELS_MAX);
          expect(kept.length).toBeLessThanOrEqual(bytes.length + 64);
          expect(readPicture(kept.slice()).bytes).toEqual(kept);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(["UNSUPPORTED_MEDIA_TYPE", "VALIDATION_FAILED"]).toContain(error.code);
        }
        expect(bytes).toEqual(before);
      }),
      { numRuns: cases(20_000, 1 / 20), seed: seedOfTheDay() },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test("have at most 10,000 parts", () => {
    const withParts = (more: number) =>
      inPng(...Array.from({ length: more }, () => pngChunk("teXt")));
    // The sample has 3 after its header.
    const parts = 10_000 - 3;
    expect(readPicture(withParts(parts)).type).toBe("image/png");
    expect(refusalOf(withParts(parts + 1))?.reason).toBe("it has too many parts");
  });

  /** A file as large as allowed, which takes hours in quadratic time. */
  const filled = (start: Uint8Array, unit: Uint8Array) => {
    const bytes = new Uint8Array(PICTURE_BYTES_MAX);
    bytes.set(start);
    for (let at = start.length; at + unit.length <= bytes.length; at += unit.length) {
      bytes.set(unit, at);
    }
    return bytes;
  };
  const scan = sample("jpeg").subarray(0, -2);
  const extended = bytesOf("RIFF", [...u32(PICTURE_BYTES_MAX - 8)].reverse(), "WEBP", vp8x(0));

  test.each<[string, () => Bytes]>([
    ["a scan of stuffed bytes", () => filled(scan, bytesOf([0xff, 0]))],
    [
      "EXIF blocks",
      () =>
        filled(
          scan.subarray(0, 2),
          segment(0xe1, bytesOf("Exif\0\0", "II*\0", [8, 0, 0, 0, 255, 255])),
        ),
    ],
    ["empty scans", () => filled(scan, segment(0xda, ""))],
    ["EXIF chunks", () => filled(sample("png").subarray(0, 33), pngChunk("eXIf"))],
    ["empty WebP chunks", () => filled(extended, webpChunk("abcd"))],
  ])("%s of 5 MB are read", (_, make) => {
    const bytes = make();
    refusalOf(bytes);
  });
});
