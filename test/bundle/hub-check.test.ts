/** `npm run hub:check` and the demo hub; `test/long/hub-check.test.ts` shows it wrong hubs. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { DemoHub } from "../hub-check/demo-hub.ts";
import { POINTS_MIN } from "../hub-check/rules.ts";
import { randomSecret } from "../secret.ts";

let demo: DemoHub;
beforeAll(async () => {
  demo = await DemoHub.start();
});
afterAll(() => demo.stop());

async function check(args: readonly string[], env: Record<string, string>) {
  const command = [join(ROOT, "test/hub-check/main.ts"), ...args];
  const run = promisify(execFile)("node", ["--no-warnings", ...command], {
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  const { stdout, stderr, code } = await run.then(
    (printed) => ({ ...printed, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  );
  return { code, lines: (stdout + stderr).trimEnd().split("\n") };
}

async function commandLine(points?: number) {
  const { url, cookieName, session, otherSession, secret } = await demo.underTest(points);
  const env = { HUB_SESSION: session, HUB_OTHER_SESSION: otherSession, HUB_WEBHOOK_SECRET: secret };
  return { args: [url, "--cookie-name", cookieName], env };
}

test("the demo hub keeps every rule: the command says so with code 0, and shows no session and no secret", async () => {
  const { args, env } = await commandLine();
  const { code, lines } = await check(args, env);
  expect(lines.at(-1)).toMatch(
    /^(\d+) of \1 rules are kept, 0 are broken, 0 could not be judged\.$/,
  );
  expect(lines.slice(0, -1).filter((line) => !line.startsWith("✓ "))).toEqual([]);
  expect(code).toBe(0);
  for (const value of Object.values(env)) expect(lines.join()).not.toContain(value);
});

test("the command names the broken rule with code 1: what was sent, what came, what it must be", async () => {
  const { args, env } = await commandLine();
  const { code, lines } = await check(args, { ...env, HUB_WEBHOOK_SECRET: randomSecret() });
  expect(lines).toContain("✗ the close of a transfer that was made is completed, with its id");
  expect(lines.join("\n")).toMatch(
    /POST \/api\/wallet\/transfers\/close \{"user_id".*: 401 ".*"; it must be 200$/m,
  );
  expect(lines).toContain(
    "  not judged, because this is broken: the close of a transfer that was made is completed, with its id",
  );
  expect(code).toBe(1);
});

test("the command refuses to begin with code 2, and says what is missing", async () => {
  const { args, env } = await commandLine();
  const [url = "", ...named] = args;
  const refused = async (given: readonly string[], vars: Record<string, string>) => {
    const { code, lines } = await check(given, vars);
    expect(lines.at(-1)).toBe("See npm run hub:check -- --help");
    return [code, lines[0]];
  };
  const poor = await commandLine(POINTS_MIN - 1);
  expect({
    address: await refused(["hub.example", ...named], env),
    name: await refused([url], env),
    option: await refused([...args, "--secret", "x"], env),
    session: await refused(args, { ...env, HUB_SESSION: "" }),
    cookie: await refused(args, { ...env, HUB_OTHER_SESSION: `hub_session=${env.HUB_SESSION};` }),
    secret: await refused(args, { ...env, HUB_WEBHOOK_SECRET: "whsec_" }),
    same: await refused(args, { ...env, HUB_OTHER_SESSION: env.HUB_SESSION }),
    poor: await refused(poor.args, poor.env),
  }).toEqual({
    address: [2, "the hub's address comes first, as https://hub.example"],
    name: [2, "--cookie-name is needed: the name of the hub's cookie"],
    option: [2, expect.stringContaining("--secret")],
    session: [2, "HUB_SESSION must be in the environment: the value of a user's cookie alone"],
    cookie: [2, "HUB_OTHER_SESSION must be in the environment: the value of a user's cookie alone"],
    secret: [2, "HUB_WEBHOOK_SECRET must be in the environment; it is empty"],
    same: [2, "HUB_SESSION and HUB_OTHER_SESSION are of one user; there must be two"],
    poor: [2, `the user of HUB_SESSION has ${POINTS_MIN - 1} points and needs ${POINTS_MIN}`],
  });
});
