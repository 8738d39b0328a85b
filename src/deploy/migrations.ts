/** The migration files of each database in the configuration. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseBinding } from "./configuration.ts";
import type { MigrationFile } from "./plan.ts";
import { ROOT } from "./wrangler.ts";

/** The last migration of `DB` before the first release, which no older code has to survive. */
export const FIRST_RELEASE = "0013_files.sql";

/** @param databases with folders from the root */
export async function readMigrations(
  databases: readonly DatabaseBinding[],
): Promise<Record<string, MigrationFile[]>> {
  const of = async ({ binding, migrations_dir = "migrations" }: DatabaseBinding) => {
    const folder = join(ROOT, migrations_dir);
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
    const read = async (name: string) => ({
      name,
      sql: await readFile(join(folder, name), "utf8"),
    });
    return [binding, await Promise.all(names.map(read))] as const;
  };
  return Object.fromEntries(await Promise.all(databases.map(of)));
}
