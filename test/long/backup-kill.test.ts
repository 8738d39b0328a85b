/**
 * A backup and `npm run restore` in the real runtime (docs/faults.md F31): workerd is ended with SIGKILL in the
 * middle of both, and so is the command, each at a named step. D1 is emptied in between, and compared as sets of
 * rows.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainPage, storePage } from "../plain-page.ts";
import { randomSecret } from "../secret.ts";
import { ROOT } from "../server/bundle.ts";
import { type Server, startServer } from "../server/server.ts";
import { Steering } from "../server/steering.ts";

const START_TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 300_000;
const PAGES = 1_000;
const VISITED = 8;
const VIEWS = 5;
const DATE = "2031-05-01";
const NIGHT_MS = Date.parse(`${DATE}T02:00:00Z`);
const BACKUP_KEY = randomSecret();

/** Where the backup is killed, in this order: what comes before each has been done then. */
const BACKUP_KILLS = [
  // Nothing is in the bucket.
  new RegExp(`^backup put backups/${DATE}/000001-.*, before$`),
  // A part is in the bucket, and D1 does not know it.
  new RegExp(`^backup put backups/${DATE}/000002-.*, after$`),
  // The backup is whole, and D1 takes it for unfinished.
  new RegExp(`^backup put backups/${DATE}/manifest, after$`),
];
/** The second part, which the command reads once to check it and once to write its rows. */
const SECOND_PART = new RegExp(`^backup get backups/${DATE}/000002-.*, after$`);

const steering = new Steering();
let server: Server;
let statePath: string;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-backup-"));
  server = await startServer({
    statePath,
    around: steering.around,
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
  steering.steer(server);
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

/** Runs the cron of the night, killed at each of these steps, until the backup is complete. */
async function backUp(): Promise<void> {
  const kills = [...BACKUP_KILLS];
  const killAtNext = async (): Promise<void> => {
    for (let [step] = kills; step !== undefined; [step] = kills) {
      await steering.at(step, "SIGKILL");
      kills.shift();
    }
  };
  void killAtNext();
  for (let minute = 0; minute < 60; minute += 1) {
    const worker = await server.workerd.miniflare.getWorker();
    const scheduledTime = new Date(NIGHT_MS + minute * 60_000);
    await worker.scheduled({ cron: "* * * * *", scheduledTime }).catch(() => {});
    await steering.isUp();
    const db = await server.db();
    // As two minutes later.
    await db.prepare("UPDATE backups SET lease_until = 0").run();
    const state = await db
      .prepare("SELECT state FROM backups WHERE date = ?1")
      .bind(DATE)
      .first<string>("state");
    if (state === "complete") {
      expect(kills, "steps that the backup did not come to").toEqual([]);
      return;
    }
  }
  throw new Error("the backup is not complete after an hour");
}

/** Runs the command; `onStart` gets the function that kills it. */
function restore(
  args: string[],
  onStart: (end: () => void) => void = () => {},
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
  });
  onStart(() => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

test("F31: a backup and a restore end well through SIGKILL, and every row and count is back", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  await visit();
  await expect.poll(views).toEqual(visited(VIEWS));
  await backUp();
  const before = await rows();

  // After the backup.
  await visit();
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
  const never = await restore(["--lacking"]);
  expect(never).toMatchObject({ code: 0, stdout: expect.stringContaining("has not seen D1 go") });
  const db = await server.db();
  const names = [...TABLES, "newsletters", "backups", "cron_runs", "purge_turns", "page_changes"];
  await db.batch(names.map((name) => db.prepare(`DELETE FROM ${name}`)));

  const refused = await restore(["--date", DATE], undefined, { BACKUP_KEY: randomSecret() });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("does not know this BACKUP_KEY");
  const dry = await restore(["--date", DATE, "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was written") });
  expect((await rows()).pages).toEqual([]);

  // The command ends while the service writes the second part.
  let killing: Promise<unknown> = Promise.resolve();
  const killed = await restore(["--date", DATE], (end) => {
    killing = steering.at(SECOND_PART, end, 1);
  });
  await killing;
  expect(killed.code).toBe(null);
  // The service ends when it has written rows of the second part, and has not said so.
  const ending = steering.at(
    SECOND_PART,
    () => {
      killing = steering.at("D1 of the router, after", "SIGKILL");
    },
    1,
  );
  const done = await restore(["--date", DATE, "--json"]);
  await ending;
  await killing;
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("no answer from")]);
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

  // The next run of the cron sees that D1 has lost the count of its runs. The service's own may have been sooner.
  const worker = await server.workerd.miniflare.getWorker();
  await worker.scheduled({ cron: "* * * * *", scheduledTime: new Date(NIGHT_MS + 3_600_000) });
  const seen = await restore(["--lacking"]);
  expect(seen).toMatchObject({ code: 0, stdout: expect.stringContaining("the cron saw that D1") });
  expect(seen.stdout).toContain("D1 lacks nothing that they know");
});
