import type { D1Database } from "@cloudflare/workers-types";
import type { Migration } from "./checkout.ts";

/** Each migration is one transaction, recorded as `wrangler d1 migrations list` expects it. */
export async function migrate(db: D1Database, migrations: readonly Migration[]): Promise<void> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS "d1_migrations"(
         id         INTEGER PRIMARY KEY AUTOINCREMENT,
         name       TEXT UNIQUE,
         applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
       )`,
    )
    .run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  for (const { name, statements } of migrations) {
    if (applied.has(name)) continue;
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
    ]);
  }
}
