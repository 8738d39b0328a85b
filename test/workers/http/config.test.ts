/** A deployment without a valid setting refuses the routes that need it, and reveals no value. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { MAIL_PER_DAY_MAX, mailSettings } from "../../../objects/mail/mail-settings.ts";
import {
  type Group,
  hasSuggestions,
  isConfigured,
  readConfig,
  requireConfig,
} from "../../../src/http/config.ts";
import {
  CONFIG_RETRY_AFTER_S,
  COOKIE_NAME_CHARS_MAX,
  LIMITER_SHARDS_MAX,
  SECRET_BYTES_MIN,
} from "../../../src/http/limits.ts";
import { Secret } from "../../../src/http/secret.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { freshEmail, listOf, newsletterPage } from "../blocks/newsletter-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, errorOf, freshAddress, freshPage, freshSite, sums } from "../kit/kit.ts";

const SETTINGS = [
  "SENDER_KEY",
  "SESSION_KEY",
  "HUB_WEBHOOK_SECRET",
  "LIMITER_SHARDS",
  "SHARED_CALLS",
  "FLUSH_SECONDS",
  "QUIET_FLUSH_SECONDS",
  "HUB_URL",
  "AUTH_URL",
  "HUB_SESSION_COOKIE",
  "SIGN_UP",
  "NEW_USER_PLAN",
  "SETUP_CODE",
  "MAIL_FROM",
  "MAIL_PER_DAY",
  "SITE_ORIGIN",
  "AI_URL",
  "AI_MODEL",
] as const;
type Setting = (typeof SETTINGS)[number];
type Optional = "AI_KEY" | "EVENTS_PER_DAY";

const COUNTING: readonly Setting[] = [
  "SENDER_KEY",
  "SESSION_KEY",
  "LIMITER_SHARDS",
  "SHARED_CALLS",
  "FLUSH_SECONDS",
  "QUIET_FLUSH_SECONDS",
];
const ACCOUNTS: readonly Setting[] = ["SESSION_KEY", "HUB_URL", "AUTH_URL", "HUB_SESSION_COOKIE"];

const right = { ...env };

/** Replaces a setting of the deployment; undefined removes it. */
function misconfigure(setting: Setting | Optional, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(env, setting);
  else Object.assign(env, { [setting]: value });
}

function watchLog(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  return lines;
}

const base64 = (bytes: Uint8Array) => bytes.toBase64();
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const utf8 = (text: string) => new TextEncoder().encode(text);

/** A probe whose result is not that of an earlier one. */
function freshProbe(): string {
  return `${freshSite()}/health/deep`;
}

async function expectClosed(response: Response): Promise<void> {
  const retry_after = response.headers.get("Retry-After");
  expect([response.status, retry_after]).toEqual([503, String(CONFIG_RETRY_AFTER_S)]);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ ok: false, code: "DEPENDENCY_DOWN" });
  expect(Object.keys(JSON.parse(text).details)).toEqual(["request_id"]);
  expect(text).not.toMatch(/KEY|SECRET|SHARDS|SECONDS|HUB_|SITE_|_URL|COOKIE/);
}

test.for([
  ...COUNTING.map((setting) => [setting, "counting"] as const),
  ...ACCOUNTS.map((setting) => [setting, "accounts"] as const),
  ["HUB_WEBHOOK_SECRET", "webhooks"],
  ["MAIL_FROM", "mail"],
  ["MAIL_PER_DAY", "mail"],
  ["SITE_ORIGIN", "mail"],
  ["SITE_ORIGIN", "site"],
  ["AI_URL", "ai"],
  ["AI_MODEL", "ai"],
] as const)("without %s there are no settings for %s", ([setting, group]) => {
  watchLog();
  expect(readConfig(env)[group]).not.toBeNull();
  for (const value of [undefined, "two\r\nlines"]) {
    misconfigure(setting, value);
    expect([value, readConfig(env)[group]]).toEqual([value, null]);
  }
});

