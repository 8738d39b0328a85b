/**
 * What an uploaded file is, by its content alone (docs/security.md S26): a JPEG, PNG or WebP, or refused. The parsers
 * read headers and never decode pixels; their time is linear in the size. They copy the parts that a decoder needs, so
 * metadata (place and time of a photograph, the camera's serial number) and whatever else a file carries is not stored.
 */
import { ApiError } from "../../http/api-error.ts";
import { readJpeg } from "./jpeg.ts";
import { PICTURE_SIDE_PIXELS_MAX } from "./limits.ts";
import { type ParsedPicture, startsWith, UnreadablePicture } from "./picture-bytes.ts";
import { PNG_SIGNATURE, readPng } from "./png.ts";
import { readWebp } from "./webp.ts";

const PARSERS = {
  "image/jpeg": readJpeg,
  "image/png": readPng,
  "image/webp": readWebp,
} as const;

type AcceptedType = keyof typeof PARSERS;

/** Types of stored pictures. AVIF was accepted until version 3.1. */
export type PictureType = AcceptedType | "image/avif";

export interface Picture extends ParsedPicture {
  type: PictureType;
}

/**
 * The picture without its metadata. Throws 415 for anything that is not a whole, still picture of
 * these types, and 400 for one of more than 4,096 pixels a side.
 */
export function readPicture(bytes: Uint8Array<ArrayBuffer>): Picture {
  const type = typeOf(bytes);
  if (type === null) throw notAPicture("it is none of these types");
  const picture = parse(type, bytes);
  if (picture.width === 0 || picture.height === 0) throw notAPicture("it has no pixels");
  const issues = (["width", "height"] as const)
    .filter((side) => picture[side] > PICTURE_SIDE_PIXELS_MAX)
    .map((path) => ({ path, message: `at most ${PICTURE_SIDE_PIXELS_MAX} pixels` }));
  if (issues.length > 0) throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  return { type, ...picture };
}

function typeOf(bytes: Uint8Array<ArrayBuffer>): AcceptedType | null {
  if (startsWith(bytes, "\xff\xd8\xff")) return "image/jpeg";
  if (startsWith(bytes, PNG_SIGNATURE)) return "image/png";
  const is_webp = startsWith(bytes, "RIFF") && startsWith(bytes.subarray(8), "WEBP");
  return is_webp ? "image/webp" : null;
}

function parse(type: AcceptedType, bytes: Uint8Array<ArrayBuffer>): ParsedPicture {
  try {
    return PARSERS[type](bytes);
  } catch (error) {
    if (error instanceof UnreadablePicture) throw notAPicture(error.message);
    throw error;
  }
}

function notAPicture(reason: string): ApiError {
  return new ApiError("UNSUPPORTED_MEDIA_TYPE", {
    details: { types: Object.keys(PARSERS), reason },
  });
}
