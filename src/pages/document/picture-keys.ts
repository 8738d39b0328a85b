/** Keys of pictures that creators uploaded for the page begin like this. */
export function picturePrefix(page_id: string): string {
  return `pictures/${page_id}/`;
}

/** A document may name folders and a name. Pictures from before uploads existed have any. */
export const PICTURE_KEY = /^[\w-]+(?:\/[\w-]+)*\.(?:jpg|png|webp|avif)$/;
export const PICTURE_KEY_CHARS_MAX = 200;
/** An upload's key has its page and the hash of its content. */
const UPLOADED = /^pictures\/[\w-]{1,64}\/[0-9a-f]{32}\.\w+$/;

/** No picture can have another key, so a look into the bucket would be wasted. */
export function isPictureKey(key: string): boolean {
  if (key.length > PICTURE_KEY_CHARS_MAX || !PICTURE_KEY.test(key)) return false;
  return !key.startsWith("pictures/") || UPLOADED.test(key);
}

/** The JPEG for contact cards that was made of a picture. It is served under no address. */
export function cardPhotoKey(key: string): string {
  return key.replace(/\.\w+$/, ".card.jpg");
}
