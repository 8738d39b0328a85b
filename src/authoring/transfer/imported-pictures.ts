/** Stores the pictures of an imported file, known by their content like every upload (docs/security.md S26). */
import { callDependency } from "../../http/dependency.ts";
import { readPicture } from "../../pictures/picture-header.ts";
import { storePicture } from "../../pictures/store-picture.ts";
import type { UploadedPage } from "./read-upload.ts";

/** Pictures that are stored at the same time. */
const AT_ONCE = 4;

/** Reads a picture of the file, one that was accepted. */
export type ReadPictureFile = (key: string) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Stores the pictures of a page that is about to be made. Returns the new keys by the old ones. Throws 503 where
 * D1, R2 or the workshop fails.
 */
export async function storePictures(
  env: Cloudflare.Env,
  page_id: string,
  { document, picture_keys }: UploadedPage,
  read: ReadPictureFile,
  now: number,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  const waiting = [...picture_keys];
  const storeNext = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      const name = key;
      const picture = readPicture(await callDependency("import_failed", () => read(name)));
      // The import is charged as a whole, and its photo is one.
      const storing = { page_id, is_photo: key === document.avatar, charge: async () => {} };
      const { stored } = await storePicture(env, storing, picture, now);
      keys.set(key, stored.key);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, storeNext));
  return keys;
}
