/**
 * Sessions: table `auth_sessions`, which this file alone writes. A session is 256 random bits in a cookie, stored as
 * its SHA-256. An ended one is noted in R2 first (`ended.ts`), so that no restored D1 brings it back. An expired or
 * signed-out row stays for a while: a sign-in from that device is nothing new.
 */
import { addEvent } from "../accounts/account-events-store.ts";
import type { Box } from "./box.ts";
import { endedAt, noteEnded } from "./ended.ts";
import { DEVICE_KEPT_MS, SESSION_IDLE_MS, SESSION_NOTED_MS, SESSIONS_MAX } from "./limits.ts";
import { hashOf } from "./tokens.ts";
import { USER_COLUMNS, type User, type UserRow, userOf } from "./users-store.ts";

export interface Device {
  browser: string;
  system: string;
}

export interface Place {
  /** ISO 3166-1; `''` for an unknown country. */
  country: string;
  city: string;
}

export interface NewSession {
  hash: string;
  id: string;
  device: Device;
  place: Place;
}

export interface ListedSession {
  id: string;
  device: Device;
  place: Place;
  created_at: number;
  /** Exact to a day. */
  used_at: number;
  hash: string;
}

export interface Session {
  id: string;
  hash: string;
  user: User;
  expires_at: number;
}

/** Past the limit the session unused for longest ends. */
export function beginSession(
  db: D1Database,
  user_id: string,
  { hash, id, device, place }: NewSession,
  now: number,
): D1PreparedStatement[] {
  const of_device = JSON.stringify(device);
  return [
    // Forgets a device whose session was ended from elsewhere.
    db
      .prepare("DELETE FROM auth_sessions WHERE user_id = ?1 AND device = ?2 AND expires_at <= ?3")
      .bind(user_id, of_device, now),
    db
      .prepare(
        `INSERT INTO auth_sessions (hash, id, user_id, device, place, created_at, used_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)`,
      )
      .bind(hash, id, user_id, of_device, JSON.stringify(place), now, now + SESSION_IDLE_MS),
    db
      .prepare(
        `DELETE FROM auth_sessions WHERE hash IN (
           SELECT hash FROM auth_sessions WHERE user_id = ?1 ORDER BY expires_at DESC LIMIT -1 OFFSET ?2)`,
      )
      .bind(user_id, SESSIONS_MAX),
  ];
}

/** The session of a cookie; null for none, or a suspended user. Notes its use once a day. */
export async function findSession(
  { DB, MEDIA }: Box,
  cookie: string,
  now: number,
): Promise<Session | null> {
  const hash = await hashOf(cookie);
  const row = await DB.prepare(
    `SELECT sessions.id AS session_id, sessions.created_at AS begun_at, used_at, expires_at, ${USER_COLUMNS}
     FROM auth_sessions AS sessions JOIN auth_users AS users ON users.id = sessions.user_id
     WHERE sessions.hash = ?1 AND expires_at > ?2 AND suspended_at IS NULL`,
  )
    .bind(hash, now)
    .first<
      UserRow & { session_id: string; begun_at: number; used_at: number; expires_at: number }
    >();
  if (row === null) return null;
  const [ended, all_ended_at] = await Promise.all([
    endedAt(MEDIA, "session", hash),
    endedAt(MEDIA, "sessions_of", row.id),
  ]);
  if (ended !== null || (all_ended_at !== null && row.begun_at <= all_ended_at)) return null;
  let { expires_at } = row;
  if (row.used_at <= now - SESSION_NOTED_MS) {
    expires_at = now + SESSION_IDLE_MS;
    // Not for a user who signed out meanwhile.
    await DB.prepare(
      "UPDATE auth_sessions SET used_at = ?2, expires_at = ?3 WHERE hash = ?1 AND expires_at > ?2",
    )
      .bind(hash, now, expires_at)
      .run();
  }
  const user = userOf(row);
  if (user.is_operator && (await endedAt(MEDIA, "operator", user.id)) !== null) {
    user.is_operator = false;
  }
  return { id: row.session_id, hash, user, expires_at };
}

/** Whether the user was lately signed in on such a device, and did not end that session from another one. */
export async function isDeviceOf(
  db: D1Database,
  user_id: string,
  device: Device,
): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM auth_sessions WHERE user_id = ?1 AND device = ?2 LIMIT 1")
    .bind(user_id, JSON.stringify(device))
    .first();
  return row !== null;
}

export async function listSessions(
  db: D1Database,
  user_id: string,
  now: number,
): Promise<ListedSession[]> {
  const { results } = await db
    .prepare(
      `SELECT hash, id, device, place, created_at, used_at FROM auth_sessions
       WHERE user_id = ?1 AND expires_at > ?2 ORDER BY used_at DESC, created_at DESC`,
    )
    .bind(user_id, now)
    .all<Omit<ListedSession, "device" | "place"> & { device: string; place: string }>();
  return results.map(({ device, place, ...session }) => ({
    ...session,
    device: JSON.parse(device),
    place: JSON.parse(place),
  }));
}

export async function endSessions(
  { DB, MEDIA }: Box,
  user_id: string,
  hashes: readonly string[],
  now: number,
): Promise<void> {
  await Promise.all(hashes.map((hash) => noteEnded(MEDIA, "session", hash, now)));
  await DB.batch([
    DB.prepare(
      "DELETE FROM auth_sessions WHERE user_id = ?1 AND hash IN (SELECT value FROM json_each(?2))",
    ).bind(user_id, JSON.stringify(hashes)),
    addEvent(DB, { type: "session.revoked", data: { user_id } }, now),
  ]);
}

/** Ends the session of a cookie. The caller ends what follows from it. */
export async function endSession({ DB, MEDIA }: Box, cookie: string, now: number): Promise<void> {
  const hash = await hashOf(cookie);
  const found = await DB.prepare("SELECT 1 FROM auth_sessions WHERE hash = ?1 AND expires_at > ?2")
    .bind(hash, now)
    .first();
  // Unknown cookies leave no notes.
  if (found === null) return;
  await noteEnded(MEDIA, "session", hash, now);
  await DB.prepare("UPDATE auth_sessions SET expires_at = ?2 WHERE hash = ?1")
    .bind(hash, now)
    .run();
}

export function deleteSessionsOf(db: D1Database, user_id: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_sessions WHERE user_id = ?1").bind(user_id);
}

export function deleteExpiredSessions(db: D1Database, now: number): D1PreparedStatement {
  const before = now - DEVICE_KEPT_MS;
  return db.prepare("DELETE FROM auth_sessions WHERE expires_at <= ?1").bind(before);
}
