/** `npm start` in a fresh clone of the repository. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BUNDLED } from "../../src/commands/serve/bundle.ts";
import { DEMO_AVATARS } from "../demo/data.ts";
import { DEMO_SHARD } from "../demo/seed-history.ts";
import { removeLinkSql } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";
import {
  click,
  leftOvers,
  MARK,
  NpmRun,
  nameOf,
  START_TIMEOUT_MS,
  signIn,
  tap,
} from "./npm-run.ts";

let statePath: string;
let mark: string;
let started: NpmRun[] = [];

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-start-"));
  mark = randomUUID();
});
afterEach(async () => {
  await Promise.all(started.map((run) => run.stop("SIGTERM")));
  started = [];
  await rm(statePath, { recursive: true, force: true });
});

function start(env: Record<string, string>): NpmRun {
  return run(["start"], env);
}

function run(args: string[], env: Record<string, string>): NpmRun {
  // A fresh clone has to build the Worker.
  const own = { [BUNDLED]: undefined, STATE_PATH: statePath, [MARK]: mark };
  const npm = new NpmRun(args, { ...own, ...env });
  started.push(npm);
  return npm;
}

test("F26: a fresh clone starts with its demo and its people, keeps counts and edits, and leaves nothing behind", {
  // Three starts, each of which builds or seeds, beside other tests on two cores.
  timeout: 8 * START_TIMEOUT_MS,
}, async () => {
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const first = start({ PORT: String(pair.port) });
  // Asked before the port opens: the first deep probe passes.
  const probe = await firstAnswer(`http://localhost:${pair.port}/health/deep`);
  expect(await probe.json()).toMatchObject({ ok: true, checks: { hub: { ok: true } } });
  expect(probe.status).toBe(200);
  let address = await first.address();
  expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ ok: true, app: "sila" });
  expect(await bioOf(address, "demo")).toContain('dir="rtl"');
  expect(await bioOf(address, "demo-en")).toContain('dir="ltr"');
  const avatar = await fetch(`${address}/media/${DEMO_AVATARS[0].key}`);
  expect(avatar.headers.get("Content-Type")).toBe(DEMO_AVATARS[0].type);
  const prices = await fetch(
    `${address}/api/download/demo-file-prices?page_id=demo&link_id=demo-prices`,
  );
  expect(prices.headers.get("Content-Type")).toBe("application/pdf");
  expect(await click(address)).toBe("counted");
  const cookie = await signIn(address, "demo-pro");
  expect(await nameOf(address, cookie)).toBe("ليان الحوراني");
  expect((await tap(address, "demo-pro", "https://sila.example")).status).toBe(403);
  const by_another_name = address.replace("localhost", "127.0.0.1");
  expect((await tap(by_another_name, "demo-pro")).status).toBe(403);
  expect((await tap(address, "demo-proof")).status).toBe(401);
  const users = await fetch(`${address}/admin/users`, { headers: { Cookie: cookie } });
  expect(users.status).toBe(200);

  const to = join(statePath, "dump");
  const dump = run(["run", "dump", "--", "--to", to], { PORT: new URL(address).port });
  expect([await dump.exited, dump.output]).toEqual([
    0,
    expect.stringMatching(/\d+ rows of D1, \d+ objects/),
  ]);

  // Another one can have neither its state folder nor its port.
  const sameState = start({ PORT: "0" });
  expect(await sameState.exited).toBe(1);
  expect(sameState.output).toContain("is being served by another process");
  const samePort = start({ PORT: String(pair.port), STATE_PATH: join(statePath, "other") });
  expect(await samePort.exited).toBe(1);
  expect(samePort.output).toContain(`Port ${pair.port} is in use`);
  expect(samePort.output).toContain(`المنفذ ${pair.port} مشغول`);

  expect(await first.stop("SIGINT")).toBe(0);
  expect(await leftOvers(mark)).toEqual([]);
  const history = await madeUp();
  expect(history.map(({ page_id }) => page_id)).toEqual(["demo", "demo-en"]);
  expect((await people()).map(({ points }) => points)).toEqual([18_000, 40, 1_250]);
  await editDemo();

  const second = start({ PORT: "0" });
  address = await second.address();
  expect(await click(address)).toBe("duplicate");
  const page = await bioOf(address, "demo-en");
  expect(page).toContain("Edited by its creator");
  expect(page).not.toContain("demo-en-shop");
  expect(await nameOf(address, cookie)).toBeDefined();

  expect(await second.stop("SIGTERM")).toBe(0);
  expect(await leftOvers(mark)).toEqual([]);
  expect(await madeUp()).toEqual(history);
  expect(await people()).toEqual([
    { id: "demo-business", name: "Mara Quill", points: 18_000 },
    { id: "demo-pro", name: "Renamed by herself", points: 1_250 },
  ]);
});

/** The first answer from this address, asked until there is one. */
async function firstAnswer(address: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(address).catch(() => null);
    if (answer !== null) return answer;
    await pause(5);
  }
}

async function bioOf(address: string, slug: string): Promise<string> {
  const response = await fetch(`${address}/${slug}`);
  expect(response.status).toBe(200);
  return response.text();
}

/** Edits between two starts: another text, one link less; another name, and one person less. */
async function editDemo(): Promise<void> {
  await withD1((db) => {
    db.exec(
      "UPDATE pages SET document = json_set(document, '$.bio.en', 'Edited by its creator') WHERE page_id = 'demo-en'",
    );
    db.prepare(removeLinkSql("demo-en-shop")).run("demo-en");
    db.exec("UPDATE auth_users SET name = 'Renamed by herself' WHERE id = 'demo-pro'");
    for (const table of ["auth_users WHERE id", "auth_wallets WHERE user_id"]) {
      db.exec(`DELETE FROM ${table} = 'demo-free'`);
    }
    db.exec("INSERT INTO deleted_users (user_id, deleted_at) VALUES ('demo-free', 0)");
  });
}

/** The events of the demo's history, by page. */
function madeUp() {
  return withD1((db) =>
    db
      .prepare(
        `SELECT page_id, SUM(n) AS n, MAX(hour) AS until FROM tallies WHERE shard = ?
         GROUP BY page_id ORDER BY page_id`,
      )
      .all(DEMO_SHARD),
  );
}

/** Whoever has an account. */
function people() {
  return withD1((db) =>
    db
      .prepare(
        "SELECT id, name, points FROM auth_users JOIN auth_wallets ON user_id = id ORDER BY id",
      )
      .all(),
  );
}

/** Opens the service's database while nothing serves it. */
async function withD1<T>(work: (db: DatabaseSync) => T): Promise<T> {
  const folder = join(statePath, "v3/d1/miniflare-D1DatabaseObject");
  const [name] = (await readdir(folder)).filter(
    (file) => file.endsWith(".sqlite") && file !== "metadata.sqlite",
  );
  const db = new DatabaseSync(join(folder, name ?? ""));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
