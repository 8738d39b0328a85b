/** `npm run doctor`: what it says about a machine, a service and an account, right ones and wrong ones. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Deploying } from "../platform/deploying.ts";
import { Serving } from "../server/serving.ts";

const TIMEOUT_MS = 300_000;

interface Report {
  ok: boolean;
  findings: { state: "ok" | "wrong" | "note"; what: string; advice?: string }[];
}

let user: Deploying;
beforeAll(async () => {
  user = await Deploying.start();
  const vars = { HUB_URL: "https://hub.sila.example", AUTH_URL: "https://hub.sila.example/in" };
  await writeFile(join(user.folder, "production.json"), JSON.stringify({ vars }));
});
afterAll(() => user.stop());
afterEach(() => expect(user.platform.unknown).toEqual([]));

async function doctor(...args: string[]) {
  const { code, output } = await user.doctor([...args, "--json"]);
  const report = JSON.parse(output) as Report;
  return { code, ...report, wrong: report.findings.filter(({ state }) => state === "wrong") };
}

test("a service with its clock, headers, cache and dependencies right is well", {
  timeout: TIMEOUT_MS,
}, async () => {
  const statePath = await mkdtemp(join(tmpdir(), "sila-doctor-"));
  const serving = new Serving();
  try {
    const url = await serving.call("start", { statePath, pages: [], withHub: true });
    await serving.call("deliverEdits", "a-page");
    const { code, ok, wrong, findings } = await doctor("--url", url);
    expect(wrong).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        "The variables of a deployment are valid.",
        "The service and all that it needs are well.",
        "The cron runs.",
        "The security headers are there.",
        // workerd alone sends none.
        "It sends no Date, so its clock was not compared.",
        "The edge cache is on: a second probe was answered from it.",
      ]),
    );
    expect([ok, code]).toEqual([true, 0]);
  } finally {
    await serving.stop();
    await rm(statePath, { recursive: true, force: true });
  }
});

test("one that is behind, late, stripped of headers, uncached and unwell is told so, line by line", {
  timeout: TIMEOUT_MS,
}, async () => {
  let probes = 0;
  const server = createServer(({ url }, response) => {
    probes += 1;
    const late = new Date(Date.now() - 3_600_000).toUTCString();
    response.setHeader("Date", late).setHeader("X-Content-Type-Options", "nosniff");
    const checks = { d1: { ok: true, latency_ms: probes }, hub: { ok: false, latency_ms: 2_000 } };
    response.statusCode = url === "/health" ? 200 : 503;
    if (url === "/status.json") {
      const measured_at = new Date(Date.now() - 3_600_000).toISOString();
      response.end(JSON.stringify({ ok: true, measured_at }));
      return;
    }
    response.end(
      JSON.stringify(
        url === "/health"
          ? { ok: true, app: "sila", version: "2.9.10" }
          : { ok: false, code: "DEPENDENCY_DOWN", details: { checks } },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const secrets = join(user.folder, "production.secrets.json");
  await writeFile(secrets, JSON.stringify({ SENDER_KEY: "change-me" }));
  await chmod(secrets, 0o644);
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, wrong, findings } = await doctor("--url", url);
    const said = wrong.map(({ what }) => what).join("\n");
    expect(said).toContain("Other users of this machine may read");
    expect(said).toMatch(/differ by 36\d\d s/);
    expect(said).toContain("hub: the account hub does not answer at HUB_URL");
    expect(said).toContain("Answers lack X-API-Version");
    expect(said).toContain("The edge cache seems to be off");
    expect(said).toMatch(/The cron ran last at .*, 60 minutes ago/);
    expect(wrong).toHaveLength(6);
    expect(wrong.filter(({ advice }) => advice === undefined)).toEqual([]);
    const notes = findings.filter(({ state }) => state === "note").map(({ what }) => what);
    expect(notes.join("\n")).toContain("It serves version 2.9.10; this checkout has");
    expect(code).toBe(1);

    // For its owner alone, its value is looked at.
    await chmod(secrets, 0o600);
    const after = await doctor();
    expect(after.wrong.map(({ what }) => what).join()).toContain(
      "SENDER_KEY is neither hex nor base64",
    );
    expect(JSON.stringify(after)).not.toContain("change-me");
  } finally {
    await rm(secrets);
    server.closeAllConnections();
    server.close();
  }
});

test("an account without the Worker is told so, and asking changes nothing there", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, wrong } = await doctor("--platform");
  expect(wrong).toEqual([
    { state: "wrong", what: "The account has no Worker sila.", advice: "Run: npm run deploy" },
  ]);
  expect(code).toBe(1);
  expect(user.platform.writes()).toEqual([]);
});
