/** Stores a picture of a page: its row, R2, and the row again (`pictures-store.ts`). */
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

/** Bytes of the hash in a key. */
const HASH_BYTES = 16;

const EXTENSIONS: Readonly<Record<PictureType, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
};

/** The name of a picture among those of its page: the hash of its content, and its type. */
export function pictureName(sha256: ArrayBuffer, type: PictureType): string {
  return `${hex(new Uint8Array(sha256, 0, HASH_BYTES))}.${EXTENSIONS[type]}`;
}

interface Storing {
  /** Of a page that exists, or of one that is about to be created. */
  page_id: string;
  /** Whether it may become the photo of a contact card, of which a JPEG is made for money. */
  is_photo: boolean;
  /** Called before anything is stored or paid of a picture that the page does not have; throws to refuse it. */
  charge: () => Promise<void>;
}

/**
 * Stores a picture that `readPicture` has read, or that was stored before. Stored again, it stays as it is and is kept for another
 * day. Throws 400 where the page has 1,000 pictures, and 503 where D1 or R2 fails; what was stored by
 * then is deleted after a day.
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
    // The page ended, and the sweep may have been here before the picture was.
    await store(() => env.MEDIA.delete([key, cardPhotoKey(key)]));
    throw dependencyDown("the page has ended");
  }
  return { stored, is_new: confirmed === "new" };
}

/** Whether the page has the picture, in D1 and in R2, and the photo that it needs. */
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
