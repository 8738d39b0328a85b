/**
 * The points of a service without a hub of its own: tables `auth_wallets`, `auth_transfers`, `auth_closed_keys` and
 * `auth_gifts`, which this file alone writes. Points come into being by a gift of an operator and end with their user,
 * so at any time the sum of all gifts is the sum of all wallets.
 *
 * A batch of D1 is a transaction, and each change is one batch: it is made whole or not at all, and no other is made
 * in between. Its first statement writes a row with an id that no other call has, where nothing is against it; each
 * later statement looks for that id. So a call with a key that has its row already moves nothing, and learns what the
 * first one did: a caller whose answer was lost asks again with the same key.
 *
 * Transfers and closed keys are kept for good, because a key must never move points twice. A tip has one transfer of
 * about 150 bytes: a million of them take 150 MB of the 10 GB that D1 has.
 */
import { type AccountEvent, addEventOfTransfer } from "../accounts/account-events-store.ts";

export interface Wallet {
  points: number;
  /** Ever received, by gifts and transfers. */
  lifetime: number;
  updated_at: number;
}

export interface Order {
  /** Who gives. */
  user_id: string;
  /** By which the same order is known again. */
  key: string;
  to: string;
  /** At least 1. */
  points: number;
}

export type Transfer =
  | { id: string }
  | { refused: "key was used" | "key is closed" | "no such user" | "not enough points" };

export interface Gift {
  /** Of the operator's form: the same gift twice is given once. */
  key: string;
  user_id: string;
  /** Below 0 it takes points back. Not 0, and at most GIFT_POINTS_MAX either way. */
  points: number;
  note: string;
  /** The operator. */
  by_id: string;
}

export type Given =
  | { id: string }
  | { refused: "key was used" | "no such user" | "not enough points" };

export interface GivenGift extends Omit<Gift, "key" | "user_id" | "by_id"> {
  id: string;
  /** Null where the points ended with their user. */
  by_id: string | null;
  at: number;
}

export interface Books {
  /** By operators, less what they took back. */
  given: number;
  /** With their users. */
  ended: number;
  /** In wallets. */
  held: number;
  /** No transfer is ever half made. */
  pending: 0;
  /** Whether given - ended = held. */
  closes: boolean;
}

/** A user who can give and receive. Until a deletion takes effect, it can be undone. */
const isActive = (user: string, now: string) =>
  `EXISTS (SELECT 1 FROM auth_users WHERE id = ${user}
     AND suspended_at IS NULL AND (ends_at IS NULL OR ends_at > ${now}))`;

/** Of a user without points too; null where there is no such user. */
export function readWallet(db: D1Database, user_id: string): Promise<Wallet | null> {
  return db
    .prepare(
      `SELECT COALESCE(points, 0) AS points, COALESCE(lifetime, 0) AS lifetime,
         COALESCE(updated_at, created_at) AS updated_at
       FROM auth_users LEFT JOIN auth_wallets ON user_id = id WHERE id = ?1`,
    )
    .bind(user_id)
    .first<Wallet>();
}

/**
 * Moves points to another user, once for each key, with the event that tells of it. A key that has a transfer answers
 * that one, whatever became of the points since, and is refused for any other order. To oneself it moves nothing, and
 * is in the books as any other.
 */
