/** Backups of every night, by the minute cron, through faults (docs/faults.md F31). */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { open, sha256 } from "../../../src/backup/backup-format.ts";
import { type Cursor, readBackups } from "../../../src/backup/backups-store.ts";
import { outdated } from "../../../src/backup/kept-backups.ts";
import { openManifest, openPart } from "../../../src/backup/open-backup.ts";
import { type PartRows, readPart } from "../../../src/backup/read-part.ts";
import { runBackup } from "../../../src/backup/run-backup.ts";
import { BACKED_TABLES, HISTORY_TABLES, LEFT_OUT } from "../../../src/backup/tables.ts";
import { isConfigured, readConfig } from "../../../src/http/config.ts";
import { lastBackupAt } from "../../../src/operate/last-backup.ts";
import { generator } from "../../random.ts";
import { randomSecret, secretOf } from "../../secret.ts";
import {
  BACKUP_KEY,
  BACKUPS,
  backUp,
  callsOf,
  deployment,
  faulty,
  fillTables,
  nightOf,
  restoreOf,
  rowsOf,
  tablesOf,
  wipe,
} from "../../workers/backup-kit.ts";
import { freshPage } from "../../workers/kit.ts";
import { freshStats } from "../../workers/stats-kit.ts";

const secret = secretOf(BACKUP_KEY);

afterEach(async () => {
  const { objects } = await BACKUPS.list();
  await BACKUPS.delete(objects.map(({ key }) => key));
  await env.DB.batch(
    ["backups", "backup_parts"].map((name) => env.DB.prepare(`DELETE FROM ${name}`)),
  );
});

function quiet() {
  return vi.spyOn(console, "error").mockImplementation(() => {});
}

async function keysOf(date: string): Promise<string[]> {
  const { objects } = await BACKUPS.list({ prefix: `backups/${date}/` });
  return objects.map(({ key }) => key).sort();
}

/** What a backup has, as texts by table. */
async function contentOf(date: string): Promise<Record<string, string[]>> {
  const manifest = await openManifest(BACKUPS, secret, date);
  const found: Record<string, string[]> = {};
  for (const { n } of manifest.parts) {
    const { source, rows } = await openPart(BACKUPS, secret, manifest, n);
    found[source] = [...(found[source] ?? []), ...rows.map((row) => JSON.stringify(row))].sort();
  }
  return found;
}

/** Compares a backup with D1 as it is now. */
async function expectAllRows(content: Record<string, string[]>): Promise<void> {
  for (const { name, columns, where = "true" } of BACKED_TABLES) {
    const { results } = await env.DB.prepare(
      `SELECT ${columns.join(", ")} FROM ${name} WHERE ${where}`,
    ).all();
    expect(results.length, name).toBeGreaterThan(0);
    expect(content[name] ?? [], name).toEqual(results.map((row) => JSON.stringify(row)).sort());
  }
}

