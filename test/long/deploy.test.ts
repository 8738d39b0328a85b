/**
 * `npm run deploy` with the real wrangler against a stand-in for the platform's API (test/platform). No account is at
 * hand: what the stand-in answers was read in wrangler's source and in the platform's documents.
 */
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { deriveSecret } from "../../objects/platform/secrets.ts";
import { ROOT } from "../../src/commands/root.ts";
import { Database } from "../platform/database.ts";
import { Deploying } from "../platform/deploying.ts";
import { randomSecret } from "../secret.ts";

/** A run starts wrangler some ten times, each of which takes a second or more of CPU. */
const TIMEOUT_MS = 400_000;

let user: Deploying;
/** All that the runs printed. */
let printed = "";
beforeAll(async () => {
  user = await Deploying.start();
});
afterAll(() => user.stop());
afterEach(() => {
  expect(user.platform.unknown).toEqual([]);
});

async function deploy(...args: string[]) {
  const from = user.platform.seen.length;
  const { code, output } = await user.deploy(args);
  printed += output;
  return { code, output, writes: user.platform.writes(from) };
}

const secretsFile = () => join(user.folder, "production.secrets.json");
const readSecrets = async (): Promise<Record<string, string>> =>
  JSON.parse(await readFile(secretsFile(), "utf8"));

test("with half of an account hub's settings nothing is asked, and the command says what to give", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = await deploy("--set", "HUB_URL=https://hub.sila.example");
  expect(code).toBe(1);
  expect(output).toContain("AUTH_URL is not set, and HUB_URL needs it");
  expect(output).toContain("--set AUTH_URL=…");
  expect(user.platform.seen).toEqual([]);
});

test("a new service does not begin with the development's cookie", {
  timeout: TIMEOUT_MS,
}, async () => {
  const hub = ["HUB_URL=https://hub.sila.example", "AUTH_URL=https://hub.sila.example/in"];
  const { code, output, writes } = await deploy(...hub.flatMap((one) => ["--set", one]));
  expect(output).toContain("HUB_SESSION_COOKIE is still that of the development's hub");
  expect([code, writes]).toEqual([1, []]);
});

test("a dry run says what would be done, and changes nothing", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output, writes } = await deploy("--dry-run");
  expect(output).toContain("would make the database sila");
  expect(output).toContain("would upload sila, with SILA_KEY\n");
  expect(code).toBe(0);
  expect(writes).toEqual([]);
  await expect(stat(secretsFile())).rejects.toThrow("ENOENT");
});

test("a first run without a setting that fails half-way is run again, and finishes what is missing", {
  timeout: TIMEOUT_MS,
}, async () => {
  user.platform.fail = { pattern: /^PUT .*\/scripts\/sila$/, status: 400 };
  const broken = await deploy("--set", "SIGN_UP=open", "--url", user.url);
  expect(broken.output).toContain("run the same command again");
  expect(broken.code).toBe(1);
  // Databases and migrations come before the code that needs them.
  expect(user.platform.database("sila").tables()).toContain("pages");
  expect(user.platform.workers.has("sila")).toBe(false);
  const secrets = await readSecrets();

  // It remembers the settings.
  const { code, output, writes } = await deploy();
  expect(code, output).toBe(0);
  expect(output).toContain("is well");
  expect(writes.filter((line) => /database|namespaces|buckets/.test(line))).toEqual([]);
  expect(await readSecrets(), "the secrets of the first run").toEqual(secrets);
  expect(user.platform.worker("sila").values).toMatchObject({
    ...secrets,
    SIGN_UP: "open",
    HUB_URL: "",
  });
  const setup_code = deriveSecret(secrets.SILA_KEY ?? "", "SETUP_CODE");
  expect(output).toContain(`  ${user.url}/setup#${setup_code}\n`);
  const of = (name: string) => user.platform.worker(name).current.bindings;
  const shared = of("sila").filter(({ name }) => ["DB", "MEDIA"].includes(name));
  expect(of("sila-identity"), "accounts are in the service's own database").toEqual(shared);
  expect(user.platform.worker("sila").schedules).toEqual([{ cron: "* * * * *" }]);
});

