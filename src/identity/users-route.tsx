/** Operators' routes for users (docs/contract.md section 8). For others they do not exist. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { addEvent } from "../accounts/account-events-store.ts";
import { UserId } from "../accounts/hub-answers.ts";
import { ApiError } from "../http/api-error.ts";
import {
  INVITATIONS_PATH,
  INVITE_PAGE,
  RECOVER_PAGE,
  USERS_PAGE,
  USERS_PATH,
} from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { Id } from "../http/ids.ts";
import { newId } from "../http/new-id.ts";
import { validate } from "../http/validate.ts";
import { TakedownBody } from "../operate/takedown.ts";
import { listPageNames } from "../pages/document/pages-store.ts";
import { type Act, addOperatorAct, isActRefused, listActs } from "./acts-store.ts";
import { giveGift, listGifts, readWallet } from "./books-store.ts";
import { boxFrame } from "./box-frame.ts";
import { bodyOf, idIn, relyingParty } from "./context.ts";
import { forgetEnded, noteEnded } from "./ended.ts";
import { findUsers, UsersQuery } from "./find-users.ts";
import { GiftBody } from "./gift-body.ts";
import {
  ACTS_LISTED,
  INVITATIONS_LISTED,
  LINK_MS,
  OWN_PAGES_LISTED,
  PLANS,
  UNDO_MS,
  WAY_IN_MS,
} from "./limits.ts";
import {
  addLink,
  deleteLink,
  findInvitation,
  type ListedLink,
  listInvitations,
  listWaysIn,
  type NewLink,
} from "./links-store.ts";
import { noteUse } from "./note-use.ts";
import { deleteSessionsOf, listSessions } from "./sessions-store.ts";
import { isNamed, operatorsOnly, type SignedInBox } from "./signed-in.ts";
import { hashOf, newToken } from "./tokens.ts";
import { isUseRefused, use } from "./used-store.ts";
import { UserPage, UsersPage } from "./users-page.tsx";
import {
  changePlan,
  findUser,
  setOperator,
  setSuspended,
  setUserEnd,
  type User,
} from "./users-store.ts";

type UsersContext = Context<SignedInBox>;

const USER_PATH = `${USERS_PATH}/:user_id`;
const INVITATION_PATH = `${INVITATIONS_PATH}/:id`;

const PlanBody = z.object({ plan: z.enum(PLANS) });
const OperatorBody = z.object({ is_operator: z.boolean() });

const GIFT_REFUSED = {
  "no such user": "NOT_FOUND",
  "not enough points": "INSUFFICIENT_POINTS",
  "key was used": "IDEMPOTENCY_CONFLICT",
} as const;

export const users = new Hono<SignedInBox>();

for (const path of [USERS_PAGE, USERS_PATH, INVITATIONS_PATH]) {
  users.use(`${path}/*`, operatorsOnly);
}

/** Users, newest first, or those that `?q=` finds; open invitations; the latest acts. 200 HTML; 400, 404. */
users.get(USERS_PAGE, async (c) => {
  const { DB } = c.env;
  const frame = await boxFrame(c, { asks_unread: false });
  const query = validate(UsersQuery, c.req.query());
  const now = Date.now();
  const [found, invitations, acts] = await Promise.all([
    findUsers(DB, query),
    listInvitations(DB, now, INVITATIONS_LISTED),
    listActs(DB, { user_id: null, before: Number.MAX_SAFE_INTEGER, limit: ACTS_LISTED }),
  ]);
  const can_invite = c.env.SIGN_UP !== "closed";
  const props = { ...found, q: query.q, can_invite, invitations, acts };
  return c.html(`<!DOCTYPE html>${<UsersPage frame={frame} {...props} />}`);
});

/** 200 HTML; 400, 404. */
users.get(`${USERS_PAGE}/:user_id`, async (c) => {
  const { DB } = c.env;
  const frame = await boxFrame(c, { asks_unread: false });
  const user = await userIn(c);
  const now = Date.now();
  const [sessions, ways_in, pages, acts, wallet, gifts] = await Promise.all([
    listSessions(DB, user.id, now),
    listWaysIn(DB, user.id, now),
    listPageNames(DB, user.id, OWN_PAGES_LISTED),
    listActs(DB, { user_id: user.id, before: Number.MAX_SAFE_INTEGER, limit: ACTS_LISTED }),
    readWallet(DB, user.id),
    listGifts(DB, user.id, ACTS_LISTED),
  ]);
  const points = { held: wallet?.points ?? 0, gifts, key: newId() };
  const is_self = user.id === c.get("session").user.id;
  const props = { user, is_self, is_named: isNamed(c, user.id), ways_in, pages, acts, points };
  return c.html(
    `<!DOCTYPE html>${<UserPage frame={frame} {...props} sessions={sessions.length} />}`,
  );
});

