/** Who may make an account, by SIGN_UP: everybody, the invited, or nobody. */
import { ApiError } from "../http/api-error.ts";
import type { Locale } from "../views/locale.ts";
import { addAct } from "./acts-store.ts";
import type { Asked, BoxContext } from "./context.ts";
import { endedAt } from "./ended.ts";
import { enter } from "./enter.ts";
import type { Plan } from "./limits.ts";
import { deleteLink, findLink } from "./links-store.ts";
import { noteUse } from "./note-use.ts";
import { hashOf, newUserId } from "./tokens.ts";
import { use } from "./used-store.ts";
import { addUser, hasUsers } from "./users-store.ts";

export interface Admission {
  plan: Plan;
  link: Link;
}

type Link = { hash: string; expires_at: number } | null;

/** Null if the request may make none. */
export async function admission(
  { env }: Asked,
  invitation: string | undefined,
  now: number,
): Promise<Admission | null> {
  const { DB, MEDIA, SIGN_UP, NEW_USER_PLAN } = env;
  if (SIGN_UP !== "closed" && invitation !== undefined) {
    const hash = await hashOf(invitation);
    const link = await findLink(DB, "invitation", hash, now);
    if (link?.plan && (await endedAt(MEDIA, "link", hash)) === null) {
      return { plan: link.plan, link };
    }
  }
  // The first account is the owner's, made by setup.
  if (SIGN_UP === "open" && (await hasUsers(DB))) return { plan: NEW_USER_PLAN, link: null };
  return null;
}

/** {@link admission}; throws 403 INVITATION_REQUIRED for none. */
export async function admit(c: Asked, invitation: string | undefined, now: number) {
  const admitted = await admission(c, invitation, now);
  if (admitted === null) throw new ApiError("INVITATION_REQUIRED");
  return admitted;
}

export function useInvitation(db: D1Database, link: Link, user_id: string): D1PreparedStatement[] {
  if (link === null) return [];
  return [use(db, "link", link.hash, user_id, link.expires_at), deleteLink(db, link.hash)];
}

/** Call it after that batch; if the request ends before, `tidy` does it. */
export async function noteInvitation({ env }: Asked, link: Link, now: number): Promise<void> {
  if (link !== null) await noteUse(env, "link", link.hash, now);
}

/**
 * Makes an account without a passkey and signs it in, in one transaction with `more`. Throws 401 where something was
 * used before, or belongs to somebody else by now.
 */
export async function join(
  c: BoxContext,
  { plan, link }: Admission,
  person: { name: string; email: string | null; locale: Locale },
  more: (user_id: string) => D1PreparedStatement[],
  now: number,
): Promise<void> {
  const { DB } = c.env;
  const user = { id: newUserId(), ...person };
  await enter(
    c,
    user,
    [
      ...more(user.id),
      ...useInvitation(DB, link, user.id),
      addUser(DB, { ...user, plan, is_operator: false }, now),
      addAct(DB, "signed_up", user, user, now),
    ],
    now,
    true,
  );
  await noteInvitation(c, link, now);
}