describe("F26, S25: a deployment without a setting for counting", () => {
  test("counts and admits nothing, and counts again once it is there", async () => {
    const page = await freshPage();
    watchLog();
    misconfigure("SENDER_KEY", undefined);
    const refused = await beacon({ page_id: page.page_id });
    await expectClosed(refused);
    // So that any page's script can read it.
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const { page_id } = page;
    const redirects = [`/r/${page_id}/shop`, `/%72/${page_id}/shop`, `/p/${page_id}.gif`];
    const of_users = ["/api/auth/login", "/api/me/wallet", "/api/nothing", "/dashboard"];
    for (const path of [...redirects, ...of_users]) await expectClosed(await call(path));
    for (const path of ["/api/log/error", "/api/webhooks/hub", "/api/auth/logout"]) {
      await expectClosed(await call(path, { method: "POST", body: '{"message":"x"}' }));
    }
    const head = await call(`/r/${page.page_id}/shop`, { method: "HEAD" });
    expect([head.status, head.headers.get("Location")]).toEqual([503, null]);
    misconfigure("SENDER_KEY", right.SENDER_KEY);
    expect((await sums(page.page_id)).accepted).toBe(0);
    expect((await beacon({ page_id: page.page_id })).status).toBe(202);
  });

  test("still serves pages, which need none of them", async () => {
    const page = await freshPage();
    watchLog();
    for (const setting of SETTINGS) misconfigure(setting, undefined);
    for (const path of [`/${page.slug}`, `/vcard/${page.slug}.vcf`, "/health", "/robots.txt"]) {
      expect([path, (await call(path)).status]).toEqual([path, 200]);
    }
  });
});

test("F26, S25: a deployment without a setting for accounts signs nobody in, and goes on counting", async () => {
  const { page_id } = await freshPage();
  const Cookie = await signIn("demo-pro");
  watchLog();
  misconfigure("HUB_URL", undefined);
  for (const path of ["/api/auth/session", "/api/me/wallet", "/dashboard", "/api/auth/login"]) {
    const response = await call(path, { headers: { Cookie } });
    await expectClosed(response);
    expect(response.headers.has("Set-Cookie")).toBe(false);
  }
  for (const setting of ACCOUNTS) if (setting !== "SESSION_KEY") misconfigure(setting, undefined);
  expect((await beacon({ page_id })).status).toBe(202);
  expect((await call(`/r/${page_id}/shop`)).headers.get("X-Beacon-Outcome")).toBe("counted");
});

test("F26, S25: a deployment without the hub's secret refuses webhooks, and does everything else", async () => {
  const { page_id } = await freshPage();
  watchLog();
  for (const value of [undefined, `whsec_${base64(random(31))}`, base64(random(32))]) {
    misconfigure("HUB_WEBHOOK_SECRET", value);
    await expectClosed(await call("/api/webhooks/hub", { method: "POST", body: "{}" }));
  }
  expect((await beacon({ page_id })).status).toBe(202);
  expect((await call("/api/auth/session")).status).toBe(200);
});

test("F26, S25: a deployment without a valid setting for mail takes no subscriber, and does everything else", async () => {
  const { subscribe, page } = await newsletterPage();
  watchLog();
  misconfigure("MAIL_PER_DAY", undefined);
  await expectClosed(await subscribe({ email: freshEmail() }));
  expect(isConfigured(env)).toBe(false);
  expect((await beacon({ page_id: page.page_id })).status).toBe(202);
  // Without an address to send from, which is no fault, there are no newsletters.
  misconfigure("MAIL_PER_DAY", right.MAIL_PER_DAY);
  misconfigure("MAIL_FROM", "");
  const response = await subscribe({ email: freshEmail() });
  expect([response.status, (await errorOf(response)).code]).toEqual([404, "LINK_NOT_FOUND"]);
  expect(isConfigured(env)).toBe(true);
});

test("F26, S29: a deployment that has not said its origin takes no subscriber, and the deep probe fails", async () => {
  const made = await newsletterPage();
  const lines = watchLog();
  const probe = freshProbe();
  misconfigure("SITE_ORIGIN", "");
  await expectClosed(await made.subscribe({ email: freshEmail() }));
  const { checks } = (await errorOf(await call(probe))).details as { checks: object };
  expect(checks).toMatchObject({ config: { ok: false } });
  expect(lines.join()).toContain("SITE_ORIGIN");
  // Its owner goes on seeing who has subscribed.
  expect(await listOf(made)).toMatchObject({ total: 0, pending: 0 });
  // It needs none without newsletters.
  misconfigure("MAIL_FROM", "");
  expect(isConfigured(env)).toBe(true);
});

