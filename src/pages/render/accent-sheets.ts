/** The style sheets of creators' own accents, in R2 under `looks/`. */
import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { accentSheet } from "../../views/accent-sheet.ts";
import type { Look } from "../../views/look-values.ts";
import { STORE_TIMEOUT_MS } from "../cache/freshness.ts";
import type { Page } from "../document/pages-store.ts";

/** Longest wait while rendering. Without the sheet, a page has its palette's accent. */
const RESTORE_TIMEOUT_MS = 2_000;

export function accentSheetKey(name: string): string {
  return `looks/${name}`;
}

/** Must end before a page with this look can be read. Idempotent. Rejects where R2 fails. */
export async function storeAccentSheet(bucket: R2Bucket, look: Look): Promise<void> {
  const sheet = accentSheet(look);
  if (sheet === null) return;
  const key = accentSheetKey(sheet.name);
  if ((await withTimeout(bucket.head(key), STORE_TIMEOUT_MS)) !== null) return;
  await withTimeout(
    bucket.put(key, sheet.css, { httpMetadata: { contentType: "text/css; charset=utf-8" } }),
    STORE_TIMEOUT_MS,
  );
}

/**
 * Stores the sheet of a page that is being rendered where R2 lacks it: a release in which a palette
 * or the solution has changed gives the sheets of all saved pages other names. Where R2 fails, the
 * page is rendered all the same.
 */
export async function restoreAccentSheet(
  bucket: R2Bucket,
  { page_id, look }: Pick<Page, "page_id" | "look">,
): Promise<void> {
  try {
    await withTimeout(storeAccentSheet(bucket, look), RESTORE_TIMEOUT_MS);
  } catch (error) {
    logError("look_failed", { page_id }, error);
  }
}
