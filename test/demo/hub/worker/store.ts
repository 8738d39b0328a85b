/**
 * HubStore: all of the hub's data in one Durable Object: users, sessions, points, and undelivered webhooks; beside them
 * what the other neighbours store. A session is stored under its cookie's hash, so a reader of the store cannot use it.
 */
import { NeighbourStore } from "../../neighbours/worker/store.ts";
import { DEMO_PEOPLE, type Plan, type User } from "../../people.ts";
import { type Event, Outbox } from "./outbox.ts";

const SESSION_MS = 30 * 86_400_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS users (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, plan TEXT NOT NULL, locale TEXT NOT NULL,
    points INTEGER NOT NULL CHECK (points >= 0), lifetime INTEGER NOT NULL, updated_at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS transfers (
    user_id TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, recipient TEXT NOT NULL, points INTEGER NOT NULL,
    PRIMARY KEY (user_id, key)
  );
  CREATE TABLE IF NOT EXISTS closed (user_id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (user_id, key));
  CREATE TABLE IF NOT EXISTS outbox (id TEXT PRIMARY KEY, body TEXT NOT NULL, tries INTEGER NOT NULL, next_at INTEGER NOT NULL);`;

export interface Wallet {
  points: number;
  pending: number;
  lifetime: number;
  updated_at: string;
}

export type Transfer =
  | { id: string }
  | { refused: "not enough points" | "no such user" | "key was used" | "key is closed" };

export interface Booked {
  [column: string]: string | number;
  user_id: string;
  key: string;
  id: string;
  recipient: string;
  points: number;
}

type UserRow = { [column in keyof User]: User[column] };

export class HubStore extends NeighbourStore<Env> {
  readonly #sql: SqlStorage;
  readonly #outbox: Outbox;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#outbox = new Outbox(ctx, env);
    this.#sql.exec(TABLES);
    for (const { user, points } of DEMO_PEOPLE) this.addUser(user, points);
  }

  /** An account; one that exists stays as it is. */
  addUser(user: User, points: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO users (id, name, email, plan, locale, points, lifetime, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)`,
      user.id,
      user.name,
      user.email,
      user.plan,
      user.locale,
      points,
      Date.now(),
    );
  }

  users(): (User & { points: number })[] {
    return this.#sql
      .exec<UserRow & { points: number }>(
        "SELECT id, name, email, plan, locale, points FROM users ORDER BY points",
      )
      .toArray();
  }

  /** Begins a session and returns its cookie, which is not stored; null for an unknown user. */
  async signIn(
    user_id: string,
    ttl_ms = SESSION_MS,
  ): Promise<{ cookie: string; ttl_ms: number } | null> {
    if (this.#user(user_id) === null) return null;
    const cookie = crypto
      .getRandomValues(new Uint8Array(32))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    const hash = await hashOf(cookie);
    this.#sql.exec("DELETE FROM sessions WHERE expires_at <= ?1", Date.now());
    this.#sql.exec("INSERT INTO sessions VALUES (?1, ?2, ?3)", hash, user_id, Date.now() + ttl_ms);
    return { cookie, ttl_ms };
  }

  async session(cookie: string): Promise<{ user: User; expires_at: string } | null> {
    const [session] = this.#sql
      .exec<{ user_id: string; expires_at: number }>(
        "SELECT user_id, expires_at FROM sessions WHERE hash = ?1 AND expires_at > ?2",
        await hashOf(cookie),
        Date.now(),
      )
      .toArray();
    if (session === undefined) return null;
    const user = this.#user(session.user_id);
    return user && { user, expires_at: new Date(session.expires_at).toISOString() };
  }

  /** Ends one session, with a webhook unless the service itself asked for it. */
  async signOut(cookie: string, notified_user_id?: string): Promise<void> {
    this.#sql.exec("DELETE FROM sessions WHERE hash = ?1", await hashOf(cookie));
    if (notified_user_id === undefined) return;
    this.notify({ type: "session.revoked", data: { user_id: notified_user_id } });
  }

  revoke(user_id: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE user_id = ?1", user_id);
    this.notify({ type: "session.revoked", data: { user_id } });
  }

  changePlan(user_id: string, plan: Plan): void {
    this.#sql.exec("UPDATE users SET plan = ?2 WHERE id = ?1", user_id, plan);
    this.notify({ type: "user.updated", data: { user_id } });
  }

  deleteUser(user_id: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE user_id = ?1", user_id);
    this.#sql.exec("DELETE FROM users WHERE id = ?1", user_id);
    this.notify({ type: "user.deleted", data: { user_id } });
  }

  notify(event: Event): void {
    this.#outbox.add(event);
  }

  wallet(user_id: string): Wallet {
    const { points, lifetime, updated_at } = this.#sql
      .exec<{ points: number; lifetime: number; updated_at: number }>(
        "SELECT points, lifetime, updated_at FROM users WHERE id = ?1",
        user_id,
      )
      .one();
    return { points, pending: 0, lifetime, updated_at: new Date(updated_at).toISOString() };
  }

  /** Moves points once per key: a retry returns the first result and moves nothing. */
  transfer(user_id: string, key: string, to: string, points: number, notify = true): Transfer {
    const [done] = this.#sql
      .exec<{ id: string; recipient: string; points: number }>(
        "SELECT id, recipient, points FROM transfers WHERE user_id = ?1 AND key = ?2",
        user_id,
        key,
      )
      .toArray();
    if (done !== undefined) {
      const same = done.recipient === to && done.points === points;
      return same ? { id: done.id } : { refused: "key was used" };
    }
    if (this.#isClosed(user_id, key)) return { refused: "key is closed" };
    const [from, recipient] = [this.#user(user_id), this.#user(to)];
    if (from === null || recipient === null) return { refused: "no such user" };
    if (this.wallet(user_id).points < points) return { refused: "not enough points" };
    const id = `tr_${crypto.randomUUID().replaceAll("-", "")}`;
    const now = Date.now();
    this.ctx.storage.transactionSync(() => {
      const move =
        "UPDATE users SET points = points + ?2, lifetime = lifetime + max(0, ?2), updated_at = ?3 WHERE id = ?1";
      this.#sql.exec(move, user_id, -points, now);
      this.#sql.exec(move, to, points, now);
      this.#sql.exec(
        "INSERT INTO transfers VALUES (?1, ?2, ?3, ?4, ?5)",
        user_id,
        key,
        id,
        to,
        points,
      );
      if (!notify) return;
      this.notify({
        type: "notification.created",
        data: {
          user_id: to,
          id,
          ...received(points, from.name),
          url: null,
          created_at: new Date(now).toISOString(),
        },
      });
    });
    return { id };
  }

  /** The id of the transfer with this key; without one the key is refused from then on. */
  closeTransfer(user_id: string, key: string): string | null {
    const [done] = this.#sql
      .exec<{ id: string }>(
        "SELECT id FROM transfers WHERE user_id = ?1 AND key = ?2",
        user_id,
        key,
      )
      .toArray();
    if (done === undefined) {
      this.#sql.exec("INSERT INTO closed VALUES (?1, ?2) ON CONFLICT DO NOTHING", user_id, key);
    }
    return done?.id ?? null;
  }

  books(): Booked[] {
    return this.#sql.exec<Booked>("SELECT * FROM transfers ORDER BY user_id, key").toArray();
  }

  #isClosed(user_id: string, key: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM closed WHERE user_id = ?1 AND key = ?2", user_id, key).toArray()
        .length > 0
    );
  }

  override alarm(): Promise<void> {
    return this.#outbox.deliver();
  }

  #user(id: string): User | null {
    const [user] = this.#sql
      .exec<UserRow>("SELECT id, name, email, plan, locale FROM users WHERE id = ?1", id)
      .toArray();
    return user ?? null;
  }
}

async function hashOf(cookie: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(cookie));
  return new Uint8Array(digest).toHex();
}

const POINTS_AR = {
  zero: "نقطة",
  one: "نقطة واحدة",
  two: "نقطتان",
  few: "نقاط",
  many: "نقطة",
  other: "نقطة",
};

/** A number of points in Arabic, which has six plural forms. */
export function pointsInArabic(points: number): string {
  const form = new Intl.PluralRules("ar").select(points);
  if (form === "one" || form === "two") return POINTS_AR[form];
  return `${new Intl.NumberFormat("ar-EG").format(points)} ${POINTS_AR[form]}`;
}

function received(points: number, from: string): { text: string; text_en: string } {
  const name = `\u2068${from}\u2069`;
  const n = new Intl.NumberFormat("en").format(points);
  return {
    text: `وصلتك ${pointsInArabic(points)} من ${name}`,
    text_en: `You received ${n} ${points === 1 ? "point" : "points"} from ${name}`,
  };
}
