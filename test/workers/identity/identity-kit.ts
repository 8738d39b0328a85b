/** For tests of accounts in the box: a service without a hub, and browsers with authenticators. */
import { env } from "cloudflare:workers";
import { beforeEach, expect } from "vitest";
import { serve } from "../../../src/identity/app.ts";
import type { Settings } from "../../../src/identity/box.ts";
import { hubRoutes } from "../../../src/identity/hub-routes.ts";
import { tidy } from "../../../src/identity/tidy.ts";
import { type Call, call, freshAddress, ORIGIN } from "../kit/kit.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

function chooseOwnAccounts(): void {
  Object.assign(env, {
    ...{ HUB_URL: "", AUTH_URL: "", HUB_SESSION_COOKIE: "", HUB_WEBHOOK_SECRET: "" },
    SETUP_CODE: crypto.randomUUID(),
    // The test runner cannot resume a request by another one's call.
    SHARED_CALLS: "off",
  });
}

/** What `useOwnAccounts` does for each test, for a part of one. */
export async function withOwnAccounts(work: () => Promise<void>): Promise<void> {
  const before = { ...env };
  chooseOwnAccounts();
  await work();
  Object.assign(env, before);
}

/** The identity Worker in the isolate of the test, which sees its queries then. */
export function identityHere(): void {
  const box = { DB: env.DB, MEDIA: env.MEDIA };
  const IDENTITY = {
    serve: (request: Request, settings: Settings) => serve(box, request, settings),
    hub: async (request: Request, HUB_WEBHOOK_SECRET: string) =>
      hubRoutes.fetch(request, { ...box, HUB_WEBHOOK_SECRET }),
    tidy: () => tidy(box, Date.now()),
  };
  Object.assign(env, { IDENTITY });
}

/** In this file the service has accounts of its own; each test begins without any, and with a new setup code. */
export function useOwnAccounts(): void {
  beforeEach(async () => {
    chooseOwnAccounts();
    for (const table of [
      ...["users", "sessions", "passkeys", "recovery_codes", "links", "mail_codes", "identities"],
    ]) {
      await env.DB.exec(`DELETE FROM auth_${table}`);
    }
  });
}

/** D1 as it was when the work began, but for the tables of other things. */
export async function restoredAfter(work: () => Promise<void>): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'auth\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const before = await Promise.all(
    results.map(async ({ name }) => {
      const { results: rows } = await env.DB.prepare(`SELECT * FROM ${name}`).all();
      return [name, rows] as const;
    }),
  );
  await work();
  await env.DB.batch(
    before.flatMap(([name, rows]) => [
      env.DB.prepare(`DELETE FROM ${name}`),
      ...rows.map((row) => {
        const columns = Object.keys(row);
        const marks = columns.map((_, i) => `?${i + 1}`);
        return env.DB.prepare(
          `INSERT INTO ${name} (${columns.join()}) VALUES (${marks.join()})`,
        ).bind(...Object.values(row));
      }),
    ]),
  );
}

export class Browser {
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
    user: { id: string; name: string; email: string; plan: string } | null;
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

  /** Makes an account; with an invitation where the service asks for one. */
  signUp(name = "سالم", invitation?: string): Promise<Response> {
    return this.register("/api/auth/sign-up", { name, ...(invitation && { invitation }) });
  }

  async signIn(return_to = "/dashboard"): Promise<Response> {
    const { options } = await (await this.ask("POST", "/api/auth/passkey/options")).json<{
      options: never;
    }>();
    const response = await this.authenticator.signIn(options);
    return this.ask("POST", "/api/auth/passkey", { response, return_to });
  }
}
