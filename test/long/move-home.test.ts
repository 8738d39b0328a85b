/**
 * A service moves from a machine of one's own to the platform's stand-in and back onto a machine, by `npm run dump` and `npm run
 * load`, each of them killed on the way: users with their passkeys, points, pages and counts are the same on all three.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deriveSecret } from "../../objects/platform/secrets.ts";
import { ROOT } from "../../src/commands/root.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { type Server, startServer } from "../../src/commands/serve/server.ts";
import { Machine, makeFolder, view } from "../bundle/machine.ts";
import { generator, randomSeed } from "../random.ts";
import { SoftwareAuthenticator } from "../workers/identity/software-authenticator.ts";

const TIMEOUT_MS = 600_000;
const SIGN_UP = { SIGN_UP: "open" };
const MAIN = join(ROOT, "src/commands/dump/main.ts");
/** Kills of each command, and the longest that it lives until one. */
const KILLS = 3;
const KILL_MS_MAX = 1_500;
const seed = Number(process.env.MOVE_SEED ?? randomSeed());
const random = generator(seed);

let folder: string;
let sila_key: string;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(await scratchFolder(), "sila-home-"));
});
afterAll(async () => {
  await Promise.all(ending.map((end) => end()));
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

async function machine(name: string): Promise<{ address: string; machine: Machine }> {
  const started = new Machine(join(folder, name), SIGN_UP);
  ending.push(() => started.stop());
  return { address: await started.address(), machine: started };
}

/** The stand-in: another number of limiters, and databases of statistics. */
async function platform(): Promise<Server> {
  const secrets = (["SENDER_KEY", "SESSION_KEY", "BACKUP_KEY"] as const).map((name) => [
    name,
    deriveSecret(sila_key, name),
  ]);
  const fast = { FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1", LIMITER_SHARDS: "0" };
  const server = await startServer({
    ...{ statePath: join(folder, "platform"), onLine: () => {} },
    vars: { ...fast, ...SIGN_UP, SILA_KEY: sila_key, ...Object.fromEntries(secrets) },
  });
  ending.push(() => server.dispose());
  return server;
}

/** It had ended its work when it was killed. */
const IS_DONE = /has a whole dump already|has this dump/;

/** Runs the command, killed at random moments until the last time. It ends well only where all counts and points are exact. */
async function run(...args: string[]): Promise<void> {
  for (let kills = 0; ; kills += 1) {
    const child = spawn(process.execPath, ["--no-warnings", MAIN, ...args], {
      env: { ...process.env, SILA_KEY: sila_key },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const closed = once(child, "close");
    if (kills < KILLS) {
      const over = new AbortController();
      closed.then(() => over.abort());
      await pause(random() * KILL_MS_MAX, undefined, over).catch(() => {});
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    if (code === null) continue;
    if (kills === 0 || !IS_DONE.test(output)) expect([code, output]).toEqual([0, output]);
    return;
  }
}

class Person {
  readonly #authenticator: SoftwareAuthenticator;
  #cookie = "";
  #csrf = "";

  constructor(authenticator: SoftwareAuthenticator) {
    this.#authenticator = authenticator;
  }

  static async make(): Promise<Person> {
    return new Person(await SoftwareAuthenticator.create({ origin: "http://localhost" }));
  }

  async ask(origin: string, path: string, body?: object) {
    const response = await fetch(origin + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...{ Origin: origin, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" },
        ...{ Cookie: this.#cookie, "X-CSRF-Token": this.#csrf },
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.#cookie = cookie.split(";")[0] ?? "";
    const answer = await response.json();
    expect([path, response.status, answer]).toEqual([path, expect.toSatisfy(isFine), answer]);
    return answer;
  }

  async register(origin: string, path: string, body: Record<string, string>): Promise<void> {
    const { options } = await this.ask(origin, `${path}/options`, body);
    const response = await this.#authenticator.register(options, { origin });
    await this.ask(origin, path, { ...body, locale: "ar", response });
    await this.session(origin);
  }

  async signIn(origin: string): Promise<void> {
    this.#cookie = "";
    const { options } = await this.ask(origin, "/api/auth/passkey/options", {});
    const response = await this.#authenticator.signIn(options, { origin });
    await this.ask(origin, "/api/auth/passkey", { response, return_to: "/dashboard" });
  }

  async session(origin: string): Promise<{ user: { id: string; name: string } }> {
    const session = await this.ask(origin, "/api/auth/session");
    this.#csrf = session.csrf_token;
    return session;
  }

  async points(origin: string): Promise<number> {
    return (await this.ask(origin, "/api/me/wallet")).wallet.points;
  }
}

const isFine = (status: number) => status >= 200 && status < 300;

/**
 * Of the folder of a dump: each file but what a load itself writes, and the alarms. A page's object lays its events down anew
 * when it wakes; its counts are compared with D1's by both commands.
 */
async function contentOf(dump: string): Promise<Map<string, string>> {
  const names = await readdir(dump, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const contents = new Map<string, string>();
  for (const file of files) {
    if (/(?:manifest\.json|load\.json|SHA256SUMS|stored\/PAGE\/.*)$/.test(file)) continue;
    const lines = (await readFile(file, "utf8")).split("\n");
    const own = lines.filter((line) => !/^\{"(?:alarm|key":"loaded)"/.test(line));
    contents.set(file.slice(dump.length), own.join("\n"));
  }
  return contents;
}

test(`a service moves to the platform and back with everything it has (MOVE_SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = join(folder, "first");
  await mkdir(data);
  await makeFolder(data);
  const { address: first, machine: old } = await machine("first");
  sila_key = await readFile(join(data, "key"), "utf8");
  const [owner, friend] = [await Person.make(), await Person.make()];
  const code = /\/setup#(\S+)$/m.exec(old.output)?.[1] ?? "";
  await owner.register(first, "/api/auth/setup", { code, name: "نورة" });
  await friend.register(first, "/api/auth/sign-up", { name: "سالم" });
  const { user } = await friend.session(first);
  await owner.ask(first, `/api/admin/users/${user.id}/points`, {
    key: "gift-of-a-move",
    points: 25,
    note: "a move",
  });

  const sent: string[] = [];
  const count = async (address: string) => {
    const event_id = crypto.randomUUID();
    expect(await view(address, event_id, `198.51.100.${sent.length % 250}`)).toBe("counted");
    sent.push(event_id);
  };
  for (let n = 0; n < 40; n += 1) await count(first);

  // Under load it is whole, though what is counted afterwards is not in it.
  const busy = { on: true };
  const load = (async () => {
    for (let n = 0; busy.on; n += 1) await view(first, crypto.randomUUID(), `10.7.0.${n % 250}`);
  })();
  const under_load = join(folder, "under-load");
  await run("dump", "--to", under_load, "--url", first);
  busy.on = false;
  await load;
  const leaving = join(folder, "leaving");
  await run("dump", "--to", leaving, "--url", first);
  await old.stop();

  const server = await platform();
  const second = server.url.origin.replace("127.0.0.1", "localhost");
  await run("load", "--from", leaving, "--url", second);
  await owner.signIn(second);
  expect((await owner.session(second)).user.name).toBe("نورة");
  await friend.signIn(second);
  expect(await friend.points(second)).toBe(25);
  for (const event_id of sent)
    expect(await view(second, event_id, "198.51.100.1")).toBe("duplicate");
  for (let n = 0; n < 10; n += 1) await count(second);
  await owner.ask(second, `/api/admin/users/${user.id}/points`, {
    key: "another-gift",
    points: 5,
    note: "a move",
  });
  // A dump has the pages flush, after it has read what D1 had of them: the next one finds all in D1.
  await run("dump", "--to", join(folder, "flushed"), "--url", second);
  const returning = join(folder, "returning");
  await run("dump", "--to", returning, "--url", second);
  await server.dispose();

  // The key goes along.
  await mkdir(join(folder, "last"));
  await cp(join(data, "key"), join(folder, "last/key"));
  const { address: last } = await machine("last");
  await run("load", "--from", returning, "--url", last);
  const arrived = join(folder, "arrived");
  await run("dump", "--to", arrived, "--url", last);
  expect(await contentOf(arrived)).toEqual(await contentOf(returning));
  await friend.signIn(last);
  expect(await friend.points(last)).toBe(30);
  for (const event_id of sent) expect(await view(last, event_id, "198.51.100.1")).toBe("duplicate");

  // Somebody has a user there, so another dump is not mixed into it.
  const child = spawn(
    process.execPath,
    ["--no-warnings", MAIN, "load", "--from", under_load, "--url", last],
    {
      env: { ...process.env, SILA_KEY: sila_key },
    },
  );
  expect((await once(child, "close"))[0]).toBe(1);
});
