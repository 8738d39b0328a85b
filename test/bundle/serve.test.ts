/** `npm run serve` and `npm run backup` as processes, on a folder of their own (docs/operations.md "On a machine of your own"). */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import release from "../../package.json" with { type: "json" };
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { storesOptions } from "../../src/commands/serve/miniflare-options.ts";
import { withOldIds } from "../../src/commands/serve/old-stores.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { startWorkerd } from "../../src/commands/serve/workerd.ts";
import { backup, Machine, makeFolder, view, viewsInD1 } from "./machine.ts";

/** Builds where nobody has: some ten seconds, and more beside other tests. */
const TIMEOUT_MS = 180_000;

let folder: string;
let data: string;
let machine: Machine;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(await scratchFolder(), "sila-machine-"));
  data = join(folder, "data");
  await mkdir(data);
  await makeFolder(data);
  machine = new Machine(data);
  address = await machine.address();
}, TIMEOUT_MS);
afterAll(async () => {
  await machine?.stop();
  await rm(folder, { recursive: true, force: true });
});

function another(of: string, env?: Record<string, string>): Machine {
  const made = new Machine(of, env);
  onTestFinished(async () => {
    await made.stop();
  });
  return made;
}

test("a first start prints where the first account is made, and has no demo", async () => {
  const setup = /^ +(http:\/\/localhost:\d+\/setup)#\S+$/m.exec(machine.output)?.[1] ?? "";
  expect((await fetch(setup)).status).toBe(200);
  expect((await fetch(`${address}/demo`)).status).toBe(404);
  expect((await fetch(`${address}/health/deep`)).status).toBe(200);
});

test("whoever forges an address without a trusted proxy in front is one sender", {
  timeout: TIMEOUT_MS,
}, async () => {
  const bare = join(folder, "bare");
  const direct = await another(bare, { TRUST_PROXY: "" }).address();
  const left = async (n: number) => {
    const headers = {
      ...{ "CF-Connecting-IP": `198.51.100.${n}`, "X-Forwarded-For": `198.51.101.${n}` },
      ...{ Forwarded: `for=198.51.102.${n}`, "Content-Type": "application/json" },
    };
    const body = JSON.stringify({ page_id: "none", event_id: randomUUID() });
    const init = { method: "POST", headers, body };
    const limit = (await fetch(`${direct}/api/analytics/view`, init)).headers.get("RateLimit");
    return Number(/r=(\d+)/.exec(limit ?? "")?.[1]);
  };
  const first = await left(1);
  expect(await left(2)).toBe(first - 1);
});

test("an upload that is refused before its end gets the service's answer", async () => {
  const body = new Uint8Array(2_000_000);
  const answers = Array.from({ length: 40 }, async (_, n) => {
    const headers = { "Content-Type": "image/png", "X-Forwarded-For": `203.0.113.${n}` };
    const init = { method: "PUT", body, headers };
    const response = await fetch(`${address}/api/me/pages/machine/pictures`, init);
    return ((await response.json()) as { code: string }).code;
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["AUTH_REQUIRED"]));
});

test("a sender gets sixty cacheable answers a minute, and another one his own", async () => {
  const statusOf = async (sender: string) => {
    const response = await fetch(`${address}/health`, { headers: { "X-Forwarded-For": sender } });
    await response.body?.cancel();
    return response.status;
  };
  // A minute may end among them, after which another sixty are admitted.
  const statuses = await Promise.all(Array.from({ length: 130 }, () => statusOf("203.0.113.70")));
  const admitted = statuses.filter((status) => status === 200).length;
  expect(admitted).toBeGreaterThanOrEqual(60);
  expect(admitted).toBeLessThanOrEqual(120);
  expect(statuses.filter((status) => status === 429)).toHaveLength(130 - admitted);
  expect(await statusOf("203.0.113.71")).toBe(200);
});

test("a folder is served once: the second start says so, and the first goes on", {
  timeout: TIMEOUT_MS,
}, async () => {
  const second = another(data);
  expect(await second.exited).toBe(1);
  expect(second.output).toContain(`${data} is being served by another process`);
  expect((await fetch(`${address}/health`)).status).toBe(200);
});

test("a folder of a newer version is refused, and stays as it is", {
  timeout: TIMEOUT_MS,
}, async () => {
  const newer = join(folder, "newer");
  await mkdir(newer);
  const [major] = release.version.split(".");
  const version = `${major}.999.0`;
  await writeFile(join(newer, "version"), version);
  const refused = another(newer);
  expect(await refused.exited).toBe(1);
  expect(refused.output).toContain(`was written by version ${version}`);
  expect(existsSync(join(newer, "v3"))).toBe(false);
});

