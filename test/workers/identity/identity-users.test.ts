/** What operators do with the users of accounts in the box (docs/security.md S36, S40), and nobody else. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../objects/platform/clock.ts";
import { runCron } from "../../../src/cron.ts";
import { UNDO_MS } from "../../../src/identity/limits.ts";
import { call, errorOf, freshPage, ORIGIN } from "../kit/kit.ts";
import { Browser, restoredAfter, useOwnAccounts } from "./identity-kit.ts";

useOwnAccounts();

const idOf = async (browser: Browser): Promise<string> => (await browser.session()).user?.id ?? "";

/** The first owner, who is an operator. */
async function owner(): Promise<Browser> {
  const browser = await Browser.open();
  expect((await browser.setUp()).status).toBe(201);
  return browser;
}

/** The code of a link that an operator makes. */
async function codeBy(operator: Browser, path: string, body: object): Promise<string> {
  const made = await operator.ask("POST", path, body);
  expect(made.status).toBe(201);
  const { link } = await made.json<{ link: string }>();
  expect(link).toMatch(new RegExp(`^${ORIGIN}/(invite|account/recover)#[\\w-]{43}$`));
  return new URL(link).hash.slice(1);
}

const invitationBy = (operator: Browser, plan = "free") =>
  codeBy(operator, "/api/admin/invitations", { plan });
const wayInBy = async (operator: Browser, user: Browser) =>
  codeBy(operator, `/api/admin/users/${await idOf(user)}/way-in`, {});

function signUp(browser: Browser, invitation: string): Promise<Response> {
  return browser.register("/api/auth/sign-up", { name: "ريم", invitation });
}

/** A user whom the operator invited. */
async function invitedBy(operator: Browser, plan = "free"): Promise<Browser> {
  const browser = await Browser.open();
  expect((await signUp(browser, await invitationBy(operator, plan))).status).toBe(201);
  return browser;
}

/** An act of an operator on a user. */
async function act(
  operator: Browser,
  method: string,
  user: Browser | string,
  path: string,
  body?: object,
): Promise<Response> {
  const id = typeof user === "string" ? user : await idOf(user);
  return operator.ask(method, `/api/admin/users/${id}${path}`, body);
}

const suspend = (operator: Browser, user: Browser | string) =>
  act(operator, "POST", user, "/suspend", { reason: "إزعاج" });

async function makeOperator(operator: Browser, user: Browser): Promise<void> {
  const made = await act(operator, "POST", user, "/operator", { is_operator: true });
  expect(made.status).toBe(200);
}

/** The text of a page of operators. */
async function pageOf(operator: Browser, path: string): Promise<string> {
  const shown = await operator.ask("GET", `${path}${path.includes("?") ? "&" : "?"}lang=en`);
  expect([path, shown.status]).toEqual([path, 200]);
  return shown.text();
}

/** What ends does so this much earlier: as if so much time had passed. */
async function pass(ms: number): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE auth_links SET expires_at = expires_at - ?1").bind(ms),
    env.DB.prepare("UPDATE auth_users SET ends_at = ends_at - ?1").bind(ms),
  ]);
}

describe("S36: somebody who is no operator", () => {
  test("gets 404 of every page and route, with and without a session, and changes nothing", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    const of_user = `/api/admin/users/${id}`;
    const routes: [string, string, object?][] = [
      ...(["/admin/users", `/admin/users/${id}`] as const).map((path): [string, string] => [
        "GET",
        path,
      ]),
      ["PATCH", of_user, { plan: "business" }],
      ["DELETE", of_user],
      ...["suspend", "reinstate", "end-sessions", "way-in", "keep", "operator"].map(
        (what): [string, string, object] => [
          "POST",
          `${of_user}/${what}`,
          { is_operator: true, reason: "x" },
        ],
      ),
      ["DELETE", `${of_user}/way-in`],
      ["POST", "/api/admin/invitations", { plan: "business" }],
      ["DELETE", "/api/admin/invitations/none"],
    ];
    const before = await env.DB.prepare("SELECT * FROM auth_users WHERE id = ?1").bind(id).first();
    const stranger = await Browser.open();
    for (const [method, path, body] of routes) {
      for (const browser of [user, stranger]) {
        const answer = await browser.ask(method, path, body);
        expect([method, path, answer.status]).toEqual([method, path, 404]);
        expect((await errorOf(answer)).code).toBe("NOT_FOUND");
      }
      // Not even by the refusal of another site's request.
      const forged = await call(path, { method, ...(method !== "GET" && { body: "{}" }) });
      expect([path, forged.status]).toEqual([path, 404]);
    }
    const after = await env.DB.prepare("SELECT * FROM auth_users WHERE id = ?1").bind(id).first();
    expect(after).toEqual(before);
  });

  test("gets of a page what any path without a page answers", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    /** What tells two answers apart, but for what no two answers share. */
    const answerOf = async (path: string, Accept: string, cookie: Record<string, string>) => {
      const response = await call(path, { headers: { Accept, ...cookie } });
      const headers = Object.fromEntries(response.headers);
      delete headers["x-request-id"];
      const text = (await response.text()).replace(/[0-9a-f-]{36}/g, "");
      return { status: response.status, headers, text };
    };
    for (const cookie of [{}, { Cookie: "__Host-sila_session=guess" }, { Cookie: user.cookie }]) {
      for (const path of ["/admin/users", "/admin/users/u_nobody"]) {
        for (const Accept of ["text/html", "*/*"]) {
          const other = await answerOf(path.replace("/admin", "/blog"), Accept, cookie);
          expect(await answerOf(path, Accept, cookie)).toEqual(other);
        }
      }
    }
  });

  test("is not one whom the setting OPERATORS names, and S5: who needs the token", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    Object.assign(env, { OPERATORS: `other,${id}` });
    expect(await pageOf(user, `/admin/users/${id}`)).toContain("setting OPERATORS");
    user.csrf = "";
    const forged = await user.ask("POST", "/api/admin/invitations", { plan: "business" });
    expect([forged.status, (await errorOf(forged)).code]).toEqual([403, "CSRF_REQUIRED"]);
  });
});

