/**
 * Sign-in and sign-out by the hub (docs/contract.md section 8), which sets and clears its session
 * cookie. Sign-out here clears `owner_of`, and the cookie of a session of our own.
 */

import { ApiError } from "../http/api-error.ts";
import { hasOwnAccounts, requireConfig, siteOrigin } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { LOGIN_PATH, LOGOUT_PATH, SESSION_PATH, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { noteAccountChanged } from "./accounts-store.ts";
import { csrf, isCrossOrigin } from "./csrf.ts";
import { endSession } from "./hub.ts";
import { closeLiveSockets } from "./live-sockets.ts";
import { deleteOwnerCookie } from "./owner-cookie.ts";
import { returnAddress } from "./return-address.ts";
import { csrfToken, deleteOwnSessionCookie, findSession, sessionCookie } from "./session.ts";

export const auth = new Hono<AppEnv>();

for (const path of [LOGIN_PATH, SESSION_PATH, LOGOUT_PATH]) auth.use(path, exactLimit);

/** 302 to the hub's sign-in page, which returns to `?return_to=`; 400 for another site. */
auth.get(LOGIN_PATH, (c) => {
  const { origin } = new URL(c.req.url);
  const address = returnAddress(c.req.query("return_to"), origin);
  if (address === null) {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: [{ path: "return_to", message: "must be an address of this site" }] },
    });
  }
  const { AUTH_URL } = requireConfig(c.env, "accounts");
  const sign_in = new URL(AUTH_URL || `${siteOrigin(c.env) || origin}${SIGN_IN_PAGE}`);
  sign_in.searchParams.set("return_to", address);
  return c.redirect(sign_in.href, 302);
});
auth.all(LOGIN_PATH, onlyMethods("GET"));

/**
 * 200 `{ok, authenticated, user|null, csrf_token|null}`; requests that change something send the
 * token in `X-CSRF-Token`. 502 or 504 where the hub fails.
 */
auth.get(SESSION_PATH, async (c) => {
  const cookie = sessionCookie(c.env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie);
  return c.json({
    ok: true,
    authenticated: session !== null,
    user: session?.user ?? null,
    csrf_token: session === null ? null : await csrfToken(c.env, session.cookie),
  });
});
auth.all(SESSION_PATH, onlyMethods("GET"));

/**
 * Ends the session at the hub, then here. 204, also without one; 403 CSRF_REQUIRED; 502, 503 or 504
 * where it may still be valid: retry.
 */
auth.post(LOGOUT_PATH, csrf, async (c) => {
  const cookie = sessionCookie(c.env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie);
  if (session !== null) {
    await endSession(c.env, session.cookie);
    // Otherwise the cached session would stay valid for up to a minute.
    await callDependency("sign_out_failed", () =>
      noteAccountChanged(c.env.DB, session.user.id).run(),
    );
    closeLiveSockets(c, session.user.id);
  }
  if (hasOwnAccounts(c.env) && !isCrossOrigin(c)) deleteOwnSessionCookie(c);
  // Without a session cookie `csrf` admits requests from other sites. They must not delete
  // `owner_of`, because the owner's visits would then count as people's.
  if (!isCrossOrigin(c)) deleteOwnerCookie(c);
  return c.body(null, 204);
});
auth.all(LOGOUT_PATH, onlyMethods("POST"));
