/** `npm run doctor`: what it says about a configuration and a service, right ones and wrong ones. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Deploying } from "../platform/deploying.ts";
import { randomSecret } from "../secret.ts";
import { Serving } from "../server/serving.ts";

const TIMEOUT_MS = 300_000;
const VARS = {
  HUB_URL: "https://hub.sila.example",
  AUTH_URL: "https://hub.sila.example/in",
  HUB_SESSION_COOKIE: "__Secure-hub",
};

let user: Deploying;
beforeAll(async () => {
  user = await Deploying.start();
});
afterAll(() => user.stop());
afterEach(() => expect(user.platform.seen, "it asks no account").toEqual([]));

async function doctor(vars: Record<string, string>, ...args: string[]) {
  await writeFile(join(user.folder, "production.json"), JSON.stringify({ vars }));
  const { code, output } = await user.doctor(args, { SILA_TEST_HUB: hub });
  return { code, output, wrong: output.split("\n").filter((line) => line.startsWith("✗")) };
}

const NOWHERE = "http://127.0.0.1:9";
/** Where hub.sila.example is. */
let hub = NOWHERE;

async function withServer(answer: RequestListener, work: (url: string) => Promise<void>) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const withHub = (answer: RequestListener, work: () => Promise<void>) =>
  withServer(answer, async (url) => {
    hub = url;
    await work();
    hub = NOWHERE;
  });

test("a configuration is well with a hub that says no to strangers, and not with one that says yes to everybody", {
  timeout: TIMEOUT_MS,
}, async () => {
  const answers = { right: [401, 401], open: [200, 200], guessing: [401, 200], other: [404, 404] };
  const found: Record<string, string[]> = {};
  for (const [name, [without, withCookie]] of Object.entries(answers)) {
    await withHub(
      ({ url, headers }, response) => {
        const status = headers.cookie?.startsWith("__Secure-hub=") ? withCookie : without;
        response.writeHead(url === "/api/session" ? (status ?? 500) : 500).end("{}");
      },
      async () => {
        const { code, wrong } = await doctor(VARS);
        found[name] = [String(code), ...wrong];
      },
    );
  }
  const url = "https://hub.sila.example/api/session";
  expect(found).toEqual({
    right: ["0"],
    open: ["1", `✗ ${url} answers 200 to no cookie; it must be 401.`],
    guessing: ["1", `✗ ${url} answers 200 to a session that nobody has; it must be 401.`],
    other: ["1", `✗ ${url} answers 404 to no cookie; it must be 401.`],
  });
});

test("without a hub the settings are well, and not where a hub's secret is left of one", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = await doctor({});
  expect(output).toContain("✓ Without HUB_URL the accounts are the service's own.");
  expect(code).toBe(0);
  const secrets = join(user.folder, "production.secrets.json");
  const left = { HUB_WEBHOOK_SECRET: `whsec_${randomSecret()}` };
  await writeFile(secrets, JSON.stringify(left), { mode: 0o600 });
  try {
    expect((await doctor({})).wrong).toEqual(
      ["HUB_URL", "AUTH_URL", "HUB_SESSION_COOKIE"].map(
        (name) => `✗ ${name} is not set, and HUB_WEBHOOK_SECRET needs it`,
      ),
    );
  } finally {
    await rm(secrets);
  }
});

test("development values are told", {
  timeout: TIMEOUT_MS,
}, async () => {
  const local = "http://localhost:8788";
  const { code, wrong } = await doctor({ HUB_URL: local, AUTH_URL: `${local}/sign-in` });
  expect(wrong).toEqual([
    "✗ HUB_URL is not an https address of another machine",
    "✗ AUTH_URL is not an https address of another machine",
    "✗ HUB_SESSION_COOKIE is still that of the development's hub",
  ]);
  expect(code).toBe(1);
});

test("S25: a secret that others may read or that is no secret is told, and not shown", {
  timeout: TIMEOUT_MS,
}, async () => {
  const secrets = join(user.folder, "production.secrets.json");
  await writeFile(secrets, JSON.stringify({ SENDER_KEY: "change-me" }));
  try {
    await chmod(secrets, 0o644);
    expect((await doctor(VARS)).wrong.join()).toContain("Other users of this machine may read");
    await chmod(secrets, 0o600);
    const { wrong, output } = await doctor(VARS);
    expect(wrong).toEqual([
      "✗ SENDER_KEY is neither hex nor base64",
      "✗ https://hub.sila.example/api/session does not answer to no cookie; it must be 401.",
    ]);
    expect(output).not.toContain("change-me");
  } finally {
    await rm(secrets);
  }
});

