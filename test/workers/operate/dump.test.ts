/** Dumps of objects and of tables, step by step; `test/long/move.test.ts` moves a whole deployment. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dumpObject } from "../../../objects/platform/dump.ts";
import { hex, utf8 } from "../../../src/http/bytes.ts";
import { Secret } from "../../../src/http/secret.ts";
import {
  CALL_HEADER,
  DUMP_PATH,
  SIGNATURE_HEADER,
  signCall,
} from "../../../src/operate/dump/dump-call.ts";
import { type Described, type DumpCall, dumpStep } from "../../../src/operate/dump/dump-steps.ts";
import {
  listTables,
  readRows,
  type Value,
  writeRows,
} from "../../../src/operate/dump/dump-tables.ts";
import { beacon, call, freshPage, ORIGIN, pageObject } from "../kit/kit.ts";

const BACKUP_KEY = hex(crypto.getRandomValues(new Uint8Array(32)));
const SECRET = Secret.parse(BACKUP_KEY) as Secret;
const OTHER = Secret.parse(hex(crypto.getRandomValues(new Uint8Array(32)))) as Secret;

/** A step as the command asks for it. */
function step(
  asked: DumpCall,
  body?: BodyInit,
  secret = SECRET,
  now = Date.now(),
  host = new URL(ORIGIN).host,
) {
  Object.assign(env, { BACKUP_KEY });
  const text = JSON.stringify(asked);
  const headers = { [CALL_HEADER]: text, [SIGNATURE_HEADER]: signCall(secret, host, text, now) };
  return call(DUMP_PATH, { method: "POST", headers, ...(body === undefined ? {} : { body }) });
}

async function linesOf(page_id: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await step({ do: "object", class: "PAGE", name: page_id });
  return new Uint8Array(await object.arrayBuffer());
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

test("an object that is made of a dump goes on as the other one: its counts, and the ids that it knows", async () => {
  const { page_id } = await freshPage();
  const event_id = crypto.randomUUID();
  for (const id of [event_id, crypto.randomUUID(), crypto.randomUUID()]) {
    await beacon({ page_id, event_id: id });
  }
  await pageObject(page_id).flush();
  const lines = await linesOf(page_id);
  const totals = await pageObject(page_id).totals();
  const sha256 = await sha256Of(lines);

  // Under another name, because this deployment has the page's own object.
  const other = `copy-${page_id}`;
  const load = (name: string) =>
    step({ do: "load object", class: "PAGE", name, sha256 }, lines).then((response) =>
      response.json(),
    );
  expect(await load(other)).toEqual({ loaded: true });
  expect(await pageObject(other).totals()).toEqual(totals);
  expect(await load(other)).toEqual({ loaded: true });
  expect(await load(page_id)).toEqual({ loaded: false });
  expect(await pageObject(page_id).totals()).toEqual(totals);
  const again = await (await step({ do: "object", class: "PAGE", name: other })).text();
  const own = (text: string) =>
    text.split("\n").filter((line) => !/^\{"(?:alarm|key":"loaded)"/.test(line));
  expect(own(again)).toEqual(own(new TextDecoder().decode(lines)));
});

test("what an object stores comes back as it was, whatever it is", async () => {
  const value = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(fc.tuple(fc.string(), fc.integer())).map((entries) => new Map(entries)),
  );
  const column = fc.oneof(
    fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
    fc.integer(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.slice().buffer),
  );
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(column, column), { maxLength: 20 }),
      fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 5 }),
      async (rows, values) => {
        n += 1;
        const from = env.ERROR_LOG.getByName(`dump-from-${n}`);
        const to = env.ERROR_LOG.getByName(`dump-to-${n}`);
        const lines = await runInDurableObject(from, async (_, { storage }) => {
          storage.sql.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a ANY, b ANY)");
          storage.sql.exec("CREATE INDEX t_a ON t (a)");
          for (const row of rows) storage.sql.exec("INSERT INTO t (a, b) VALUES (?1, ?2)", ...row);
          for (const [key, each] of Object.entries(values)) storage.kv.put(key, each);
          return new Uint8Array(await new Response(await dumpObject(storage)).arrayBuffer());
        });
        const asked = { do: "load object", class: "ERROR_LOG", name: `dump-to-${n}` } as const;
        await step({ ...asked, sha256: await sha256Of(lines) }, lines);
        await runInDurableObject(to, (_, { storage }) => {
          expect([...storage.sql.exec("SELECT a, b FROM t ORDER BY id").raw()]).toEqual(rows);
          const kept = [...storage.kv.list()].filter(([key]) => key !== "loaded");
          expect(Object.fromEntries(kept)).toEqual(values);
        });
      },
    ),
    { numRuns: 30 },
  );
});

