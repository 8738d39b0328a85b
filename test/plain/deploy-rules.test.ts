/** The rules of `npm run deploy` that need no process: what it takes for what, and what it never does. */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addressIn } from "../../src/deploy/carry-out.ts";
import { configurationOf, type RawConfiguration } from "../../src/deploy/configuration.ts";
import { untilWell } from "../../src/deploy/health.ts";
import { KeptFiles } from "../../src/deploy/kept.ts";
import { readOptions, takenByNpm } from "../../src/deploy/options.ts";
import { linesOf, planOf } from "../../src/deploy/plan.ts";
import { type Found, look } from "../../src/deploy/platform.ts";
import { targetOf } from "../../src/deploy/rollback.ts";
import { chooseSecrets, NEEDED } from "../../src/deploy/secrets.ts";
import { givenAccount } from "../../src/deploy/sign-in.ts";
import { jsonIn, type Wrangler, WranglerFailed } from "../../src/deploy/wrangler.ts";

const RAW: RawConfiguration = {
  name: "sila",
  main: "src/index.ts",
  d1_databases: [{ binding: "DB", database_name: "sila" }],
};
const ACCOUNT = "0123456789abcdef0123456789abcdef";
const OTHER = "f123456789abcdef0123456789abcdef";

/** A wrangler whose commands answer, or fail with these words. */
function wranglerOf(answer: (command: string) => object | string): Wrangler {
  return {
    async run(args) {
      const result = answer(args.join(" "));
      if (typeof result === "string") throw new WranglerFailed(args, result);
      return JSON.stringify(result);
    },
    attend: async () => false,
  };
}

describe("the command line", () => {
  test("a flag that npm took for its own is noticed: npm run deploy --dry-run must not deploy", () => {
    const flags = ["dry-run", "rollback"];
    expect(takenByNpm(flags, { npm_config_dry_run: "true", npm_lifecycle_event: "deploy" })).toBe(
      "npm took --dry-run for itself. Write -- before it: npm run deploy -- --dry-run",
    );
    expect(takenByNpm(flags, { npm_config_rollback: "true" })).toContain("-- --rollback");
    expect(takenByNpm(flags, { npm_config_registry: "https://registry.npmjs.org/" })).toBeNull();
  });

  test.each([
    [["--env", "staging-"], "--env takes"],
    [["--env", "../staging"], "--env takes"],
    [["--env", "Staging"], "--env takes"],
    [["--env", `a${"b".repeat(20)}`], "--env takes"],
    [["--account", ""], "--account takes"],
    [["--account", "One"], "--account takes"],
    [["--rollback", "--set", "MAIL_PER_DAY=1"], "--rollback takes no --set"],
    [["--set", "mail=1"], "--set takes NAME=VALUE"],
    [["--url", "https://sila.example/path"], "--url takes"],
    [["--wait", "601"], "--wait takes"],
    [["staging"], "unknown: staging"],
    [["--stagin"], "Unknown option '--stagin'"],
  ])("%j is refused", (args, reason) => {
    expect(readOptions(args)).toContain(reason);
  });

  test("the longest name of an environment is taken", () => {
    const environment = `a${"b".repeat(19)}`;
    expect(readOptions(["--env", environment])).toMatchObject({ environment });
  });
});

describe("whose account", () => {
  const production = { account: undefined, environment: "production" };

  test("a service never moves to another account because a variable says so", () => {
    for (const variable of [undefined, "", ACCOUNT]) {
      expect(givenAccount(production, undefined, variable, ACCOUNT)).toBe(ACCOUNT);
    }
    expect(() => givenAccount(production, undefined, OTHER, ACCOUNT)).toThrow(
      `production is in the account ${ACCOUNT}, and CLOUDFLARE_ACCOUNT_ID names ${OTHER}.`,
    );
    expect(() => givenAccount(production, OTHER, undefined, ACCOUNT)).toThrow("wrangler.toml");
  });

  test("it moves where --account says so, and begins where a variable or wrangler.toml says", () => {
    const moving = { ...production, account: OTHER };
    expect(givenAccount(moving, undefined, ACCOUNT, ACCOUNT)).toBe(OTHER);
    expect(() => givenAccount(moving, ACCOUNT, undefined, ACCOUNT)).toThrow("wrangler.toml");
    expect(givenAccount(production, undefined, OTHER, undefined)).toBe(OTHER);
    expect(givenAccount(production, OTHER, undefined, undefined)).toBe(OTHER);
    expect(givenAccount(production, undefined, "", undefined)).toBeUndefined();
  });
});

