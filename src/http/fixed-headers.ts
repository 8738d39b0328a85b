/**
 * Headers of every answer, and of built files, which the platform serves without the Worker
 * (`src/client/build.ts` writes them into `_headers`). Only constants are imported, because the build loads
 * this in Node.
 */
import { API_VERSION, API_VERSION_HEADER } from "./endpoints.ts";

/** Headers of every answer, files too (docs/contract.md section 3, docs/security.md S9). */
export const EVERYWHERE: Readonly<Record<string, string>> = {
  [API_VERSION_HEADER]: API_VERSION,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
};

/** A file that a creator uploaded must not act as a page. */
export const FILE_CSP = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Answers under CORS are without it: other sites read them. */
export const SAME_ORIGIN = "same-origin";

/** Two years, as the preload lists require. Browsers ignore it over http. */
export const HSTS = "max-age=63072000; includeSubDomains";

/**
 * The headers of built files besides `Cache-Control`. The platform adds them to whatever it answers at
 * the path of a file, so they cannot depend on the request: there is no request id, HSTS goes over http
 * too, and `Allow` is there for the platform's 405, which must have it (RFC 9110 section 15.5.6).
 */
export const BUILT_FILE: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  "Content-Security-Policy": FILE_CSP,
  "Cross-Origin-Resource-Policy": SAME_ORIGIN,
  "Strict-Transport-Security": HSTS,
  Allow: "GET, HEAD",
};

/** A year, for names that contain the hash of the content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
