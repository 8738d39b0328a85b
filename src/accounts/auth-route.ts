/**
 * Signing in and out, which happens at the hub (docs/contract.md section 8). The hub sets and clears the cookie of its
 * session; signing out here clears the cookie `owner_of`.
 */
import { Hono } from "hono";
import { ApiError } from "../http/api-error.ts";
import { requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { LOGIN_PATH, LOGOUT_PATH, SESSION_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { onlyMethods } from "../http/methods.ts";
import { noteAccountChanged } from "./accounts-store.ts";
import { csrf, isCrossOrigin } from "./csrf.ts";
import { endSession } from "./hub.ts";
import { closeLiveSockets } from "./live-sockets.ts";
import { deleteOwnerCookie } from "./owner-cookie.ts";
import { returnAddress } from "./return-address.ts";
import { csrfToken, findSession, sessionCookie } from "./session.ts";

export const auth = new Hono<AppEnv>();

for (const path of [LOGIN_PATH, SESSION_PATH, LOGOUT_PATH]) auth.use(path, exactLimit);

/** 302 to the hub's page for signing in, which sends back to `?return_to=`, or 400 if that is not ours. */
auth.get(LOGIN_PATH, (c) => {
  const { origin } = new URL(c.req.url);
  const address = returnAddress(c.req.query("return_to") ?? "/", origin);
  if (address === null) {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: [{ path: "return_to", message: "must be an address of this site" }] },
    });
  }
  const sign_in = new URL(requireConfig(c.env, "accounts").AUTH_URL);
  sign_in.searchParams.set("return_to", address);
  return c.redirect(sign_in.href, 302);
});
auth.all(LOGIN_PATH, onlyMethods("GET"));

/**
 * 200 `{ok, authenticated, user|null, csrf_token|null}`; the token goes into `X-CSRF-Token` of whatever
 * changes something. 502 or 504 where the hub cannot say.
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
 * Ends the session, at the hub first, and takes `owner_of` from the browser. 204, also where there was none; 403
 * CSRF_REQUIRED; 502, 503 or 504 where it may not be over everywhere and should be tried again.
 */
auth.post(LOGOUT_PATH, csrf, async (c) => {
  const cookie = sessionCookie(c.env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie);
  if (session !== null) {
    await endSession(c.env, session.cookie);
    // Where it is remembered it would be taken for true for a minute: on 503 to be tried again.
    await callDependency("sign_out_failed", () =>
      noteAccountChanged(c.env.DB, session.user.id).run(),
    );
    closeLiveSockets(c, session.user.id);
  }
  // Without a session `csrf` lets requests from other sites pass. They must not remove the cookie: the owner's visits
  // would be counted as people's.
  if (!isCrossOrigin(c)) deleteOwnerCookie(c);
  return c.body(null, 204);
});
auth.all(LOGOUT_PATH, onlyMethods("POST"));
