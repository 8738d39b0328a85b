/** Signing in with a passkey (docs/contract.md section 8). */

import { SETUP_PAGE, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { SignInBody } from "./bodies.ts";
import { challengeEnd, makeChallenge } from "./challenges.ts";
import {
  type BoxContext,
  type BoxEnv,
  bodyOf,
  refused,
  relyingParty,
  returnOf,
  sessionKey,
} from "./context.ts";
import { endedAt } from "./ended.ts";
import { enter, tell } from "./enter.ts";
import { issuersOf } from "./issuers.ts";
import { NOTICES } from "./notices.ts";
import { challengeOf, signInOptions, verifySignIn, type WebAuthnAssertion } from "./passkeys.ts";
import { findPasskey, notePasskeyUse, type Passkey } from "./passkeys-store.ts";
import { problemText } from "./problem-texts.ts";
import { SignInPage } from "./sign-in-page.tsx";
import { hashOf } from "./tokens.ts";
import { isUseRefused, use } from "./used-store.ts";
import { findUser, hasUsers, type User } from "./users-store.ts";

const PURPOSE = "sign-in";

export const signIn = new Hono<BoxEnv>();

/** 200 `{ok, options}` for `navigator.credentials.get`. It names no passkey, so it reveals no account. */
signIn.post("/api/auth/passkey/options", async (c) => {
  const challenge = makeChallenge(sessionKey(c), PURPOSE, Date.now());
  return c.json({ ok: true, options: await signInOptions(relyingParty(c), challenge) });
});

/**
 * `{response, return_to?}` → 200 `{ok, return_to}` with the session's cookie; 400 for an address of another site; 401
 * SIGN_IN_REFUSED for anything else that is wrong.
 */
signIn.post("/api/auth/passkey", async (c) => {
  const { response, return_to } = await bodyOf(c, SignInBody);
  const address = returnOf(c, return_to);
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
  const [verified, user] = await Promise.all([
    verifySignIn(relyingParty(c), challenge, response, passkey),
    findUser(DB, passkey.user_id),
  ]);
  if (user === null || user.suspended_at !== null || verified === "refused") throw refused();
  const using = use(DB, "challenge", challenge, user.id, challenge_end);
  if (verified === "cloned") return tellCloned(c, using, user, now);
  await enter(
    c,
    user,
    [using, notePasskeyUse(DB, { ...verified, id: passkey.id, used_at: now })],
    now,
  );
}

/** A restored D1 may have it again. */
async function isRemoved({ env }: BoxContext, { id }: Passkey): Promise<boolean> {
  return (await endedAt(env.MEDIA, "passkey", await hashOf(id))) !== null;
}

/** No notice for a repeated answer: its counter is old because it came before. Throws 401. */
async function tellCloned(
  c: BoxContext,
  using: D1PreparedStatement,
  user: User,
  now: number,
): Promise<never> {
  try {
    await c.env.DB.batch([using, tell(c, user, NOTICES.passkey_cloned(), now)]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
  }
  throw refused();
}

/** 200 HTML; 302 to the setup while there is no user; 400 for a `return_to` of another site. */
signIn.get(SIGN_IN_PAGE, async (c) => {
  const url = new URL(c.req.url);
  const wished = c.req.query("return_to");
  const return_to = wished === undefined ? null : returnOf(c, wished);
  if (!(await hasUsers(c.env.DB))) return c.redirect(SETUP_PAGE, 302);
  const locale = readerLanguage(c);
  return c.html(
    `<!DOCTYPE html>${(
      <SignInPage
        locale={locale}
        url={url}
        return_to={return_to}
        sign_up={c.env.SIGN_UP}
        has_mail={c.env.has_mail}
        issuers={issuersOf(c)}
        problem={problemText(c.req.query("problem"), locale)}
      />
    )}`,
  );
});
