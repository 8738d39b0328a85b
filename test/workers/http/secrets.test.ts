/** S25: a deployment with a SILA_KEY, from which it derives the secrets that have no value of their own. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { alertSettings } from "../../../objects/monitor/alert-settings.ts";
import { DERIVED, deriveSecret } from "../../../objects/platform/secrets.ts";
import { readConfig } from "../../../src/http/config.ts";
import { randomSecret, secretOf } from "../../secret.ts";
import { freshEmail, newsletterPage } from "../blocks/newsletter-kit.ts";
import { Browser, identityHere, withOwnAccounts } from "../identity/identity-kit.ts";
import { mailsTo } from "../kit/hub-kit.ts";
import { call } from "../kit/kit.ts";

/** By an implementation of RFC 5869 of another language: of this key, with the info `sila ` and the name. */
const KEY = "6b1f0c2d8e94a7533f62c5d0917be84a2c6ed3f90b15784aa1e6d95c3802f74b";
const VECTOR = {
  SENDER_KEY: "5e362db952623d2fc9f8f21592f4c5f32917bd9a4b68fab4421b911e716a0e66",
  SESSION_KEY: "56abaa142a33fcaa59ba7637cf20bb4dbcedcba7f39c2165c6415face3334e68",
  SETUP_CODE: "5MN4oPp-lfN5SszlbZJz1w",
  BACKUP_KEY: "02a386844718a04bdcd03aa3aed4b775a0ad8fc9dab46d5ced2871692de32f9c",
  METRICS_TOKEN: "81044765a2f66e737af055365494af09db3fef4b4c0262821834497f0475d1f3",
  ALERT_SECRET: "whsec_V626KNmWMkqCJZyCFusvvIgF/X+S5J5HcA69KJrdV/k=",
};

beforeEach(() => {
  Object.assign(env, { SILA_KEY: KEY, ALERT_URL: "https://alerts.example/" });
  for (const name of DERIVED) Reflect.deleteProperty(env, name);
});

/** The groups of settings that are refused. */
function closed(): string[] {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const groups = Object.entries(readConfig(env));
  return groups.filter(([, settings]) => settings === null).map(([group]) => group);
}

test("each secret is derived from the key by its name, and no two are alike", () => {
  const derived = DERIVED.map((name) => [name, deriveSecret(KEY, name)]);
  expect(Object.fromEntries(derived)).toEqual(VECTOR);
  expect(closed()).toEqual([]);
  const { counting, dump } = readConfig(env);
  expect(counting?.SENDER_KEY.equals(secretOf(VECTOR.SENDER_KEY))).toBe(true);
  expect(dump?.BACKUP_KEY?.equals(secretOf(VECTOR.BACKUP_KEY))).toBe(true);
});

test("a secret that is set by its own name goes before the derived one", () => {
  const own = randomSecret();
  Object.assign(env, { SENDER_KEY: own, BACKUP_KEY: "" });
  const { counting, dump } = readConfig(env);
  expect(counting?.SENDER_KEY.equals(secretOf(own))).toBe(true);
  expect(dump?.BACKUP_KEY?.equals(secretOf(VECTOR.BACKUP_KEY)), "an empty one is none").toBe(true);
});

test.each([
  ["none", undefined],
  ["one that somebody made up", "hunter2"],
  ["one that is short", KEY.slice(2)],
  ["one that is a pattern", "deadbeef".repeat(8)],
])("F26: %s closes all that needs a derived secret", (_, key) => {
  Object.assign(env, { SILA_KEY: key });
  expect(closed()).toEqual(
    expect.arrayContaining(["counting", "accounts", "own_accounts", "alerts"]),
  );
  // Those that may be missing come from no refused key either.
  if (key !== undefined) expect(closed()).toEqual(expect.arrayContaining(["dump", "metrics"]));
});

test("the value of another secret is refused as the key", () => {
  Object.assign(env, { SENDER_KEY: KEY.toUpperCase() });
  expect(closed()).toContain("counting");
});

test("everybody who reads a secret has the derived one", async () => {
  const headers = { Authorization: `Bearer ${VECTOR.METRICS_TOKEN}` };
  expect((await call("/admin/metrics", { headers })).status).toBe(200);
  const { webhook } = alertSettings(env);
  expect(webhook?.key.toBase64()).toBe(VECTOR.ALERT_SECRET.replace("whsec_", ""));
  const page = await newsletterPage();
  const email = freshEmail();
  expect((await page.subscribe({ email })).status).toBe(202);
  await runDurableObjectAlarm(env.SUBSCRIBERS.getByName(page.page_id));
  expect(await mailsTo(email)).toHaveLength(1);
});

test.each([
  ["the code that it gives", (key: string) => deriveSecret(key, "SETUP_CODE")],
  ["the key itself, which whoever used the button has typed", (key: string) => key],
])("S40: the first owner makes the account with %s, once", async (_, codeOf) => {
  const key = randomSecret();
  await withOwnAccounts(async () => {
    // Mutants break the modules of this isolate.
    identityHere();
    Object.assign(env, { SILA_KEY: key, SETUP_CODE: "" });
    const browser = await Browser.open();
    expect((await browser.setUp(randomSecret())).status).toBe(403);
    expect((await browser.setUp(codeOf(key))).status).toBe(201);
    expect((await browser.session()).authenticated).toBe(true);
    for (const again of [key, deriveSecret(key, "SETUP_CODE")]) {
      expect((await (await Browser.open()).setUp(again)).status).toBe(403);
    }
  });
});
