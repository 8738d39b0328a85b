import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/api-error.ts";
import { CODE_PATH, VERIFY_CODE_PATH } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { admission, admit, join } from "./admit.ts";
import { MailCodeBody, MailCodeEntryBody } from "./bodies.ts";
import { type BoxEnv, bodyOf, refused, returnOf } from "./context.ts";
import { isEmailEnded } from "./emails.ts";
import { enter } from "./enter.ts";
import { proveEmail, sendCode } from "./mail-codes.ts";
import { findUserByEmail } from "./users-store.ts";

export const mailCode = new Hono<BoxEnv>();

/** Throws 404 where no mail can be sent. */
export const mailOnly = createMiddleware<BoxEnv>(async (c, next) => {
  if (!c.env.has_mail) throw new ApiError("NOT_FOUND");
  await next();
});
mailCode.use(CODE_PATH, mailOnly).use(VERIFY_CODE_PATH, mailOnly);

/**
 * `{email, locale, invitation?}` → 200 `{ok, ticket}`. A code is mailed to a user's address, and to any if the request
 * may make an account; neither the answer nor its time tells which.
 */
mailCode.post(CODE_PATH, async (c) => {
  const { email, locale, invitation } = await bodyOf(c, MailCodeBody);
  const now = Date.now();
  const [user, admitted] = await Promise.all([
    findUserByEmail(c.env.DB, email),
    admission(c, invitation, now),
  ]);
  const isSent = user === null ? admitted !== null : user.suspended_at === null;
  const whose = user === null ? "nobody" : "user";
  const code = { email, user_id: null, locale };
  const ticket = await sendCode(c, code, isSent ? whose : "unsent", now);
  return c.json({ ok: true, ticket });
});

/**
 * `{ticket, code, locale, return_to?, invitation?, name?}` → 200 `{ok, return_to}` with the session's cookie, or, for a
 * new address without a name, `{ok, name_needed: true}`; the same code then works with a name. 400 for an address of
 * another site, 401 SIGN_IN_REFUSED, 403 INVITATION_REQUIRED.
 */
mailCode.post(VERIFY_CODE_PATH, async (c) => {
  const {
    return_to: wished,
    locale,
    invitation,
    name,
    ...proof
  } = await bodyOf(c, MailCodeEntryBody);
  const return_to = returnOf(c, wished);
  const now = Date.now();
  const { email, used, keep } = await proveEmail(c, proof, null, now);
  const user = await findUserByEmail(c.env.DB, email);
  if (user !== null) {
    if (user.suspended_at !== null || (await isEmailEnded(c, user.id, email))) throw refused();
    await enter(c, user, used(user.id), now);
    return c.json({ ok: true, return_to });
  }
  const admitted = await admit(c, invitation, now);
  if (name === undefined) {
    await keep();
    return c.json({ ok: true, name_needed: true });
  }
  await join(c, admitted, { name, email, locale }, used, now);
  return c.json({ ok: true, return_to });
});
