/**
 * CSRF protection (docs/security.md S5): a request with a session cookie needs this site's origin,
 * by the browser's headers, and the token that only this site's pages can read, for any content
 * type.
 */
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { CSRF_HEADER } from "../http/endpoints.ts";
import { csrfToken, sessionCookie } from "./session.ts";

type Asked = Pick<AppContext, "env" | "req">;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Throws 403 CSRF_REQUIRED. A request without the hub's cookie passes: it has no rights. */
export const csrf = createMiddleware<AppEnv>(async (c, next) => {
  const cookie = SAFE_METHODS.has(c.req.method) ? null : sessionCookie(c.env, c.req.raw);
  if (cookie !== null && !isOwnForm(c, cookie, c.req.header(CSRF_HEADER) ?? "")) {
    throw new ApiError("CSRF_REQUIRED");
  }
  await next();
});

/** A form cannot set a header, so its token is in a field. */
export function isOwnForm(c: Asked, cookie: string, token: string): boolean {
  return isSameOrigin(c) && isToken(c, cookie, token);
}

/** One of the two headers is required: browsers without `Sec-Fetch-Site` send `Origin`. */
export function isSameOrigin(c: Pick<Asked, "req">): boolean {
  const stated = c.req.header("Sec-Fetch-Site") ?? c.req.header("Origin");
  return stated !== undefined && !isCrossOrigin(c);
}

/** Whether a header names another origin. Programs and the oldest browsers send neither. */
export function isCrossOrigin(c: Pick<Asked, "req">): boolean {
  const site = c.req.header("Sec-Fetch-Site") ?? "same-origin";
  const { origin } = new URL(c.req.url);
  return site !== "same-origin" || (c.req.header("Origin") ?? origin) !== origin;
}

function isToken(c: Asked, cookie: string, token: string): boolean {
  const given = utf8(token);
  const right = utf8(csrfToken(c.env, cookie));
  return given.length === right.length && crypto.subtle.timingSafeEqual(given, right);
}