describe("what is backed up", () => {
  test("every table of the schema is backed up with every column, or left out for a reason", async () => {
    const backed = BACKED_TABLES.map(({ name }) => name);
    expect([...backed, ...Object.keys(LEFT_OUT)].sort()).toEqual(await tablesOf(env.DB));
    for (const { name, columns } of BACKED_TABLES) {
      const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info(?1)")
        .bind(name)
        .all<{ name: string }>();
      expect([name, [...columns].sort()]).toEqual([name, results.map((row) => row.name).sort()]);
    }
  });

  test("so is every table of a database of statistics, by an index as in the main one", async () => {
    await freshStats();
    const backed = HISTORY_TABLES.map(({ name }) => name);
    const left = ["cron_runs", "left_pages"];
    expect([...backed, ...left].sort()).toEqual(await tablesOf(env.SPARE_0));
    expect(Object.keys(LEFT_OUT)).toEqual(expect.arrayContaining(left));
    const indexes = async (db: D1Database) => {
      const { results } = await db
        .prepare("SELECT name, sql FROM sqlite_schema WHERE name GLOB '*_imported' ORDER BY name")
        .all<{ name: string; sql: string }>();
      return results;
    };
    const known = await indexes(env.SPARE_0);
    expect(known.map(({ name }) => name)).toEqual(HISTORY_TABLES.map(({ index }) => index).sort());
    expect(known).toEqual(await indexes(env.DB));
  });

  test("a backup has each row as it was, and nothing in clear", async () => {
    await fillTables();
    const page = await freshPage({ bio: "a text that nobody may read" });
    await backUp("2030-01-01");
    const content = await contentOf("2030-01-01");
    await expectAllRows(content);
    for (const key of await keysOf("2030-01-01")) {
      const bytes = await (await BACKUPS.get(key))?.arrayBuffer();
      const text = new TextDecoder("latin1").decode(bytes);
      expect(text).not.toContain(page.page_id);
    }
  });

  test("it begins at two o'clock UTC, also where the minute was missed, and once a night", async () => {
    await freshPage();
    const service = deployment();
    await runBackup(service, nightOf("2030-01-01") - 1);
    expect(await readBackups(env.DB, 5)).toEqual([]);
    await runBackup(service, nightOf("2030-01-01") + 7 * 3_600_000);
    const [first] = await readBackups(env.DB, 5);
    expect(first).toMatchObject({ date: "2030-01-01", state: "complete", failures: 0 });
    const keys = await keysOf("2030-01-01");
    await runBackup(service, nightOf("2030-01-01") + 8 * 3_600_000);
    expect(await readBackups(env.DB, 5)).toEqual([first]);
    expect(await keysOf("2030-01-01")).toEqual(keys);
  });

  test("S25: a key that is empty or missing is no fault; a malformed or repeated one is", () => {
    quiet();
    const { BACKUP_KEY: _, ...without } = deployment();
    for (const [service, is_valid] of [
      [deployment(), true],
      [deployment({ BACKUP_KEY: "" }), true],
      [without as Cloudflare.Env, true],
      [deployment({ BACKUP_KEY: "short" }), false],
      [deployment({ BACKUP_KEY: env.SESSION_KEY }), false],
    ] as const) {
      expect(isConfigured(service)).toBe(is_valid);
      expect(readConfig(service).backup === null).toBe(!is_valid);
    }
  });

  test("without a key or a bucket there are none, which the log says once a night", async () => {
    const logged = quiet();
    const { BACKUPS: _, ...without } = deployment();
    for (const service of [deployment({ BACKUP_KEY: "" }), without as Cloudflare.Env]) {
      logged.mockClear();
      for (let minute = 0; minute < 3; minute += 1) {
        await runBackup(service, nightOf("2030-01-01") + minute * 60_000);
      }
      expect(logged.mock.calls).toEqual([[expect.stringContaining("backups_off")]]);
      expect(await readBackups(env.DB, 1)).toEqual([]);
    }
  });
});

