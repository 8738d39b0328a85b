/** Only a proven address is stored. */

import { addEvent } from "../accounts/account-events-store.ts";
import { ApiError } from "../http/api-error.ts";
import { MY_EMAIL_PATH, VERIFY_MY_EMAIL_PATH } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { addAct } from "./acts-store.ts";
import { EmailBody, ProofBody } from "./bodies.ts";
import { bodyOf } from "./context.ts";
import { emailKey } from "./emails.ts";
import { forgetEnded } from "./ended.ts";
import { tell } from "./enter.ts";
import { usableWays } from "./issuers.ts";
import { USED_MS } from "./limits.ts";
import { mailOnly } from "./mail-code-route.ts";
import { proveEmail, sendCode } from "./mail-codes.ts";
import { noteUse } from "./note-use.ts";
import { NOTICES } from "./notices.ts";
import type { SignedInBox } from "./signed-in.ts";
import { forgetUse, isUseRefused, use } from "./used-store.ts";
import { findUser, removeEmail, requireWayIn, setEmail } from "./users-store.ts";

/** These routes need `signedIn`. */
export const ownEmail = new Hono<SignedInBox>();

/** `{email}` → 200 `{ok, ticket}`: a code is mailed to the address, known or not. 404 where no mail can be sent. */
ownEmail.post(MY_EMAIL_PATH, mailOnly, async (c) => {
  const { email } = await bodyOf(c, EmailBody);
  const { id: user_id, locale } = c.get("session").user;
  return c.json({
    ok: true,
    // The address may belong to anybody.
    ticket: await sendCode(c, { email, user_id, locale }, "nobody", Date.now()),
  });
});

/**
 * `{ticket, code}` → 200 `{ok}`: replaces the user's address. 401 SIGN_IN_REFUSED, with `reason: "taken"`
 * where another account has it; only the address's reader sees that.
 */
ownEmail.post(VERIFY_MY_EMAIL_PATH, mailOnly, async (c) => {
  const proof = await bodyOf(c, ProofBody);
  const { user } = c.get("session");
  const { DB, MEDIA } = c.env;
  const now = Date.now();
  const { email, used } = await proveEmail(c, proof, user.id, now);
  const key = await emailKey(user.id, email);
  const before = user.email === null || user.email === email ? null : user.email;
  const key_before = before && (await emailKey(user.id, before));
  // The address's reader asks, so it is theirs again whatever happens next.
  await forgetEnded(MEDIA, "email", key);
  try {
    await DB.batch([
      ...used(user.id),
      forgetUse(DB, "email", key),
      ...(key_before ? [use(DB, "email", key_before, user.id, now + USED_MS)] : []),
      setEmail(DB, user.id, email),
      addAct(DB, "email_changed", user, user, now),
      addEvent(DB, { type: "user.updated", data: { user_id: user.id } }, now),
      // Mailed to the old address: if a thief changes it, the new one is the thief's.
      tell(c, user, NOTICES.email_changed(email), now),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    throw new ApiError("SIGN_IN_REFUSED", { details: { reason: "taken" } });
  }
  if (key_before) await noteUse(c.env, "email", key_before, now);
  return c.json({ ok: true });
});

/** 200 `{ok}`; 404, or 409 LAST_WAY_IN. */
ownEmail.delete(MY_EMAIL_PATH, async (c) => {
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  if (user.email === null) throw new ApiError("NOT_FOUND");
  const key = await emailKey(user.id, user.email);
  try {
    await DB.batch([
      use(DB, "email", key, user.id, now + USED_MS),
      removeEmail(DB, user.id),
      requireWayIn(DB, user.id, usableWays(c)),
      addAct(DB, "email_removed", user, user, now),
      addEvent(DB, { type: "user.updated", data: { user_id: user.id } }, now),
      tell(c, user, NOTICES.email_changed(null), now),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    // Another request removed it meanwhile, or it is the last way in.
    const isThere = (await findUser(DB, user.id))?.email === user.email;
    throw new ApiError(isThere ? "LAST_WAY_IN" : "NOT_FOUND");
  }
  await noteUse(c.env, "email", key, now);
  return c.json({ ok: true });
});
