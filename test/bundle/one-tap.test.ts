/** S25: the demo's sign-in by one tap is around the bundle in `npm start`, and no deployment can be talked into it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundledWorker } from "../../src/commands/serve/bundle.ts";
import { readBundle } from "../../src/commands/serve/modules.ts";
import { Serving } from "../server/serving.ts";

const ONE_TAP_PATH = "/api/auth/demo";
const VARS = { DEMO: "true", ONE_TAP: "on", OPERATORS: "demo-pro", SIGN_UP: "open" };
const HEADERS = [{}, { "X-Hub-Control": "1" }, { "X-Demo": "1", Host: "localhost:8787" }];

test("S25: the deployed bundle signs nobody in by one tap, whatever is set, sent or stored", async () => {
  const statePath = await mkdtemp(join(tmpdir(), "sila-one-tap-"));
  const serving = new Serving();
  onTestFinished(async () => {
    await serving.stop();
    await rm(statePath, { recursive: true });
  });
  const { workshop, identity, script } = await readBundle(
    await bundledWorker(join(statePath, "bundle")),
  );
  for (const text of [script, workshop.script, identity.script]) {
    expect(text).not.toContain(ONE_TAP_PATH);
    expect(text).not.toContain("demo-pro");
  }
  const url = await serving.call("start", { statePath, pages: [], vars: VARS });
  await serving.call(
    "query",
    "DB",
    `INSERT INTO auth_users (id, name, plan, locale, is_operator, created_at)
     VALUES ('demo-pro', 'ليان', 'pro', 'ar', 1, 0)`,
  );
  const { origin } = new URL(url);
  for (const headers of HEADERS) {
    const answer = await fetch(url + ONE_TAP_PATH.slice(1), {
      method: "POST",
      headers: { Origin: origin, ...headers },
      body: new URLSearchParams({ user_id: "demo-pro", return_to: "/dashboard" }),
      redirect: "manual",
    });
    expect([headers, answer.status, answer.headers.get("Set-Cookie")]).toEqual([
      headers,
      404,
      null,
    ]);
  }
  expect(await (await fetch(`${origin}/account/sign-in`)).text()).not.toContain("demo-pro");
});