describe("faults", () => {
  test("F31: refused and lost calls of D1 and R2 leave a backup that has each row once", async () => {
    quiet();
    await fillTables();
    for (const seed of [1, 2, 3]) {
      const date = `2030-02-0${seed}`;
      const random = generator(seed);
      let faults = 0;
      const fails = () => {
        if (random() > 0.12) return null;
        faults += 1;
        return random() < 0.5 ? "before" : "after";
      };
      const service = deployment({
        DB: withFaultyStatements(env.DB, fails),
        BACKUPS: faulty(BACKUPS, ["put", "list", "head", "delete"], fails),
      });
      await backUp(date, service, { runs_max: 200, lapse: true });
      // What the last run left undone, the next night does; the bucket may have strays until then.
      const manifest = await openManifest(BACKUPS, secret, date);
      expect(manifest.parts.map(({ n }) => n)).toEqual(manifest.parts.map((_, i) => i + 1));
      const content = await contentOf(date);
      await expectAllRows(content);
      expect(faults).toBeGreaterThan(3);
    }
  });

  test("F31: two crons at once make one backup, and one that lost its lease notes nothing", async () => {
    await freshPage();
    // Between its read of the rows and its write, the first one is overtaken by others.
    const slow = deployment({
      BACKUPS: faulty(BACKUPS, ["put"], () => null),
    });
    let overtaken = false;
    const bucket = new Proxy(slow.BACKUPS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "put") return value;
        return async (...args: Parameters<R2Bucket["put"]>) => {
          if (!overtaken) {
            overtaken = true;
            await env.DB.prepare("UPDATE backups SET lease_until = 0").run();
            await backUp("2030-03-01");
          }
          return target.put(...args);
        };
      },
    });
    await runBackup(deployment({ BACKUPS: bucket }), nightOf("2030-03-01"));
    const content = await contentOf("2030-03-01");
    expect(new Set(content.pages).size).toBe(content.pages?.length);
    const [backup] = await readBackups(env.DB, 1);
    const manifest = await openManifest(BACKUPS, secret, "2030-03-01");
    expect(backup).toMatchObject({ state: "complete", rows: manifest.rows });
    // While one has the lease, another does nothing.
    await env.DB.prepare(
      `UPDATE backups SET state = 'running', lease = 'other',
         lease_until = unixepoch() * 1000 + 60000`,
    ).run();
    await runBackup(deployment(), nightOf("2030-03-01") + 60_000);
    expect((await readBackups(env.DB, 1))[0]?.state).toBe("running");
  });

  test("F31: a D1 that was emptied does not replace the night's backup, but learns of it", async () => {
    await freshPage();
    await backUp("2030-04-01");
    const before = await contentOf("2030-04-01");
    const [known] = await readBackups(env.DB, 1);
    const rows = await rowsOf(env.DB, ["pages", "revisions"]);
    await env.DB.batch(["backups", "pages"].map((name) => env.DB.prepare(`DELETE FROM ${name}`)));
    await runBackup(deployment(), nightOf("2030-04-01") + 3_600_000);
    expect(await contentOf("2030-04-01")).toEqual(before);
    expect(await readBackups(env.DB, 5)).toEqual([known]);
    await restoreOf("2030-04-01");
    expect(await rowsOf(env.DB, ["pages", "revisions"])).toEqual(rows);
  });

  test("F31: one that takes two days is given up, and the next one begins", async () => {
    await freshPage();
    quiet();
    const broken = deployment({ BACKUPS: faulty(BACKUPS, ["put"], () => "before") });
    await runBackup(broken, nightOf("2030-05-01"));
    await runBackup(broken, nightOf("2030-05-02"));
    expect(await readBackups(env.DB, 5)).toMatchObject([
      { date: "2030-05-01", state: "running", failures: 2 },
    ]);
    await backUp("2030-05-03");
    // With the new one complete, the other is gone.
    expect((await readBackups(env.DB, 5)).map(({ date }) => date)).toEqual(["2030-05-03"]);
    expect(await keysOf("2030-05-01")).toEqual([]);
  });

  test("F31: a D1 that is restored to the middle of a backup that is complete takes no part of it away", async () => {
    await fillTables();
    quiet();
    let puts = 0;
    const fails = () => (puts++ === 3 ? "before" : null);
    const service = deployment({ BACKUPS: faulty(BACKUPS, ["put"], fails) });
    await runBackup(service, nightOf("2030-04-02"));
    const middle = await env.DB.batch(
      ["backups", "backup_parts"].map((name) => env.DB.prepare(`SELECT * FROM ${name}`)),
    );
    await backUp("2030-04-02");
    const [known] = await readBackups(env.DB, 1);
    const before = await contentOf("2030-04-02");
    await env.DB.batch([
      env.DB.prepare("DELETE FROM backups"),
      ...["backups", "backup_parts"].flatMap((name, i) =>
        ((middle[i]?.results ?? []) as Record<string, unknown>[]).map((row) =>
          env.DB.prepare(
            `INSERT INTO ${name} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => "?")})`,
          ).bind(...Object.values(row)),
        ),
      ),
    ]);
    expect((await readBackups(env.DB, 1))[0]).toMatchObject({ state: "running", parts: 3 });
    await backUp("2030-04-02");
    expect(await contentOf("2030-04-02")).toEqual(before);
    expect((await readBackups(env.DB, 1))[0]).toEqual({
      ...known,
      ...{ failures: 1, failed_at: expect.any(Number) },
    });
  });

  test("F31: one whose end D1 did not learn for two days is complete, and stays", async () => {
    await freshPage();
    await backUp("2030-04-03");
    const before = await contentOf("2030-04-03");
    const [known] = await readBackups(env.DB, 1);
    await env.DB.prepare("UPDATE backups SET state = 'running', finished_at = NULL").run();
    await backUp("2030-04-06");
    expect((await readBackups(env.DB, 5))[1]).toEqual(known);
    expect(await contentOf("2030-04-03")).toEqual(before);
  });

  test("F31: a backup that D1 was lost in the middle of begins anew in the same night", async () => {
    await freshPage();
    await BACKUPS.put("backups/2030-04-07/000001-stray", "");
    await backUp("2030-04-07");
    expect(await keysOf("2030-04-07")).not.toContain("backups/2030-04-07/000001-stray");
    expect(await contentOf("2030-04-07")).toHaveProperty("pages");
  });

  test("F31: a clock that was ahead for a while costs no night, and hides no missing backup", async () => {
    await freshPage();
    await backUp("2099-01-01");
    expect(await lastBackupAt(deployment())).toBe(null);
    for (const date of ["2030-04-08", "2030-04-09"]) {
      for (let n = 0; n < 5; n += 1) await runBackup(deployment(), nightOf(date) + n * 60_000);
    }
    const dates = (await readBackups(env.DB, 5)).map(({ date }) => date);
    expect(dates).toEqual(["2099-01-01", "2030-04-09", "2030-04-08"]);
  });

  test("F31: a slice of a slow D1 gets on by one read at least", async () => {
    await fillTables();
    let now = Date.now();
    // Each look at the clock is 25 s after the one before, and a slice has 20 s.
    vi.spyOn(Date, "now").mockImplementation(() => {
      now += 25_000;
      return now;
    });
    await backUp("2030-04-10", deployment(), { runs_max: 100, lapse: true });
    await expectAllRows(await contentOf("2030-04-10"));
  });

  test("F31: a row that is there all night is in the backup, whatever comes and goes beside it", async () => {
    const { page_id } = await freshPage();
    const insert = env.DB.prepare("INSERT INTO removed_links VALUES (?1, ?2, '{}', 0)");
    const name = (n: number) => `link-${String(n).padStart(5, "0")}`;
    const rows = Array.from({ length: 2_500 }, (_, n) => insert.bind(page_id, name(2 * n)));
    await env.DB.batch(rows);
    const found = new Set<string>();
    let cursor: Cursor | null = { source: "removed_links", after: [page_id, ""] };
    while (cursor?.source === "removed_links") {
      const read: PartRows = await readPart(env, cursor, 0, { calls: 1, until: 0 });
      const links = read.lines.map((line) => JSON.parse(line) as Record<string, string>);
      for (const link of links) if (link.page_id === page_id) found.add(link.link_id ?? "");
      // The row at which the next read begins goes, and others come before and behind it.
      const [, at = ""] = (read.next?.after ?? []) as string[];
      const place = Number(at.slice(5));
      if (read.next?.source === "removed_links" && at.startsWith("link-")) {
        await env.DB.batch([
          env.DB.prepare("DELETE FROM removed_links WHERE link_id = ?1").bind(at),
          insert.bind(page_id, name(place - 1)),
          insert.bind(page_id, name(place + 1)),
        ]);
      }
      cursor = read.next;
    }
    const missing = Array.from({ length: 2_500 }, (_, n) => name(2 * n)).filter(
      (one) => !found.has(one),
    );
    expect(missing).toEqual([]);
    await env.DB.prepare("DELETE FROM removed_links WHERE page_id = ?1").bind(page_id).run();
  });

  test("F31: a read is bounded by bytes too, because a creator may save 100 times 256 KiB", async () => {
    const { page_id } = await freshPage();
    const n = 60;
    await env.DB.prepare(
      `INSERT INTO revisions (page_id, version, saved_at, what, slug, status, bytes, document)
       SELECT ?1, 2 + n.key, 0, '[]', '', 'draft', 262144, hex(zeroblob(131072))
       FROM json_each('[' || substr(replace(hex(zeroblob(${n})), '00', ',1'), 2) || ']') AS n`,
    )
      .bind(page_id)
      .run();
    const versions: number[] = [];
    let cursor: Cursor | null = { source: "revisions", after: [page_id, 1] };
    while (cursor?.source === "revisions") {
      const read: PartRows = await readPart(env, cursor, 0, { calls: 1, until: 0 });
      const rows = read.lines.map(
        (line) => JSON.parse(line) as { page_id: string; version: number },
      );
      expect(read.lines.join("").length).toBeLessThan(5_000_000);
      versions.push(...rows.filter((row) => row.page_id === page_id).map(({ version }) => version));
      cursor = read.next;
    }
    expect(versions).toEqual(Array.from({ length: n }, (_, i) => 2 + i));
    await env.DB.prepare("DELETE FROM revisions WHERE page_id = ?1").bind(page_id).run();
  });
});

