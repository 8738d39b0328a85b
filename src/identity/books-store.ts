/**
 * The points of a service without a hub of its own: tables `auth_wallets`, `auth_transfers`, `auth_closed_keys` and
 * `auth_gifts`, which this file alone writes. Points come from gifts of operators and end with their user, so the sum
 * of all gifts is always the sum of all wallets.
 *
 * A batch of D1 is a transaction, and each change is one batch. Its first statement writes a row with an id of this
 * call, if nothing is against it; each later statement looks for that id. So a call with a key that already has a row
 * moves nothing and returns what the first one did: a caller whose answer was lost retries with the same key.
 *
 * Transfers and closed keys are kept for good, because a key must never move points twice. A tip has one transfer of
 * about 150 bytes: a million of them take 150 MB of D1's 10 GB.
 */
import { type AccountEvent, addEventOfTransfer } from "../accounts/account-events-store.ts";

export interface Wallet {
  points: number;
  /** All points ever received. */
  lifetime: number;
  updated_at: number;
}

export interface Order {
  user_id: string;
  /** Makes a retry of the same order known. */
  key: string;
  to: string;
  points: number;
}

export type Transfer =
  | { id: string }
  | { refused: "key was used" | "key is closed" | "no such user" | "not enough points" };

export interface Gift {
  /** The key of the operator's form: a repeated gift is given once. */
  key: string;
  user_id: string;
  /** Negative points are taken back. Not 0, and at most GIFT_POINTS_MAX either way. */
  points: number;
  note: string;
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
  /** Given by operators, less what they took back. */
  given: number;
  /** Points that ended with their users. */
  ended: number;
  held: number;
  /** No transfer is ever half made. */
  pending: 0;
  /** Whether given - ended = held. */
  closes: boolean;
}

/** A user who can give and receive, even while a deletion can be undone. */
const isActive = (user: string, now: string) =>
  `EXISTS (SELECT 1 FROM auth_users WHERE id = ${user}
     AND suspended_at IS NULL AND (ends_at IS NULL OR ends_at > ${now}))`;

/** Zero for a user without points; null for no user. */
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
 * Moves points to another user, once for each key, with its event. A key with a transfer returns that one, whatever
 * became of the points since, and is refused for another order. A transfer to oneself moves nothing, but is in the
 * books.
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

/** The id of the user's transfer with this key; null if there is none, nor ever will be. */
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
 * Once for each key. Points are taken back whole or not at all, also from a suspended user; `lifetime` stays.
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
    // SQLite checks the inserted row before the conflict: it may not be negative for any user.
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

/** Part of the batch that deletes the user from `auth_users`: the points end, and the books still close. */
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

/** For operators: reads all gifts and wallets in one statement, so that no change comes between. */
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

type Row = Record<string, string | number>;

function findTransfer(db: D1Database, user_id: string, key: string): D1PreparedStatement {
  return db
    .prepare("SELECT id, recipient, points FROM auth_transfers WHERE user_id = ?1 AND key = ?2")
    .bind(user_id, key);
}

function newId(kind: "tr" | "gift" | "end"): string {
  return `${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
}
