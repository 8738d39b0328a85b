/** Keys of pictures in the media bucket. */

/** Keys of the pictures that creators uploaded for a page begin like this. */
export function picturePrefix(page_id: string): string {
  return `pictures/${page_id}/`;
}

/** The key of the JPEG for contact cards that was made of a picture. It is served under no address. */
export function cardPhotoKey(key: string): string {
  return key.replace(/\.\w+$/, ".card.jpg");
}
