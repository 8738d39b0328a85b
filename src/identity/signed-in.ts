import { createMiddleware } from "hono/factory";
import { isSameOrigin } from "../accounts/csrf.ts";
import { csrfTokenBy, ownSessionCookie } from "../accounts/session.ts";
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import { cookieValues } from "../http/cookies.ts";
import { CSRF_HEADER, LOGIN_PATH } from "../http/endpoints.ts";
import { type BoxEnv, sessionKey } from "./context.ts";
import { findSession, type Session } from "./sessions-store.ts";
import type { User } from "./users-store.ts";

export interface SignedInBox extends BoxEnv {
  Variables: BoxEnv["Variables"] & { session: Session; cookie: string };
}

type Asked = Parameters<typeof sessionKey>[0];

/** Throws 401 AUTH_REQUIRED without a session, 403 CSRF_REQUIRED without its token. */
export const signedIn = createMiddleware<SignedInBox>(async (c, next) => {
  const found = await sessionOf(c);
  if (found === null) {
    const login_url = new URL(LOGIN_PATH, c.req.url).href;
    throw new ApiError("AUTH_REQUIRED", { details: { login_url } });
  }
  requireToken(c, found.cookie);
  c.set("session", found.session);
  c.set("cookie", found.cookie);
  await next();
});

/** Throws 404 for everybody but operators, then 403 CSRF_REQUIRED. */
export const operatorsOnly = createMiddleware<SignedInBox>(async (c, next) => {
  const found = await sessionOf(c);
  if (found === null || !isOperator(c, found.session.user)) throw new ApiError("NOT_FOUND");
  requireToken(c, found.cookie);
  c.set("session", found.session);
  c.set("cookie", found.cookie);
  await next();
});

export function isNamed({ env }: Asked, user_id: string): boolean {
  return env.OPERATORS.split(",").includes(user_id);
}

/** An operator whose own deletion is requested is none until they undo it. */
function isOperator(c: Asked, { id, is_operator, ends_at }: User): boolean {
  return (is_operator || isNamed(c, id)) && ends_at === null;
}

/** Bypasses the cache of sessions: one that ended elsewhere must change nothing. */
export async function sessionOf(c: Asked): Promise<{ session: Session; cookie: string } | null> {
  const [cookie] = cookieValues(c.req.header("Cookie") ?? null, ownSessionCookie(c.req.url), 1);
  if (cookie === undefined) return null;
  const session = await findSession(c.env, cookie, Date.now());
  return session && { session, cookie };
}

function requireToken(c: Asked, cookie: string): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  const given = utf8(c.req.header(CSRF_HEADER) ?? "");
  const right = utf8(csrfTokenBy(sessionKey(c), cookie));
  const isToken = given.length === right.length && crypto.subtle.timingSafeEqual(given, right);
  if (!isToken || !isSameOrigin(c)) throw new ApiError("CSRF_REQUIRED");
}