test("F26: a sender of mails is refused where the deployment has no binding that sends", () => {
  const lines = watchLog();
  Reflect.deleteProperty(env, "MAIL");
  // A binding never changes while an isolate lives: only settings are read anew.
  misconfigure("MAIL_FROM", "other@sila.example");
  expect(readConfig(env).mail).toBeNull();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { setting: "MAIL_FROM", reason: expect.stringContaining("free plan") },
  ]);
});

test("F26: mails that are queued wait while a setting of mail is wrong", () => {
  const MAIL_FROM = "news@sila.example";
  const MAIL_PER_DAY = "5";
  const SITE_ORIGIN = "https://sila.example";
  const given = { MAIL_FROM, MAIL_PER_DAY, SITE_ORIGIN, MAIL: env.MAIL };
  const sent_by = { mail_from: MAIL_FROM, site: SITE_ORIGIN, per_day: 5, accounts_per_day: 0 };
  expect(mailSettings(given)).toEqual(sent_by);
  // Without a hub, a part is kept for signing in.
  const parts = { per_day: 3, accounts_per_day: 2 };
  expect(mailSettings({ ...given, HUB_URL: "" })).toEqual({ ...sent_by, ...parts });
  for (const [setting, values] of Object.entries({
    MAIL: [undefined],
    MAIL_FROM: [undefined, "", "x y"],
    MAIL_PER_DAY: [undefined, "", "1e9"],
    SITE_ORIGIN: [undefined, "", "sila.example"],
  })) {
    for (const value of values) {
      const wrong = { ...given, [setting]: value };
      expect([wrong, mailSettings(wrong).mail_from]).toEqual([wrong, ""]);
    }
  }
});

describe("F26, S25: a deployment without a valid setting for suggestions", () => {
  const suggest = async () => {
    const me = await creator();
    return me.send("POST", "/api/ai/bio", { locale: "ar", about: "رسّامة" });
  };

  test("makes none, and does everything else", async () => {
    watchLog();
    misconfigure("AI_MODEL", "");
    const response = await suggest();
    expect([response.status, (await errorOf(response)).code]).toEqual([503, "AI_UNAVAILABLE"]);
    expect(isConfigured(env)).toBe(false);
    const { page_id } = await freshPage();
    expect((await beacon({ page_id })).status).toBe(202);
  });

  test("or with none at all, which is no fault", async () => {
    for (const setting of ["AI_URL", "AI_MODEL"] as const) misconfigure(setting, "");
    misconfigure("AI_KEY", undefined);
    expect([isConfigured(env), hasSuggestions(env)]).toEqual([true, false]);
    expect((await suggest()).status).toBe(503);
  });
});

describe("F26, S25: the log", () => {
  test("names each wrong setting in one line, at any number of requests, and never its value", async () => {
    const lines = watchLog();
    misconfigure("SENDER_KEY", "hunter2");
    misconfigure("HUB_URL", "https://user:hunter2@hub.example");
    misconfigure("HUB_SESSION_COOKIE", undefined);
    for (let i = 0; i < 5; i += 1) {
      await call("/api/auth/session");
      await beacon({ page_id: "p" });
    }
    const refused = lines.map((line) => JSON.parse(line)).filter(({ setting }) => setting);
    const reasons = new Map(refused.map(({ setting, reason }) => [setting, reason]));
    expect([...reasons.keys()].sort()).toEqual(["HUB_SESSION_COOKIE", "HUB_URL", "SENDER_KEY"]);
    expect(reasons.get("HUB_SESSION_COOKIE")).toBe("is not set");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(Array(3).fill("setting_refused"));
    expect(lines.join()).not.toContain("hunter2");
  });
});

describe("F26: the deep probe", () => {
  test.for(["HUB_URL", "MAIL_PER_DAY", "SITE_ORIGIN"] as const)(
    "fails without %s, and does not name it",
    async (setting) => {
      const lines = watchLog();
      const probe = freshProbe();
      misconfigure(setting, undefined);
      const response = await call(probe);
      expect(response.status).toBe(503);
      const text = await response.text();
      const { checks } = JSON.parse(text).details;
      expect(checks.config).toEqual({ ok: false, latency_ms: 0 });
      expect(Object.keys(checks)).toEqual(["d1", "kv", "r2", "hub", "config"]);
      // A dependency that answers is not reported as down for another one's setting.
      expect(checks.hub.ok).toBe(setting !== "HUB_URL");
      expect(text).not.toContain(setting);
      expect(lines.filter((line) => line.includes(setting))).not.toEqual([]);
    },
  );

  test("S19: answers without SENDER_KEY too, unlimited and from one round in five seconds", async () => {
    const clock = stopClock();
    watchLog();
    misconfigure("SENDER_KEY", undefined);
    const [probe, ip] = [freshProbe(), freshAddress()];
    const asking = vi.spyOn(Object.getPrototypeOf(env.KV), "get");
    for (let i = 0; i < 70; i += 1) {
      const response = await call(probe, { ip });
      expect([response.status, response.headers.has("RateLimit")]).toEqual([503, false]);
      await response.body?.cancel();
    }
    expect(asking).toHaveBeenCalledTimes(1);
    clock.advance(5_000);
    await call(probe, { ip });
    expect(asking).toHaveBeenCalledTimes(2);
  });
});