describe("what the platform has", () => {
  const configuration = configurationOf(RAW, "production", {});
  const lookWith = (answer: (command: string) => object | string) =>
    look(wranglerOf(answer), configuration, "wrangler.json", () => "");
  const none = () => [{ results: [] }];

  /** Where the list of deployments fails with these words, and one secret is there. */
  const lookWithDeployments = (words: string) =>
    lookWith((command) => {
      if (command.startsWith("deployments")) return words;
      return command.startsWith("secret") ? [{ name: "SENDER_KEY", type: "secret_text" }] : none();
    });

  test.each([
    "getaddrinfo EAI_AGAIN api.cloudflare.com: the host was not found",
    "A request to the Cloudflare API failed. Authentication error [code: 10000]",
    "This zone does not exist [code: 7003]",
    "HTTP 502 at request 10007",
  ])(
    "S25: a Worker is not taken for missing, which would make new secrets, because of: %s",
    async (words) => {
      await expect(lookWithDeployments(words)).rejects.toThrow();
    },
  );

  test("a Worker that does not exist, and one that was never deployed, are there for the first time", async () => {
    const missing = await lookWithDeployments("This Worker does not exist. [code: 10007]");
    expect(missing).toMatchObject({ current: null, secrets: [] });
    const empty = await lookWithDeployments("The Worker sila has no deployments.");
    const kept = { current: null, secrets: ["SENDER_KEY"] };
    expect(empty, "what the button asked for stays").toMatchObject(kept);
  });

  test("a database with an id is never made, and a name that does not resolve is no missing database", async () => {
    const d1Says = (words: string) => (c: string) => (c.startsWith("d1") ? words : "[code: 10007]");
    const words = "Couldn't find a D1 DB named 'sila' (bound as 'DB') in the API.";
    const missing = await lookWith(d1Says(words));
    expect(missing.databases).toMatchObject([{ name: "sila", exists: false }]);
    await expect(lookWith(d1Says("host not found"))).rejects.toThrow("host not found");
    const database = { binding: "DB", database_name: "sila", database_id: "an-id" };
    const with_id = configurationOf({ ...RAW, d1_databases: [database] }, "production", {});
    const looking = look(wranglerOf(d1Says("[code: 7404]")), with_id, "", () => "");
    await expect(looking).rejects.toThrow("The account has no database with the id an-id");
  });

  test("a database with tables and no migrations is not Sila's", async () => {
    const found = await lookWith((command) => {
      if (command.startsWith("deployments")) return "[code: 10007]";
      return command.includes("d1_migrations")
        ? "no such table: d1_migrations"
        : [{ results: [{ name: "orders" }] }];
    });
    expect(() => planOf(found, chooseSecrets([], {}, {}, false), "tag", {})).toThrow(
      "The account has a database sila already, which is not Sila's.",
    );
  });

  test("JSON is found behind a warning, and what is none is said to be none", () => {
    expect(jsonIn('[WARNING] old\n{ this is no JSON\n[\n{"a": 1}]\n')).toEqual([{ a: 1 }]);
    expect(() => jsonIn("[WARNING] nothing else")).toThrow("something else than JSON");
    expect(() => jsonIn("")).toThrow("something else than JSON");
  });

  test("a record without an address, or none at all, does not fail a deployment that is done", () => {
    const deploy = { type: "deploy", targets: ["sila.example/*", "https://sila.a.workers.dev"] };
    const lines = ['{"type":"wrangler-session"}', "", "not JSON", JSON.stringify(deploy)];
    expect(addressIn(lines.join("\n"))).toBe("https://sila.a.workers.dev");
    expect(addressIn("")).toBeUndefined();
    expect(addressIn('{"type":"deploy","targets":null}\nnull')).toBeUndefined();
  });
});

