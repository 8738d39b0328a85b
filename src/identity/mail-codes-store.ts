/** Codes that were mailed: table `auth_mail_codes`, which this file alone writes. */
import { MAIL_CODE_TRIES } from "./limits.ts";

export interface MailCode {
  /** The hash of what the browser has that asked. */
  ticket: string;
  /** Of the ticket and the code. */
  mac: string;
  email: string;
  /** Who adds the address to their account; null where the code signs in. */
  user_id: string | null;
  /** Unix milliseconds. */
  expires_at: number;
}

export function addMailCode(db: D1Database, code: MailCode): D1PreparedStatement {
  const { ticket, mac, email, user_id, expires_at } = code;
  return db
    .prepare(
      `INSERT INTO auth_mail_codes (ticket, mac, email, user_id, tries, expires_at)
       VALUES (?1, ?2, ?3, ?4, 0, ?5)`,
    )
    .bind(ticket, mac, email, user_id, expires_at);
}

/**
 * The code of a ticket, for one try. Tries are counted before anybody compares, so many at once are no more than one
 * after the other. Null where there is none, it is too old, or all tries were made.
 */
export function tryMailCode(db: D1Database, ticket: string, now: number): Promise<MailCode | null> {
  return db
    .prepare(
      `UPDATE auth_mail_codes SET tries = tries + 1
       WHERE ticket = ?1 AND expires_at > ?2 AND tries < ${MAIL_CODE_TRIES}
       RETURNING ticket, mac, email, user_id, expires_at`,
    )
    .bind(ticket, now)
    .first<MailCode>();
}

/** After a right code, which is no guess: it is typed once and sent again with a name. */
export function giveTryBack(db: D1Database, ticket: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_mail_codes SET tries = tries - 1 WHERE ticket = ?1").bind(ticket);
}

export function deleteMailCode(db: D1Database, ticket: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_mail_codes WHERE ticket = ?1").bind(ticket);
}

export function deleteExpiredMailCodes(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_mail_codes WHERE expires_at <= ?1").bind(now);
}
