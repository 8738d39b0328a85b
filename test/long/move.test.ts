/**
 * A deployment moves into an empty one: `npm run dump` and `npm run load` in the real runtime, each of them killed in
 * its middle, and workerd too. What came with it is compared as sets of rows, and every page's audit is exact.
 */
import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { type Server, startServer } from "../../src/commands/serve/server.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { randomSecret } from "../secret.ts";

const START_TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 600_000;
const PAGES = 300;
const VISITED = 60;
const VIEWS = 3;
/** Views of each page in an hour long ago. */
const EARLIER = 7;
const BACKUP_KEY = randomSecret();
const VARS = { BACKUP_KEY, FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1" };
const MAIN = join(ROOT, "src/commands/dump/main.ts");

let folder: string;
let from: Server;
let to: Server;
const sent: { page_id: string; event_id: string }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sila-move-"));
  from = await startServer({
    statePath: join(folder, "from"),
    vars: VARS,
    onLine: () => {},
    seed: async (db, media) => {
      const links = [{ link_id: "shop", url: "https://shop.example/" }];
      for (let i = 0; i < PAGES; i += 1) {
        await storePage(db, plainPage({ page_id: `page-${i}`, name: `ليان ${i}`, links }));
      }
      await media.put("pictures/page-1/a.webp", "a picture", {
        httpMetadata: { contentType: "image/webp" },
        customMetadata: { of: "page-1" },
      });
      await media.put(`notes/made/${Date.now()}/page/page-1`, "");
      await db.batch(
        [
          "INSERT INTO removed_links SELECT page_id, 'gone', json_object('ar', page_id), 0 FROM pages",
          `INSERT INTO tallies SELECT page_id, 3600, 'view', '', 'human', -2, ${EARLIER} FROM pages`,
        ].map((sql) => db.prepare(sql)),
      );
    },
  });
  for (let i = 0; i < VISITED; i += 1) {
    for (let view = 0; view < VIEWS; view += 1) {
      const event = { page_id: `page-${i * 5}`, event_id: crypto.randomUUID() };
      expect(await outcomeOf(from, event)).toBe("counted");
      sent.push(event);
    }
  }
  const endpoint = { url: "https://receiver.example/hook", events: ["click"] };
  await (await endpointsOf(from, "page-0")).create(endpoint);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([from?.dispose(), to?.dispose()]);
  await rm(folder, { recursive: true, force: true });
}, START_TIMEOUT_MS);

