import { callDependency } from "../../http/dependency.ts";
import { type Picture, readPicture } from "../pictures/picture-header.ts";
import { findOwnPicture } from "../pictures/pictures-store.ts";
import { pictureName, storePicture } from "../pictures/store-picture.ts";
import { IMPORT_REMARKS_MAX } from "./limits.ts";
import type { UploadedPage } from "./read-upload.ts";

const AT_ONCE = 4;
const AVIF = "image/avif";

export type ReadPictureFile = (key: string) => Promise<Uint8Array<ArrayBuffer>>;

export type AcceptedPictures = ReadonlyMap<string, () => Promise<Picture>>;

/**
 * Removes AVIFs that no page of this user has, and notes them. One that a page has was checked and stripped when AVIF
 * was accepted. The file can hold anything, so the hash of the content decides, and the stored size counts. Throws 503
 * where D1 or the workshop fails.
 */
export async function acceptPictures(
  { DB }: Pick<Cloudflare.Env, "DB">,
  owner_id: string,
  { document, picture_keys, avifs, notes }: UploadedPage,
  readFile: ReadPictureFile,
): Promise<AcceptedPictures> {
  const read = (key: string) => callDependency("import_failed", () => readFile(key));
  const accepted = new Map<string, () => Promise<Picture>>(
    picture_keys.map((key) => [key, async () => readPicture(await read(key))]),
  );
  for (const { key, if_refused } of avifs) {
    const name = pictureName(await crypto.subtle.digest("SHA-256", await read(key)), AVIF);
    const size = await callDependency("import_failed", () => findOwnPicture(DB, owner_id, name));
    if (size !== null) {
      accepted.set(key, async () => ({ type: AVIF, ...size, bytes: await read(key) }));
      continue;
    }
    if (document.avatar === key) document.avatar = null;
    for (const link of document.links) if (link.image === key) link.image = null;
    notes.n += 1;
    if (notes.list.length < IMPORT_REMARKS_MAX) notes.list.push(if_refused);
  }
  return accepted;
}

/**
 * Stores the pictures of a page that is about to be made, checked by content (docs/security.md S26). Returns new
 * keys by old ones. Throws 503 where D1, R2 or the workshop fails.
 */
export async function storePictures(
  env: Cloudflare.Env,
  page_id: string,
  avatar: string | null,
  pictures: AcceptedPictures,
  now: number,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  const waiting = [...pictures];
  const storeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [key, read] = next;
      // The day's limit counts the import as a whole, and its photo is one.
      const storing = { page_id, is_photo: key === avatar, charge: async () => {} };
      const { stored } = await storePicture(env, storing, await read(), now);
      keys.set(key, stored.key);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, storeNext));
  return keys;
}
