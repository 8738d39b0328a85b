/** Conditional requests (RFC 9110 section 13.1.2). */
import type { AppContext } from "./context.ts";

/** The response, or 304 where the client holds it already. */
export function conditional(c: AppContext, response: Response): Response {
  const etag = response.headers.get("ETag");
  const held = c.req.header("If-None-Match");
  const weak = (tag: string) => tag.trim().replace(/^W\//, "");
  const matches =
    etag !== null &&
    held !== undefined &&
    (held.trim() === "*" || held.split(",").some((tag) => weak(tag) === weak(etag)));
  if (!matches) return new Response(response.body, response);
  const headers = new Headers(response.headers);
  for (const name of ["Content-Type", "Content-Length", "Content-Encoding"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
