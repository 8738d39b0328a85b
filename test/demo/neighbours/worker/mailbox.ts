/** The mails that the service has sent. All addresses share the mailbox, because the demo's people are invented. */
import * as z from "zod";

/** Mails that are kept; the oldest are deleted. */
const MAILS_MAX = 20_000;
export const LISTED_MAX = 100;

/** A mail as `env.MAIL.send` takes it. */
export const Mail = z.object({
  from: z.union([z.string(), z.object({ email: z.string(), name: z.string() })]),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** An alert has none. */
  html: z.string().default(""),
  headers: z.record(z.string(), z.string()).default({}),
});

export type StoredMail = z.infer<typeof Mail> & {
  id: string;
  /** Unix milliseconds. */
  at: number;
};

export const MAILBOX_TABLES = `
  CREATE TABLE IF NOT EXISTS mails (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, address TEXT NOT NULL, at INTEGER NOT NULL,
    mail TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS mails_address ON mails (address, n);`;

type Row = { id: string; at: number; mail: string };

export class Mailbox {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Each call stores a mail, so that tests see one that was sent twice. Returns its id. */
  add(mail: z.infer<typeof Mail>): string {
    const id = crypto.randomUUID();
    this.#sql.exec(
      "INSERT INTO mails (id, address, at, mail) VALUES (?1, ?2, ?3, ?4)",
      id,
      mail.to.toLowerCase(),
      Date.now(),
      JSON.stringify(mail),
    );
    this.#sql.exec("DELETE FROM mails WHERE n <= (SELECT MAX(n) FROM mails) - ?1", MAILS_MAX);
    return id;
  }

  /** Newest first, of all addresses or of one. */
  list(address: string | null, limit: number): StoredMail[] {
    return this.#sql
      .exec<Row>(
        "SELECT id, at, mail FROM mails WHERE ?1 IS NULL OR address = ?1 ORDER BY n DESC LIMIT ?2",
        address?.toLowerCase() ?? null,
        limit,
      )
      .toArray()
      .map(toMail);
  }

  get(id: string): StoredMail | null {
    const [row] = this.#sql.exec<Row>("SELECT id, at, mail FROM mails WHERE id = ?1", id).toArray();
    return row === undefined ? null : toMail(row);
  }
}

function toMail({ id, at, mail }: Row): StoredMail {
  return { ...JSON.parse(mail), id, at };
}