test(
  "a dump and a load that are killed and begun again bring everything once",
  async () => {
    // What D1 lacks when it is dumped, the objects of the new deployment send at a time of their own.
    await expect
      .poll(async () => totalOf(await tables(from)), { timeout: 60_000 })
      .toBe(PAGES * EARLIER + VISITED * VIEWS);
    const identity = await generateX25519Identity();
    const dump = join(folder, "dump");
    const key = join(folder, "key.txt");
    await writeFile(key, `# made for a test\n${identity}\n`);
    const dumping = ["dump", "--to", dump, "--recipient", await identityToRecipient(identity)];
    await killed([...dumping, "--url", from.url.href], () => filesIn(dump), 40);
    const plain = await run(["dump", "--to", dump, "--url", from.url.href]);
    expect(plain).toEqual({ code: 1, output: expect.stringContaining("another --recipient") });
    // workerd dies while the command goes on.
    const whole = run([...dumping, "--url", from.url.href]);
    await reached(() => filesIn(dump), 60);
    process.kill(from.workerd.pid() ?? 0, "SIGKILL");
    expect(await whole).toEqual({ code: 0, output: expect.stringContaining("rows of D1") });

    // The new deployment has the secrets of the old one.
    await Promise.all(
      ["sender-key", "session-key", "hub-webhook-secret"].map((name) =>
        cp(join(folder, "from", name), join(folder, "to", name)),
      ),
    );
    to = await startServer({ statePath: join(folder, "to"), vars: VARS, onLine: () => {} });
    // It runs every minute, whether there is a page or not.
    await (await to.workerd.miniflare.getWorker()).scheduled({ cron: "* * * * *" });
    const loading = ["load", "--from", dump, "--identity", key, "--url", to.url.href];
    const rowsOf = async () => (await tables(to)).removed_links?.length ?? 0;
    await killed(loading, rowsOf, 1);
    const loaded = run(loading);
    // To the cron a page that was noted, and that D1 lacks, means that D1 was restored.
    await reached(
      async () => (await (await to.media()).list({ prefix: "notes/" })).objects.length,
      1,
    );
    expect((await tables(to)).pages).toHaveLength(PAGES);
    expect(await loaded).toEqual({
      code: 0,
      output: expect.stringContaining(`${PAGES} pages`),
    });
    expect(await tables(to)).toEqual(await tables(from));
    const picture = await (await to.media()).get("pictures/page-1/a.webp");
    expect([
      await picture?.text(),
      picture?.httpMetadata?.contentType,
      picture?.customMetadata,
    ]).toEqual(["a picture", "image/webp", { of: "page-1" }]);
    expect(await (await endpointsOf(to, "page-0")).list()).toEqual(
      await (await endpointsOf(from, "page-0")).list(),
    );
    // It knows what the old one had counted, and counts on.
    for (const event of sent) expect(await outcomeOf(to, event)).toBe("duplicate");
    const next = { page_id: "page-0", event_id: crypto.randomUUID() };
    expect(await outcomeOf(to, next)).toBe("counted");
    await expect
      .poll(async () => totalOf(await tables(to)), { timeout: 60_000 })
      .toBe(totalOf(await tables(from)) + 1);
    // Nor does it come again, once all of it is there: what was deleted since would be back.
    const again = await run(loading);
    expect(again).toEqual({ code: 1, output: expect.stringContaining("has this dump") });
    // A deployment with pages takes no dump.
    const back = ["load", "--from", dump, "--identity", key, "--url", from.url.href];
    const refused = await run(back);
    expect(refused).toEqual({ code: 1, output: expect.stringContaining("has pages") });
    // A D1 that was lost does; the objects keep what they have, and send it.
    const { days: _, ...written } = await tables(from);
    const db = await from.db();
    await db.batch(
      Object.keys(await tables(from)).map((name) => db.prepare(`DELETE FROM ${name}`)),
    );
    const filled = await run(back);
    expect(filled).toEqual({ code: 1, output: expect.stringContaining("\n  PAGE page-0\n") });
    expect(filled.output).not.toContain("not exact");
    expect(await tables(from)).toMatchObject(written);
  },
  TEST_TIMEOUT_MS,
);

let senders = 0;

async function outcomeOf(server: Server, event: object): Promise<string | null> {
  senders += 1;
  const response = await fetch(new URL("/api/analytics/view", server.url), {
    method: "POST",
    headers: {
      "CF-Connecting-IP": `10.9.${senders >> 8}.${senders & 255}`,
      "User-Agent": "Mozilla/5.0 Firefox/140.0",
    },
    body: JSON.stringify(event),
  });
  await response.arrayBuffer();
  return response.headers.get("X-Beacon-Outcome");
}

interface Endpoints {
  create(input: { url: string; events: string[] }): Promise<unknown>;
  list(): Promise<unknown>;
}

async function endpointsOf(server: Server, page_id: string): Promise<Endpoints> {
  const namespace = await server.workerd.miniflare.getDurableObjectNamespace("WEBHOOKS");
  return (namespace as never as { getByName(name: string): Endpoints }).getByName(page_id);
}

/** Rows of what a dump has, as sets. */
async function tables(server: Server): Promise<Record<string, string[]>> {
  const db = await server.db();
  const found: Record<string, string[]> = {};
  for (const name of ["pages", "removed_links", "tallies", "days", "revisions", "milestones"]) {
    const { results } = await db.prepare(`SELECT * FROM ${name}`).all();
    found[name] = results.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

function totalOf({ tallies = [] }: Record<string, string[]>): number {
  return tallies.reduce((sum, row) => sum + (JSON.parse(row) as { n: number }).n, 0);
}

async function filesIn(path: string): Promise<number> {
  return (await readdir(path, { recursive: true }).catch(() => [])).length;
}

function start(args: readonly string[]) {
  return spawn(process.execPath, ["--no-warnings", MAIN, ...args], {
    cwd: ROOT,
    env: { ...process.env, BACKUP_KEY },
  });
}

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = start(args);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

/** Runs the command until the measure is reached, and ends it by SIGKILL there. */
async function killed(
  args: readonly string[],
  measure: () => Promise<number>,
  min: number,
): Promise<void> {
  const child = start(args);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await reached(measure, min);
  expect(child.exitCode, "the command is still running").toBe(null);
  child.kill("SIGKILL");
  await ended;
}

function reached(measure: () => Promise<number>, min: number): Promise<void> {
  return expect.poll(measure, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(min);
}
