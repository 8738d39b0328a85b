/**
 * The first hours of a user with `npm run deploy`: questions at the terminal, Ctrl-C, a folder whose name is in their
 * own language, several databases and accounts. And Workers Builds, where nobody is at a terminal.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyCheckout } from "../platform/checkout.ts";
import { Deploying } from "../platform/deploying.ts";
import { randomSecret } from "../secret.ts";

const TIMEOUT_MS = 400_000;
const HUB = { HUB_URL: "https://hub.sila.example", AUTH_URL: "https://hub.sila.example/in" };
const STATS = ["STATS_0", "STATS_1"];
const SECOND = { id: "f".repeat(32), name: "Two" };

test("a first run that is interrupted in its upload asks nothing again, and leaves no secret in a temporary file", {
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
    const nobody = await user.deploy(["--set", `HUB_URL=${HUB.HUB_URL}`], {
      AUTH_URL: HUB.AUTH_URL,
      CLOUDFLARE_API_TOKEN: "",
    });
    expect(nobody.output).toContain("Nobody is signed in.");
    expect(nobody.code).toBe(1);

    const interrupted = await user.deployAtTerminal({
      answers: {
        "HUB_URL, ": HUB.HUB_URL,
        "AUTH_URL, ": HUB.AUTH_URL,
        "[hub_session]: ": "",
        "The number of the one to use: ": "2",
      },
      interrupts: platform.hold(/^PUT .*\/scripts\/sila\?/),
    });
    expect(interrupted.code, interrupted.output).toBe(130);
    const left = await readdir(user.temporary);
    expect(left.filter((name) => name.startsWith("sila-"))).toEqual([]);
    expect(platform.workers.size).toBe(0);
    const kept = JSON.parse(await readFile(join(user.folder, "production.json"), "utf8"));
    expect(kept).toEqual({ vars: HUB, account: SECOND.id });
    const secrets = await readFile(join(user.folder, "production.secrets.json"), "utf8");

    // Nobody is at the terminal, and nothing is given.
    const { code, output } = await user.deploy(["--url", user.url, "--wait", "0"]);
    expect(code, output).toBe(0);
    for (const name of ["sila", "sila-stats-0", "sila-stats-1"]) {
      expect(output).toContain(`the database ${name} is right`);
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

    const from = platform.seen.length;
    const [first] = platform.accounts;
    const elsewhere = await user.deploy([], { CLOUDFLARE_ACCOUNT_ID: first?.id ?? "" });
    expect(elsewhere.output).toContain(`production is in the account ${SECOND.id}`);
    expect([elsewhere.code, platform.seen.length]).toEqual([1, from]);
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
  const hub_secret = `whsec_${randomSecret()}`;
  try {
    const { code, output } = await user.deploy(["--url", user.url, "--wait", "0"], {
      ...HUB,
      CI: "true",
      WORKERS_CI: "1",
      WRANGLER_CI_OVERRIDE_NAME: "my-sila",
      CLOUDFLARE_ACCOUNT_ID: account?.id ?? "",
      HUB_WEBHOOK_SECRET: hub_secret,
    });
    expect(code, output).toBe(0);
    expect([...platform.workers.keys()]).toEqual(["my-sila"]);
    expect(platform.namespaces).toMatchObject([{ title: "my-sila-kv" }]);
    const secrets = platform.worker("my-sila").secretNames.toSorted();
    expect(secrets).toEqual(["HUB_WEBHOOK_SECRET", "SENDER_KEY", "SESSION_KEY"]);
    expect(output).not.toContain(hub_secret);
    expect(output).not.toContain("Keep a copy");
    expect(platform.unknown).toEqual([]);
  } finally {
    await user.stop();
  }
});
