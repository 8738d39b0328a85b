/** Points in a dump, and what a load says of the deployment's secrets and address: the commands, against this test as the service. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ROOT } from "../../../src/commands/root.ts";
import { randomSecret } from "../../secret.ts";

const BACKUP_KEY = randomSecret();
const TABLES = {
  auth_gifts: ["key", "user_id", "points"],
  auth_transfers: ["user_id", "key", "recipient", "points"],
  auth_wallets: ["user_id", "points"],
  pages: ["page_id"],
};
type Table = keyof typeof TABLES;

let server: Server;
let path: string;
let rows: Record<Table, (string | number)[][]>;
let described: { origin: string; keys: { SENDER_KEY: string; SESSION_KEY: string } };
/** Runs after each reading of a table. */
let onRead: (table: Table) => void;
/** Tables in the order in which they were read. */
let read: Table[];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const asked = JSON.parse(String(request.headers["x-sila-dump"]));
    response.end(asked.do === "object" ? "" : JSON.stringify(answer(asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sila-points-"));
  [onRead, read] = [() => {}, []];
  rows = {
    auth_gifts: [["g", "rima", 10]],
    auth_transfers: [["rima", "k", "sami", 3]],
    auth_wallets: [
      ["rima", 7],
      ["sami", 3],
    ],
    pages: [],
  };
  described = { origin: "https://links.example", keys: { SENDER_KEY: "a", SESSION_KEY: "b" } };
});
afterEach(() => rm(path, { recursive: true }));

function answer(asked: { do: string; table: Table }): unknown {
  if (asked.do === "describe") {
    const DB = Object.entries(TABLES).map(([name, columns]) => ({ name, key: [], columns }));
    return { format: 1, schema: "0001", is_empty: true, ...described, databases: { DB } };
  }
  if (asked.do === "media") return { objects: [], next: null };
  if (asked.do !== "rows") return {};
  read.push(asked.table);
  const found = [...rows[asked.table]];
  onRead(asked.table);
  return { rows: found, next: null };
}

function tip(): void {
  const n = rows.auth_transfers.length;
  rows.auth_transfers.push(["rima", `k${n}`, "sami", 1]);
  rows.auth_wallets = [
    ["rima", 7 - n],
    ["sami", 3 + n],
  ];
}

function run(what: "dump" | "load", ...args: string[]): Promise<{ code: number; out: string }> {
  const { port } = server.address() as AddressInfo;
  const env = { ...process.env, BACKUP_KEY, PORT: String(port) };
  const main = join(ROOT, "src/commands/dump/main.ts");
  const all = ["--no-warnings", main, what, what === "dump" ? "--to" : "--from", path, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, out: stdout + (child.exitCode ? stderr : "") });
    });
  });
}

test("points that moved between two tables are read again, and add up", async () => {
  let hasMoved = false;
  onRead = (table) => {
    if (table !== "auth_transfers" || hasMoved) return;
    hasMoved = true;
    tip();
  };
  const sum = { code: 0, out: expect.stringMatching(/^5 rows of D1/) };
  expect(await run("dump")).toEqual(sum);
  expect(await run("load")).toEqual(sum);
});

test("a user whose points move all the time is named, in the dump and in the load", async () => {
  onRead = (table) => {
    if (table === "auth_transfers") tip();
  };
  const named = {
    code: 1,
    out: expect.stringMatching(/users' points .+:\n {2}(rima\n {2}sami|sami\n {2}rima)\n/),
  };
  expect(await run("dump")).toEqual(named);
  expect(await run("load")).toEqual(named);
});

test("points are read last: each tip that an object calls paid has its transfer", async () => {
  await run("dump");
  expect(read[0]).toBe("pages");
  expect(read).toHaveLength(Object.keys(TABLES).length);
});

test("a deployment with another secret takes a dump when it is told to, and says before what ends", async () => {
  await run("dump");
  described.keys = { SENDER_KEY: "a", SESSION_KEY: "other" };
  const refused = await run("load");
  expect(refused).toEqual({
    code: 1,
    out: expect.stringContaining("\n  SESSION_KEY: links to files"),
  });
  expect(refused.out).not.toContain("SENDER_KEY:");
  expect((await run("load", "--with-other-keys")).code).toBe(0);
});

test("a load says where passkeys do not work any more", async () => {
  await run("dump");
  expect((await run("load")).out).not.toContain("Passkeys");
  described.origin = "https://new.example";
  expect((await run("load")).out).toContain(
    "Passkeys belong to https://links.example. At https://new.example",
  );
});