/** `{plan}` → 200 `{ok}`; 404. It takes effect at once. */
users.patch(USER_PATH, async (c) => {
  const { plan } = await bodyOf(c, PlanBody);
  const user = await userIn(c);
  const { DB } = c.env;
  if (user.plan !== plan) {
    await act(c, "plan_changed", user.id, plan, [changePlan(DB, user.id, plan), updated(DB, user)]);
  }
  return c.json({ ok: true });
});

/** `{is_operator}` → 200 `{ok}`; 404, 409 OWN_ACCOUNT. */
users.post(`${USER_PATH}/operator`, async (c) => {
  const { is_operator } = await bodyOf(c, OperatorBody);
  const user = await otherUserIn(c);
  const { DB, MEDIA } = c.env;
  if (is_operator) await forgetEnded(MEDIA, "operator", user.id);
  if (user.is_operator !== is_operator) {
    const what = is_operator ? "operator_made" : "operator_ended";
    const changes = [setOperator(DB, user.id, is_operator), updated(DB, user)];
    await act(c, what, user.id, null, changes);
  }
  if (!is_operator) await noteEnded(MEDIA, "operator", user.id, Date.now());
  return c.json({ ok: true });
});

/** `{reason}` → 200 `{ok}`; 404, 409 OWN_ACCOUNT. Sessions end, and no new one begins; the pages stay. */
users.post(`${USER_PATH}/suspend`, async (c) => {
  const { reason } = await bodyOf(c, TakedownBody);
  const user = await otherUserIn(c);
  const { DB, MEDIA } = c.env;
  const now = Date.now();
  if (user.suspended_at === null) {
    await endSessionsBy(c, user, "suspended", reason, [setSuspended(DB, user.id, now)]);
  }
  // After D1, which decides whether the operator still is one.
  await noteEnded(MEDIA, "suspended", user.id, now);
  return c.json({ ok: true });
});

/** 200 `{ok}`; 404. */
users.post(`${USER_PATH}/reinstate`, async (c) => {
  const user = await userIn(c);
  const { DB, MEDIA } = c.env;
  await forgetEnded(MEDIA, "suspended", user.id);
  if (user.suspended_at !== null) {
    await act(c, "reinstated", user.id, null, [setSuspended(DB, user.id, null)]);
  }
  return c.json({ ok: true });
});

/** 200 `{ok}`; 404. */
users.post(`${USER_PATH}/end-sessions`, async (c) => {
  await endSessionsBy(c, await userIn(c), "sessions_ended", null, []);
  return c.json({ ok: true });
});

/** 201 `{ok, link, expires_at}`: a way in for this user, once, within a day; shown once. 404. */
users.post(`${USER_PATH}/way-in`, async (c) => {
  const user = await userIn(c);
  const made = { kind: "way_in", user_id: user.id } as const;
  return addLinkBy(c, made, { what: "way_in_made", note: null, path: RECOVER_PAGE, ms: WAY_IN_MS });
});

/** Takes unused ways in back: 200 `{ok}`; 404. */
users.delete(`${USER_PATH}/way-in`, async (c) => {
  const user = await userIn(c);
  await takeBack(c, await listWaysIn(c.env.DB, user.id, Date.now()), user.id);
  return c.json({ ok: true });
});

/**
 * Asks for the deletion of the user and their pages: 200 `{ok, ends_at}`; 404, 409 OWN_ACCOUNT. Their sessions end.
 * Until then an operator can undo it, and so can the user, unless suspended.
 */
users.delete(USER_PATH, async (c) => {
  const user = await otherUserIn(c);
  const { DB } = c.env;
  const ends_at = user.ends_at ?? Date.now() + UNDO_MS;
  if (user.ends_at === null) {
    await endSessionsBy(c, user, "deletion_asked", null, [setUserEnd(DB, user.id, ends_at)]);
  }
  return c.json({ ok: true, ends_at });
});

/** Undoes the deletion: 200 `{ok}`; 404. */
users.post(`${USER_PATH}/keep`, async (c) => {
  const user = await userIn(c);
  const { DB } = c.env;
  if (user.ends_at !== null) {
    await act(c, "deletion_undone", user.id, null, [setUserEnd(DB, user.id, null)]);
  }
  return c.json({ ok: true });
});

/**
 * `{key, points, note}` → 200 `{ok}`: gives points, or takes them back if negative, once for each key; 402 where the
 * user has fewer, 404, 409 for a key of another gift.
 */
