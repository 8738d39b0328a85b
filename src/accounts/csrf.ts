/**
 * Whatever a browser's cookie could change must come from a page of ours (docs/security.md S5): by what the
 * browser says of the request's origin, and by the token that only such a page can read. Both, whatever
 * the method and the content type.
 */
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { CSRF_HEADER } from "../http/endpoints.ts";
import { csrfToken, sessionCookie } from "./session.ts";

/** Methods that change nothing here. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** 403 CSRF_REQUIRED. Without the hub's cookie there is nothing to protect. */
export const csrf = createMiddleware<AppEnv>(async (c, next) => {
  const cookie = SAFE_METHODS.has(c.req.method) ? null : sessionCookie(c.env, c.req.raw);
  if (cookie !== null && !(isSameOrigin(c) && (await hasValidToken(c, cookie)))) {
    throw new ApiError("CSRF_REQUIRED");
  }
  await next();
});

/** Browsers that do not send `Sec-Fetch-Site` send `Origin`; what is sent must be right, and one must be. */
function isSameOrigin(c: AppContext): boolean {
  const says = c.req.header("Sec-Fetch-Site") ?? c.req.header("Origin");
  return says !== undefined && !isCrossOrigin(c);
}

/** Whether the browser says that another site's page sent this. Programs and the oldest browsers say nothing. */
export function isCrossOrigin(c: AppContext): boolean {
  const site = c.req.header("Sec-Fetch-Site") ?? "same-origin";
  const { origin } = new URL(c.req.url);
  return site !== "same-origin" || (c.req.header("Origin") ?? origin) !== origin;
}

async function hasValidToken(c: AppContext, cookie: string): Promise<boolean> {
  const given = utf8(c.req.header(CSRF_HEADER) ?? "");
  const right = utf8(await csrfToken(c.env, cookie));
  return given.length === right.length && crypto.subtle.timingSafeEqual(given, right);
}