describe("S25: a secret", () => {
  const refused = (text: string) => typeof Secret.parse(text) === "string";

  test(`has at least ${SECRET_BYTES_MIN} bytes, in hex or either base64`, () => {
    for (const bytes of [random(SECRET_BYTES_MIN), random(SECRET_BYTES_MIN + 17)]) {
      const one = Secret.parse(bytes.toHex());
      for (const text of [
        ...[bytes.toHex().toUpperCase(), bytes.toBase64()],
        bytes.toBase64({ omitPadding: true }),
        bytes.toBase64({ alphabet: "base64url" }),
      ]) {
        const same = Secret.parse(text);
        expect(one instanceof Secret && same instanceof Secret && one.equals(same)).toBe(true);
      }
    }
    const short = random(SECRET_BYTES_MIN - 1);
    for (const text of [short.toHex(), short.toBase64()]) expect(refused(text)).toBe(true);
  });

  test("is not read as longer than it is: hex digits are never base64", () => {
    // 44 hex digits are 22 bytes, and as base64 they would be 33.
    expect(refused(random(22).toHex())).toBe(true);
    expect(refused(random(33).toHex().slice(1))).toBe(true);
  });

  test("is refused where it is a default, an example or a pattern", () => {
    // Sixteen different bytes: only that they are repeated is wrong.
    const part = Uint8Array.from({ length: 16 }, (_, i) => (i * i * 7 + 19 * i) % 256).toHex();
    for (const guess of [
      ...["", "secret", "change-me-change-me-change-me-change-me-change-me"],
      "correcthorsebatterystaplecorrecthorsebatterystaple",
      "YourSecretKeyGoesHereYourSecretKeyGoesHere42",
      "MYSUPERSECRETKEYTHATNOBODYSHOULDEVERUSEINPRODUCTION",
      base64(utf8("thirty-two bytes of the tests...")),
      ...["0".repeat(64), "A".repeat(43), "deadbeef".repeat(8), "0123456789abcdef".repeat(4)],
      ...[part + part, part + part + part.slice(0, 10)],
      Uint8Array.from({ length: 32 }, (_, i) => 255 - i).toHex(),
      Uint8Array.from({ length: 64 }, (_, i) => i * 7).toHex(),
      random(14).toHex() + "00".repeat(18),
    ]) {
      expect([guess, refused(guess)]).toEqual([guess, true]);
    }
  });

  test("that is random is never refused, in any encoding", () => {
    for (let i = 0; i < 1_000; i += 1) {
      const bytes = random(SECRET_BYTES_MIN + (i % 33));
      expect(refused(bytes.toHex()) || refused(bytes.toBase64())).toBe(false);
    }
  });

  test("must not be used for two purposes, in any spelling", async () => {
    const bytes = random(32);
    const lines = watchLog();
    const sender = ["SENDER_KEY", bytes.toHex()] as const;
    const session = ["SESSION_KEY", bytes.toBase64({ alphabet: "base64url" })] as const;
    const hub = ["HUB_WEBHOOK_SECRET", `whsec_${bytes.toBase64()}`] as const;
    const setup = ["SETUP_CODE", session[1]] as const;
    for (const [one, other, closed] of [
      [session, setup, ["counting", "accounts", "own_accounts"]],
      [sender, session, ["counting", "accounts", "own_accounts"]],
      [sender, hub, ["counting", "webhooks"]],
      [session, hub, ["counting", "accounts", "own_accounts", "webhooks"]],
    ] as const satisfies [readonly [Setting, string], readonly [Setting, string], Group[]][]) {
      lines.length = 0;
      for (const setting of SETTINGS) Object.assign(env, { [setting]: right[setting] });
      misconfigure(one[0], one[1]);
      misconfigure(other[0], other[1]);
      const config = readConfig(env);
      const down = Object.entries(config).filter(([, settings]) => settings === null);
      expect(down.map(([group]) => group)).toEqual(closed);
      expect(lines.map((line) => JSON.parse(line).setting).sort()).toEqual(
        [one[0], other[0]].sort(),
      );
      expect(lines.join()).not.toContain(bytes.toHex());
    }
  });

  test("of webhooks is base64 even if it looks like hex, because the hub decodes it so", async () => {
    const hex = random(32).toHex();
    misconfigure("HUB_WEBHOOK_SECRET", `whsec_${hex}`);
    const { HUB_WEBHOOK_SECRET } = requireConfig(env, "webhooks");
    const same = Secret.parse(Uint8Array.fromBase64(hex).toHex());
    expect(same instanceof Secret && HUB_WEBHOOK_SECRET?.equals(same)).toBe(true);
    watchLog();
    // One text under two names is a repeated secret, even if the two decode it differently.
    misconfigure("SENDER_KEY", hex);
    expect(readConfig(env)).toMatchObject({ counting: null, webhooks: null });
    for (const short of [random(22).toHex(), random(31).toHex()]) {
      misconfigure("HUB_WEBHOOK_SECRET", `whsec_${short}`);
      expect(readConfig(env).webhooks).toBeNull();
    }
  });

  test("does not convert to text by accident", () => {
    const bytes = random(32);
    const secret = Secret.parse(bytes.toHex());
    expect(`${JSON.stringify(secret)} ${secret}`).toBe("{} [object Object]");
  });
});

