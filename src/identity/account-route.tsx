/** A user's routes to their own account (docs/contract.md section 8). */
import type { Context } from "hono";
import { addEvent } from "../accounts/account-events-store.ts";
import { ApiError } from "../http/api-error.ts";
import { ACCOUNT_PAGE, MY_ACCOUNT_PATH } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { languageOf } from "../views/numbering.ts";
import { AccountPage } from "./account-page.tsx";
import { addAct } from "./acts-store.ts";
import { AccountBody, CredentialId, NewPasskeyBody, PasskeyBody } from "./bodies.ts";
import { boxFrame } from "./box-frame.ts";
import { challengeEnd, makeChallenge } from "./challenges.ts";
import { bodyOf, idIn, refused, relyingParty, sessionKey } from "./context.ts";
import { noteEnded } from "./ended.ts";
import { tell } from "./enter.ts";
import { listIdentities } from "./identities-store.ts";
import { ownIdentities } from "./issuer-route.ts";
import { issuersOf, usableWays } from "./issuers.ts";
import { UNDO_MS, USED_MS } from "./limits.ts";
import { noteUse } from "./note-use.ts";
import { NOTICES } from "./notices.ts";
import { ownEmail } from "./own-email-route.ts";
import { challengeOf, registrationOptions, verifyRegistration } from "./passkeys.ts";
import {
  addPasskey,
  deletePasskey,
  findPasskey,
  listPasskeys,
  renamePasskey,
} from "./passkeys-store.ts";
import { problemText } from "./problem-texts.ts";
import {
  countRecoveryCodes,
  newRecoveryCodes,
  replaceRecoveryCodes,
} from "./recovery-codes-store.ts";
import { newPasskeyName } from "./register.ts";
import { endSessions, listSessions } from "./sessions-store.ts";
import { type SignedInBox, signedIn } from "./signed-in.ts";
import { hashOf } from "./tokens.ts";
import { isUseRefused, use } from "./used-store.ts";
import { changeUser, requireWayIn, setUserEnd } from "./users-store.ts";

export const account = new Hono<SignedInBox>();

account.use(ACCOUNT_PAGE, signedIn);
account.use(`${MY_ACCOUNT_PATH}/*`, signedIn);
account.route("/", ownEmail);
account.route("/", ownIdentities);

/** 200 HTML; 401. */
account.get(ACCOUNT_PAGE, async (c) => {
  const [frame, shown] = await Promise.all([boxFrame(c), shownAccount(c)]);
  const problem = problemText(c.req.query("problem"), languageOf(frame.locale));
  return c.html(`<!DOCTYPE html>${<AccountPage frame={frame} {...shown} problem={problem} />}`);
});

/** 200 `{ok, user, passkeys, has_mail, issuers, identities, sessions, codes_left}`; times in unix milliseconds. */
account.get(MY_ACCOUNT_PATH, async (c) => c.json({ ok: true, ...(await shownAccount(c)) }));

/** `{name?, locale?}` → 200 `{ok}`. */
account.patch(MY_ACCOUNT_PATH, async (c) => {
  const change = await bodyOf(c, AccountBody);
  const { id: user_id } = c.get("session").user;
  const { DB } = c.env;
  const now = Date.now();
  await DB.batch([
    changeUser(DB, user_id, change),
    addEvent(DB, { type: "user.updated", data: { user_id } }, now),
  ]);
  return c.json({ ok: true });
});

/** Asks for the end of the account and its pages: 200 `{ok, ends_at}`. Sessions end; a new sign-in can undo it. */
account.delete(MY_ACCOUNT_PATH, async (c) => {
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  const ends_at = user.ends_at ?? now + UNDO_MS;
  await DB.batch([setUserEnd(DB, user.id, ends_at), addAct(DB, "deletion_asked", user, user, now)]);
  await endOthers(c.env, user.id, null, now);
  return c.json({ ok: true, ends_at });
});

/** Undoes the end: 200 `{ok}`. */
account.post(`${MY_ACCOUNT_PATH}/keep`, async (c) => {
  const { user } = c.get("session");
  const { DB } = c.env;
  await DB.batch([
    setUserEnd(DB, user.id, null),
    addAct(DB, "deletion_undone", user, user, Date.now()),
  ]);
  return c.json({ ok: true });
});

/** 200 `{ok, options}` for `navigator.credentials.create`. */
account.post(`${MY_ACCOUNT_PATH}/passkeys/options`, async (c) => {
  const { user } = c.get("session");
  const challenge = makeChallenge(sessionKey(c), `add ${user.id}`, Date.now());
  const known = await listPasskeys(c.env.DB, user.id);
  const options = await registrationOptions(relyingParty(c), challenge, { user, known });
  return c.json({ ok: true, options });
});

