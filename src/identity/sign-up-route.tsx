/** Making an account: for everybody, for whoever has an invitation, or for nobody, as SIGN_UP says. */
import { Hono } from "hono";
import { ApiError } from "../http/api-error.ts";
import { INVITE_PAGE } from "../http/endpoints.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { SignUpBody, SignUpOptionsBody } from "./bodies.ts";
import { type BoxContext, type BoxEnv, bodyOf } from "./context.ts";
import { endedAt } from "./ended.ts";
import { InvitePage } from "./invite-page.tsx";
import type { Plan } from "./limits.ts";
import { deleteLink, findLink } from "./links-store.ts";
import { noteUse } from "./note-use.ts";
import { newUserOptions, register } from "./register.ts";
import { hashOf } from "./tokens.ts";
import { use } from "./used-store.ts";
import { hasUsers } from "./users-store.ts";

const PURPOSE = "sign-up";

export const signUp = new Hono<BoxEnv>();

/** `{name, invitation?}` → 200 `{ok, options}` for `navigator.credentials.create`; 403 INVITATION_REQUIRED. */
signUp.post("/api/auth/sign-up/options", async (c) => {
  const { name, invitation } = await bodyOf(c, SignUpOptionsBody);
  const now = Date.now();
  await admit(c, invitation, now);
  return c.json({ ok: true, options: await newUserOptions(c, PURPOSE, name, now) });
});

/**
 * `{name, locale, invitation?, response}` → 201 `{ok}` with the session's cookie. 403 INVITATION_REQUIRED, 401
 * SIGN_IN_REFUSED.
 */
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
    (user_id) =>
      link === null
        ? []
        : [use(DB, "link", link.hash, user_id, link.expires_at), deleteLink(DB, link.hash)],
    now,
  );
  if (link !== null) await noteUse(c.env, "link", link.hash, now);
  return c.json({ ok: true }, 201);
});

/** The page for whoever has an invitation. 200 HTML. */
signUp.get(INVITE_PAGE, (c) =>
  c.html(`<!DOCTYPE html>${<InvitePage locale={readerLanguage(c)} url={new URL(c.req.url)} />}`),
);

/** The plan of a new account, and the invitation that it uses. Throws 403 where none may be made. */
async function admit(
  c: BoxContext,
  invitation: string | undefined,
  now: number,
): Promise<{ plan: Plan; link: { hash: string; expires_at: number } | null }> {
  const { DB, MEDIA, SIGN_UP, NEW_USER_PLAN } = c.env;
  if (SIGN_UP !== "closed" && invitation !== undefined) {
    const hash = await hashOf(invitation);
    const link = await findLink(DB, "invitation", hash, now);
    if (link?.plan && (await endedAt(MEDIA, "link", hash)) === null) {
      return { plan: link.plan, link };
    }
  }
  // The first account is the owner's, by its own way.
  if (SIGN_UP === "open" && (await hasUsers(DB))) return { plan: NEW_USER_PLAN, link: null };
  throw new ApiError("INVITATION_REQUIRED");
}