test("a dump that is cut off or changed is refused, and nothing of it is stored", async () => {
  const { page_id } = await freshPage();
  await beacon({ page_id });
  const lines = await linesOf(page_id);
  const sha256 = await sha256Of(lines);
  const name = `cut-${page_id}`;
  const cut = lines.slice(0, -5);
  for (const [body, hash] of [
    [cut, sha256],
    [cut, await sha256Of(cut)],
  ] as const) {
    const response = await step({ do: "load object", class: "PAGE", name, sha256: hash }, body);
    // Not "something else is there", with which the command would go on to the pages.
    expect(response.status).toBe(503);
  }
  expect(await (await step({ do: "object", class: "PAGE", name })).text()).toBe("");
});

test("a deployment with a user is not empty, though it has no page; its sessions and mailed codes stay", async () => {
  await env.DB.exec("DELETE FROM pages");
  const describe = async () => (await step({ do: "describe" })).json<Described>();
  expect((await describe()).is_empty).toBe(true);
  await env.DB.exec(
    "INSERT INTO auth_users (id, name, plan, locale, is_operator, created_at) VALUES ('u', 'n', 'free', 'ar', 0, 0)",
  );
  const { is_empty, databases } = await describe();
  expect(is_empty).toBe(false);
  const names = databases.DB?.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["auth_users", "auth_passkeys", "auth_used"]));
  expect(names).not.toContain("auth_sessions");
  expect(names).not.toContain("auth_mail_codes");
});

test("two deployments see whether they have the same secrets", async () => {
  const keysWith = async (settings: object) => {
    const answer = await dumpStep({ ...env, ...settings }, { do: "describe" }, new Request(ORIGIN));
    return (await answer.json<Described>()).keys;
  };
  const keys = await keysWith({});
  expect(await keysWith({})).toEqual(keys);
  const other = hex(crypto.getRandomValues(new Uint8Array(32)));
  const changed = await keysWith({ SESSION_KEY: other });
  expect(changed.SENDER_KEY).toBe(keys.SENDER_KEY);
  expect(changed.SESSION_KEY).not.toBe(keys.SESSION_KEY);
  expect(JSON.stringify(changed)).not.toContain(other.slice(0, 8));
});

test("databases are read in the order in which pages move between them", async () => {
  const bound = { STATS_10: env.SPARE_0, STATS_9: env.SPARE_1, STATS_0: env.SPARE_1 };
  const orderWith = async (STATS_LEAVING: string) => {
    const here = { ...env, ...bound, STATS_LEAVING };
    const answer = await dumpStep(here, { do: "describe" }, new Request(ORIGIN));
    return Object.keys((await answer.json<Described>()).databases);
  };
  expect(await orderWith("")).toEqual(["DB", "STATS_0", "STATS_9", "STATS_10"]);
  expect(await orderWith("STATS_9")).toEqual(["STATS_9", "DB", "STATS_0", "STATS_10"]);
});

test("the rows of every table are read by its key, in steps, and written where they are missing", async () => {
  const table = (await listTables(env.DB)).find(({ name }) => name === "former_slugs");
  if (table === undefined) throw new Error("no such table");
  const rows: Value[][] = Array.from({ length: 2_500 }, (_, i) => [`متجر-${i}`, "p", i]);
  const insert = () =>
    writeRows(env.DB, { name: table.name, columns: ["slug", "page_id", "until"] }, rows);
  expect(await insert()).toBe(rows.length);
  expect(await insert()).toBe(0);
  const read: Value[][] = [];
  let steps = 0;
  for (let after: Value[] | null = null; ; steps += 1) {
    const response = await step({ do: "rows", database: "DB", table: table.name, after });
    const found: Awaited<ReturnType<typeof readRows>> = await response.json();
    read.push(...found.rows);
    if (found.next === null) break;
    after = found.next;
  }
  expect(steps).toBe(2);
  const at = table.columns.indexOf("slug");
  expect(new Set(read.map((row) => row[at]))).toEqual(new Set(rows.map(([slug]) => slug)));
  expect(read).toHaveLength(rows.length);
  await env.DB.exec("DELETE FROM former_slugs");
});

