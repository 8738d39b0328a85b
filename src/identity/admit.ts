/** Who may make an account: everybody, whoever has an invitation, or nobody, as SIGN_UP says. */
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

/** The plan of a new account, and the invitation that it uses. */
export interface Admission {
  plan: Plan;
  link: Link;
}

type Link = { hash: string; expires_at: number } | null;

/** Null where none may be made. */
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
  // The first account is the owner's, by its own way.
  if (SIGN_UP === "open" && (await hasUsers(DB))) return { plan: NEW_USER_PLAN, link: null };
  return null;
}

/** The same. Throws 403 INVITATION_REQUIRED where none may be made. */
export async function admit(c: Asked, invitation: string | undefined, now: number) {
  const admitted = await admission(c, invitation, now);
  if (admitted === null) throw new ApiError("INVITATION_REQUIRED");
  return admitted;
}

/** In the batch that makes the account. */
export function useInvitation(db: D1Database, link: Link, user_id: string): D1PreparedStatement[] {
  if (link === null) return [];
  return [use(db, "link", link.hash, user_id, link.expires_at), deleteLink(db, link.hash)];
}

/** After that batch; `tidy` does it where the request ends before. */
export async function noteInvitation({ env }: Asked, link: Link, now: number): Promise<void> {
  if (link !== null) await noteUse(env, "link", link.hash, now);
}

/**
 * Makes an account without a passkey and signs it in, in one transaction with `more`: what it is entered by, and what
 * that uses up. Throws 401 where something was used before, or is somebody else's meanwhile.
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
