import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { hex } from "../../http/bytes.ts";
import { callDependency } from "../../http/dependency.ts";
import { cardPhotoKey, picturePrefix } from "../../pages/document/picture-keys.ts";
import { cardPhotoOf, needsCardPhoto } from "./card-photo.ts";
import { PICTURES_MAX } from "./limits.ts";
import type { Picture, PictureType } from "./picture-header.ts";
import {
  confirmPicture,
  hasPicture,
  reservePicture,
  type StoredPicture,
} from "./pictures-store.ts";

const HASH_BYTES = 16;

const EXTENSIONS: Readonly<Record<PictureType, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
};

export function pictureName(sha256: ArrayBuffer, type: PictureType): string {
  return `${hex(new Uint8Array(sha256, 0, HASH_BYTES))}.${EXTENSIONS[type]}`;
}

interface Storing {
  page_id: string;
  /** Whether it may become the photo of a contact card: each JPEG made for one costs money. */
  is_photo: boolean;
  /** Called before anything is stored or paid for a picture that is new; may throw. */
  charge: () => Promise<void>;
}

/**
 * Stores a picture that `readPicture` has read, or renews a stored one for another day. Throws 400 where the page has
 * 1,000 pictures, and 503 where D1 or R2 fails; what was stored by then is deleted after a day.
 *
 * @param now unix milliseconds
 */
export async function storePicture(
  env: Cloudflare.Env,
  { page_id, is_photo, charge }: Storing,
  picture: Picture,
  now: number,
): Promise<{ stored: StoredPicture; is_new: boolean }> {
  const sha256 = await crypto.subtle.digest("SHA-256", picture.bytes);
  const { type, width, height, bytes } = picture;
  const key = picturePrefix(page_id) + pictureName(sha256, type);
  const stored = { key, page_id, type, bytes: bytes.length, width, height };
  const store = <T>(work: () => Promise<T>) => callDependency("picture_failed", work);
  const with_photo = is_photo && needsCardPhoto(picture);
  const is_known = await store(() => isStored(env, key, with_photo));
  if (!is_known) await charge();
  const reserved = await store(() => reservePicture(env.DB, stored, now));
  if (reserved === "full") throw tooManyPictures();
  if (reserved === "ended") throw dependencyDown("the same picture is being deleted");
  if (is_known) return { stored, is_new: false };
  const photo = with_photo ? await cardPhotoOf(env.IMAGES, picture) : null;
  await store(async () => {
    const put = (name: string, content: Uint8Array, contentType: string, hash?: ArrayBuffer) =>
      env.MEDIA.put(name, content, {
        httpMetadata: { contentType },
        ...(hash && { sha256: hash }),
      });
    await Promise.all([
      put(key, bytes, type, sha256),
      photo && put(cardPhotoKey(key), photo, "image/jpeg"),
    ]);
  });
  const confirmed = await store(() => confirmPicture(env.DB, key, now));
  if (confirmed === "ended") {
    // The page ended, and the sweep may have run before the picture was stored.
    await store(() => env.MEDIA.delete([key, cardPhotoKey(key)]));
    throw dependencyDown("the page has ended");
  }
  return { stored, is_new: confirmed === "new" };
}

async function isStored(env: Cloudflare.Env, key: string, with_photo: boolean): Promise<boolean> {
  if (!(await hasPicture(env.DB, key))) return false;
  const keys = [key, ...(with_photo ? [cardPhotoKey(key)] : [])];
  const found = await Promise.all(keys.map((each) => env.MEDIA.head(each)));
  return !found.includes(null);
}

function tooManyPictures(): ApiError {
  const message = `at most ${PICTURES_MAX} pictures; those that the page does not use are deleted after a day`;
  return new ApiError("VALIDATION_FAILED", {
    details: { issues: [{ path: "", message }] },
  });
}