describe("F26: a variable", () => {
  const ok = (setting: Setting | Optional, value: string) => {
    misconfigure(setting, value);
    return isConfigured(env);
  };

  const NO_WHOLE_NUMBERS = ["", " 1", "01", "-1", "1.5", "NaN"];
  const NO_ADDRESSES = ["hub.example", "https://u:p@hub.example", "javascript:alert(1)"];

  test.for<[Setting | Optional, good: string[], bad: string[]]>([
    ["SHARED_CALLS", ["on", "off"], ["", "On", "1", " on"]],
    [
      "LIMITER_SHARDS",
      ["0", "16", String(LIMITER_SHARDS_MAX)],
      [...NO_WHOLE_NUMBERS, String(LIMITER_SHARDS_MAX + 1)],
    ],
    ["FLUSH_SECONDS", ["1", "1.5", "3600"], ["0.5", "3601", "", " 60", "60s"]],
    ["QUIET_FLUSH_SECONDS", ["60"], ["0"]],
    ["EVENTS_PER_DAY", ["", "0", "1", "9999999999"], [" 1", "-1", "1.5", "1e9", "99999999999"]],
    [
      "HUB_URL",
      ["https://hub.example", "http://localhost:8788", "https://hub.example/base"],
      [
        ...[...NO_ADDRESSES, "", "https://hub.example/", "https://hub.example\n"],
        ...["https://hub.example?x", "https://hub.example#x"],
      ],
    ],
    ["SIGN_UP", ["invite", "open", "closed"], ["", "Open", "yes"]],
    ["NEW_USER_PLAN", ["free", "pro", "business"], ["", "gold"]],
    [
      "SETUP_CODE",
      ["", "0123456789abcdef", base64(random(32))],
      ["short", "aaaaaaaaaaaaaaaaaaaa", "with a space in it 123", "x".repeat(129)],
    ],
    ["AI_URL", ["https://ai.example/v1"], [...NO_ADDRESSES, "https://ai.example/v1/"]],
    ["AI_KEY", ["", "sk-test"], ["two\r\nlines"]],
    [
      "AUTH_URL",
      ["https://hub.example/", "https://hub.example/sign-in?from=sila"],
      [...NO_ADDRESSES, "", "/sign-in", "https://hub.example/#x"],
    ],
    [
      "HUB_SESSION_COOKIE",
      ["hub_session", "__Secure-hub_session", "x".repeat(COOKIE_NAME_CHARS_MAX), "!#$%&'*+-.^_`|~"],
      [
        ...["", "a b", "a=b", "a;b", "صلة"],
        ...["x".repeat(COOKIE_NAME_CHARS_MAX + 1), "owner_of", "__HOST-OWNER_OF"],
      ],
    ],
    [
      "MAIL_FROM",
      ["", "news@sila.example", "No-Reply_1+a.b@mail.sila.example"],
      [
        ...["sila.example", "@sila.example", "news@", "news@localhost", "a@b@c.example"],
        ...["Sila <news@sila.example>", "news@sila.example\r\nBcc: evil@evil.example"],
        ...["أخبار@sila.example", `${"a".repeat(65)}@sila.example`],
      ],
    ],
    [
      "MAIL_PER_DAY",
      ["1", String(MAIL_PER_DAY_MAX)],
      [...NO_WHOLE_NUMBERS, "0", "1\n", String(MAIL_PER_DAY_MAX + 1)],
    ],
    [
      "SITE_ORIGIN",
      ["https://sila.example", "https://sila.example:8443", "http://localhost:8787"],
      [
        ...[...NO_ADDRESSES, "https://sila.example/", "https://sila.example/x", "null"],
        ...["https://SILA.example", "https://صلة.example", "https://sila.example\n"],
        ...["http://sila.example", "blob:https://sila.example", "https://sila.example:443"],
      ],
    ],
  ])("%s accepts its valid values only", ([setting, good, bad]) => {
    watchLog();
    for (const value of good) expect([value, ok(setting, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, ok(setting, value)]).toEqual([value, false]);
  });

  test("of an issuer needs those that belong to it", () => {
    watchLog();
    const issuers = (settings: Partial<Cloudflare.Env>) =>
      readConfig({ ...env, ...settings }).issuers;
    const client = { OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "s" };
    const whole = { ...client, OIDC_ISSUER: "https://issuer.example/", OIDC_NAME: "عملي" };
    expect(issuers(whole)).toMatchObject(whole);
    expect(issuers({})).toMatchObject({ OIDC_ISSUER: "", GITHUB_CLIENT_SECRET: "" });
    for (const wrong of [
      ...[
        { ...whole, OIDC_CLIENT_SECRET: "" },
        { ...whole, OIDC_ISSUER: "" },
      ],
      ...[
        { ...whole, OIDC_ISSUER: "issuer.example" },
        { ...whole, OIDC_NAME: "two\nlines" },
      ],
      ...[{ GITHUB_CLIENT_ID: "id" }, { GOOGLE_CLIENT_SECRET: "s" }],
    ]) {
      expect([wrong, issuers(wrong)]).toEqual([wrong, null]);
    }
    const { ONE_MACHINE: _, ...deployed } = { ...env, ...whole };
    const local = { ...deployed, OIDC_ISSUER: "http://localhost:9000" } as Cloudflare.Env;
    expect([readConfig(deployed).issuers === null, readConfig(local).issuers]).toEqual([
      ...[false, null],
    ]);
  });

  test("of another service's address is https and not this machine on a deployment", () => {
    watchLog();
    const hub = { HUB_URL: "https://hub.example", AUTH_URL: "https://hub.example/sign-in" };
    const others = { ...hub, AI_URL: "https://ai.example/v1" };
    const { ONE_MACHINE: _, ...deployed } = { ...right, ...others };
    // The variable is of version 3.1.
    const given = { ...deployed, EDGE_CACHE: "local" } as Cloudflare.Env;
    const isClosed = (settings: Partial<Cloudflare.Env>, group: Group = "accounts") =>
      readConfig({ ...given, ...settings })[group] === null;
    expect([isClosed({}), isClosed({}, "ai")]).toEqual([false, false]);
    for (const HUB_URL of ["http://localhost:8788", "https://localhost", "http://hub.example"]) {
      expect([HUB_URL, isClosed({ HUB_URL })]).toEqual([HUB_URL, true]);
      expect(isClosed({ AUTH_URL: `${HUB_URL}/sign-in` })).toBe(true);
      expect(isClosed({ AI_URL: `${HUB_URL}/v1` }, "ai")).toBe(true);
      expect(isClosed({ SITE_ORIGIN: HUB_URL }, "mail")).toBe(true);
    }
    // A variable is a text.
    const text = { HUB_URL: "http://localhost:8788", ONE_MACHINE: "true" };
    expect(isClosed(text as never)).toBe(true);
  });

  test("is parsed again only if it has changed", () => {
    const before = requireConfig(env, "counting");
    expect(requireConfig(env, "counting")).toBe(before);
    misconfigure("LIMITER_SHARDS", "7");
    expect(requireConfig(env, "counting").LIMITER_SHARDS).toBe(7);
  });
});