describe("an invitation", () => {
  test("makes one account of its plan, and is in the list until then", async () => {
    const operator = await owner();
    const code = await invitationBy(operator, "pro");
    expect(await pageOf(operator, "/admin/users")).toContain("Take back");
    const user = await Browser.open();
    expect((await signUp(user, code)).status).toBe(201);
    expect((await user.session()).user).toMatchObject({ name: "ريم", plan: "pro" });
    const again = await signUp(await Browser.open(), code);
    expect([again.status, (await errorOf(again)).code]).toEqual([403, "INVITATION_REQUIRED"]);
    expect(await pageOf(operator, "/admin/users")).not.toContain("Take back");
  });

  test("is not offered while SIGN_UP is closed", async () => {
    const operator = await owner();
    const code = await invitationBy(operator);
    Object.assign(env, { SIGN_UP: "closed" });
    expect(await pageOf(operator, "/admin/users")).not.toContain("Make the link");
    expect((await signUp(await Browser.open(), code)).status).toBe(403);
  });

  test("works for seven days", async () => {
    const operator = await owner();
    const [last, late] = [await invitationBy(operator), await invitationBy(operator)];
    await pass(7 * DAY_MS - 60_000);
    expect((await signUp(await Browser.open(), last)).status).toBe(201);
    await pass(60_001);
    expect((await signUp(await Browser.open(), late)).status).toBe(403);
  });

  test("that was taken back works no more, also in a D1 of a time before", async () => {
    const operator = await owner();
    const code = await invitationBy(operator);
    const link = await env.DB.prepare(
      "SELECT * FROM auth_links ORDER BY made_at DESC LIMIT 1",
    ).first<Record<string, unknown>>();
    const path = `/api/admin/invitations/${link?.id}`;
    expect((await operator.ask("DELETE", path)).status).toBe(200);
    expect((await signUp(await Browser.open(), code)).status).toBe(403);
    expect((await operator.ask("DELETE", path)).status).toBe(404);
    await env.DB.batch([
      env.DB.prepare("DELETE FROM auth_used"),
      env.DB.prepare(
        `INSERT INTO auth_links (${Object.keys(link ?? {}).join(", ")}) SELECT ${Object.keys(
          link ?? {},
        )
          .map((column) => `?1 ->> '${column}'`)
          .join(", ")}`,
      ).bind(JSON.stringify(link)),
    ]);
    expect((await signUp(await Browser.open(), code)).status).toBe(403);
  });
});