export async function makeTransfer(
  db: D1Database,
  { user_id, key, to, points }: Order,
  eventOf: ((id: string) => AccountEvent) | null,
  now: number,
): Promise<Transfer> {
  const id = newId("tr");
  const results = await db.batch<Row>([
    db
      .prepare(
        `INSERT INTO auth_transfers (user_id, key, id, recipient, points, at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE NOT EXISTS (SELECT 1 FROM auth_closed_keys WHERE user_id = ?1 AND key = ?2)
           AND ${isActive("?1", "?6")} AND ${isActive("?4", "?6")}
           AND EXISTS (SELECT 1 FROM auth_wallets WHERE user_id = ?1 AND points >= ?5)
         ON CONFLICT (user_id, key) DO NOTHING`,
      )
      .bind(user_id, key, id, to, points, now),
    db
      .prepare(
        `UPDATE auth_wallets SET points = points - ?4, updated_at = ?5
         WHERE user_id = ?1
           AND EXISTS (SELECT 1 FROM auth_transfers WHERE user_id = ?1 AND key = ?2 AND id = ?3)`,
      )
      .bind(user_id, key, id, points, now),
    db
      .prepare(
        `INSERT INTO auth_wallets (user_id, points, lifetime, updated_at)
         SELECT recipient, points, points, at FROM auth_transfers
         WHERE user_id = ?1 AND key = ?2 AND id = ?3
         ON CONFLICT (user_id) DO UPDATE SET points = points + excluded.points,
           lifetime = lifetime + excluded.lifetime, updated_at = excluded.updated_at`,
      )
      .bind(user_id, key, id),
    ...(eventOf === null ? [] : [addEventOfTransfer(db, { user_id, key, id }, eventOf(id), now)]),
    findTransfer(db, user_id, key),
    db
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM auth_closed_keys WHERE user_id = ?1 AND key = ?2) AS is_closed,
           ${isActive("?1", "?4")} AND ${isActive("?3", "?4")} AS has_users`,
      )
      .bind(user_id, key, to, now),
  ]);
  const [transfer, hindrance] = results.slice(-2).map((result) => result.results[0]);
  if (transfer !== undefined) {
    const isSame = transfer.recipient === to && transfer.points === points;
    return isSame ? { id: String(transfer.id) } : { refused: "key was used" };
  }
  if (hindrance?.is_closed === 1) return { refused: "key is closed" };
  return { refused: hindrance?.has_users === 1 ? "not enough points" : "no such user" };
}

/** The id of the user's transfer with this key; null if there is none, and then there never will be. */
export async function closeTransfer(
  db: D1Database,
  user_id: string,
  key: string,
  now: number,
): Promise<string | null> {
  const [, found] = await db.batch<Row>([
    db
      .prepare(
        `INSERT INTO auth_closed_keys (user_id, key, at) SELECT ?1, ?2, ?3
         WHERE NOT EXISTS (SELECT 1 FROM auth_transfers WHERE user_id = ?1 AND key = ?2)
         ON CONFLICT DO NOTHING`,
      )
      .bind(user_id, key, now),
    findTransfer(db, user_id, key),
  ]);
  const transfer = found?.results[0];
  return transfer === undefined ? null : String(transfer.id);
}

/**
 * Gives points to a user, once for each key. Points are taken back whole or not at all, and from a suspended user
 * too; `lifetime` stays what was ever received.
 */
export async function giveGift(db: D1Database, gift: Gift, now: number): Promise<Given> {
  const { key, user_id, points, note, by_id } = gift;
  const id = newId("gift");
  const [, , found, user] = await db.batch<Row>([
    db
      .prepare(
        `INSERT INTO auth_gifts (key, id, user_id, points, note, by_id, at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
         WHERE EXISTS (SELECT 1 FROM auth_users WHERE id = ?3)
           AND COALESCE((SELECT points FROM auth_wallets WHERE user_id = ?3), 0) + ?4 >= 0
         ON CONFLICT (key) DO NOTHING`,
      )
      .bind(key, id, user_id, points, note, by_id, now),
    // A row to insert may not be below 0 even where its user has one: SQLite checks it before the conflict.
    db
      .prepare(
        `INSERT INTO auth_wallets (user_id, points, lifetime, updated_at)
         SELECT user_id, max(points, 0), max(points, 0), at FROM auth_gifts WHERE key = ?1 AND id = ?2
         ON CONFLICT (user_id) DO UPDATE SET points = points + ?3,
           lifetime = lifetime + excluded.lifetime, updated_at = excluded.updated_at`,
      )
      .bind(key, id, points),
    db.prepare("SELECT id, user_id, points, note FROM auth_gifts WHERE key = ?1").bind(key),
    db.prepare("SELECT 1 FROM auth_users WHERE id = ?1").bind(user_id),
  ]);
  const given = found?.results[0];
  if (given !== undefined) {
    const isSame = given.user_id === user_id && given.points === points && given.note === note;
    return isSame ? { id: String(given.id) } : { refused: "key was used" };
  }
  return { refused: user?.results[0] === undefined ? "no such user" : "not enough points" };
}

/**
 * To be part of the batch that deletes the user from `auth_users`, without whom no points can arrive any more: the
 * points end with them, and the books still close.
 */
export function endPoints(db: D1Database, user_id: string, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO auth_gifts (key, id, user_id, points, note, by_id, at)
         SELECT ?2, ?2, user_id, -points, '', NULL, ?3 FROM auth_wallets WHERE user_id = ?1 AND points > 0`,
      )
      .bind(user_id, newId("end"), now),
    db.prepare("DELETE FROM auth_wallets WHERE user_id = ?1").bind(user_id),
  ];
}

/** A user's, newest first. */
export async function listGifts(
  db: D1Database,
  user_id: string,
  limit: number,
): Promise<GivenGift[]> {
  const { results } = await db
    .prepare(
      `SELECT id, points, note, by_id, at FROM auth_gifts
       WHERE user_id = ?1 ORDER BY at DESC LIMIT ?2`,
    )
    .bind(user_id, limit)
    .all<GivenGift>();
  return results;
}

/** For operators: it reads all gifts and wallets, in one statement, so that no change is in between. */
export async function readBooks(db: D1Database): Promise<Books> {
  const sums = await db
    .prepare(
      `SELECT COALESCE(sum(points) FILTER (WHERE by_id IS NOT NULL), 0) AS given,
         COALESCE(-sum(points) FILTER (WHERE by_id IS NULL), 0) AS ended,
         (SELECT COALESCE(sum(points), 0) FROM auth_wallets) AS held
       FROM auth_gifts`,
    )
    .first<Pick<Books, "given" | "ended" | "held">>();
  if (sums === null) throw new Error("D1 returned no row with sums");
  return { ...sums, pending: 0, closes: sums.given - sums.ended === sums.held };
}

/** A row of any of a batch's reads. */
type Row = Record<string, string | number>;

function findTransfer(db: D1Database, user_id: string, key: string): D1PreparedStatement {
  return db
    .prepare("SELECT id, recipient, points FROM auth_transfers WHERE user_id = ?1 AND key = ?2")
    .bind(user_id, key);
}

function newId(kind: "tr" | "gift" | "end"): string {
  return `${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
}
