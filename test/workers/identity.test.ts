/** Accounts in the box (docs/security.md S40): who gets an account, who gets in, and who does not get in any more. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCron } from "../../src/cron.ts";
import { type Call, call, errorOf, freshAddress, ORIGIN } from "./kit.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

const { HUB_URL, AUTH_URL, HUB_SESSION_COOKIE, HUB_WEBHOOK_SECRET, SIGN_UP, SETUP_CODE } = env;

beforeEach(() => {
  Object.assign(env, {
    ...{ HUB_URL: "", AUTH_URL: "", HUB_SESSION_COOKIE: "", HUB_WEBHOOK_SECRET: "" },
    SETUP_CODE: crypto.randomUUID(),
  });
});

afterEach(() => {
  Object.assign(env, {
    ...{ HUB_URL, AUTH_URL, HUB_SESSION_COOKIE, HUB_WEBHOOK_SECRET, SIGN_UP, SETUP_CODE },
  });
});

/** A browser: its cookie, its address and its authenticator. */
class Browser {
  cookie = "";
  csrf = "";
  readonly ip = freshAddress();
  readonly authenticator: SoftwareAuthenticator;

  private constructor(authenticator: SoftwareAuthenticator) {
    this.authenticator = authenticator;
  }

  static async open(authenticator?: SoftwareAuthenticator): Promise<Browser> {
    return new Browser(authenticator ?? (await SoftwareAuthenticator.create({ origin: ORIGIN })));
  }

  async ask(method: string, path: string, body?: object, init: Call = {}): Promise<Response> {
    const response = await call(path, {
      ip: this.ip,
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...init,
      headers: {
        ...{ Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" },
        ...(this.cookie && { Cookie: this.cookie, "X-CSRF-Token": this.csrf }),
        ...init.headers,
      },
    });
    const cookie = response.headers
      .getSetCookie()
      .find((one) => one.startsWith("__Host-sila_session="));
    if (cookie !== undefined) {
      this.cookie = cookie.split(";")[0] ?? "";
      this.csrf = (await this.session()).csrf_token ?? "";
    }
    return response;
  }

  async session(): Promise<{
    authenticated: boolean;
    user: { id: string; name: string; plan: string } | null;
    csrf_token: string | null;
  }> {
    const response = await call("/api/auth/session", { headers: { Cookie: this.cookie } });
    expect(response.status).toBe(200);
    return response.json();
  }

  /** Makes an account by a route of two steps. */
  async register(path: string, body: { name: string; [field: string]: string }): Promise<Response> {
    const asked = await this.ask("POST", `${path}/options`, body);
    if (asked.status !== 200) return asked;
    const { options } = await asked.json<{ options: never }>();
    const response = await this.authenticator.register(options);
    return this.ask("POST", path, { ...body, locale: "ar", response });
  }

  setUp(code = env.SETUP_CODE ?? ""): Promise<Response> {
    return this.register("/api/auth/setup", { code, name: "نورة" });
  }

  async signIn(return_to = "/dashboard"): Promise<Response> {
    const { options } = await (await this.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await this.authenticator.signIn(options);
    return this.ask("POST", "/api/auth/passkey", { response, return_to });
  }
}

describe("the first owner", () => {
  test("makes their account with the code of the deployment, once", async () => {
    const owner = await Browser.open();
    const made = await owner.setUp();
    expect(made.status).toBe(201);
    expect((await owner.session()).user).toMatchObject({ name: "نورة", plan: "business" });
    const again = await (await Browser.open()).setUp();
    expect([again.status, (await errorOf(again)).code]).toEqual([403, "SETUP_REFUSED"]);
  });
});

test("a passkey signs its user in, and out", async () => {
  const owner = await Browser.open();
  await owner.setUp();
  const other = await Browser.open(owner.authenticator);
  const entered = await other.signIn("/dashboard/new?slug=x");
  expect(entered.status).toBe(200);
  expect(await entered.json()).toEqual({
    ok: true,
    return_to: `${ORIGIN}/dashboard/new?slug=x`,
  });
  expect((await other.session()).user?.id).toBe((await owner.session()).user?.id);
  expect((await other.ask("POST", "/api/auth/logout")).status).toBe(204);
  expect((await other.session()).authenticated).toBe(false);
  expect((await owner.session()).authenticated).toBe(true);
  await runCron(env, 1);
});