describe("a user's plan and sessions", () => {
  test("a plan counts at once, also in a session that the service has cached", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    expect((await user.session()).user?.plan).toBe("free");
    expect((await act(operator, "PATCH", user, "", { plan: "business" })).status).toBe(200);
    expect((await user.session()).user?.plan).toBe("business");
    const none = await act(operator, "PATCH", "u_nobody", "", { plan: "pro" });
    expect(none.status).toBe(404);
    expect((await act(operator, "PATCH", user, "", { plan: "gold" })).status).toBe(400);
  });

  test("ended sessions are over at once, and the user can sign in again", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    expect((await act(operator, "POST", id, "/end-sessions")).status).toBe(200);
    expect((await user.session()).authenticated).toBe(false);
    const back = await Browser.open(user.authenticator);
    expect((await back.signIn()).status).toBe(200);
    expect(await idOf(back)).toBe(id);
  });

  test("a suspended user is out at once and cannot sign in, a reinstated one can; their page stays", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    const { slug, page_id } = await freshPage({ owner_id: id });
    const way_in = await wayInBy(operator, user);
    expect((await suspend(operator, id)).status).toBe(200);
    expect((await user.session()).authenticated).toBe(false);
    expect((await user.ask("GET", "/api/me/account")).status).toBe(401);
    expect((await call("/api/me/pages", { headers: { Cookie: user.cookie } })).status).toBe(401);
    const back = await Browser.open(user.authenticator);
    expect((await back.signIn()).status).toBe(401);
    const recovered = await back.ask("POST", "/api/auth/recover", { code: way_in });
    expect(recovered.status).toBe(401);
    expect((await call(`/${slug}`)).status).toBe(200);
    expect(await pageOf(operator, `/admin/users/${id}`)).toContain(`/admin/pages/${page_id}`);
    expect((await act(operator, "POST", id, "/reinstate")).status).toBe(200);
    expect((await back.signIn()).status).toBe(200);
    // No session of before comes back.
    expect((await user.session()).authenticated).toBe(false);
  });
});

describe("F20: after D1 went back to a time before", () => {
  test("a suspended user cannot sign in, operators see why, and can undo it", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    await restoredAfter(async () => {
      expect((await suspend(operator, id)).status).toBe(200);
    });
    expect((await user.session()).authenticated).toBe(false);
    const back = await Browser.open(user.authenticator);
    expect((await back.signIn()).status).toBe(401);
    expect(await pageOf(operator, `/admin/users/${id}`)).toContain(`/users/${id}/reinstate`);
    expect((await act(operator, "POST", id, "/reinstate")).status).toBe(200);
    expect((await back.signIn()).status).toBe(200);
  });

  test("whoever is no operator any more stays none, until another one makes them one", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    const status = async () => (await user.ask("GET", "/admin/users")).status;
    await makeOperator(operator, user);
    expect(await status()).toBe(200);
    const end = async () => {
      const ended = await act(operator, "POST", id, "/operator", { is_operator: false });
      expect(ended.status).toBe(200);
    };
    await restoredAfter(end);
    expect([await status(), (await user.ask("GET", "/admin")).status]).toEqual([404, 404]);
    // In D1 they still are one.
    await end();
    await makeOperator(operator, user);
    expect(await status()).toBe(200);
  });
});

describe("a way in", () => {
  test("signs in its user alone, once", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const code = await wayInBy(operator, user);
    const phone = await Browser.open();
    expect((await phone.ask("POST", "/api/auth/recover", { code })).status).toBe(200);
    expect(await idOf(phone)).toBe(await idOf(user));
    const again = await (await Browser.open()).ask("POST", "/api/auth/recover", { code });
    expect(again.status).toBe(401);
    expect((await signUp(await Browser.open(), code)).status).toBe(403);
  });

  test("works for a day, and not after it was taken back", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const recover = async (code: string) =>
      (await (await Browser.open()).ask("POST", "/api/auth/recover", { code })).status;
    const back = await wayInBy(operator, user);
    expect((await act(operator, "DELETE", user, "/way-in")).status).toBe(200);
    expect(await recover(back)).toBe(401);
    expect((await act(operator, "DELETE", user, "/way-in")).status).toBe(404);
    const [last, late] = [await wayInBy(operator, user), await wayInBy(operator, user)];
    await pass(DAY_MS - 60_000);
    expect(await recover(last)).toBe(200);
    await pass(60_001);
    expect(await recover(late)).toBe(401);
  });
});

describe("a deletion", () => {
  test("can be undone in its window, and ends the user after it", async () => {
    const operator = await owner();
    const user = await invitedBy(operator);
    const id = await idOf(user);
    expect((await act(operator, "DELETE", id, "")).status).toBe(200);
    expect((await user.session()).authenticated).toBe(false);
    expect((await act(operator, "POST", id, "/keep")).status).toBe(200);
    await pass(UNDO_MS + 1);
    await runCron(env, Date.now());
    expect(await pageOf(operator, `/admin/users/${id}`)).toContain("ريم");
    expect((await act(operator, "DELETE", id, "")).status).toBe(200);
    await pass(UNDO_MS + 1);
    await runCron(env, Date.now());
    expect((await operator.ask("GET", `/admin/users/${id}`)).status).toBe(404);
    expect(await pageOf(operator, "/admin/users")).toContain("was deleted");
  });
});

