/** Preconditions of changes (RFC 9110 section 13.1.1, RFC 6585 section 3). */
import { ApiError } from "../http/api-error.ts";
import type { AppContext } from "../http/context.ts";
import type { Page } from "../pages/pages-store.ts";
import { pageJson } from "./page-json.ts";

/** The strong ETag of a page's version. */
export function etagOf({ version }: Pick<Page, "version">): string {
  return `"v${version}"`;
}

/**
 * Throws 428 without `If-Match`, and 412 VERSION_CONFLICT with the current page where the header does
 * not name its version.
 */
export function requireMatch({ req }: Pick<AppContext, "req">, page: Page): void {
  const if_match = req.header("If-Match");
  if (if_match === undefined) throw new ApiError("PRECONDITION_REQUIRED");
  if (if_match.trim() === "*") return;
  const tags = if_match.split(",").map((tag) => tag.trim());
  if (!tags.includes(etagOf(page))) throw versionConflict(page);
}

/** The 412, for a page that another request changed first. */
export function versionConflict(page: Page): ApiError {
  return new ApiError("VERSION_CONFLICT", {
    details: { page: pageJson(page) },
    headers: { ETag: etagOf(page) },
  });
}
