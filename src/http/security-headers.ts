/** The headers of every response (docs/contract.md section 3, docs/security.md S8, S9). */
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { EVERYWHERE, FILE_CSP, HSTS, SAME_ORIGIN } from "./fixed-headers.ts";
import { PAGE_POLICIES } from "./page-policy.ts";
import { countAnswer } from "./request-counts.ts";
import { requestIdOf } from "./request-id.ts";

/**
 * Makes the headers of JSON and files, but for `X-Request-Id`, for an answer whose headers are
 * prepared once: setting each takes as long as counting an event. Such an answer has
 * `hasAllHeaders`.
 */
export function preparedHeaders(url: string, more: Readonly<Record<string, string>>): Headers {
  return new Headers({
    ...EVERYWHERE,
    "Content-Security-Policy": FILE_CSP,
    "Cross-Origin-Resource-Policy": SAME_ORIGIN,
    "Cache-Control": "no-store",
    ...(isSecure(url) ? { "Strict-Transport-Security": HSTS } : {}),
    ...more,
  });
}

export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set("requestId", requestIdOf(c.req.raw));
  await next();
  countAnswer(c, c.res.status);
  if (c.get("hasAllHeaders")) return;
  const { headers } = c.res;
  for (const [name, value] of Object.entries(EVERYWHERE)) headers.set(name, value);
  headers.set("X-Request-Id", c.get("requestId"));
  // Browsers merge a 304's headers into their copy, which has its own policy already.
  if (c.res.status !== 304) {
    // A download is a file, also where its creator says that it is HTML.
    const isFile = headers.get("Content-Disposition")?.startsWith("attachment") ?? false;
    const isPage = !isFile && (headers.get("Content-Type")?.startsWith("text/html") ?? false);
    headers.set(
      "Content-Security-Policy",
      isPage ? PAGE_POLICIES[c.get("policy") ?? "page"] : FILE_CSP,
    );
  }
  if (!headers.has("Cross-Origin-Resource-Policy")) {
    headers.set("Cross-Origin-Resource-Policy", SAME_ORIGIN);
  }
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (isSecure(c.req.url)) headers.set("Strict-Transport-Security", HSTS);
});

function isSecure(url: string): boolean {
  return url.startsWith("https:");
}
