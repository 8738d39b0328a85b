import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/api-error.ts";
import type { AppEnv } from "../http/context.ts";
import { LOGIN_PATH } from "../http/endpoints.ts";
import { findSession, type Session, sessionCookie } from "./session.ts";

export interface SignedIn extends AppEnv {
  Variables: AppEnv["Variables"] & { session: Session };
}

/** Throws 401 AUTH_REQUIRED; 502 or 504 where the hub fails (docs/contract.md section 8). */
export const requireSession = createMiddleware<SignedIn>(async (c, next) => {
  const cookie = sessionCookie(c.env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie);
  if (session === null) throw authRequired(c.req.url);
  c.set("session", session);
  await next();
});

export function authRequired(url: string): ApiError {
  return new ApiError("AUTH_REQUIRED", {
    details: { login_url: new URL(LOGIN_PATH, url).href },
  });
}
