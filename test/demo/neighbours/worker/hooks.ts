import { Webhook } from "standardwebhooks";

/** Events that are kept; the oldest are deleted. */
const HOOKS_MAX = 5_000;
export const HOOKS_LISTED = 100;

export const HOOK_TABLES = `
  CREATE TABLE IF NOT EXISTS hooks (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, at INTEGER NOT NULL, is_verified INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS hook_secrets (secret TEXT PRIMARY KEY);`;

export type Hook = {
  /** Of the event: the same for each attempt. */
  id: string;
  /** Unix milliseconds. */
  at: number;
  is_verified: number;
  body: string;
};

export class Hooks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  addSecret(secret: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO hook_secrets VALUES (?1)", secret);
  }

  /** Each request is stored, so that tests see what came twice. Returns whether it was signed. */
  add(headers: Record<string, string>, body: string): boolean {
    const secrets = this.#sql.exec<{ secret: string }>("SELECT secret FROM hook_secrets").toArray();
    const is_verified = secrets.some(({ secret }) => isSigned(secret, headers, body));
    this.#sql.exec(
      "INSERT INTO hooks (id, at, is_verified, body) VALUES (?1, ?2, ?3, ?4)",
      headers["webhook-id"] ?? "",
      Date.now(),
      is_verified ? 1 : 0,
      body,
    );
    this.#sql.exec("DELETE FROM hooks WHERE n <= (SELECT MAX(n) FROM hooks) - ?1", HOOKS_MAX);
    return is_verified;
  }

  /** Newest first. */
  list(limit: number): Hook[] {
    return this.#sql
      .exec<Hook>("SELECT id, at, is_verified, body FROM hooks ORDER BY n DESC LIMIT ?1", limit)
      .toArray();
  }
}

function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
