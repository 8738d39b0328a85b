import type { Context } from "hono";
import type { SignedIn } from "../accounts/require-session.ts";
import { findReadyFiles, requireReadyFiles } from "../blocks/files/files-store.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { blockOf } from "../pages/document/block-of.ts";
import type { Link, PageDocument } from "../pages/document/page-document.ts";
import type { SaveOptions } from "../pages/document/save-page.ts";
import { storeAccentSheet } from "../pages/render/accent-sheets.ts";
import { picturesOf } from "./edit.ts";
import { findPictures, touchPictures } from "./pictures/pictures-store.ts";

/**
 * Statements that keep its pictures and files from deletion. Throws 400 for a picture of another
 * page, or a file of another user (docs/security.md S22).
 */
export async function useUploads(
  c: Context<SignedIn>,
  page_id: string,
  document: PageDocument,
): Promise<NonNullable<SaveOptions["more"]>> {
  const [found, files] = await Promise.all([
    usablePictures(c, page_id, document),
    usableFiles(c, document),
  ]);
  const isMissing = (key: string | null) => key !== null && !found.has(key);
  const missing = [
    ...(isMissing(document.avatar) ? ["avatar"] : []),
    ...document.links.flatMap(({ image }, i) => (isMissing(image) ? [`links.${i}.image`] : [])),
  ];
  const issues = [
    ...missing.map((path) => ({ path, message: "no picture of this page" })),
    ...document.links.flatMap((link, i) =>
      isThere(link, files)
        ? []
        : [{ path: `links.${i}.block.file_id`, message: "no complete file of yours" }],
    ),
  ];
  if (issues.length > 0) throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  const { DB } = c.env;
  const owner_id = c.get("session").user.id;
  return (save_id) => [
    touchPictures(DB, page_id, [...found], save_id, Date.now()),
    ...(files.size === 0
      ? []
      : [requireReadyFiles(DB, owner_id, [...files], { page_id, save_id })]),
  ];
}

export async function withoutLostUploads(
  c: Context<SignedIn>,
  page_id: string,
  document: PageDocument,
): Promise<PageDocument> {
  const [found, { links }] = await Promise.all([
    usablePictures(c, page_id, document),
    withoutLostFiles(c, document),
  ]);
  const kept = (key: string | null) => (key !== null && found.has(key) ? key : null);
  return {
    ...document,
    avatar: kept(document.avatar),
    links: links.map((link) => ({ ...link, image: kept(link.image) })),
  };
}

/** Removes downloads of files that are gone or not this user's. */
export async function withoutLostFiles(
  c: Context<SignedIn>,
  document: PageDocument,
): Promise<PageDocument> {
  const files = await usableFiles(c, document);
  return { ...document, links: document.links.filter((link) => isThere(link, files)) };
}

function isThere(link: Link, files: ReadonlySet<string>): boolean {
  const block = blockOf(link, "download");
  return block === null || files.has(block.file_id);
}

async function usableFiles(
  c: Context<SignedIn>,
  { links }: PageDocument,
): Promise<ReadonlySet<string>> {
  const file_ids = links.flatMap((link) => blockOf(link, "download")?.file_id ?? []);
  if (file_ids.length === 0) return new Set();
  const owner_id = c.get("session").user.id;
  return callDependency("file_failed", () => findReadyFiles(c.env.DB, owner_id, file_ids));
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
