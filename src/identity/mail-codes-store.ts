/** Mailed codes: table `auth_mail_codes`, which this file alone writes. */
import { MAIL_CODE_TRIES } from "./limits.ts";

export interface MailCode {
  ticket: string;
  /** HMAC over the ticket and the code. */
  mac: string;
  email: string;
  /** The user who adds the address; null where the code signs in. */
  user_id: string | null;
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
 * Takes one try. Tries are counted before the comparison, so concurrent ones gain nothing. Null for no such code, an
 * expired one, or one without tries left.
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

/** After a right code, which is no guess: the browser sends it again with a name. */
export function giveTryBack(db: D1Database, ticket: string): D1PreparedStatement {
  return db.prepare("UPDATE auth_mail_codes SET tries = tries - 1 WHERE ticket = ?1").bind(ticket);
}

export function deleteMailCode(db: D1Database, ticket: string): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_mail_codes WHERE ticket = ?1").bind(ticket);
}

export function deleteExpiredMailCodes(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM auth_mail_codes WHERE expires_at <= ?1").bind(now);
}