/** `{response, name?}` → 201 `{ok, id}`; 401 SIGN_IN_REFUSED for a wrong passkey or a 21st one. */
account.post(`${MY_ACCOUNT_PATH}/passkeys`, async (c) => {
  const { response, name } = await bodyOf(c, NewPasskeyBody);
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  const challenge = challengeOf(response);
  const end = challengeEnd(sessionKey(c), `add ${user.id}`, challenge, now);
  const made = end && (await verifyRegistration(relyingParty(c), challenge, response));
  if (!made) throw refused();
  const { provider, ...key } = made;
  const passkey_name = name ?? newPasskeyName(c, provider);
  try {
    await DB.batch([
      use(DB, "challenge", challenge, user.id, end),
      addPasskey(DB, { ...key, user_id: user.id, name: passkey_name, created_at: now }),
      addAct(DB, "passkey_added", user, user, now, passkey_name),
      tell(c, user, NOTICES.passkey_added(passkey_name), now),
    ]);
  } catch (error) {
    throw isUseRefused(error) ? refused() : error;
  }
  return c.json({ ok: true, id: made.id }, 201);
});

/** `{name}` → 200 `{ok}`; 404. */
account.patch(`${MY_ACCOUNT_PATH}/passkeys/:id`, async (c) => {
  const { name } = await bodyOf(c, PasskeyBody);
  const id = idIn(CredentialId, c.req.param("id"));
  const { DB } = c.env;
  const { meta } = await renamePasskey(DB, { id, user_id: c.get("session").user.id, name }).run();
  if (meta.changes === 0) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true });
});

/** 200 `{ok}`; 404, 409 LAST_WAY_IN. The passkey is used up, so no restored D1 brings it back. */
account.delete(`${MY_ACCOUNT_PATH}/passkeys/:id`, async (c) => {
  const id = idIn(CredentialId, c.req.param("id"));
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  const passkey = (await listPasskeys(DB, user.id)).find((one) => one.id === id);
  if (passkey === undefined) throw new ApiError("NOT_FOUND");
  const hash = await hashOf(id);
  try {
    await DB.batch([
      // Fails if another request deleted it meanwhile.
      use(DB, "passkey", hash, user.id, now + USED_MS),
      deletePasskey(DB, passkey),
      requireWayIn(DB, user.id, usableWays(c)),
      addAct(DB, "passkey_removed", user, user, now, passkey.name),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    throw new ApiError((await findPasskey(DB, id)) === null ? "NOT_FOUND" : "LAST_WAY_IN");
  }
  await noteUse(c.env, "passkey", hash, now);
  return c.json({ ok: true });
});

/** Ends another session or this one: 200 `{ok}`; 404. */
account.delete(`${MY_ACCOUNT_PATH}/sessions/:id`, async (c) => {
  const id = idIn(Id, c.req.param("id"));
  const { user } = c.get("session");
  const now = Date.now();
  const session = (await listSessions(c.env.DB, user.id, now)).find((one) => one.id === id);
  if (session === undefined) throw new ApiError("NOT_FOUND");
  await endSessions(c.env, user.id, [session.hash], now);
  return c.json({ ok: true });
});

/** Ends all sessions but this one: 200 `{ok}`. */
account.delete(`${MY_ACCOUNT_PATH}/sessions`, async (c) => {
  const { user, hash } = c.get("session");
  await endOthers(c.env, user.id, hash, Date.now());
  return c.json({ ok: true });
});

/** Ten codes that replace the old ones, also in a restored D1: 200 `{ok, codes}`, shown once. */
account.post(`${MY_ACCOUNT_PATH}/codes`, async (c) => {
  const { user } = c.get("session");
  const { DB, MEDIA } = c.env;
  const now = Date.now();
  const codes = newRecoveryCodes();
  const [made] = await DB.batch<{ made_at: number }>([
    ...(await replaceRecoveryCodes(DB, user.id, codes, now)),
    addAct(DB, "codes_made", user, user, now),
    tell(c, user, NOTICES.codes_made(), now),
  ]);
  // Last, so that after two concurrent requests the codes in D1 are never the older ones.
  await noteEnded(MEDIA, "codes_before", user.id, made?.results[0]?.made_at ?? now);
  return c.json({ ok: true, codes });
});

async function shownAccount(c: Context<SignedInBox>) {
  const now = Date.now();
  const { DB, has_mail } = c.env;
  const { user, id: session_id } = c.get("session");
  const issuers = issuersOf(c).map(({ name, label, address }) => ({ name, label, address }));
  const [passkeys, identities, sessions, codes_left] = await Promise.all([
    listPasskeys(DB, user.id),
    listIdentities(DB, user.id),
    listSessions(DB, user.id, now),
    countRecoveryCodes(DB, user.id),
  ]);
  const { name, email, locale, plan, ends_at } = user;
  return {
    user: { name, email, locale, plan, ends_at },
    passkeys: passkeys.map(({ id, name, is_synced, created_at, used_at }) => {
      return { id, name, is_synced, created_at, used_at };
    }),
    ...{ has_mail, issuers },
    identities: identities.map(({ id, issuer, name, created_at, used_at }) => {
      return { id, issuer, name, created_at, used_at };
    }),
    sessions: sessions.map(({ hash: _, ...session }) => ({
      ...session,
      is_this: session.id === session_id,
    })),
    codes_left,
  };
}

/** Ends all sessions of the user but the one with this hash; all for null. */
async function endOthers(
  env: SignedInBox["Bindings"],
  user_id: string,
  hash: string | null,
  now: number,
): Promise<void> {
  const sessions = await listSessions(env.DB, user_id, now);
  const others = sessions.map((one) => one.hash).filter((one) => one !== hash);
  if (others.length > 0) await endSessions(env, user_id, others, now);
}