describe("what stays", () => {
  const backup = (date: string, rows: number, state: "complete" | "failed" = "complete") => ({
    ...{ date, state, rows, started_at: 0, finished_at: 1, parts: 1 },
    ...{ bytes: 1, failures: 0, failed_at: null },
  });
  const day = (n: number) =>
    new Date(Date.UTC(2030, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);

  test("31 nights leave 30", async () => {
    await freshPage();
    await backUp(day(0));
    // Nights that only the bucket knows count too: D1 learns of them the next night.
    const manifest = await BACKUPS.get(`backups/${day(0)}/manifest`);
    const { customMetadata = {} } = manifest ?? {};
    await manifest?.arrayBuffer();
    for (let n = 1; n < 29; n += 1) {
      await BACKUPS.put(`backups/${day(n)}/manifest`, "", { customMetadata });
    }
    await backUp(day(29));
    expect(await readBackups(env.DB, 100)).toHaveLength(30);
    await backUp(day(30));
    const dates = (await readBackups(env.DB, 100)).map(({ date }) => date);
    expect(dates).toEqual(Array.from({ length: 30 }, (_, n) => day(30 - n)));
    const { delimitedPrefixes } = await BACKUPS.list({ prefix: "backups/", delimiter: "/" });
    expect(delimitedPrefixes).toEqual(dates.toReversed().map((date) => `backups/${date}/`));
  });

  test("nights after a loss do not push out a backup that has everything, for 90 days", () => {
    const nights = [
      ...Array.from({ length: 30 }, (_, n) => backup(day(60 - n), 10)),
      backup(day(30), 20),
      backup(day(29), 21),
    ];
    const now = Date.parse(day(60));
    expect(outdated(nights, now).map(({ date }) => date)).toEqual([day(30)]);
    const later = Date.parse(day(29 + 90));
    expect(outdated(nights, later).map(({ date }) => date)).toEqual([day(30), day(29)]);
  });

  test("an incomplete one goes when a later one is complete, and never the last complete one", () => {
    const last = backup(day(1), 10);
    expect(outdated([backup(day(2), 0, "failed"), last], 0)).toEqual([]);
    const failed = backup(day(0), 0, "failed");
    expect(outdated([last, failed], 0)).toEqual([failed]);
    expect(outdated([failed], 0)).toEqual([]);
  });
});

describe("S31: a backup that is not what its key sealed is refused, and nothing is written", () => {
  async function expectRefused(date: string, key = BACKUP_KEY): Promise<string> {
    const tables = await tablesOf(env.DB);
    await wipe(env.DB);
    const empty = await rowsOf(env.DB, tables);
    const call = callsOf(deployment(), key);
    const reason = await restoreOf(date, call).then(
      () => "restored",
      (error) => String(error),
    );
    expect(await rowsOf(env.DB, tables)).toEqual(empty);
    return reason;
  }

  async function made(date: string): Promise<string[]> {
    for (let i = 0; i < 2; i += 1) await freshPage();
    await backUp(date);
    return keysOf(date);
  }

  test("another key", async () => {
    await made("2030-06-01");
    expect(await expectRefused("2030-06-01", randomSecret())).toContain("another BACKUP_KEY");
  });

  test("a changed byte of any object", async () => {
    const keys = await made("2030-06-02");
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      const bytes = new Uint8Array((await (await BACKUPS.get(key))?.arrayBuffer()) ?? []);
      const at = Math.floor(bytes.length / 2);
      const changed = bytes.with(at, (bytes[at] ?? 0) ^ 1);
      await BACKUPS.put(key, changed);
      expect(await expectRefused("2030-06-02")).toContain("BadBackupError");
      await BACKUPS.put(key, bytes);
    }
    expect((await restoreOf("2030-06-02")).written).toBeGreaterThan(0);
  });

  test("a missing part, exchanged parts, and a manifest of another date", async () => {
    const [first = "", second = ""] = await made("2030-06-03");
    const read = async (key: string) =>
      (await BACKUPS.get(key))?.arrayBuffer() ?? new ArrayBuffer(0);
    const [one, two] = [await read(first), await read(second)];
    await BACKUPS.delete(first);
    expect(await expectRefused("2030-06-03")).toContain("part 1 is missing");
    await BACKUPS.put(first, two);
    await BACKUPS.put(second, one);
    expect(await expectRefused("2030-06-03")).toContain("part 1 was changed");
    await BACKUPS.put(first, one);
    await BACKUPS.put(second, two);
    await BACKUPS.put("backups/2030-06-04/manifest", await read("backups/2030-06-03/manifest"));
    expect(await expectRefused("2030-06-04")).toContain("another part");
    expect(await expectRefused("2030-06-05")).toContain("no complete backup");
  });

  test("a part in the place of another, even with its hash", async () => {
    const keys = await made("2030-06-06");
    const manifest = await openManifest(BACKUPS, secret, "2030-06-06");
    const [one, two] = manifest.parts;
    const bytes = new Uint8Array((await (await BACKUPS.get(two?.key ?? ""))?.arrayBuffer()) ?? []);
    expect(await sha256(bytes)).toBe(two?.sha256);
    const id = { date: "2030-06-06", run: manifest.run, n: one?.n ?? 0, source: one?.source ?? "" };
    await expect(open(secret, id, bytes)).rejects.toThrow("another part");
    expect(keys).toContain(two?.key);
  });

  test("a database with older migrations than the backup's", async () => {
    await made("2030-06-07");
    await env.DB.prepare("UPDATE d1_migrations SET name = 'a-' || name WHERE id > 0").run();
    const manifest = await openManifest(BACKUPS, secret, "2030-06-07");
    expect(manifest.schema).toMatch(/^\d{4}_/);
    await env.DB.prepare("UPDATE d1_migrations SET name = substr(name, 3)").run();
    const call = callsOf();
    const older: typeof call = async (one) => {
      const answer = await call(one);
      return one.step === "manifest" ? { ...(answer as object), schema: "0001_pages.sql" } : answer;
    };
    await expect(restoreOf("2030-06-07", older)).rejects.toThrow("apply them first");
  });
});

/** D1 whose statements and batches fail now and then. */
function withFaultyStatements(db: D1Database, fails: () => "before" | "after" | null): D1Database {
  const real = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(faulty(statement, ["all", "first", "run"], fails), {
      get(target, name) {
        if (name !== "bind") return Reflect.get(target, name);
        return (...values: unknown[]) => wrap(statement.bind(...values));
      },
    });
    real.set(wrapped, statement);
    return wrapped;
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql));
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const fault = fails();
          if (fault === "before") throw new Error("D1 refuses");
          const results = await target.batch(statements.map((one) => real.get(one) ?? one));
          if (fault === "after") throw new Error("D1's answer was lost");
          return results;
        };
      }
      return Reflect.get(target, name);
    },
  });
}
