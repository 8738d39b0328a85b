/**
 * `npm run deploy` where it is not at home: in a folder whose name is in the user's own language, with several databases
 * and accounts, killed in the midst of the upload, and in Workers Builds.
 */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyCheckout } from "../platform/checkout.ts";
import { Deploying } from "../platform/deploying.ts";
import { randomSecret } from "../secret.ts";

const TIMEOUT_MS = 600_000;
const HUB = {
  HUB_URL: "https://hub.sila.example",
  AUTH_URL: "https://hub.sila.example/in",
  HUB_SESSION_COOKIE: "__Secure-hub",
};
const STATS = ["STATS_0", "STATS_1"];
const SECOND = { id: "f".repeat(32), name: "Two" };

test("a first run that is killed in its upload is run again without options, with the same secrets", {
  timeout: TIMEOUT_MS,
}, async () => {
  const parent = await mkdtemp(join(tmpdir(), "sila-checkout-"));
  const root = await copyCheckout(join(parent, "صلة، my copy"));
  const toml = await readFile(join(root, "wrangler.toml"), "utf8");
  const bindings = STATS.map(
    (name) => `
[[d1_databases]]
binding = "${name}"
database_name = "sila-${name.toLowerCase().replace("_", "-")}"
migrations_dir = "migrations/stats"
`,
  );
  await writeFile(join(root, "wrangler.toml"), toml + bindings.join(""));
  const user = await Deploying.start(root);
  const { platform } = user;
  platform.accounts.push(SECOND);
  try {
    const nobody = await user.deploy([], { ...HUB, CLOUDFLARE_API_TOKEN: "" });
    expect(nobody.output).toContain("Nobody is signed in");
    const several = await user.deploy([], HUB);
    expect(several.output).toContain(`Set CLOUDFLARE_ACCOUNT_ID to one`);
    expect(several.output).toContain(`${SECOND.id}  Two`);
    expect([nobody.code, several.code, platform.writes()]).toEqual([1, 1, []]);

    const killed = platform.hold(/^PUT .*\/scripts\/sila\?/);
    const args = Object.entries(HUB).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    const given = { CLOUDFLARE_ACCOUNT_ID: SECOND.id };
    await user.deploy([...args, "--url", user.url], given, killed);
    expect(platform.workers.has("sila")).toBe(false);
    const kept = JSON.parse(await readFile(join(user.folder, "production.json"), "utf8"));
    expect(kept).toEqual({ vars: HUB, account: SECOND.id, url: user.url });
    const secrets = await readFile(join(user.folder, "production.secrets.json"), "utf8");
    for (const name of await readdir(user.folder)) {
      const { mode } = await stat(join(user.folder, name));
      if (/secrets/.test(name)) expect(mode & 0o077, name).toBe(0);
    }

    const { code, output } = await user.deploy();
    expect(code, output).toBe(0);
    for (const name of ["sila", "sila-stats-0", "sila-stats-1"]) {
      expect(output).not.toContain(`make the database ${name}`);
      const tables = platform.database(name).tables();
      expect([tables.includes("tallies"), tables.includes("pages")]).toEqual([
        true,
        name === "sila",
      ]);
    }
    const { bindings: bound } = platform.worker("sila").current;
    const ids = ["DB", ...STATS].map((name) => bound.find((one) => one.name === name)?.id);
    expect(ids).toEqual(platform.databases.map(({ uuid }) => uuid));
    expect(platform.worker("sila").values).toMatchObject(JSON.parse(secrets));
    expect(await readFile(join(user.folder, "production.secrets.json"), "utf8")).toBe(secrets);
    expect(platform.writes().filter((line) => !line.includes(SECOND.id))).toEqual([]);

    expect(platform.unknown).toEqual([]);
  } finally {
    await user.stop();
    await rm(parent, { recursive: true, force: true });
  }
});

test("Workers Builds: the connected Worker, no question, and no secret whose only copy would be lost", {
  timeout: TIMEOUT_MS,
}, async () => {
  const user = await Deploying.start();
  const { platform } = user;
  const [account] = platform.accounts;
  const key = randomSecret();
  const build = () =>
    user.deploy(["--url", user.url], {
      CI: "true",
      WORKERS_CI: "1",
      WRANGLER_CI_OVERRIDE_NAME: "my-sila",
      // Of the connected Worker, which no other one that the service needs has.
      WRANGLER_CI_MATCH_TAG: "0".repeat(32),
      CLOUDFLARE_ACCOUNT_ID: account?.id ?? "",
    });
  try {
    const elsewhere = await user.deploy([], { CI: "true" });
    expect(elsewhere.output).toContain("A new service needs a SILA_KEY");
    expect([elsewhere.code, platform.writes()]).toEqual([1, []]);
    // The button has an empty Worker made first, which has what was typed into its form, or gets it afterwards.
    const early = await build();
    expect(early.code, early.output).toBe(0);
    expect(early.output).toContain("! SILA_KEY is missing");
    expect(platform.worker("my-sila").secretNames).toEqual([]);
    const typed = { name: "SILA_KEY", type: "secret_text", text: key };
    platform.worker("my-sila").current.bindings.push(typed);
    const { code, output } = await build();
    expect(code, output).toBe(0);
    expect(output).toContain("is well");
    expect([...platform.workers.keys()].filter((name) => !name.startsWith("my-sila"))).toEqual([]);
    expect(platform.namespaces).toMatchObject([{ title: "my-sila-kv" }]);
    const secrets = platform.worker("my-sila").secretNames.toSorted();
    expect(secrets).toEqual(["SILA_KEY"]);
    expect(platform.worker("my-sila").values.SILA_KEY).toBe(key);
    expect(output).not.toContain("/setup");
    expect(output).not.toContain("Keep a copy");
    expect(platform.unknown).toEqual([]);
  } finally {
    await user.stop();
  }
});
