/**
 * Reads a chosen file as a picture, and makes a small file of the kept part. The service accepts
 * JPEG, PNG and WebP (docs/security.md S26). What is uploaded is drawn anew, so nothing of the
 * chosen file but its pixels leaves the browser.
 */

import { type Aspect, type Crop, matrixOf, OUTPUT_MAX, outputSize, type Size } from "./crop.ts";
import { HEAD_BYTES, kindOf } from "./file-kind.ts";

export type Problem = "too_large" | "not_a_picture" | "heic" | "svg" | "gif" | "broken";

/** A larger file would take a phone's memory before it is made small. */
export const FILE_BYTES_MAX = 50_000_000;
const QUALITY = 0.86;

/** The picture is upright as its EXIF says. */
export async function openPicture(file: Blob): Promise<ImageBitmap | Problem> {
  try {
    const kind = kindOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
    if (kind === "other") return "not_a_picture";
    if (kind === "svg" || kind === "gif") return kind;
    if (file.size > FILE_BYTES_MAX) return "too_large";
    // The second try is for browsers that do not know the option. Some decode HEIC.
    return await createImageBitmap(file, { imageOrientation: "from-image" })
      .catch(() => createImageBitmap(file))
      .catch(() => (kind === "heic" ? kind : "broken"));
  } catch {
    // The file went away before it was read: a card that was taken out, a cloud that did not answer.
    return "broken";
  }
}

export function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap, crop: Crop, size: Size): void {
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.imageSmoothingQuality = "high";
  context.setTransform(...matrixOf(crop, size));
  context.drawImage(bitmap, 0, 0);
}

/** WebP, else JPEG, or PNG with transparent parts. Null where memory does not suffice. */
export async function smallFile(
  bitmap: ImageBitmap,
  crop: Crop,
  aspect: Aspect,
): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  draw(canvas, bitmap, crop, outputSize(crop, OUTPUT_MAX[aspect]));
  const webp = await blobOf(canvas, "image/webp");
  // A browser that does not know the type writes PNG.
  if (webp?.type !== "image/png" || isTransparent(canvas)) return webp;
  return blobOf(canvas, "image/jpeg");
}

function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}

function isTransparent(canvas: HTMLCanvasElement): boolean {
  const context = canvas.getContext("2d");
  if (context === null) return false;
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, i) => i % 4 === 3 && value < 255);
}
