import type { AppContext } from "./context.ts";

/**
 * Answers 304 where `If-None-Match` names the response's ETag (RFC 9110 section 13.1.2). Not
 * `hono/etag`: it hashes the body of every answer without an ETag, and its 304 drops all headers
 * that are not on its list.
 */
export function conditional({ req }: Pick<AppContext, "req">, response: Response): Response {
  const etag = response.headers.get("ETag");
  const if_none_match = req.header("If-None-Match");
  const weak = (tag: string) => tag.trim().replace(/^W\//, "");
  const matches =
    etag !== null &&
    if_none_match !== undefined &&
    (if_none_match.trim() === "*" ||
      if_none_match.split(",").some((tag) => weak(tag) === weak(etag)));
  if (!matches) return new Response(response.body, response);
  const headers = new Headers(response.headers);
  for (const name of ["Content-Type", "Content-Length", "Content-Encoding"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
