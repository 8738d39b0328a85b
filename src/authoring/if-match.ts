/** Preconditions of changes (RFC 9110 section 13.1.1, RFC 6585 section 3). */
import { ApiError } from "../http/api-error.ts";
import type { AppContext } from "../http/context.ts";
import type { Page } from "../pages/document/pages-store.ts";
import { pageJson } from "./page-json.ts";

/** The strong ETag of a page's version. */
export function etagOf({ version }: Pick<Page, "version">): string {
  return `"v${version}"`;
}

/**
 * Whether `If-Match` names the page's version; throws 428 without the header. Where it does not, the
 * caller answers as if the change was just made if the page has it already: the change may have been
 * made and its answer lost (RFC 9110 section 13.1.1). Else it throws {@link versionConflict}.
 */
export function isMatched({ req }: Pick<AppContext, "req">, page: Page): boolean {
  const if_match = req.header("If-Match");
  if (if_match === undefined) throw new ApiError("PRECONDITION_REQUIRED");
  if (if_match.trim() === "*") return true;
  return if_match
    .split(",")
    .map((tag) => tag.trim())
    .includes(etagOf(page));
}

/** The 412, for a page that another request changed first. */
export function versionConflict(page: Page): ApiError {
  return new ApiError("VERSION_CONFLICT", {
    details: { page: pageJson(page) },
    headers: { ETag: etagOf(page) },
  });
}
