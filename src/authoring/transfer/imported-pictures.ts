/** The pictures in an imported file, known by their content like every upload (docs/security.md S26). */
import { ApiError } from "../../http/api-error.ts";
import { type Picture, readPicture } from "../../pictures/picture-header.ts";
import { storePicture } from "../../pictures/store-picture.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import type { ImportedPage } from "./imported-page.ts";

/** Pictures that are stored at the same time. */
const AT_ONCE = 4;

/** Takes the pictures off the page that are not accepted, and notes them. */
export function checkPictures({ document, pictures, notes }: ImportedPage): void {
  const refused = new Set<string>();
  for (const [key, read] of pictures) {
    if (pictureOf(read) !== null) continue;
    refused.add(key);
    notes.add(null, key, REASONS.picture_refused);
  }
  const isRefused = (key: string | null) => key !== null && refused.has(key);
  if (isRefused(document.avatar)) document.avatar = null;
  for (const link of document.links) if (isRefused(link.image)) link.image = null;
}

/**
 * Stores the pictures of a page that is about to be made; those that are not accepted are left out.
 * Returns the new keys by the old ones. Throws 503 where D1 or R2 fails.
 */
export async function storePictures(
  env: Cloudflare.Env,
  page_id: string,
  { document, pictures }: ImportedPage,
  now: number,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  const waiting = [...pictures];
  const storeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [key, read] = next;
      const picture = pictureOf(read);
      if (picture === null) continue;
      // The import is charged as a whole, and its photo is one.
      const storing = { page_id, is_photo: key === document.avatar, charge: async () => {} };
      const { stored } = await storePicture(env, storing, picture, now);
      keys.set(key, stored.key);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, storeNext));
  return keys;
}

function pictureOf(read: () => Uint8Array<ArrayBuffer>): Picture | null {
  try {
    return readPicture(read());
  } catch (error) {
    if (error instanceof ApiError || error instanceof ImportRefused) return null;
    throw error;
  }
}
