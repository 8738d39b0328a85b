/** Brings local D1 databases up to the newest files in ./migrations and ./migrations/stats. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { unstable_splitSqlQuery } from "wrangler";
import { ROOT } from "./bundle.ts";

/** Folders of the migrations of the main database, and of the databases of statistics. */
const FOLDERS = { main: "migrations", stats: "migrations/stats" } as const;

/**
 * Applies the files that are missing, each in one transaction, and records them as wrangler does, so that
 * `wrangler d1 migrations list sila --local` agrees.
 */
export async function migrate(db: D1Database, kind: keyof typeof FOLDERS = "main"): Promise<void> {
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
  const folder = join(ROOT, FOLDERS[kind]);
  for (const name of (await readdir(folder)).sort()) {
    if (!name.endsWith(".sql") || applied.has(name)) continue;
    const sql = await readFile(join(folder, name), "utf8");
    // An editor may create a file before it writes its text.
    if (sql.trim() === "") continue;
    const statements = unstable_splitSqlQuery(sql).map((statement) => db.prepare(statement));
    await db.batch([
      ...statements,
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
    ]);
  }
}