test("run again, it uploads the code, and neither secrets, variables, databases nor files change", {
  timeout: TIMEOUT_MS,
}, async () => {
  const values = user.platform.worker("sila").values;
  const secrets = await readSecrets();
  const from = user.platform.seen.length;
  const { code, output, writes } = await deploy();
  expect(code).toBe(0);
  expect(output).not.toContain("/setup");
  const scripts = `/accounts/${user.platform.accounts[0]?.id}/workers/scripts`;
  expect(new Set(writes.map((line) => line.replace(/\?.*/, "")))).toEqual(
    new Set([
      // Without objects they are uploaded as versions, which are deployed by calls of their own.
      ...["sila-workshop", "sila-identity"].flatMap((name) => [
        `POST ${scripts}/${name}/versions`,
        `POST ${scripts}/${name}/deployments`,
      ]),
      `PUT ${scripts}/sila`,
    ]),
  );
  expect(user.platform.worker("sila").values).toEqual(values);
  expect(await readSecrets()).toEqual(secrets);
  const sent = user.platform.seen.slice(from).map(({ body }) => body);
  expect(sent.join().includes(secrets.SILA_KEY ?? "")).toBe(false);
});

test("S25: a secret is in the upload, in a file for the user alone, and nowhere else", async () => {
  const { mode } = await stat(secretsFile());
  expect(mode & 0o777).toBe(0o600);
  const { SILA_KEY = "", ...others } = await readSecrets();
  expect([SILA_KEY.length, others]).toEqual([64, {}]);
  const command_lines = await readFile(user.command_lines, "utf8");
  expect(command_lines).toContain("--secrets-file");
  const { seen } = user.platform;
  const timesShown = (secret: string) => (printed + command_lines).split(secret).length - 1;
  expect(timesShown(SILA_KEY)).toBe(0);
  expect(timesShown(deriveSecret(SILA_KEY, "SETUP_CODE")), "the address of the setup").toBe(1);
  const carriers = seen.filter(({ body, path }) => (path + body).includes(SILA_KEY));
  expect(new Set(carriers.map(({ method, path }) => `${method} ${path.split("?")[0]}`))).toEqual(
    new Set([`PUT /accounts/${user.platform.accounts[0]?.id}/workers/scripts/sila`]),
  );
});

test("S25: a derived secret is shown to whoever asks for it by its name, and nothing else is done", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { SILA_KEY = "" } = await readSecrets();
  const { code, output, writes } = await deploy("--show", "METRICS_TOKEN");
  expect([code, output, writes]).toEqual([0, `${deriveSecret(SILA_KEY, "METRICS_TOKEN")}\n`, []]);
});

test("S25: a new setup code takes the place of the old one, where nobody else reads the log", {
  timeout: TIMEOUT_MS,
}, async () => {
  const others = await readSecrets();
  const from = user.platform.seen.length;
  const in_ci = await user.deploy(["--new-setup-code"], { CI: "true" });
  expect(in_ci.output).toContain("would be in the log of this run");
  expect([in_ci.code, user.platform.seen.slice(from)]).toEqual([1, []]);

  const { code, output } = await deploy(
    "--new-setup-code",
    "--set",
    "SITE_ORIGIN=https://sila.example",
  );
  expect(code, output).toBe(0);
  const secrets = await readSecrets();
  expect(secrets).toMatchObject(others);
  expect(secrets.SETUP_CODE).not.toBe(deriveSecret(others.SILA_KEY ?? "", "SETUP_CODE"));
  expect(user.platform.worker("sila").values).toMatchObject(secrets);
  expect(output).toContain(`  https://sila.example/setup#${secrets.SETUP_CODE}\n`);
});

test("S25: a secrets file that others may read is refused before anything is asked", {
  timeout: TIMEOUT_MS,
}, async () => {
  await chmod(secretsFile(), 0o640);
  const from = user.platform.seen.length;
  const { code, output } = await deploy();
  await chmod(secretsFile(), 0o600);
  expect(output).toContain(`chmod 600 ${secretsFile()}`);
  expect(code).toBe(1);
  expect(user.platform.seen.slice(from)).toEqual([]);
});

