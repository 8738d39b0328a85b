/** Lets in whoever is signed in at the hub, and nobody else (docs/contract.md section 8). */
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/api-error.ts";
import type { AppEnv } from "../http/context.ts";
import { LOGIN_PATH } from "../http/endpoints.ts";
import { findSession, type Session, sessionCookie } from "./session.ts";

/** What a route behind `requireSession` finds with `c.get("session")`. */
export interface SignedIn extends AppEnv {
  Variables: AppEnv["Variables"] & { session: Session };
}

/** 401 AUTH_REQUIRED without a session; 502 or 504 where the hub cannot say whose it is. */
export const requireSession = createMiddleware<SignedIn>(async (c, next) => {
  const cookie = sessionCookie(c.env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie);
  if (session === null) throw authRequired(c.req.url);
  c.set("session", session);
  await next();
});

/** The 401, with where to sign in. */
export function authRequired(url: string): ApiError {
  return new ApiError("AUTH_REQUIRED", {
    details: { login_url: new URL(LOGIN_PATH, url).href },
  });
}