test("a setting that is wrong is named before anything is made", {
  timeout: TIMEOUT_MS,
}, async () => {
  const refused = another(join(folder, "refused"), { SITE_ORIGIN: "links.example" });
  expect(await refused.exited).toBe(1);
  expect(refused.output).toContain("SITE_ORIGIN is not an https origin");
  const mail = another(join(folder, "refused"), { MAIL_FROM: "news@links.example" });
  expect(await mail.exited).toBe(1);
  expect(mail.output).toContain("MAIL_FROM needs SMTP_URL");
});

test("a workerd that is killed is started again, and nothing that was acknowledged is lost", {
  timeout: TIMEOUT_MS,
}, async () => {
  const id = randomUUID();
  expect(await view(address, id, "203.0.113.1")).toBe("counted");
  const [pid = 0] = await machine.workerd();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => view(address, id, "203.0.113.1")).toBe("duplicate");
  expect(await machine.workerd()).not.toContain(pid);
});

test("a copy that is taken under load has all that was acknowledged before it, and each event once", {
  timeout: TIMEOUT_MS,
}, async () => {
  const acknowledged: string[] = [];
  let sending = true;
  const clients = Array.from({ length: 16 }, async (_, client) => {
    for (let i = 0; sending; i += 1) {
      const id = randomUUID();
      const outcome = await view(address, id, `203.0.${113 + client}.${i % 250}`);
      expect(outcome).toBe("counted");
      acknowledged.push(id);
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
  const before = acknowledged.length;
  const copy = join(folder, "copy");
  expect(await backup(data, copy)).toContain("requests waited");
  sending = false;
  await Promise.all(clients);
  await expect(backup(data, copy)).rejects.toThrow("is there already");

  const copied = another(copy);
  const elsewhere = await copied.address();
  let n = 0;
  const outcomes = async (ids: readonly string[]) =>
    Promise.all(
      ids.map((id) => {
        n += 1;
        return view(elsewhere, id, `198.51.${n >> 7}.${n & 127}`);
      }),
    );
  // What the copy lacks is counted now, once.
  for (let i = 0; i < acknowledged.length; i += 64) {
    const known = acknowledged.slice(i, i + 64);
    const expected = i + 64 <= before ? ["duplicate"] : ["counted", "duplicate"];
    expect(expected).toEqual(expect.arrayContaining(await outcomes(known)));
  }
  // And the one of the test before.
  await expect.poll(() => viewsInD1(copy)).toBe(acknowledged.length + 1);
  await expect.poll(() => viewsInD1(data)).toBe(acknowledged.length + 1);
});

test("an end by SIGTERM is clean, one by SIGKILL leaves no workerd, and the next start has the data", {
  timeout: TIMEOUT_MS,
}, async () => {
  const id = randomUUID();
  expect(await view(address, id, "203.0.113.2")).toBe("counted");
  const [pid = 0] = await machine.workerd();
  await machine.stop("SIGKILL");
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  machine = new Machine(data);
  address = await machine.address();
  expect(await view(address, id, "203.0.113.2")).toBe("duplicate");
  expect(await machine.stop("SIGTERM")).toBe(0);
  machine = new Machine(data);
  address = await machine.address();
  expect(await view(address, id, "203.0.113.2")).toBe("duplicate");
});

test("a folder of 3.0 keeps its database and its namespace, which had ids then", async () => {
  // Of its wrangler.toml.
  const database = "00000000-0000-0000-0000-000000000000";
  const namespace = "00000000000000000000000000000000";
  const old = join(folder, "old");
  const stores = { d1Databases: { DB: { id: database } }, kvNamespaces: { KV: { id: namespace } } };
  const as_then = await startWorkerd(
    convertV4MiniflareOptions({
      ...{ modules: true, script: "export default {}", ...stores },
      resourcePersistencePath: join(old, "v3"),
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  const then = await as_then.miniflare.getD1Database("DB");
  await then.prepare("CREATE TABLE kept (n INTEGER)").run();
  await (await as_then.miniflare.getKVNamespace("KV")).put("kept", "yes");
  await as_then.dispose();

  const checkout = await withOldIds(await readCheckout(), old);
  expect(checkout.service).toMatchObject(stores);
  expect(checkout.identity).toMatchObject({ d1Databases: stores.d1Databases });
  const now = await startWorkerd(storesOptions(checkout, old, 0));
  onTestFinished(() => now.dispose());
  const db = await now.miniflare.getD1Database("DB");
  expect((await db.prepare("SELECT * FROM kept").all()).results).toEqual([]);

  const fresh = await withOldIds(await readCheckout(), data);
  expect(fresh.service).toMatchObject({ d1Databases: { DB: { id: "DB" } } });
  expect(await readFile(join(data, "version"), "utf8")).toBe(release.version);
});