test("staging is a second service beside production: own name, database, KV, bucket, limit and secrets", {
  timeout: TIMEOUT_MS,
}, async () => {
  const before = user.platform.worker("sila").current;
  const { code, output } = await deploy("--env", "staging", "--url", user.url);
  expect(code, output).toBe(0);
  const { platform } = user;
  expect(platform.worker("sila").current).toBe(before);
  expect(platform.databases.map(({ name }) => name)).toEqual(["sila", "sila-staging"]);
  expect(platform.namespaces.map(({ title }) => title)).toEqual(["sila-kv", "sila-staging-kv"]);
  expect(platform.buckets.toSorted()).toEqual(["sila-media", "sila-media-staging"]);
  const [one, other] = ["sila", "sila-staging"].map((name) => {
    const { bindings } = platform.worker(name).current;
    const accounts = platform.worker(`${name}-identity`).current.bindings;
    expect(bindings).toEqual(expect.arrayContaining(accounts));
    return [...["DB", "KV", "MEDIA", "EDGE_LIMIT", "IDENTITY"], "SILA_KEY"].map((binding) =>
      JSON.stringify(bindings.find(({ name }) => name === binding)),
    );
  });
  expect(one?.filter((binding, i) => binding === other?.[i])).toEqual([]);
});

test("one that has an account hub and lost its address is not opened to strangers", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { current } = user.platform.worker("sila");
  // As 3.1 left a service: secrets of their own names.
  current.bindings = current.bindings.filter(({ type }) => type !== "secret_text");
  for (const name of ["SENDER_KEY", "SESSION_KEY", "BACKUP_KEY", "METRICS_TOKEN"]) {
    current.bindings.push({ name, type: "secret_text", text: randomSecret() });
  }
  for (const name of ["HUB_WEBHOOK_SECRET", "ALERT_SECRET"]) {
    current.bindings.push({ name, type: "secret_text", text: `whsec_${randomSecret()}` });
  }
  const { code, output, writes } = await deploy();
  expect(output).toContain("HUB_URL is not set, and HUB_WEBHOOK_SECRET needs it");
  expect([code, writes]).toEqual([1, []]);
});

test("a deployment of 3.1 goes on: a lost secrets file changes no secret, and what is missing is applied first", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { platform } = user;
  const last = await platform.migrateAllButLast("sila", join(ROOT, "migrations"));
  // That release took the development's cookie.
  const kept = { HUB_URL: "https://hub.sila.example", AUTH_URL: "https://hub.sila.example/in" };
  const [account] = platform.accounts;
  await writeFile(
    join(user.folder, "production.json"),
    JSON.stringify({ vars: kept, url: user.url, account: account?.id }),
  );
  const values = platform.worker("sila").values;
  await rm(secretsFile());
  const { code, output, writes } = await deploy("--set", "MAIL_PER_DAY=500");
  expect(code, output).toBe(0);
  expect(output).toContain("! HUB_SESSION_COOKIE is still that of the development's hub");
  const [applied] = platform.database("sila").query("SELECT name FROM d1_migrations");
  expect(applied?.results).toContainEqual({ name: last });
  const order = ["/query", "/scripts/sila?"].map((part) =>
    writes.findIndex((line) => line.includes(part)),
  );
  expect(order[0]).toBeGreaterThanOrEqual(0);
  expect(order[1]).toBeGreaterThan(order[0] ?? -1);
  expect(output).not.toContain("/setup");
  expect(platform.worker("sila").values).toEqual({
    ...{ ...values, ...kept, SIGN_UP: "invite", SITE_ORIGIN: "" },
    HUB_SESSION_COOKIE: "hub_session",
    MAIL_PER_DAY: "500",
  });
  await expect(stat(secretsFile())).rejects.toThrow("ENOENT");
});

test("a Worker or a database that is not Sila's is left alone", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { platform } = user;
  const ours = platform.database("sila");
  const other = new Database(ours.uuid, ours.name);
  other.query("CREATE TABLE orders (id INTEGER); CREATE TABLE d1_migrations (name TEXT)");
  platform.databases[platform.databases.indexOf(ours)] = other;
  const database = await deploy();
  expect(database.output).toContain("The account has a database sila, which is not Sila's.");
  expect([database.code, database.writes]).toEqual([1, []]);

  const { bindings } = platform.worker("sila").current;
  bindings.splice(0, bindings.length, { name: "API_KEY", type: "secret_text", text: "theirs" });
  const worker = await deploy();
  expect(worker.output).toContain("The account has a Worker sila, which is not Sila's.");
  expect([worker.code, worker.writes]).toEqual([1, []]);
});
