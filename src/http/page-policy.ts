/** The Content-Security-Policy of HTML answers (docs/security.md S8). */

/**
 * - `page`: every page of this site.
 * - `embeddable`: a page that other pages of this site may show in a frame.
 * - `embedding`: a page with frames of this site in it.
 * - `empty_frame`: the document that the editor writes a page into. No script of its own runs,
 *   whatever it is filled with; links open in a new tab.
 */
export type PagePolicy = "page" | "embeddable" | "embedding" | "empty_frame";

/** Pages are cached, so there are no nonces: scripts and styles are files of this origin. */
const PAGE = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' https:",
  "connect-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
} as const;

const EMPTY_FRAME = {
  "default-src": "'none'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'self'",
  sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
} as const;

const written = (policy: Readonly<Record<string, string>>) =>
  Object.entries(policy)
    .map((directive) => directive.join(" "))
    .join("; ");

export const PAGE_POLICIES: Readonly<Record<PagePolicy, string>> = {
  page: written(PAGE),
  embeddable: written({ ...PAGE, "frame-ancestors": "'self'" }),
  embedding: written({ ...PAGE, "frame-src": "'self'" }),
  empty_frame: written(EMPTY_FRAME),
};