describe("the last operator", () => {
  test("cannot suspend, delete or demote themselves", async () => {
    const operator = await owner();
    const own = await idOf(operator);
    for (const answer of [
      await suspend(operator, own),
      await act(operator, "DELETE", own, ""),
      await act(operator, "POST", own, "/operator", { is_operator: false }),
    ]) {
      expect([answer.status, (await errorOf(answer)).code]).toEqual([409, "OWN_ACCOUNT"]);
    }
    await pageOf(operator, "/admin/users");
  });

  test.each([
    ["suspend", suspend],
    ["delete", (by: Browser, user: string) => act(by, "DELETE", user, "")],
    [
      "demote",
      (by: Browser, user: string) => act(by, "POST", user, "/operator", { is_operator: false }),
    ],
  ])("stays one when two %s one another at once", async (_what, does) => {
    const first = await owner();
    const second = await invitedBy(first);
    await makeOperator(first, second);
    const ids = [await idOf(first), await idOf(second)] as const;
    const answers = await Promise.all([does(first, ids[1]), does(second, ids[0])]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const { results } = await env.DB.prepare(
      `SELECT id FROM auth_users WHERE id IN (?1, ?2) AND is_operator = 1
         AND suspended_at IS NULL AND ends_at IS NULL`,
    )
      .bind(...ids)
      .all();
    expect(results).toHaveLength(1);
  });
});

describe("the pages", () => {
  test("list each act with who and when, the newest first", async () => {
    const operator = await owner();
    const user = await invitedBy(operator, "pro");
    const id = await idOf(user);
    await act(operator, "PATCH", id, "", { plan: "business" });
    await suspend(operator, id);
    await act(operator, "POST", id, "/reinstate");
    const { results } = await env.DB.prepare(
      "SELECT by_name, what, note FROM auth_acts WHERE user_id = ?1 ORDER BY n",
    )
      .bind(id)
      .all();
    expect(results).toEqual([
      { by_name: "ريم", what: "signed_up", note: null },
      { by_name: "نورة", what: "plan_changed", note: "business" },
      { by_name: "نورة", what: "suspended", note: "إزعاج" },
      { by_name: "نورة", what: "reinstated", note: null },
    ]);
    const shown = await pageOf(operator, `/admin/users/${id}`);
    const acts = ["reinstated the account", "suspended the account", "changed the plan"];
    const places = acts.map((text) => shown.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(shown).toContain("إزعاج");
  });

  test("find users by a part of the name, by email and by id, and go on by the cursor", async () => {
    const operator = await owner();
    const now = Date.now() + DAY_MS;
    await env.DB.prepare(
      `INSERT INTO auth_users (id, name, email, plan, locale, is_operator, created_at)
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
       SELECT printf('found-%02d', i), printf('سُعاد %02d', i), printf('f%02d@mail.example', i), 'free', 'ar', 0, ?1 + i / 2
       FROM n`,
    )
      .bind(now)
      .run();
    const found = (page: string) =>
      [...page.matchAll(/href="\/admin\/users\/(found-\d\d)/g)].map(([, id]) => id);
    expect(found(await pageOf(operator, "/admin/users?q=found-07"))).toEqual(["found-07"]);
    expect(found(await pageOf(operator, "/admin/users?q=F08@mail.example"))).toEqual(["found-08"]);
    const name = encodeURIComponent("سعاد 4");
    expect(found(await pageOf(operator, `/admin/users?q=${name}`))).toHaveLength(10);
    for (const q of ["", `q=${encodeURIComponent("سعاد")}`]) {
      const first = await pageOf(operator, `/admin/users?${q}`);
      expect(found(first)).toHaveLength(50);
      expect(found(first)[0]).toBe("found-59");
      const cursor = /cursor=([^"&]+)/.exec(first)?.[1] ?? "";
      const next = await pageOf(operator, `/admin/users?${q}&cursor=${cursor}`);
      expect(found(next)).toHaveLength(10);
    }
    const wrong = await operator.ask("GET", "/admin/users?cursor=x");
    expect(wrong.status).toBe(400);
  });
});

test("points are given and taken back once for each key, and everybody's books close", async () => {
  const operator = await owner();
  const user = await invitedBy(operator);
  const path = `/api/admin/users/${await idOf(user)}/points`;
  const give = async (points: number, key: string, by = operator) =>
    (await by.ask("POST", path, { key, points, note: "welcome" })).status;
  const twice = [await give(50, "a"), await give(50, "a"), await give(51, "a")];
  expect(twice).toEqual([200, 200, 409]);
  expect([await give(-51, "b"), await give(-20, "c"), await give(5, "d", user)]).toEqual([
    ...[402, 200, 404],
  ]);
  const { wallet } = await (await user.ask("GET", "/api/me/wallet")).json<{
    wallet: { points: number };
  }>();
  expect(wallet).toMatchObject({ points: 30, pending: 0, lifetime: 50 });
  const page = await pageOf(operator, `/admin/users/${await idOf(user)}`);
  expect(page).toContain("welcome");
});
