/** A user's own address: only one that they have proven is stored. */
import { Hono } from "hono";
import { addEvent } from "../accounts/account-events-store.ts";
import { ApiError } from "../http/api-error.ts";
import { MY_EMAIL_PATH, VERIFY_MY_EMAIL_PATH } from "../http/endpoints.ts";
import { addAct } from "./acts-store.ts";
import { EmailBody, ProofBody } from "./bodies.ts";
import { bodyOf } from "./context.ts";
import { forgetEmailEnded, noteEmailEnded } from "./emails.ts";
import { tell } from "./enter.ts";
import { usableWays } from "./issuers.ts";
import { mailOnly } from "./mail-code-route.ts";
import { proveEmail, sendCode } from "./mail-codes.ts";
import { NOTICES } from "./notices.ts";
import type { SignedInBox } from "./signed-in.ts";
import { isUseRefused } from "./used-store.ts";
import { removeEmail, requireWayIn, setEmail } from "./users-store.ts";

/** Behind `signedIn`. */
export const ownEmail = new Hono<SignedInBox>();

/** `{email}` → 200 `{ok, ticket}`: a code is mailed to the address, whosever it is. 404 where no mail can be sent. */
ownEmail.post(MY_EMAIL_PATH, mailOnly, async (c) => {
  const { email } = await bodyOf(c, EmailBody);
  const { id: user_id, locale } = c.get("session").user;
  return c.json({
    ok: true,
    // The address may be anybody's.
    ticket: await sendCode(c, { email, user_id, locale }, "nobody", Date.now()),
  });
});

/**
 * `{ticket, code}` → 200 `{ok}`: the address is the user's, in place of the one before. 401 SIGN_IN_REFUSED, with
 * `reason: "taken"` where another account has it, which only its reader gets to know.
 */
ownEmail.post(VERIFY_MY_EMAIL_PATH, mailOnly, async (c) => {
  const proof = await bodyOf(c, ProofBody);
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  const { email, used } = await proveEmail(c, proof, user.id, now);
  try {
    await DB.batch([
      ...used(user.id),
      setEmail(DB, user.id, email),
      addAct(DB, "email_changed", user, user, now),
      addEvent(DB, { type: "user.updated", data: { user_id: user.id } }, now),
      // By mail to the address before, which is another person's where a thief changes it.
      tell(c, user, NOTICES.email_changed(email), now),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    throw new ApiError("SIGN_IN_REFUSED", { details: { reason: "taken" } });
  }
  await forgetEmailEnded(c, user.id, email);
  if (user.email !== null && user.email !== email)
    await noteEmailEnded(c, user.id, user.email, now);
  return c.json({ ok: true });
});

/** 200 `{ok}`; 404 where there is none, or 409 LAST_WAY_IN. */
ownEmail.delete(MY_EMAIL_PATH, async (c) => {
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  if (user.email === null) throw new ApiError("NOT_FOUND");
  try {
    await DB.batch([
      removeEmail(DB, user.id),
      requireWayIn(DB, user.id, usableWays(c)),
      addAct(DB, "email_removed", user, user, now),
      addEvent(DB, { type: "user.updated", data: { user_id: user.id } }, now),
      tell(c, user, NOTICES.email_changed(null), now),
    ]);
  } catch (error) {
    throw isUseRefused(error) ? new ApiError("LAST_WAY_IN") : error;
  }
  await noteEmailEnded(c, user.id, user.email, now);
  return c.json({ ok: true });
});
