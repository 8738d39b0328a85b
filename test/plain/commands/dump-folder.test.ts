/** The folder of a dump: a load compares it with what the dump wrote before it asks the service for anything. */
import { execFile, execFileSync } from "node:child_process";
import { appendFile, cp, mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Folder } from "../../../src/commands/dump/folder.ts";
import { ROOT } from "../../../src/commands/root.ts";
import { randomSecret } from "../../secret.ts";

const MAIN = join(ROOT, "src/commands/dump/main.ts");
const MANY = "d1/DB/revisions/000001.jsonl";
const [ONE, OTHER] = ["stored/PAGE/a.jsonl", "stored/PAGE/b.jsonl"];
/** What the command says where the service answers 404. */
const ASKED = "does not know this BACKUP_KEY";

let server: Server;
let requests = 0;
const refuse = (response: ServerResponse): void => {
  response.writeHead(404).end();
};
let onRequest = refuse;
let path: string;

beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1;
    onRequest(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server.close());

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sila-folder-"));
  requests = 0;
  onRequest = refuse;
});

afterEach(() => rm(path, { recursive: true, force: true }));

async function sealed(keys: { recipient?: string } = {}): Promise<Folder> {
  const folder = new Folder(path, keys);
  await folder.write(MANY, '{"columns":["page_id"]}\n["a"]\n["b"]\n');
  await folder.write(ONE, '{"key":"n","value":1}\n');
  await folder.write(OTHER, '{"key":"n","value":2}\n');
  await folder.seal();
  const { recipient } = folder;
  await folder.writeState("manifest.json", { format: 1, schema: "", recipient, finished_at: 1 });
  return folder;
}

/** Runs the command; what it printed. */
function run(...args: string[]): Promise<{ code: number; output: string }> {
  const { port } = server.address() as AddressInfo;
  const env = { ...process.env, BACKUP_KEY: randomSecret(), PORT: String(port) };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--no-warnings", MAIN, ...args],
      { env },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

test("a folder that is as it was written is loaded, and sha256sum finds it whole", async () => {
  await sealed();
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: path });
  expect((await run("load", "--from", path)).output).toContain(ASKED);
  expect(requests).toBe(1);
});

test.each<[string, (folder: Folder) => Promise<unknown>, string]>([
  ["a file that was cut between two rows", () => truncate(join(path, MANY), 30), MANY],
  ["a file that is longer", () => appendFile(join(path, MANY), '["c"]\n'), MANY],
  ["a file that is missing", () => rm(join(path, ONE)), ONE],
  ["a file in the place of another", () => cp(join(path, ONE), join(path, OTHER)), OTHER],
  ["a file of another dump", (folder) => folder.write("media/key", "\n"), "media/key"],
])("%s is refused before anything is asked for", async (_, damage, name) => {
  const folder = await sealed();
  await damage(folder);
  expect(await run("load", "--from", path)).toEqual({
    code: 1,
    output: expect.stringContaining(`is not as it was dumped:\n  ${name}\n`),
  });
  expect(requests).toBe(0);
});

test("an encrypted folder is opened by its identity, and a plain one needs none", async () => {
  const identity = await generateX25519Identity();
  const key = join(path, "key.txt");
  await sealed();
  await writeFile(key, identity);
  const refused = { code: 1, output: expect.stringContaining("encrypted") };
  expect(await run("load", "--from", path, "--identity", key)).toEqual(refused);
  await rm(path, { recursive: true });
  await sealed({ recipient: await identityToRecipient(identity) });
  await writeFile(key, identity);
  expect(await run("load", "--from", path)).toEqual(refused);
  expect(requests).toBe(0);
  expect((await run("load", "--from", path, "--identity", key)).output).toContain(ASKED);
  expect(await new Folder(path, { identity }).readText(ONE)).toBe('{"key":"n","value":1}\n');
});

test("an option of the other command is refused: a dump with an identity is not encrypted", async () => {
  for (const args of [
    ["dump", "--to", path, "--identity", "key.txt"],
    ["load", "--from", path, "--recipient", "age1"],
  ]) {
    expect(await run(...args)).toEqual({ code: 2, output: expect.stringContaining("--recipient") });
  }
  expect(requests).toBe(0);
});

test("a second command in the same folder is refused while the first is at work", async () => {
  await sealed();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    onRequest = (response) => {
      resolve();
      answer = () => response.writeHead(404).end();
    };
  });
  const first = run("load", "--from", path);
  await asked;
  const second = await run("dump", "--to", path);
  expect(second).toEqual({ code: 1, output: `another command works in ${path}\n` });
  answer();
  expect((await first).output).toContain(ASKED);
});

test("S31: what a dump writes is its owner's alone", async () => {
  await sealed();
  for (const name of ["stored", "stored/PAGE", ONE, "manifest.json", "SHA256SUMS"]) {
    expect((await stat(join(path, name))).mode & 0o077, name).toBe(0);
  }
});
