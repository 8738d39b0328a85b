/** Databases of statistics for tests: a deployment that binds some of them, and what each of them has. */
import { applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { emptyDatabase } from "../kit/empty-database.ts";
import { freshPage, pageObject } from "../kit/kit.ts";

const SPARES = [env.SPARE_0, env.SPARE_1] as const;

/** Empty databases with the migrations of migrations/stats. */
export async function freshStats(): Promise<void> {
  for (const db of SPARES) {
    await emptyDatabase(db);
    await applyD1Migrations(db, env.TEST_STATS_MIGRATIONS);
  }
}

/**
 * A deployment with STATS_0 to STATS_<n - 1>, of which those in `leaving` shall become empty. Objects that
 * are in memory have the bindings of before until they are evicted.
 */
export function bindStats(n: number, leaving = ""): void {
  for (const [i, db] of SPARES.entries()) {
    if (i < n) Object.assign(env, { [`STATS_${i}`]: db });
    else Reflect.deleteProperty(env, `STATS_${i}`);
  }
  env.STATS_LEAVING = leaving;
}

/** The same, as a page's object finds it. */
export async function redeploy(page_id: string, n: number, leaving = ""): Promise<void> {
  bindStats(n, leaving);
  await evictDurableObject(pageObject(page_id));
}

const made: string[] = [];

/** A page whose object may keep its counts in a database of statistics, until `unbindStats`. */
export async function statsPage(...overrides: Parameters<typeof freshPage>) {
  const page = await freshPage(...overrides);
  endAfterTest(page.page_id);
  return page;
}

/** The same for a page that a route made. */
export function endAfterTest(page_id: string): void {
  made.push(page_id);
}

/**
 * A deployment without databases of statistics, and without the pages of `statsPage`: the alarm of such an
 * object would log in another file's test that its database is missing.
 */
export async function unbindStats(): Promise<void> {
  bindStats(SPARES.length);
  for (const page_id of made.splice(0)) {
    // An object that does not run cannot be evicted.
    await runInDurableObject(pageObject(page_id), () => {});
    await evictDurableObject(pageObject(page_id));
    await pageObject(page_id).end();
  }
  bindStats(0);
}

type Rows = Record<string, { tallies: number; days: number; events: number }>;

/** What each database has of a page, by name; those that have nothing are left out. */
export async function rowsByDatabase(page_id: string): Promise<Rows> {
  const all = { DB: env.DB, STATS_0: env.SPARE_0, STATS_1: env.SPARE_1 };
  const found: Rows = {};
  for (const [name, db] of Object.entries(all)) {
    const row = await db
      .prepare(
        `SELECT (SELECT COUNT(*) FROM tallies WHERE page_id = ?1) AS tallies,
           (SELECT COUNT(*) FROM days WHERE page_id = ?1) AS days,
           (SELECT COALESCE(SUM(n), 0) FROM tallies WHERE page_id = ?1) AS events`,
      )
      .bind(page_id)
      .first<Rows[string]>();
    if (row !== null && row.tallies + row.days > 0) found[name] = row;
  }
  return found;
}
