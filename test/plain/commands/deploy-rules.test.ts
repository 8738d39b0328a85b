/** The rules of `npm run deploy` that need no process: what it takes for what, and what it never does. */
import { readdirSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { chooseAccount } from "../../../src/commands/deploy/account.ts";
import {
  type Configuration,
  configurationsOf,
} from "../../../src/commands/deploy/configuration.ts";
import { untilWell } from "../../../src/commands/deploy/health.ts";
import { KeptFiles } from "../../../src/commands/deploy/kept.ts";
import { addressIn, environmentIn, parseOptions } from "../../../src/commands/deploy/options.ts";
import { chooseSecrets, secretToShow } from "../../../src/commands/deploy/secrets.ts";
import { chooseVars, developmentValues } from "../../../src/commands/deploy/vars.ts";
import { SECRETS } from "../../../src/http/secret-names.ts";

const RAW: Configuration = {
  name: "sila",
  main: "src/index.ts",
  d1_databases: [{ binding: "DB", database_name: "sila" }],
};
const ACCOUNT = "0123456789abcdef0123456789abcdef";
const OTHER = "f123456789abcdef0123456789abcdef";

let folder: string;
let files: KeptFiles;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sila-kept-"));
  files = new KeptFiles("production", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe("the command line", () => {
  const FLAGS = { "dry-run": { type: "boolean" } } as const;

  test("a flag that npm took for its own is noticed: npm run deploy --dry-run must not deploy", () => {
    vi.stubEnv("npm_lifecycle_event", "deploy");
    expect(parseOptions(["--dry-run"], FLAGS)).toEqual({ "dry-run": true });
    expect(() => parseOptions(["--dry"], FLAGS)).toThrow("Unknown option '--dry'");
    expect(() => parseOptions(["staging"], FLAGS)).toThrow("staging");
    vi.stubEnv("npm_config_dry_run", "true");
    const words = "npm took --dry-run for itself. Write -- before it: npm run deploy -- --dry-run";
    expect(() => parseOptions([], FLAGS)).toThrow(words);
  });

  test.each(["staging-", "../staging", "Staging", `a${"b".repeat(20)}`])(
    "no environment is called %s",
    (name) => {
      expect(() => environmentIn(name)).toThrow("--env takes");
      expect(environmentIn(`a${"b".repeat(19)}`)).toHaveLength(20);
    },
  );

  test("an address has no path", () => {
    expect(addressIn("https://sila.example/")).toBe("https://sila.example");
    expect(() => addressIn("https://sila.example/path")).toThrow("--url takes");
  });
});

test("a service never moves to another account because a variable or wrangler.toml says so", async () => {
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", OTHER);
  expect(await chooseAccount(undefined, files)).toBe(OTHER);
  files.keep({ vars: {}, account: ACCOUNT });
  await expect(chooseAccount(undefined, files)).rejects.toThrow(
    `The service is in the account ${ACCOUNT}, and ${OTHER} was given.`,
  );
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
  await expect(chooseAccount(OTHER, files)).rejects.toThrow(`${OTHER} was given`);
  expect(await chooseAccount(ACCOUNT, files)).toBe(ACCOUNT);
  expect(await chooseAccount(undefined, files)).toBe(ACCOUNT);
});

describe("the configurations of an environment", () => {
  const bound = (...names: string[]): Configuration => ({
    ...RAW,
    d1_databases: names.map((database_name, i) => ({ binding: `B_${i}`, database_name })),
  });

  test("two bindings never share a database, nor an environment one of production's", () => {
    expect(() => configurationsOf([bound("sila", "sila")], "production", {})).toThrow(
      "Two bindings in wrangler.toml name the database sila.",
    );
    const stats = bound("sila", "sila-stats-0");
    expect(() => configurationsOf([stats], "stats-0", {})).toThrow(
      "production's database sila-stats-0",
    );
    expect(() => configurationsOf([stats], "staging", {})).not.toThrow();
    const one_id = (stats.d1_databases ?? []).map((one) => ({ ...one, database_id: "same" }));
    const same = { ...RAW, d1_databases: one_id };
    expect(() => configurationsOf([same], "production", {})).toThrow("same");
  });

  test("a Worker beside the service has the service's database and bucket, whatever those are", () => {
    const shared = (service: Configuration, environment: string) => {
      const identity: Configuration = {
        name: "sila-identity",
        main: "b.ts",
        d1_databases: [{ binding: "DB", database_name: "sila" }],
        r2_buckets: [{ binding: "MEDIA", bucket_name: "sila-media" }],
      };
      const [one, all] = configurationsOf([identity, service], environment, {});
      expect(one?.d1_databases).toEqual(all?.d1_databases?.slice(0, 1));
      expect(one?.r2_buckets).toEqual(all?.r2_buckets);
      return [one?.d1_databases?.[0], one?.r2_buckets?.[0]];
    };
    const moved: Configuration = {
      name: "sila",
      main: "src/index.ts",
      d1_databases: [
        { binding: "DB", database_name: "links", database_id: "an-id" },
        { binding: "STATS_0", database_name: "stats" },
      ],
      r2_buckets: [{ binding: "MEDIA", bucket_name: "pictures" }],
    };
    expect(shared(moved, "production")).toMatchObject([
      { database_name: "links", database_id: "an-id" },
      { bucket_name: "pictures" },
    ]);
    expect(shared(moved, "staging")).toMatchObject([
      { database_name: "links-staging", database_id: undefined },
      { bucket_name: "pictures-staging" },
    ]);
    const unnamed = {
      ...moved,
      d1_databases: [{ binding: "DB" }],
      r2_buckets: [{ binding: "MEDIA" }],
    };
    expect(shared(unnamed, "production")).toMatchObject([
      { database_name: "sila-db" },
      { bucket_name: "sila-media" },
    ]);
  });

  test("a second Worker and the binding that leads to it have the service's name, whatever that is", () => {
    const services = [
      { binding: "WORKSHOP", service: "sila-workshop" },
      { binding: "HUB", service: "another" },
    ];
    const raws = [
      { name: "sila-workshop", main: "a.ts" },
      { ...RAW, services },
    ];
    const names = (environment: string, ci_name?: string) => {
      const [workshop, service] = configurationsOf(raws, environment, { A: "1" }, ci_name);
      expect(workshop?.vars, "variables are the service's").toBeUndefined();
      expect(service?.vars).toEqual({ A: "1" });
      return [
        workshop?.name,
        service?.name,
        ...(service?.services ?? []).map((one) => one.service),
      ];
    };
    expect(names("production")).toEqual(["sila-workshop", "sila", "sila-workshop", "another"]);
    expect(names("staging")).toEqual([
      ...["sila-staging-workshop", "sila-staging", "sila-staging-workshop", "another"],
    ]);
    expect(() => names("workshop")).toThrow("production's Worker sila-workshop");
    expect(names("production", "mine")).toEqual([
      "mine-workshop",
      "mine",
      "mine-workshop",
      "another",
    ]);
  });
});

describe("settings", () => {
  const known = { HUB_URL: "http://localhost:8788", MAIL_PER_DAY: "1000" };

  test("a variable is that of --set, else of the environment, else of an earlier run, and of nothing else", () => {
    const kept = { HUB_URL: "kept", MAIL_PER_DAY: "kept", GONE: "kept" };
    const chosen = chooseVars(known, kept, { MAIL_PER_DAY: "given", PATH: "x" }, {});
    const of_31 = { HUB_SESSION_COOKIE: "hub_session" };
    expect(chosen).toEqual({ HUB_URL: "kept", MAIL_PER_DAY: "given", ...of_31 });
    expect(chooseVars(known, kept, chosen, { HUB_URL: "set" })).toMatchObject({ HUB_URL: "set" });
    expect(() => chooseVars(known, {}, {}, { MAIL: "1" })).toThrow("no such variable");
  });

  test("S25: a secret on the command line is refused, because other programs can read it there", () => {
    const set = () => chooseVars(known, {}, {}, { SENDER_KEY: "value" });
    expect(set).toThrow(
      expect.objectContaining({ advice: expect.stringContaining("environment") }),
    );
    expect(set).not.toThrow("value");
  });

  test("the development's cookie is known", () => {
    const names = (HUB_SESSION_COOKIE: string) =>
      developmentValues({ HUB_SESSION_COOKIE }).map(([name]) => name);
    expect(names("hub_session")).toEqual(["HUB_SESSION_COOKIE"]);
    expect(names("__Secure-hub_session")).toEqual([]);
  });
});

describe("secrets", () => {
  const HOME = { isEphemeral: false, hasHub: false, newSetupCode: false };
  const WITH_HUB = { ...HOME, hasHub: true };
  const IN_CI = { ...HOME, isEphemeral: true };

  test("S25: what the platform has is never uploaded again, whatever is here or in the environment", () => {
    const chosen = chooseSecrets(
      [...SECRETS, "AI_KEY"],
      { SENDER_KEY: "here" },
      { SENDER_KEY: "other", AI_KEY: "given", SESSION_KEY: "" },
      HOME,
    );
    const ignored = ["SENDER_KEY", "AI_KEY"];
    expect(chosen).toEqual({ given: {}, made: {}, lacking: [], ignored });
  });

  /** What a deployment of 3.1 has, whose owner may have deleted the setup code. */
  const OF_31 = ["SENDER_KEY", "SESSION_KEY", "BACKUP_KEY", "METRICS_TOKEN", "ALERT_SECRET"];

  test("a new service gets one secret, and with a hub also what the hub must have", () => {
    const made = (...args: Parameters<typeof chooseSecrets>) =>
      Object.keys(chooseSecrets(...args).made);
    expect(made([], {}, {}, HOME)).toEqual(["SILA_KEY"]);
    expect(made([], {}, {}, WITH_HUB)).toEqual(["SILA_KEY", "HUB_WEBHOOK_SECRET"]);
    expect(made(["SILA_KEY"], {}, {}, HOME)).toEqual([]);
    expect(made(["SILA_KEY"], {}, {}, WITH_HUB)).toEqual(["HUB_WEBHOOK_SECRET"]);
  });

  test("one of 3.1 goes on with what it has, and gets a key only for what it lacks", () => {
    expect(chooseSecrets(OF_31, {}, {}, HOME).made).toEqual({});
    // A first run of that version which broke off before its upload.
    const kept = Object.fromEntries([...OF_31, "SETUP_CODE"].map((name) => [name, "kept"]));
    expect(chooseSecrets([], kept, {}, HOME)).toMatchObject({ given: kept, made: {} });
    for (const lost of OF_31) {
      const { made } = chooseSecrets(
        [...OF_31.filter((name) => name !== lost), "SETUP_CODE"],
        ...[{}, {}],
        HOME,
      );
      expect(Object.keys(made)).toEqual(["SILA_KEY"]);
    }
  });

  test("a new setup code is a secret of its own name, which goes before the derived one", () => {
    const asked = { ...HOME, newSetupCode: true };
    const { given } = chooseSecrets(SECRETS, { SETUP_CODE: "old" }, {}, asked);
    expect(given).toEqual({ SETUP_CODE: expect.stringMatching(/^[\w-]{22}$/) });
  });

  test("before anything was uploaded a given value takes the place of one that was made", () => {
    const { made } = chooseSecrets([], {}, {}, WITH_HUB);
    files.keepSecrets({}, made);
    const again = chooseSecrets([], files.secrets(), { HUB_WEBHOOK_SECRET: "given" }, WITH_HUB);
    const expected = { ...made, HUB_WEBHOOK_SECRET: "given" };
    expect(again).toMatchObject({ given: expected, made: {} });
    expect(files.keepSecrets(again.given, again.made)).toEqual(expected);
  });

  test("where the machine ends with the run, none is made that somebody must read later", () => {
    for (const hasHub of [true, false]) {
      const { made, lacking } = chooseSecrets([], {}, {}, { ...IN_CI, hasHub });
      expect(Object.keys(made)).toEqual(hasHub ? ["SILA_KEY"] : []);
      expect(lacking).toEqual([hasHub ? "HUB_WEBHOOK_SECRET" : "SILA_KEY"]);
    }
    // As CI gave it to 3.1; nobody has to know the key then.
    const { made } = chooseSecrets([], {}, { SETUP_CODE: "given" }, IN_CI);
    expect(Object.keys(made)).toEqual(["SILA_KEY"]);
    expect(chooseSecrets(["SENDER_KEY", "SESSION_KEY"], {}, {}, IN_CI).made).toEqual({});
  });

  test("a secret is shown by its own value or the key's, and never a derived one in place of its own", () => {
    const key = "6b1f0c2d8e94a7533f62c5d0917be84a2c6ed3f90b15784aa1e6d95c3802f74b";
    const derived = "81044765a2f66e737af055365494af09db3fef4b4c0262821834497f0475d1f3";
    const shown = (local: Record<string, string>, on_platform: string[]) =>
      secretToShow("METRICS_TOKEN", local, on_platform);
    expect(shown({ SILA_KEY: key }, ["SILA_KEY"])).toBe(derived);
    const own = { SILA_KEY: key, METRICS_TOKEN: "own" };
    expect(shown(own, ["SILA_KEY", "METRICS_TOKEN"])).toBe("own");
    expect(() => shown({ SILA_KEY: key }, ["METRICS_TOKEN"])).toThrow("is not on this machine");
    expect(() => shown({}, ["SILA_KEY"])).toThrow("is not on this machine");
    expect(() => shown({}, ["SENDER_KEY"])).toThrow("has no METRICS_TOKEN");
  });

  test("what is no secret of Sila stays in the file and is not uploaded", () => {
    const keys = { AI_KEY: "k", OIDC_CLIENT_SECRET: "s" };
    const local = { HUB_URL: "https://hub.sila.example", note: "mine", ...keys };
    files.keepSecrets(local, {});
    const { given } = chooseSecrets(SECRETS, files.secrets(), {}, IN_CI);
    expect(given).toEqual(keys);
    expect(files.keepSecrets(given, {})).toEqual(local);
  });

  test("two first deployments at once go on with the same secrets", async () => {
    const [one = {}, other = {}] = [0, 1].map(() => chooseSecrets([], {}, {}, HOME).made);
    expect(files.keepSecrets({}, one)).toEqual(one);
    expect(files.keepSecrets({}, other)).toEqual(one);
    await rm(files.secretsPath);
    // The other makes the file while this one has seen none.
    const late = new KeptFiles("production", folder);
    const write = late.write.bind(late);
    vi.spyOn(late, "write").mockImplementationOnce((...args) => {
      files.keepSecrets({}, one);
      return write(...args);
    });
    expect(late.keepSecrets({ AI_KEY: "k" }, other)).toEqual({ ...one, AI_KEY: "k" });
    expect(files.secrets()).toEqual({ ...one, AI_KEY: "k" });
    expect(readdirSync(folder)).toEqual(["production.secrets.json"]);
  });

  test("a file that is broken is named, and nothing of it is shown", async () => {
    const broken = ['{"SENDER_KEY": "aaaa', '["aaaa"]', "null", "", '{"SENDER_KEY": ["aaaa"]}'];
    for (const text of broken) {
      await writeFile(files.secretsPath, text, { mode: 0o600 });
      expect(() => files.secrets()).toThrow(files.secretsPath);
      expect(() => files.secrets()).not.toThrow("aaaa");
    }
    await rm(files.secretsPath);
    expect(files.keepSecrets({}, { SENDER_KEY: "b" })).toEqual({ SENDER_KEY: "b" });
    expect((await stat(files.secretsPath)).mode & 0o777).toBe(0o600);
  });
});

/** A service that answers each request so. */
async function withService(
  status: number,
  body: object,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((_, response) => {
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a service is not well before the version that was uploaded answers", async () => {
  await withService(200, { ok: true, version: "3.0.0", checks: {} }, async (url) => {
    const faults = ["version 3.0.0 answers, and not yet 3.1.0"];
    expect(await untilWell(url, 0, "3.1.0")).toEqual(faults);
    expect(await untilWell(url, 0, "3.0.0")).toEqual([]);
  });
});

test("of a service that is not well, each failing check is said in words", async () => {
  const checks = { d1: { ok: true }, r2: { ok: false }, hub: { ok: false } };
  // The form of all errors (docs/contract.md section 3).
  const body = { ok: false, error: "عطل", message_en: "down", code: "DEPENDENCY_DOWN" };
  await withService(503, { ...body, details: { checks } }, async (url) => {
    expect(await untilWell(url, 0, "3.0.0")).toEqual([
      expect.stringMatching(/^r2: the bucket of pictures/),
      expect.stringMatching(/^hub: the account hub/),
    ]);
  });
});
