/** Preconditions of changes (RFC 9110 section 13.1.1, RFC 6585 section 3). */
import { ApiError } from "../http/api-error.ts";
import type { AppContext } from "../http/context.ts";
import type { Page } from "../pages/document/pages-store.ts";
import { pageJson } from "./page-json.ts";

export function etagOf({ version }: Pick<Page, "version">): string {
  return `"v${version}"`;
}

/**
 * Whether `If-Match` names the page's version; throws 428 without the header. On false, a caller
 * whose change the page has already answers as if it was just made: the answer to it may have been
 * lost (RFC 9110 section 13.1.1). Else it throws {@link versionConflict}.
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

export function versionConflict(page: Page): ApiError {
  return new ApiError("VERSION_CONFLICT", {
    details: { page: pageJson(page) },
    headers: { ETag: etagOf(page) },
  });
}
