/** Accounts: table `auth_users`, which this file alone writes. */
import type { Locale } from "../views/locale.ts";
import type { Plan } from "./limits.ts";
import { HAS_A_WAY_IN, type UsableWays, usableValues } from "./ways-in.ts";

export interface User {
  id: string;
  name: string;
  /** Proven, in lower case; null for none. */
  email: string | null;
  plan: Plan;
  locale: Locale;
  is_operator: boolean;
  suspended_at: number | null;
  /** End of the time to undo a deletion; null without one. */
  ends_at: number | null;
  created_at: number;
}

export const USER_COLUMNS = [
  "users.id, users.name, users.email, users.plan, users.locale, users.is_operator",
  "users.suspended_at, users.ends_at, users.created_at",
].join(", ");

export type UserRow = Omit<User, "is_operator"> & { is_operator: number };

export function userOf(row: UserRow): User {
  const { id, name, email, plan, locale, suspended_at, ends_at, created_at } = row;
  const is_operator = row.is_operator === 1;
  return { id, name, email, plan, locale, is_operator, suspended_at, ends_at, created_at };
}

/** Fails its whole batch where another user has the address. */
export function addUser(
  db: D1Database,
  user: Pick<User, "id" | "name" | "email" | "plan" | "locale" | "is_operator">,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO auth_users (id, name, email, plan, locale, is_operator, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
    )
    .bind(
      ...[user.id, user.name, user.email, user.plan, user.locale],
      ...[user.is_operator ? 1 : 0, now],
    );
}

export async function findUser(db: D1Database, user_id: string): Promise<User | null> {
  const row = await db
    .prepare(`SELECT ${USER_COLUMNS} FROM auth_users AS users WHERE id = ?1`)
    .bind(user_id)
    .first<UserRow>();
  return row && userOf(row);
}

export async function findUserByEmail(db: D1Database, email: string): Promise<User | null> {
  const row = await db
    .prepare(`SELECT ${USER_COLUMNS} FROM auth_users AS users WHERE email = ?1`)
    .bind(email)
    .first<UserRow>();
  return row && userOf(row);
}

export type UserPlace = Pick<User, "id" | "created_at">;

export async function listUsers(
  db: D1Database,
  after: UserPlace | null,
  limit: number,
): Promise<User[]> {
  const { created_at, id } = after ?? { created_at: Number.MAX_SAFE_INTEGER, id: "" };
  const { results } = await db
    .prepare(
      `SELECT ${USER_COLUMNS} FROM auth_users AS users
       WHERE (created_at, id) < (?1, ?2) ORDER BY created_at DESC, id DESC LIMIT ?3`,
    )
    .bind(created_at, id, limit)
    .all<UserRow>();
  return results.map(userOf);
}

export async function hasUsers(db: D1Database): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM auth_users LIMIT 1").first()) !== null;
}

export function changeUser(
  db: D1Database,
  user_id: string,
  { name, locale }: { name?: string | undefined; locale?: Locale | undefined },
): D1PreparedStatement {
  return db
    .prepare(
      "UPDATE auth_users SET name = COALESCE(?2, name), locale = COALESCE(?3, locale) WHERE id = ?1",
    )
    .bind(user_id, name ?? null, locale ?? null);
}

/** Fails its whole batch where another user has the address. */
export function setEmail(db: D1Database, user_id: string, email: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_users SET email = ?2 WHERE id = ?1").bind(user_id, email);
}

/** Use it with `requireWayIn`, which keeps the last one. */
export function removeEmail(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_users SET email = NULL WHERE id = ?1").bind(user_id);
}

/**
 * Belongs after the removal of a way in: fails its whole batch where that was the user's last, also for two
 * concurrent removals. The name would become null.
 */
export function requireWayIn(
  db: D1Database,
  user_id: string,
  usable: UsableWays,
): D1PreparedStatement {
  return db
    .prepare(`UPDATE auth_users SET name = CASE WHEN ${HAS_A_WAY_IN} THEN name END WHERE id = ?1`)
    .bind(user_id, ...usableValues(usable));
}

export function changePlan(db: D1Database, user_id: string, plan: Plan): D1PreparedStatement {
  return db.prepare("UPDATE auth_users SET plan = ?2 WHERE id = ?1").bind(user_id, plan);
}

/** @param suspended_at null reinstates the user */
export function setSuspended(
  db: D1Database,
  user_id: string,
  suspended_at: number | null,
): D1PreparedStatement {
  return db
    .prepare("UPDATE auth_users SET suspended_at = ?2 WHERE id = ?1")
    .bind(user_id, suspended_at);
}

export function setOperator(
  db: D1Database,
  user_id: string,
  is_operator: boolean,
): D1PreparedStatement {
  return db
    .prepare("UPDATE auth_users SET is_operator = ?2 WHERE id = ?1")
    .bind(user_id, is_operator ? 1 : 0);
}

/** @param ends_at null undoes the deletion */
export function setUserEnd(
  db: D1Database,
  user_id: string,
  ends_at: number | null,
): D1PreparedStatement {
  return db.prepare("UPDATE auth_users SET ends_at = ?2 WHERE id = ?1").bind(user_id, ends_at);
}

export async function listEndedUsers(
  db: D1Database,
  now: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT id FROM auth_users WHERE ends_at <= ?1 ORDER BY ends_at LIMIT ?2")
    .bind(now, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Ends users whom the service has known as deleted since this time: a restored D1 had forgotten it, was told again,
 * and still had the account.
 */
export function endDeletedUsers(db: D1Database, since: number, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE auth_users SET ends_at = ?1
       WHERE id IN (SELECT user_id FROM deleted_users WHERE deleted_at > ?2)
         AND (ends_at IS NULL OR ends_at > ?1)`,
    )
    .bind(now, since);
}

/** Fails its whole batch where the deletion was undone meanwhile: the name would become null. */
export function requireEnded(db: D1Database, user_id: string, now: number): D1PreparedStatement {
  return db
    .prepare("UPDATE auth_users SET name = CASE WHEN ends_at <= ?2 THEN name END WHERE id = ?1")
    .bind(user_id, now);
}

export function deleteUser(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_users WHERE id = ?1").bind(user_id);
}
