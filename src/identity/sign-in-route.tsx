/** Signing in with a passkey (docs/contract.md section 8). */
import { Hono } from "hono";
import { returnAddress } from "../accounts/return-address.ts";
import { ApiError } from "../http/api-error.ts";
import { SETUP_PAGE, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { SignInBody } from "./bodies.ts";
import { challengeEnd, makeChallenge } from "./challenges.ts";
import {
  type BoxContext,
  type BoxEnv,
  bodyOf,
  refused,
  relyingParty,
  sessionKey,
} from "./context.ts";
import { endedAt } from "./ended.ts";
import { enter, tell } from "./enter.ts";
import { NOTICES } from "./notices.ts";
import { challengeOf, signInOptions, verifySignIn, type WebAuthnAssertion } from "./passkeys.ts";
import { findPasskey, notePasskeyUse, type Passkey } from "./passkeys-store.ts";
import { SignInPage } from "./sign-in-page.tsx";
import { hashOf } from "./tokens.ts";
import { isUseRefused, use } from "./used-store.ts";
import { findUser, hasUsers } from "./users-store.ts";

const PURPOSE = "sign-in";

export const signIn = new Hono<BoxEnv>();

/** 200 `{ok, options}` for `navigator.credentials.get`. It names no passkey, so it tells of no account. */
signIn.post("/api/auth/passkey/options", async (c) => {
  const challenge = makeChallenge(sessionKey(c), PURPOSE, Date.now());
  return c.json({ ok: true, options: await signInOptions(relyingParty(c), challenge) });
});

/**
 * `{response, return_to?}` → 200 `{ok, return_to}` with the session's cookie; 400 for an address of another site; 401
 * SIGN_IN_REFUSED for everything else that is wrong.
 */
signIn.post("/api/auth/passkey", async (c) => {
  const { response, return_to } = await bodyOf(c, SignInBody);
  const address = returnAddress(return_to, new URL(c.req.url).origin);
  if (address === null) throw notOurs();
  await enterByPasskey(c, response, Date.now());
  return c.json({ ok: true, return_to: address });
});

async function enterByPasskey(c: BoxContext, response: WebAuthnAssertion, now: number) {
  const { DB } = c.env;
  const challenge = challengeOf(response);
  const challenge_end = challengeEnd(sessionKey(c), PURPOSE, challenge, now);
  if (challenge_end === null) throw refused();
  const passkey = await findPasskey(DB, response.id);
  if (passkey === null || (await isRemoved(c, passkey))) throw refused();
  const verified = await verifySignIn(relyingParty(c), challenge, response, passkey);
  if (verified === "refused") throw refused();
  const using = use(DB, "challenge", challenge, passkey.user_id, challenge_end);
  if (verified === "cloned") return tellCloned(DB, using, passkey, now);
  const user = await findUser(DB, passkey.user_id);
  if (user === null || user.suspended_at !== null) throw refused();
  await enter(
    c,
    user,
    [using, notePasskeyUse(DB, { ...verified, id: passkey.id, used_at: now })],
    now,
  );
}

/** A D1 that went back may have it again. */
async function isRemoved({ env }: BoxContext, { id }: Passkey): Promise<boolean> {
  return (await endedAt(env.MEDIA, "passkey", await hashOf(id))) !== null;
}

/** Not where the challenge was answered before: its counter is old because the answer came twice. Throws 401. */
async function tellCloned(
  db: D1Database,
  using: D1PreparedStatement,
  { user_id }: Passkey,
  now: number,
): Promise<never> {
  try {
    await db.batch([using, tell(db, user_id, NOTICES.passkey_cloned(), now)]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
  }
  throw refused();
}

function notOurs(): ApiError {
  const issues = [{ path: "return_to", message: "must be an address of this site" }];
  return new ApiError("VALIDATION_FAILED", { details: { issues } });
}

/**
 * The page on which people sign in. 200 HTML; 302 to the setup while there is nobody; 400 for a `return_to` of another
 * site.
 */
signIn.get(SIGN_IN_PAGE, async (c) => {
  const url = new URL(c.req.url);
  const { origin } = relyingParty(c);
  const wished = c.req.query("return_to");
  const return_to = wished === undefined ? null : returnAddress(wished, origin);
  if (wished !== undefined && return_to === null) throw notOurs();
  if (!(await hasUsers(c.env.DB))) return c.redirect(SETUP_PAGE, 302);
  return c.html(
    `<!DOCTYPE html>${(
      <SignInPage
        locale={readerLanguage(c)}
        url={url}
        return_to={return_to}
        sign_up={c.env.SIGN_UP}
      />
    )}`,
  );
});
