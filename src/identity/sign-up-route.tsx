import { INVITE_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { admit, noteInvitation, useInvitation } from "./admit.ts";
import { SignUpBody, SignUpOptionsBody } from "./bodies.ts";
import { type BoxEnv, bodyOf } from "./context.ts";
import { InvitePage } from "./invite-page.tsx";
import { issuersOf } from "./issuers.ts";
import { newUserOptions, register } from "./register.ts";

const PURPOSE = "sign-up";

export const signUp = new Hono<BoxEnv>();

/** `{name, invitation?}` → 200 `{ok, options}` for `navigator.credentials.create`; 403 INVITATION_REQUIRED. */
signUp.post("/api/auth/sign-up/options", async (c) => {
  const { name, invitation } = await bodyOf(c, SignUpOptionsBody);
  const now = Date.now();
  await admit(c, invitation, now);
  return c.json({ ok: true, options: await newUserOptions(c, PURPOSE, name, now) });
});

/** `{name, locale, invitation?, response}` → 201 `{ok}` with the session's cookie; 401, 403. */
signUp.post("/api/auth/sign-up", async (c) => {
  const { name, locale, invitation, response } = await bodyOf(c, SignUpBody);
  const { DB } = c.env;
  const now = Date.now();
  const { plan, link } = await admit(c, invitation, now);
  const user = { name, locale, plan, is_operator: false };
  await register(
    c,
    PURPOSE,
    { ...user, response, act: "signed_up" },
    (user_id) => useInvitation(DB, link, user_id),
    now,
  );
  await noteInvitation(c, link, now);
  return c.json({ ok: true }, 201);
});

/** 200 HTML. */
signUp.get(INVITE_PAGE, (c) =>
  c.html(
    `<!DOCTYPE html>${(
      <InvitePage
        locale={readerLanguage(c)}
        url={new URL(c.req.url)}
        has_mail={c.env.has_mail}
        issuers={issuersOf(c)}
      />
    )}`,
  ),
);
