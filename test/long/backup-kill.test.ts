/**
 * A backup and `npm run restore` in the real runtime (docs/faults.md F31): workerd is ended with SIGKILL in the
 * middle of both, and so is the command. D1 is emptied in between, and compared as sets of rows.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainPage, storePage } from "../plain-page.ts";
import { generator } from "../random.ts";
import { randomSecret } from "../secret.ts";
import { ROOT } from "../server/bundle.ts";
import { type Server, startServer } from "../server/server.ts";

const START_TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 300_000;
const PAGES = 1_000;
const VISITED = 8;
const VIEWS = 5;
const KILLS = 3;
const DATE = "2031-05-01";
const NIGHT_MS = Date.parse(`${DATE}T02:00:00Z`);
const BACKUP_KEY = randomSecret();

let server: Server;
let statePath: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-backup-"));
  server = await startServer({
    statePath,
    vars: { BACKUP_KEY, FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1" },
    onLine: () => {},
    seed: async (db) => {
      await storePage(db, plainPage({ page_id: "page-0", name: "ليان", bio: "رسّامة" }));
      const n = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${PAGES})`;
      await db.batch(
        [
          `INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
           ${n} SELECT 'page-' || i, 'page-' || i, 'published', 1, '', document, i, i FROM pages, n`,
          `INSERT INTO revisions SELECT page_id, 1, 1, '[]', slug, status, 2, '{}' FROM pages WHERE slug <> 'page-0'`,
          "INSERT INTO removed_links SELECT page_id, 'gone', '{}', 0 FROM pages",
          "INSERT INTO tallies SELECT page_id, 3600, 'view', '', 'human', -2, 7 FROM pages",
        ].map((sql) => db.prepare(sql)),
      );
    },
  });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await server?.dispose();
  await rm(statePath, { recursive: true, force: true });
}, START_TIMEOUT_MS);

const TABLES = ["pages", "revisions", "removed_links", "tallies"];

async function rows(): Promise<Record<string, string[]>> {
  const db = await server.db();
  const found: Record<string, string[]> = {};
  for (const name of TABLES) {
    const { results } = await db.prepare(`SELECT * FROM ${name}`).all();
    found[name] = results.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

/** What `work` answers as soon as workerd runs. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await pause(200);
    }
  }
}

function kill(): void {
  const pid = server.workerd.pid();
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

async function visit(): Promise<void> {
  for (let n = 0; n < VISITED * VIEWS; n += 1) {
    const response = await fetch(new URL("/api/analytics/view", server.url), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "CF-Connecting-IP": `203.0.113.${n}`,
        "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0",
      },
      body: JSON.stringify({ page_id: `page-${n % VISITED}` }),
    });
    expect(response.status).toBe(202);
  }
}

/** Views of people by page in D1, imported ones apart. */
async function views(): Promise<Record<string, number>> {
  const db = await server.db();
  const { results } = await db
    .prepare("SELECT page_id, SUM(n) AS n FROM tallies WHERE shard = 0 GROUP BY page_id")
    .all<{ page_id: string; n: number }>();
  return Object.fromEntries(results.map(({ page_id, n }) => [page_id, n]));
}

const visited = (n: number) =>
  Object.fromEntries(Array.from({ length: VISITED }, (_, i) => [`page-${i}`, n]));

/** Runs the cron of the night, killed now and then, until the backup is complete. */
async function backUp(random: () => number): Promise<number> {
  let kills = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    const running = server.workerd.miniflare
      .getWorker()
      .then((worker) =>
        worker.scheduled({
          cron: "* * * * *",
          scheduledTime: new Date(NIGHT_MS + minute * 60_000),
        }),
      )
      .catch(() => {});
    // Each later than the one before, among reads and parts.
    const pausing = pause(200 + kills * 300 + random() * 200).then(() => true);
    if (kills < KILLS && (await Promise.race([pausing, running.then(() => false)]))) {
      kill();
      kills += 1;
    }
    await running;
    const state = await patiently(async () => {
      const db = await server.db();
      // As two minutes later.
      await db.prepare("UPDATE backups SET lease_until = 0").run();
      return db.prepare("SELECT state FROM backups").first<string>("state");
    });
    if (state === "complete") return kills;
  }
  throw new Error("the backup is not complete after an hour");
}

/** Runs the command; `onLine` may kill it. */
function restore(
  args: string[],
  onLine: (line: string, end: () => void) => void = () => {},
  env: Record<string, string | undefined> = { BACKUP_KEY },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const url = args.includes("--env") ? [] : ["--url", server.url.origin];
  const child = spawn(
    process.execPath,
    ["--no-warnings", "src/backup/restore/restore.ts", ...args, ...url],
    { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    onLine(text, () => child.kill("SIGKILL"));
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

test("F31: a backup and a restore end well through SIGKILL, and every row and count is back", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const random = generator(1);
  await visit();
  await expect.poll(views).toEqual(visited(VIEWS));
  // A fast machine may be done before the last one.
  expect(await backUp(random)).toBeGreaterThan(0);
  const before = await rows();

  // After the backup.
  await patiently(visit);
  await expect.poll(views).toEqual(visited(2 * VIEWS));
  const listed = await restore(["--list"]);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(DATE) });
  // As `npm run deploy` keeps them.
  const kept = {
    "staging.json": { url: server.url.origin },
    "staging.secrets.json": { BACKUP_KEY },
  };
  for (const [name, content] of Object.entries(kept)) {
    await writeFile(join(statePath, name), JSON.stringify(content), { mode: 0o600 });
  }
  const own = { BACKUP_KEY: undefined, SILA_DEPLOY_FOLDER: statePath };
  expect(await restore(["--list", "--env", "staging"], undefined, own)).toEqual(listed);
  const unknown = await restore(["--list", "--env", "other"], undefined, own);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("say its --url") });
  const db = await server.db();
  const names = [...TABLES, "newsletters", "backups", "cron_runs", "purge_turns", "page_changes"];
  await db.batch(names.map((name) => db.prepare(`DELETE FROM ${name}`)));

  const refused = await restore(["--date", DATE], undefined, { BACKUP_KEY: randomSecret() });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("does not know this BACKUP_KEY");
  const dry = await restore(["--date", DATE, "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was written") });
  expect((await rows()).pages).toEqual([]);

  const killed = await restore(["--date", DATE], (line, end) => {
    if (line.includes("restoring part 2")) end();
  });
  expect(killed.code).toBe(null);
  let kills = 0;
  const done = await restore(["--date", DATE, "--json"], (line) => {
    if (kills === 0 && line.includes("restoring part")) {
      kills += 1;
      kill();
    }
  });
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("restoring part")]);
  expect(kills).toBe(1);
  const report = JSON.parse(done.stdout) as object;
  expect(report).toMatchObject({ pages_older: [], pages_ended: [], pages_renamed: [] });
  for (const secret of [BACKUP_KEY, BACKUP_KEY.slice(0, 20)]) {
    expect(done.stdout + done.stderr).not.toContain(secret);
  }

  await expect.poll(views).toEqual(visited(2 * VIEWS));
  const after = await rows();
  const imported = (texts: string[] = []) => texts.filter((text) => text.includes('"shard":-2'));
  expect(imported(after.tallies)).toEqual(imported(before.tallies));
  expect(imported(after.tallies)).toHaveLength(PAGES);
  delete after.tallies;
  delete before.tallies;
  expect(after).toEqual(before);
});