describe("the plan", () => {
  const renames = { name: "0002_b.sql", sql: "ALTER TABLE a RENAME TO b;" };
  const migrations = { DB: [{ name: "0001_a.sql", sql: "CREATE TABLE a (b);" }, renames] };
  const foundWith = (applied: string[], current: Found["current"]): Found => ({
    current,
    secrets: [],
    databases: [{ binding: "DB", name: "sila", exists: true, applied, is_foreign: false }],
    namespaces: {},
  });
  const secrets = chooseSecrets(NEEDED, {}, {}, true);
  const serving = { tag: "t", is_sila: true };

  test("F16: a first deployment that broke off between migrations goes on; under code that serves they only add", () => {
    const { databases } = planOf(foundWith(["0001_a.sql"], null), secrets, "t", migrations);
    expect(databases).toMatchObject([{ pending: ["0002_b.sql"] }]);
    const later = () => planOf(foundWith(["0001_a.sql"], serving), secrets, "t", migrations);
    expect(later).toThrow("The migration 0002_b.sql of DB does not only add");
  });

  test("a database with the migrations of another project is left alone", () => {
    const other = () => planOf(foundWith(["0001_init.sql"], null), secrets, "t", migrations);
    expect(other).toThrow("which is not Sila's");
  });

  test("two bindings never share a database, nor an environment production's", () => {
    const bound = (...names: string[]) => ({
      ...RAW,
      d1_databases: names.map((database_name, i) => ({ binding: `B_${i}`, database_name })),
    });
    expect(() => configurationOf(bound("sila", "sila"), "production", {})).toThrow(
      "Two bindings in wrangler.toml name the database sila.",
    );
    const stats = bound("sila", "sila-stats-0");
    expect(() => configurationOf(stats, "stats-0", {})).toThrow(
      "production's database sila-stats-0",
    );
    expect(() => configurationOf(stats, "staging", {})).not.toThrow();
    const one_id = stats.d1_databases.map((one) => ({ ...one, database_id: "same" }));
    expect(() => configurationOf({ ...RAW, d1_databases: one_id }, "production", {})).toThrow(
      "same",
    );
  });
});

