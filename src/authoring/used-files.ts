/** What a document needs in R2 before it is saved: its pictures, and the sheet of its own accent. */
import type { Context } from "hono";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { storeAccentSheet } from "../pages/accent-sheets.ts";
import type { PageDocument } from "../pages/page-document.ts";
import type { SaveOptions } from "../pages/save-page.ts";
import { findPictures, touchPictures } from "../pictures/pictures-store.ts";
import { picturesOf } from "./edit.ts";

/**
 * The statements that keep a document's pictures from being deleted as unused. Throws 400 where a
 * picture was not uploaded for this page (docs/security.md S22).
 */
export async function usePictures(
  c: Context<SignedIn>,
  page_id: string,
  document: PageDocument,
): Promise<NonNullable<SaveOptions["more"]>> {
  const found = await usablePictures(c, page_id, document);
  const isMissing = (key: string | null) => key !== null && !found.has(key);
  const missing = [
    ...(isMissing(document.avatar) ? ["avatar"] : []),
    ...document.links.flatMap(({ image }, i) => (isMissing(image) ? [`links.${i}.image`] : [])),
  ];
  if (missing.length > 0) {
    const issues = missing.map((path) => ({ path, message: "no picture of this page" }));
    throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  }
  return (save_id) => [touchPictures(c.env.DB, page_id, [...found], save_id, Date.now())];
}

/** The document without the pictures that are gone. */
export async function withoutLostPictures(
  c: Context<SignedIn>,
  page_id: string,
  document: PageDocument,
): Promise<PageDocument> {
  const found = await usablePictures(c, page_id, document);
  const kept = (key: string | null) => (key !== null && found.has(key) ? key : null);
  return {
    ...document,
    avatar: kept(document.avatar),
    links: document.links.map((link) => ({ ...link, image: kept(link.image) })),
  };
}

async function usablePictures(
  c: Context<SignedIn>,
  page_id: string,
  document: PageDocument,
): Promise<ReadonlySet<string>> {
  const keys = picturesOf(document);
  if (keys.length === 0) return new Set();
  return callDependency("pictures_failed", () => findPictures(c.env.DB, page_id, keys));
}

/** Stores the sheet of the document's own accent. Throws 503 where R2 fails. */
export async function storeLook(c: Context<SignedIn>, { look }: PageDocument): Promise<void> {
  await callDependency("look_failed", () => storeAccentSheet(c.env.MEDIA, look));
}