users.post(`${USER_PATH}/points`, async (c) => {
  const gift = await bodyOf(c, GiftBody);
  const { id: user_id } = await userIn(c);
  const by_id = c.get("session").user.id;
  const given = await giveGift(c.env.DB, { ...gift, user_id, by_id }, Date.now());
  if ("id" in given) return c.json({ ok: true });
  throw new ApiError(GIFT_REFUSED[given.refused]);
});

/** `{plan}` → 201 `{ok, link, expires_at}`: an account of this plan, once, within seven days; shown once. */
users.post(INVITATIONS_PATH, async (c) => {
  const { plan } = await bodyOf(c, PlanBody);
  const made = { kind: "invitation", plan } as const;
  return addLinkBy(c, made, { what: "invited", note: plan, path: INVITE_PAGE, ms: LINK_MS });
});

/** Takes an invitation back: 200 `{ok}`; 404 for an unknown or used one. */
users.delete(INVITATION_PATH, async (c) => {
  const invitation = await findInvitation(c.env.DB, idIn(Id, c.req.param("id")));
  if (invitation === null) throw new ApiError("NOT_FOUND");
  await takeBack(c, [invitation], null);
  return c.json({ ok: true });
});

/** Throws 404. */
async function userIn(c: UsersContext): Promise<User> {
  const user = await findUser(c.env.DB, idIn(UserId, c.req.param("user_id") ?? ""));
  if (user === null) throw new ApiError("NOT_FOUND");
  return user;
}

/** Throws 404, and 409 for the operator: the one who acts always stays an operator. */
async function otherUserIn(c: UsersContext): Promise<User> {
  const user = await userIn(c);
  if (user.id === c.get("session").user.id) throw new ApiError("OWN_ACCOUNT");
  return user;
}

/** Makes the changes and lists the act, in one transaction. Throws 404 if the operator is none any more. */
async function act(
  c: UsersContext,
  what: Act,
  user_id: string | null,
  note: string | null,
  changes: D1PreparedStatement[],
): Promise<void> {
  const { DB } = c.env;
  const { id } = c.get("session").user;
  const by = { id, is_named: isNamed(c, id) };
  try {
    await DB.batch([addOperatorAct(DB, what, by, user_id, Date.now(), note), ...changes]);
  } catch (error) {
    throw isActRefused(error) ? new ApiError("NOT_FOUND") : error;
  }
}

/** Also ends all sessions of the user: no restored D1 brings one back, because of the note. */
async function endSessionsBy(
  c: UsersContext,
  { id: user_id }: User,
  what: Act,
  note: string | null,
  changes: D1PreparedStatement[],
): Promise<void> {
  const { DB, MEDIA } = c.env;
  const now = Date.now();
  await noteEnded(MEDIA, "sessions_of", user_id, now);
  await act(c, what, user_id, note, [
    ...changes,
    deleteSessionsOf(DB, user_id),
    addEvent(DB, { type: "session.revoked", data: { user_id } }, now),
  ]);
}

function updated(db: D1Database, { id: user_id }: User): D1PreparedStatement {
  return addEvent(db, { type: "user.updated", data: { user_id } }, Date.now());
}

/** The code is in the fragment, which no server sees. */
async function addLinkBy(
  c: UsersContext,
  link: NewLink,
  { what, note, path, ms }: { what: Act; note: string | null; path: string; ms: number },
): Promise<Response> {
  const { DB } = c.env;
  const code = newToken();
  const now = Date.now();
  const expires_at = now + ms;
  const made_by = c.get("session").user.id;
  const made = { ...link, hash: await hashOf(code), id: newId(), made_by, expires_at };
  const user_id = link.kind === "way_in" ? link.user_id : null;
  await act(c, what, user_id, note, [addLink(DB, made, now)]);
  const address = `${relyingParty(c).origin}${path}#${code}`;
  return c.json({ ok: true, link: address, expires_at }, 201);
}

/**
 * Uses the links up: if somebody uses one at the same time, one of the two does nothing. Throws 404 if it is this
 * one. If the request ends before the note, `tidy` makes it.
 */
async function takeBack(
  c: UsersContext,
  links: readonly ListedLink[],
  user_id: string | null,
): Promise<void> {
  if (links.length === 0) throw new ApiError("NOT_FOUND");
  const { DB } = c.env;
  const { id } = c.get("session").user;
  try {
    await act(
      c,
      "link_taken_back",
      user_id,
      null,
      links.flatMap(({ hash, expires_at }) => [
        use(DB, "link", hash, id, expires_at),
        deleteLink(DB, hash),
      ]),
    );
  } catch (error) {
    throw isUseRefused(error) ? new ApiError("NOT_FOUND") : error;
  }
  for (const { hash } of links) await noteUse(c.env, "link", hash, Date.now());
}