test("a service with the development's hub is well but for that; with a real one it is well", {
  timeout: TIMEOUT_MS,
}, async () => {
  for (const vars of [{}, { AUTH_URL: VARS.AUTH_URL, HUB_SESSION_COOKIE: "__Secure-hub" }]) {
    const statePath = await mkdtemp(join(tmpdir(), "sila-doctor-"));
    const serving = new Serving();
    try {
      const url = await serving.call("start", { statePath, pages: [], withHub: true, vars });
      await serving.call("deliverEdits", "a-page");
      const { code, wrong, output } = await doctor(VARS, "--url", url);
      const isDevelopment = Object.keys(vars).length === 0;
      expect([code, ...wrong]).toEqual(
        isDevelopment
          ? [
              1,
              expect.stringMatching(/People sign in at http:.*is not an https address of another/),
              "✗ HUB_SESSION_COOKIE is still that of the development's hub",
            ]
          : [0],
      );
      for (const line of [
        "✓ The service and all that it needs are well.",
        "✓ The cron runs.",
        "✓ The security headers arrive.",
        "✓ A session that nobody has signs nobody in.",
      ])
        expect(output).toContain(line);
    } finally {
      await serving.stop();
      await rm(statePath, { recursive: true, force: true });
    }
  }
});

test("one that is late, stripped of headers, unwell and open to everybody is told so, line by line", {
  timeout: TIMEOUT_MS,
}, async () => {
  const answers: Record<string, [status: number, body: object]> = {
    "/health": [200, { ok: true, app: "sila", version: "2.9.10" }],
    "/health/deep": [503, { details: { checks: { d1: { ok: true }, hub: { ok: false } } } }],
    "/status.json": [200, { measured_at: new Date(Date.now() - 3_600_000).toISOString() }],
    "/api/auth/session": [200, { authenticated: true }],
  };
  await withServer(
    ({ url = "", headers }, response) => {
      const isSession = headers.cookie?.startsWith("__Secure-hub=") === true;
      answers["/api/auth/logout"] = [isSession ? 403 : 204, {}];
      const late = new Date(Date.now() - 3_600_000).toUTCString();
      response.setHeader("Date", late).setHeader("X-Content-Type-Options", "nosniff");
      const [status, body] = answers[url] ?? [302, {}];
      if (status === 302) response.setHeader("Location", "https://hub.sila.example/in");
      response.writeHead(status).end(status === 204 ? undefined : JSON.stringify(body));
    },
    async (url) => {
      const { code, wrong, output } = await doctor(VARS, "--url", url);
      expect(wrong).toEqual([
        expect.stringContaining("hub: the account hub does not answer at HUB_URL"),
        expect.stringMatching(/differ by 36\d\d s/),
        expect.stringMatching(/The cron ran last at .*, 60 minutes ago/),
        expect.stringContaining("Answers lack X-API-Version"),
        "✗ /api/auth/session answers 200 to a session that nobody has, and signs in.",
      ]);
      expect(output).toContain("5 of 6 facts are wrong.");
      expect(code).toBe(1);
    },
  );
});

test("of a service with accounts of its own its own page and cookie are asked", {
  timeout: TIMEOUT_MS,
}, async () => {
  const found: Record<string, string[]> = {};
  const pages = {
    signs_in: [200, ""],
    new: [302, "/setup"],
    broken: [503, ""],
    open: [200, ""],
  } as const;
  for (const [name, [status, location]] of Object.entries(pages)) {
    await withServer(
      ({ url = "", method, headers }, response) => {
        const isSession = headers.cookie?.startsWith("sila_session=") === true;
        const answers: Record<string, [status: number, body: object]> = {
          "GET /health": [200, { ok: true, app: "sila" }],
          "POST /api/auth/logout": [isSession ? 403 : 204, {}],
          "GET /api/auth/session": [200, { authenticated: isSession && name === "open" }],
          "GET /api/auth/login": [302, {}],
          "GET /account/sign-in": [status, {}],
        };
        const [code, body] = answers[`${method} ${url}`] ?? [404, {}];
        const next =
          url === "/api/auth/login" ? `http://${headers.host}/account/sign-in` : location;
        response.writeHead(code, { Location: next });
        response.end(code === 204 ? undefined : JSON.stringify(body));
      },
      async (url) => {
        const { output } = await doctor({}, "--url", url);
        const lines = output.replaceAll(url, "").split("\n");
        found[name] = lines.filter((line) => /account|nobody has|HUB/.test(line));
      },
    );
  }
  const nobody = "✓ A session that nobody has signs nobody in.";
  expect(found).toEqual({
    signs_in: ["✓ People sign in at /account/sign-in.", nobody],
    new: ["✓ Nobody has an account yet: the first owner makes it at /setup.", nobody],
    broken: ["✗ /account/sign-in answers 503.", expect.stringContaining("accounts again"), nobody],
    open: [
      "✓ People sign in at /account/sign-in.",
      "✗ /api/auth/session answers 200 to a session that nobody has, and signs in.",
    ],
  });
});
