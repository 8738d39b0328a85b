import { ApiError } from "../../http/api-error.ts";
import { readPicture } from "../pictures/picture-header.ts";
import { ImportRefused, REASONS } from "./import-reasons.ts";
import type { ImportedPage } from "./imported-page.ts";

/** Removes refused pictures (docs/security.md S26) and notes them. The caller decides on AVIF. */
export function checkPictures(
  imported: Pick<ImportedPage, "document" | "pictures" | "notes">,
): void {
  const { document, pictures, notes } = imported;
  const refused = new Set<string>();
  for (const [key, read] of pictures) {
    if (isAccepted(key, read)) continue;
    refused.add(key);
    pictures.delete(key);
    notes.add(null, key, REASONS.picture_refused);
  }
  const isRefused = (key: string | null) => key !== null && refused.has(key);
  if (isRefused(document.avatar)) document.avatar = null;
  for (const link of document.links) if (isRefused(link.image)) link.image = null;
}

export function isAvif(key: string): boolean {
  return key.endsWith(".avif");
}

function isAccepted(key: string, read: () => Uint8Array<ArrayBuffer>): boolean {
  try {
    const bytes = read();
    if (!isAvif(key)) readPicture(bytes);
    return true;
  } catch (error) {
    if (error instanceof ApiError || error instanceof ImportRefused) return false;
    throw error;
  }
}
