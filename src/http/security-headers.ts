/**
 * The headers of every response, errors and files included (docs/contract.md section 3,
 * docs/security.md S8, S9).
 */
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { PAGE_POLICIES } from "./page-policy.ts";

const API_VERSION = "3";

const EVERYWHERE: Readonly<Record<string, string>> = {
  "X-API-Version": API_VERSION,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
};

/** A file that a creator uploaded must not act as a page. */
const FILE_CSP = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Two years, as the preload lists require. Browsers ignore it over http. */
const HSTS = "max-age=63072000; includeSubDomains";

export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  for (const [name, value] of Object.entries(EVERYWHERE)) headers.set(name, value);
  headers.set("X-Request-Id", c.get("requestId"));
  // Browsers merge a 304's headers into their copy, which has its own policy already.
  if (c.res.status !== 304) {
    const isPage = headers.get("Content-Type")?.startsWith("text/html") ?? false;
    headers.set(
      "Content-Security-Policy",
      isPage ? PAGE_POLICIES[c.get("policy") ?? "page"] : FILE_CSP,
    );
  }
  if (!headers.has("Cross-Origin-Resource-Policy")) {
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
  }
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (new URL(c.req.url).protocol === "https:") headers.set("Strict-Transport-Security", HSTS);
});