test("S31: a signed call writes the rows that it was signed for, and no others", async () => {
  const [table, columns] = ["former_slugs", ["slug", "page_id", "until"]];
  const [rows, others] = [`[["signed","p",1]]`, `[["replayed","p",1]]`];
  const sha256 = await sha256Of(utf8(rows));
  const asked: DumpCall = { do: "write rows", database: "DB", table, columns, sha256 };
  expect((await step(asked, others)).status).toBe(503);
  expect(await (await step(asked, rows)).json()).toEqual({ written: 1 });
  const { results } = await env.DB.prepare("SELECT slug FROM former_slugs").all();
  expect(results).toEqual([{ slug: "signed" }]);
  await env.DB.exec("DELETE FROM former_slugs");
});

test.each([
  [
    "revisions",
    40,
    `(page_id, version, saved_at, what, slug, status, bytes, document)
     SELECT 'large', i, 0, '[]', 's', 'draft', 1, json_quote(hex(zeroblob(125000))) FROM n`,
  ],
  [
    "errors",
    250,
    `(fingerprint, first_seen, last_seen, n, severity, message, stack, page_id, url)
     SELECT i, 0, 0, 1, 'error', 'm', hex(zeroblob(12000)), 'large', '' FROM n`,
  ],
])("one read of %s has at most some 4 MB, and at least a row", async (name, many, insert) => {
  const n_rows = () => env.DB.prepare(`SELECT count(*) AS n FROM ${name}`).first<number>("n");
  const before = await n_rows();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
     INSERT INTO ${name} ${insert}`,
  ).run();
  const table = (await listTables(env.DB)).find((one) => one.name === name);
  if (table === undefined) throw new Error("no such table");
  let n = 0;
  for (let after: Value[] | null = null; ; ) {
    const { rows, next } = await readRows(env.DB, table, after);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows).length).toBeLessThan(5_000_000);
    n += rows.length;
    if (next === null) break;
    after = next;
  }
  expect(n).toBe((before ?? 0) + many);
  await env.DB.exec(`DELETE FROM ${name} WHERE page_id = 'large'`);
});

test.each([
  ["another key", () => step({ do: "describe" }, undefined, OTHER)],
  [
    "a clock that is ten minutes late",
    () => step({ do: "describe" }, undefined, SECRET, Date.now() - 600_000),
  ],
  [
    "a call that was signed for another host",
    () => step({ do: "describe" }, undefined, SECRET, Date.now(), "old.example"),
  ],
  ["no BACKUP_KEY", () => call(DUMP_PATH, { method: "POST" })],
])("S31: with %s it is a path that does not exist", async (_, ask) => {
  expect((await step({ do: "describe" })).status).toBe(200);
  Object.assign(env, { BACKUP_KEY: undefined });
  expect((await ask()).status).toBe(404);
});

test.each<DumpCall>([
  { do: "rows", database: "DB", table: "nothing", after: null },
  { do: "rows", database: "STATS_99", table: "tallies", after: null },
  {
    do: "write rows",
    database: "DB",
    table: "pages",
    columns: ["nothing"],
    sha256: "0".repeat(64),
  },
])("what this deployment does not have is 400: %j", async (asked) => {
  expect((await step(asked, "[]")).status).toBe(400);
});

test("pictures and files are written whole, once, by their hash", async () => {
  const key = `pictures/dump/${crypto.randomUUID()}.png`;
  const content = utf8("a picture");
  const asked = { do: "write content", key, content_type: "image/png", metadata: {} } as const;
  const sha256 = await sha256Of(content);
  expect((await step({ ...asked, sha256 }, "another picture")).status).toBe(503);
  expect(await env.MEDIA.head(key)).toBe(null);
  expect(await (await step({ ...asked, sha256 }, content)).json()).toEqual({ written: true });
  expect(await (await step({ ...asked, sha256 }, content)).json()).toEqual({ written: false });
  const listed = await (await step({ do: "media", after: key.slice(0, -1) })).json<{
    objects: unknown[];
  }>();
  expect(listed.objects).toContainEqual({
    ...{ key, size: content.length, content_type: "image/png", metadata: {} },
  });
  expect(await (await step({ do: "content", key })).text()).toBe("a picture");
});
