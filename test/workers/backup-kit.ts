/** Backups for tests: a deployment with a key, runs of the cron, faults, and a whole restore. */
import { env } from "cloudflare:workers";
import { readBackups } from "../../src/backup/backups-store.ts";
import {
  type Call,
  type RestoreOptions,
  type RestoreReport,
  restoreBackup,
} from "../../src/backup/restore/restore-backup.ts";
import { restoreStep } from "../../src/backup/restore-steps.ts";
import { runBackup } from "../../src/backup/run-backup.ts";
import { randomSecret, secretOf } from "../secret.ts";
import { freshPage } from "./kit.ts";

export const BACKUP_KEY = randomSecret();

/** The bucket of backups. */
export const { BACKUPS } = env as Cloudflare.Env & { BACKUPS: R2Bucket };

/** The service with a key; only backups read it. */
export function deployment(
  more: Partial<Cloudflare.Env> = {},
): Cloudflare.Env & { BACKUPS: R2Bucket } {
  return { ...env, BACKUPS, BACKUP_KEY, ...more };
}

/** 02:00 UTC of a date, in unix milliseconds. */
export function nightOf(date: string): number {
  return Date.parse(`${date}T02:00:00Z`);
}

/** Runs of the cron, one a minute, until the backup is complete. Returns how many it took. */
export async function backUp(
  date: string,
  service = deployment(),
  { runs_max = 60, lapse = false } = {},
): Promise<number> {
  for (let run = 1; run <= runs_max; run += 1) {
    await runBackup(service, nightOf(date) + run * 60_000);
    const [last] = await readBackups(env.DB, 1, date);
    if (last?.date === date && last.state === "complete") return run;
    // As after two minutes, for a slice that could not release its lease.
    if (lapse) await env.DB.prepare("UPDATE backups SET lease_until = 0").run();
  }
  throw new Error(`no backup of ${date} after ${runs_max} runs`);
}

/** The calls of a restore, made without the route. */
export function callsOf(service = deployment(), key = BACKUP_KEY): Call {
  return (call) => restoreStep(service, secretOf(key), call, Date.now());
}

export function restoreOf(
  date: string,
  call: Call = callsOf(),
  more: Partial<RestoreOptions> = {},
): Promise<RestoreReport> {
  return restoreBackup(call, {
    date,
    dry_run: false,
    say: () => {},
    ...more,
  });
}

/** Rows of one table for each page: of all tables that are backed up, some rows that no backup has, too. */
const ROWS: Record<string, string> = {
  deleted_users: "'gone-' || page_id, 1",
  revisions: `page_id, 2, 1, '[]', slug, status, 2, '{}'`,
  former_slugs: "'was-' || page_id, page_id, 9e15",
  removed_links: "page_id, 'gone', '{}', 0",
  pictures: "'pictures/' || page_id || '/a.png', page_id, 'image/png', 1, 1, 1, 0, 9e15",
  files: "'file-' || page_id, 'someone', 'ا', '', 1, 'ready', NULL, 'e', 0, 0",
  file_parts: "'file-' || page_id, 1, ''",
  downloads: "page_id, 'gone', 1, 1",
  milestones: "page_id, 'view', 100, 0",
  tips: "page_id, 1, 5, 'gone', 'from', '', 5, '', 0",
  hub_notifications: "page_id, 'n', '', '', NULL, 0",
  notification_reads: "page_id, 'hub-n', 0",
  newsletters: "page_id",
  takedowns: "page_id, 'action-' || page_id, '', 0, 0",
  operator_actions: "'action-' || page_id, 'op', 'takedown', page_id, '', 0",
  disabled_webhooks: "page_id, 'hook', 'a.example', 'gone', 0",
  tallies: "page_id, 3600, 'view', '', 'human', -2, 1",
  days: "page_id, 0, -2, 1, '{}', 1, 0",
  months: "page_id, -2, 0, 2678400, '{}', 1",
  rolled_days: "page_id, -2, 86400",
};

/** Fills every table, some with more rows than one query reads. */
export async function fillTables(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await freshPage();
  await env.DB.batch([
    ...Object.entries(ROWS).map(([table, row]) =>
      env.DB.prepare(
        `INSERT INTO ${table} SELECT ${row} FROM pages WHERE true ON CONFLICT DO NOTHING`,
      ),
    ),
    env.DB.prepare(
      `INSERT INTO removed_links (page_id, link_id, label, removed_at)
       SELECT page_id, 'old-' || n.key, '{}', 0
       FROM pages, json_each('[' || substr(replace(hex(zeroblob(800)), '00', ',1'), 2) || ']') AS n
       WHERE true ON CONFLICT DO NOTHING`,
    ),
    env.DB.prepare(
      `INSERT INTO revisions (page_id, version, saved_at, what, slug, status, bytes, document)
       SELECT page_id, 3 + n.key, 0, '[]', slug, status, 2, '{}'
       FROM pages, json_each('[' || substr(replace(hex(zeroblob(120)), '00', ',1'), 2) || ']') AS n
       WHERE true ON CONFLICT DO NOTHING`,
    ),
  ]);
}

/** All tables of D1, but SQLite's own and the record of migrations. */
export async function tablesOf(db: D1Database): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'sqlite_*' AND name <> 'd1_migrations' ORDER BY name`,
    )
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** Deletes all rows of all tables. */
export async function wipe(db: D1Database): Promise<void> {
  const tables = await tablesOf(db);
  // Triggers write into other tables, so twice.
  for (let i = 0; i < 2; i += 1) {
    await db.batch(tables.map((name) => db.prepare(`DELETE FROM ${name}`)));
  }
}

/** The rows of these tables as texts, in order. */
export async function rowsOf(
  db: D1Database,
  tables: readonly string[],
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of tables) {
    const { results } = await db.prepare(`SELECT * FROM ${name}`).all();
    found[name] = results.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

/** A method of which the n-th call fails: before it is made, or after, so that its answer is lost. */
export function faulty<T extends object>(
  target: T,
  methods: readonly string[],
  fails: () => "before" | "after" | null,
): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      const bound = value.bind(object) as (...args: unknown[]) => unknown;
      if (!methods.includes(String(name))) return bound;
      return async (...args: unknown[]) => {
        const fault = fails();
        if (fault === "before") throw new Error("it refuses");
        const result = await bound(...args);
        if (fault === "after") throw new Error("its answer was lost");
        return result;
      };
    },
  });
}