describe("secrets", () => {
  test("S25: what the platform has is never uploaded again, whatever is here or in the environment", () => {
    const chosen = chooseSecrets(
      [...NEEDED, "BACKUP_KEY", "METRICS_TOKEN", "ALERT_SECRET", "AI_KEY"],
      { SENDER_KEY: "here" },
      { SENDER_KEY: "other", AI_KEY: "given", SESSION_KEY: "" },
      false,
    );
    expect(chosen).toMatchObject({ upload: {}, made: [], ignored: ["SENDER_KEY", "AI_KEY"] });
    const [line] = linesOf({ databases: [], secrets: chosen, upload: null }, "sila").filter((one) =>
      one.includes("npx wrangler secret put SENDER_KEY --name sila"),
    );
    expect(line).toContain("SENDER_KEY, AI_KEY");
  });

  test("before anything was uploaded a given value takes the place of one that was made", () => {
    const made = chooseSecrets([], {}, {}, false);
    expect(made.made).toHaveLength(6);
    const chosen = chooseSecrets([], made.file, { HUB_WEBHOOK_SECRET: "given" }, false);
    const expected = { ...made.file, HUB_WEBHOOK_SECRET: "given" };
    expect(chosen).toMatchObject({ file: expected, upload: expected, made: [] });
  });

  test("where the machine ends with the run, none is made that somebody must read later", () => {
    const { made, missing } = chooseSecrets([], {}, {}, true);
    expect(made).toEqual(["SENDER_KEY", "SESSION_KEY"]);
    expect(missing).toEqual(["HUB_WEBHOOK_SECRET"]);
  });

  test("what is no secret of Sila stays in the file and is not uploaded", () => {
    const file = { HUB_URL: "https://hub.sila.example", note: "mine" };
    const chosen = chooseSecrets(NEEDED, file, {}, true);
    expect(chosen).toMatchObject({ file, upload: {} });
  });

  test("a file that is broken is named, and nothing of it is shown", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sila-kept-"));
    try {
      const files = new KeptFiles("production", folder);
      const broken = ['{"SENDER_KEY": "aaaa', '["aaaa"]', "null", "", '{"SENDER_KEY": ["aaaa"]}'];
      for (const text of broken) {
        await writeFile(files.path("secrets.json"), text, { mode: 0o600 });
        expect(() => files.secrets()).toThrow(files.path("secrets.json"));
        expect(() => files.secrets()).not.toThrow("aaaa");
      }
      files.write("secrets.json", { SENDER_KEY: "b" });
      expect(files.secrets()).toEqual({ SENDER_KEY: "b" });
      expect((await stat(files.path("secrets.json"))).mode & 0o777).toBe(0o600);
    } finally {
      await rm(folder, { recursive: true });
    }
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
    expect(await untilWell(url, 0, "3.1.0")).toMatchObject({ ok: false, faults });
    expect(await untilWell(url, 0, "3.0.0")).toMatchObject({ ok: true });
    expect(await untilWell(url, 0)).toMatchObject({ ok: true });
  });
});

test("of a service that is not well, each failing check is said in words", async () => {
  const checks = { d1: { ok: true }, backups: { ok: false }, hub: { ok: false } };
  // The form of all errors (docs/contract.md section 3).
  const body = { ok: false, error: "عطل", message_en: "down", code: "DEPENDENCY_DOWN" };
  await withService(503, { ...body, details: { checks } }, async (url) => {
    const { ok, faults } = await untilWell(url, 0);
    expect(ok).toBe(false);
    expect(faults).toEqual([
      expect.stringMatching(/^backups: the bucket of backups/),
      expect.stringMatching(/^hub: the account hub/),
    ]);
  });
});

describe("going back", () => {
  const versions = [1, 2, 3, 4].map((number) => ({ id: `id-${number}`, number }));
  /** @param served versions of the deployments, oldest first; a number below 100 is a part of the traffic */
  const targetAfter = async (
    served: [number: number, percentage?: number][],
    listed = versions,
  ) => {
    const deployments = served.map(([number, percentage = 100], i) => ({
      created_on: `2026-11-23T00:00:0${i}Z`,
      versions: [{ version_id: `id-${number}`, percentage }],
    }));
    const wrangler = wranglerOf((c) => (c.startsWith("versions") ? listed : deployments));
    return (await targetOf(wrangler, "sila", "")).id;
  };

  test("each time to an older version that was served to everybody, never forward again", async () => {
    const none = "no version before";
    expect(await targetAfter([[1], [2], [3]])).toBe("id-2");
    expect(await targetAfter([[1], [2], [3], [2]])).toBe("id-1");
    await expect(targetAfter([[1], [2], [3], [2], [1]])).rejects.toThrow(none);
    expect(await targetAfter([[1], [3]])).toBe("id-1");
    expect(await targetAfter([[1], [2, 10], [3]])).toBe("id-1");
    // The platform does not list the one that serves any more.
    await expect(targetAfter([[3], [4], [1]], versions.slice(1))).rejects.toThrow(none);
  });

  test("to the one that is named, by id or tag", async () => {
    const tagged = { id: "id-9", number: 9, annotations: { "workers/tag": "3.0.0-abc" } };
    const wrangler = wranglerOf(() => [...versions, tagged]);
    expect(await targetOf(wrangler, "sila", "3.0.0-abc")).toEqual(tagged);
    expect((await targetOf(wrangler, "sila", "id-2")).number).toBe(2);
  });
});
