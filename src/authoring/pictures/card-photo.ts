/**
 * The JPEG of a picture for contact cards: address books do not show WebP or AVIF, and iCloud refuses
 * large cards. The platform's Images service makes it: a codec of our own would hold all pixels at
 * once, 64 MB of an isolate's 128.
 */
import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { PHOTO_BYTES_MAX } from "../../pages/cards/render-vcard.ts";
import { CARD_PHOTO_TIMEOUT_MS } from "./limits.ts";
import type { Picture } from "./picture-header.ts";

/** Longest sides in pixels, tried in this order. At 256 every JPEG is small enough. */
const SIDES = [512, 256] as const;
const QUALITY = 80;

/**
 * The JPEG, or null: the picture is a small JPEG itself, the plan of the deployment lacks the service, or the
 * service failed or could not read the picture (some AVIF), which is logged.
 */
export async function cardPhotoOf(
  images: ImagesBinding | undefined,
  picture: Picture,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (images === undefined || !needsCardPhoto(picture)) return null;
  try {
    return await withTimeout(shrink(images, picture), CARD_PHOTO_TIMEOUT_MS);
  } catch (error) {
    logError("card_photo_failed", { type: picture.type }, error);
    return null;
  }
}

export function needsCardPhoto({ type, width, height, bytes }: Picture): boolean {
  const is_small = Math.max(width, height) <= SIDES[0] && bytes.length <= PHOTO_BYTES_MAX;
  return type !== "image/jpeg" || !is_small;
}

async function shrink(images: ImagesBinding, { bytes }: Picture): Promise<Uint8Array<ArrayBuffer>> {
  for (const side of SIDES) {
    const result = await images
      .input(new Blob([bytes]).stream())
      .transform({ width: side, height: side, fit: "scale-down", background: "#ffffff" })
      .output({ format: "image/jpeg", quality: QUALITY });
    const photo = new Uint8Array(await result.response().arrayBuffer());
    if (photo.length <= PHOTO_BYTES_MAX) return photo;
  }
  throw new Error("the JPEG is too large");
}
