import * as z from "zod/mini";
import { USERS_LISTED, USERS_QUERY_CHARS_MAX, USERS_SEARCHED } from "./limits.ts";
import { findUser, findUserByEmail, listUsers, type User, type UserPlace } from "./users-store.ts";

const Cursor = z.pipe(
  z.string().check(z.regex(/^\d{1,15}\.[\x21-\x7e]{1,128}$/)),
  z.transform((text): UserPlace => {
    const dot = text.indexOf(".");
    return { created_at: Number(text.slice(0, dot)), id: text.slice(dot + 1) };
  }),
);

export const UsersQuery = z.object({
  q: z._default(z.string().check(z.maxLength(USERS_QUERY_CHARS_MAX), z.trim()), ""),
  cursor: z.optional(Cursor),
});

export interface FoundUsers {
  users: User[];
  next_cursor: string | null;
}

/**
 * Newest first. Indexes find an id or an email; a part of a name is searched in a bounded number of accounts, then
 * the cursor continues.
 */
export async function findUsers(
  db: D1Database,
  { q, cursor = null }: { q: string; cursor?: UserPlace | undefined | null },
): Promise<FoundUsers> {
  if (q === "") return pageOf(await listUsers(db, cursor, USERS_LISTED + 1), null);
  if (cursor === null) {
    const [by_id, by_email] = await Promise.all([
      findUser(db, q),
      q.includes("@") ? findUserByEmail(db, q.toLowerCase()) : null,
    ]);
    const user = by_id ?? by_email;
    if (user !== null) return { users: [user], next_cursor: null };
  }
  const searched = await listUsers(db, cursor, USERS_SEARCHED);
  const part = folded(q);
  const matching = searched.filter(
    ({ name, email }) => folded(name).includes(part) || email?.includes(part),
  );
  return pageOf(matching, searched.length === USERS_SEARCHED ? (searched.at(-1) ?? null) : null);
}

/** @param last_searched the account after which the search continues; null at the end */
function pageOf(found: User[], last_searched: User | null): FoundUsers {
  const users = found.slice(0, USERS_LISTED);
  const last = found.length > users.length ? users.at(-1) : last_searched;
  return { users, next_cursor: last ? `${last.created_at}.${last.id}` : null };
}

/** Removes marks, tatweel and case, as people type names. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\u0640]/gu, "")
    .toLowerCase();
}
