import type { Context } from "hono";
import { AuthorizationResponseError } from "oauth4webapi";
import { logError } from "../../objects/platform/log.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { parseEmail } from "../http/email-address.ts";
import { ACCOUNT_PAGE, ISSUER_PATH, MY_IDENTITIES_PATH, SIGN_IN_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { newId } from "../http/new-id.ts";
import { isVisible, plainText } from "../views/plain-text.ts";
import { addAct } from "./acts-store.ts";
import { admission, join } from "./admit.ts";
import { IssuerBody, OwnIssuerBody } from "./bodies.ts";
import { type Asked, type BoxEnv, bodyOf, idIn, relyingParty, returnOf } from "./context.ts";
import { endedAt } from "./ended.ts";
import { enter, tell } from "./enter.ts";
import {
  addIdentity,
  deleteIdentity,
  findIdentity,
  type Identity,
  listIdentities,
  noteIdentityUse,
} from "./identities-store.ts";
import { type IssuerVisit, keepVisit, takeVisit } from "./issuer-visit.ts";
import { type Issuer, issuersOf, type Person, usableWays } from "./issuers.ts";
import { USED_MS, USER_NAME_CHARS_MAX } from "./limits.ts";
import { noteUse } from "./note-use.ts";
import { NOTICES } from "./notices.ts";
import { authorizationAddress, newSecrets, personOf } from "./openid.ts";
import type { IssuerProblem } from "./problem-texts.ts";
import { type SignedInBox, sessionOf } from "./signed-in.ts";
import { hashOf } from "./tokens.ts";
import { isUseRefused, use } from "./used-store.ts";
import { findUser, findUserByEmail, requireWayIn } from "./users-store.ts";

export const issuer = new Hono<BoxEnv>();

/**
 * Signs in: `{locale, return_to?, invitation?}` → 200 `{ok, location}`, the issuer's page, with a cookie that its
 * answer needs. Not a link: another site could send its visitors there, and an invitation belongs in no address. 404;
 * 503 where the issuer does not answer.
 */
issuer.post(`${ISSUER_PATH}/:name`, async (c) => {
  const { return_to: wished, ...body } = await bodyOf(c, IssuerBody);
  const visit = { ...body, return_to: returnOf(c, wished), user_id: null };
  return c.json({ ok: true, location: await beginVisit(c, c.req.param("name"), visit) });
});

/**
 * The issuer's redirect: 302 to the sign-in's target with the session's cookie, or to the page where it began with
 * `?problem=`. Only the subject signs in, whatever the issuer says of an address.
 */
issuer.get(`${ISSUER_PATH}/:name/callback`, async (c) => {
  const now = Date.now();
  const at = issuerOf(c, c.req.param("name"));
  const visit = takeVisit(c, { issuer: at.name, state: c.req.query("state") }, now);
  if (visit === null) return c.redirect(problemPage("expired", null));
  let problem: IssuerProblem | null;
  try {
    const person = await personOf(at, redirectAddress(c, at), new URL(c.req.url), visit.secrets);
    problem = await (visit.user_id === null
      ? signInBy(c, at, person, visit, now)
      : connect(c, at, person, visit, now));
  } catch (error) {
    problem = problemOf(error);
    if (problem === "failed") logError("issuer_failed", { issuer: at.name }, error);
  }
  if (problem === null) return c.redirect(visit.return_to);
  // The mails are about what has not happened.
  c.env.mails.length = 0;
  return c.redirect(problemPage(problem, visit));
});

/** Null if somebody is signed in now. */
async function signInBy(
  c: Context<BoxEnv>,
  { address, label }: Issuer,
  person: Person,
  { secrets, locale, invitation, ends_at }: IssuerVisit,
  now: number,
): Promise<IssuerProblem | null> {
  const { DB, MEDIA } = c.env;
  const state = await hashOf(secrets.state);
  const usedBy = (user_id: string) => use(DB, "challenge", `issuer ${state}`, user_id, ends_at);
  const identity = await findIdentity(DB, address, person.subject);
  if (identity !== null) {
    const [user, ended_at] = await Promise.all([
      findUser(DB, identity.user_id),
      endedAt(MEDIA, "identity", identity.id),
    ]);
    if (user === null || user.suspended_at !== null || ended_at !== null) return "refused";
    await enter(c, user, [usedBy(user.id), noteIdentityUse(DB, identity, now)], now);
    return null;
  }
  const email = person.email === null ? null : (parseEmail(person.email)?.toLowerCase() ?? null);
  // Somebody with an account gets no second one: they can connect the two.
  if (email !== null && (await findUserByEmail(DB, email)) !== null) return "known_email";
  const admitted = await admission(c, invitation, now);
  if (admitted === null) return "no_account";
  const name = nameOf(person) || label;
  await join(
    c,
    admitted,
    { name, email, locale },
    (user_id) => [usedBy(user_id), addIdentity(DB, newIdentity(address, person, user_id, now))],
    now,
  );
  return null;
}

/** Null if the issuer's account is now a way in for the user who asked, who must still be signed in. */
async function connect(
  c: Context<BoxEnv>,
  { address, label }: Issuer,
  person: Person,
  { secrets, user_id, ends_at }: IssuerVisit,
  now: number,
): Promise<IssuerProblem | null> {
  const { DB } = c.env;
  const user = (await sessionOf(c))?.session.user;
  if (user === undefined || user.id !== user_id) return "expired";
  const identity = await findIdentity(DB, address, person.subject);
  if (identity !== null) return identity.user_id === user.id ? null : "taken";
  const state = await hashOf(secrets.state);
  try {
    await DB.batch([
      use(DB, "challenge", `issuer ${state}`, user.id, ends_at),
      addIdentity(DB, newIdentity(address, person, user.id, now)),
      addAct(DB, "identity_added", user, user, now, label),
      tell(c, user, NOTICES.identity_added(label), now),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    // The user has too many, or somebody was faster.
    return "refused";
  }
  return null;
}

/** These routes need `signedIn`. */
export const ownIdentities = new Hono<SignedInBox>();

/** `{issuer, locale}` → 200 `{ok, location}` as for a sign-in; 404. */
ownIdentities.post(MY_IDENTITIES_PATH, async (c) => {
  const { issuer, locale } = await bodyOf(c, OwnIssuerBody);
  const return_to = relyingParty(c).origin + ACCOUNT_PAGE;
  const visit = { return_to, locale, user_id: c.get("session").user.id };
  return c.json({ ok: true, location: await beginVisit(c, issuer, visit) });
});

/** 200 `{ok}`; 404, or 409 LAST_WAY_IN. */
ownIdentities.delete(`${MY_IDENTITIES_PATH}/:id`, async (c) => {
  const id = idIn(Id, c.req.param("id"));
  const { user } = c.get("session");
  const { DB } = c.env;
  const now = Date.now();
  const identity = (await listIdentities(DB, user.id)).find((one) => one.id === id);
  if (identity === undefined) throw new ApiError("NOT_FOUND");
  try {
    await DB.batch([
      // Fails if another request deleted it meanwhile.
      use(DB, "identity", id, user.id, now + USED_MS),
      deleteIdentity(DB, identity),
      requireWayIn(DB, user.id, usableWays(c)),
      addAct(DB, "identity_removed", user, user, now, identity.name),
    ]);
  } catch (error) {
    if (!isUseRefused(error)) throw error;
    const isThere = (await findIdentity(DB, identity.issuer, identity.subject)) !== null;
    throw new ApiError(isThere ? "LAST_WAY_IN" : "NOT_FOUND");
  }
  await noteUse(c.env, "identity", id, now);
  return c.json({ ok: true });
});

/** Throws 404 for an unknown issuer, 503 where it does not answer. */
async function beginVisit(
  c: Context<BoxEnv> | Context<SignedInBox>,
  name: string,
  visit: Omit<IssuerVisit, "issuer" | "secrets" | "ends_at">,
): Promise<string> {
  const at = issuerOf(c, name);
  const secrets = newSecrets();
  const location = await authorizationAddress(at, redirectAddress(c, at), secrets).catch(
    (error) => {
      logError("issuer_failed", { issuer: at.name }, error);
      throw dependencyDown(error);
    },
  );
  keepVisit(c, { ...visit, issuer: at.name, secrets }, Date.now());
  return location;
}

/** Throws 404 where the settings name none. */
function issuerOf(c: Asked, name: string): Issuer {
  const found = issuersOf(c).find((one) => one.name === name);
  if (found === undefined) throw new ApiError("NOT_FOUND");
  return found;
}

/** Each issuer has its own, so that no answer is taken for another issuer's (RFC 9700 section 4.4). */
function redirectAddress(c: Asked, { name }: Issuer): string {
  return `${relyingParty(c).origin}${ISSUER_PATH}/${name}/callback`;
}

function problemOf(error: unknown): IssuerProblem {
  if (error instanceof AuthorizationResponseError && error.error === "access_denied") {
    return "cancelled";
  }
  return error instanceof ApiError && error.code === "SIGN_IN_REFUSED" ? "refused" : "failed";
}

function problemPage(problem: IssuerProblem, visit: IssuerVisit | null): string {
  const query = new URLSearchParams({ problem, ...(visit && { lang: visit.locale }) });
  if (visit?.user_id != null) return `${ACCOUNT_PAGE}?${query}`;
  if (visit !== null) query.set("return_to", visit.return_to);
  return `${SIGN_IN_PAGE}?${query}`;
}

function newIdentity(
  issuer: string,
  person: Person,
  user_id: string,
  now: number,
): Omit<Identity, "used_at"> {
  const { subject } = person;
  return { issuer, subject, id: newId(), user_id, name: nameOf(person), created_at: now };
}

function nameOf({ names }: Person): string {
  const shown = names.map((name) =>
    plainText([...(name ?? "")].slice(0, USER_NAME_CHARS_MAX).join("")),
  );
  return shown.find(isVisible) ?? "";
}
