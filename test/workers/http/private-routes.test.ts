/**
 * Rules of all private routes: each has the middleware that one of them shows at work. The routes come from the
 * code, and `openapi.test.ts` compares them with the OpenAPI document.
 */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { privateRoute } from "../../../src/accounts/private.ts";
import { fileKey } from "../../../src/blocks/files/files-store.ts";
import { newKey } from "../../../src/blocks/tips/tip-draft.ts";
import { PREVIEW_FRAME_PATH } from "../../../src/http/endpoints.ts";
import { exactLimit } from "../../../src/http/exact-limit.ts";
import { OPERATIONS } from "../../../src/site/openapi/operations.ts";
import { callFromIdle, creator } from "../authoring/authoring-kit.ts";
import { call, errorOf, freshPage, ORIGIN } from "../kit/kit.ts";
import { HANDLERS } from "../kit/registered-routes.ts";

/** Accounts in the box are another Worker's: `identity.test.ts` asks each of its routes. */
const isOfBox = (path: string) =>
  OPERATIONS.some((one) => one.tag === "own_accounts" && one.path === path);

/** Routes by `METHOD path`, each with the handlers that run for it alone. */
const ROUTES = Map.groupBy(
  HANDLERS.filter(({ method, path }) => method !== "ALL" && !isOfBox(path)),
  ({ method, path }) => `${method} ${path}`,
);

/** Whether the middleware runs before the route's own handler. */
function has(name: string, middleware: unknown): boolean {
  return (
    ROUTES.get(name)
      ?.slice(0, -1)
      .some(({ handler }) => handler === middleware) === true
  );
}

const PRIVATE = [...ROUTES.keys()].filter((name) => has(name, privateRoute));
/** What is read as JSON, CSV or a file; the other one is a WebSocket (`live.test.ts`). */
const READ = PRIVATE.filter((name) => name.startsWith("GET /api/") && !name.endsWith("/live")).map(
  (name) => name.slice(4),
);
/** The signed-in pages, and the codes on them. They are not in the OpenAPI document. */
const PAGES = PRIVATE.filter((name) => name.startsWith("GET /dashboard")).map((name) =>
  name.slice(4),
);

/** Routes that change something without a session, or with one that they check in their own way. */
const OTHERS = [
  // They read no session cookie, and so need no CSRF token (docs/contract.md section 8).
  ...["/api/analytics/view", "/api/log/error", "/api/webhooks/hub", "/api/dump"],
  ...["/api/newsletter", "/newsletter/confirm", "/newsletter/unsubscribe"],
  // Without a session it succeeds (`auth.test.ts`).
  "/api/auth/logout",
  // Forms, whose token is in a field.
  ...["/tip", "/dashboard/pages/:page_id/webhooks"],
];

/** Pages' own forms of signed-in users; those of subscribers need no session. */
const FORMS = [...ROUTES.keys()]
  .filter((name) => /^POST \/(?!api\/|newsletter\/)/.test(name))
  .map((name) => name.slice(5));

test("S5, S22: every route of a user's is behind the session and the CSRF token", () => {
  const isOfUser = (name: string) => / \/(?:api\/(?:me|ai|tip)|dashboard)\b/.test(name);
  const open = [...ROUTES.keys()].filter((name) => isOfUser(name) && !PRIVATE.includes(name));
  expect(open).toEqual([`GET ${PREVIEW_FRAME_PATH}`, "POST /dashboard/pages/:page_id/webhooks"]);
  const changing = [...ROUTES.keys()].filter((name) => !name.startsWith("GET "));
  const unprotected = changing.filter((name) => !PRIVATE.includes(name));
  expect(
    unprotected.filter(
      // Operators' routes do not exist for others: `operators.test.ts` has their rules.
      (name) => !name.includes(" /api/admin/") && !OTHERS.includes(name.split(" ")[1] ?? ""),
    ),
  ).toEqual([]);
});

test("each private route is charged to the exact limit before its session is looked up", () => {
  for (const name of PRIVATE) {
    const [, path] = name.split(" ");
    const own = HANDLERS.filter((handler) => handler.path === path);
    const limited = own.findIndex(({ handler }) => handler === exactLimit);
    const private_ = own.findIndex(({ handler }) => handler === privateRoute);
    expect(limited, name).not.toBe(-1);
    expect(limited, name).toBeLessThan(private_);
  }
});

test("the document says of the same routes that they need a session", () => {
  const documented = OPERATIONS.filter(
    ({ access, path }) => access?.startsWith("session") && !isOfBox(path),
  )
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    .filter((name) => !name.includes(" /api/auth/"));
  const api = PRIVATE.filter((name) => name.includes(" /api/") && !name.endsWith("/live"));
  expect(documented.sort()).toEqual(api.sort());
});

/** Headers of a request from a page of this site with a session. */
const signedIn = async (user_id: string) => (await creator(user_id)).headers;

/** A user whose plan has room for the pages that the tests make. */
const OWNER = "demo-business";

/** A file of one byte, as its owner's requests leave it. */
async function givenFile(owner_id: string): Promise<string> {
  const file_id = `f-${crypto.randomUUID()}`;
  const file = await env.MEDIA.put(fileKey(file_id), new Uint8Array([1]));
  await env.DB.prepare(
    "INSERT INTO files VALUES (?1, ?2, 'a', 'text/plain', 1, 'ready', NULL, ?3, ?4, ?4)",
  )
    .bind(file_id, owner_id, file?.httpEtag, Date.now())
    .run();
  return file_id;
}

const A_JAR = { link_id: "jar", kind: "tip" as const, block: { amounts: [1] } };

/** What a webhook of the page was sent. */
async function givenDelivery(page_id: string): Promise<string> {
  const webhooks = env.WEBHOOKS.getByName(page_id);
  const endpoint = { url: "https://receiver.example/hooks", events: ["link.up" as const] };
  const made = await webhooks.create(endpoint);
  return String(await webhooks.sendTest(made?.id ?? ""));
}

describe("POST /api/tip", () => {
  const request = async (headers: Record<string, string>) => {
    const { page_id } = await freshPage({ owner_id: "demo-pro", links: [A_JAR] });
    const keyed = { "Idempotency-Key": crypto.randomUUID(), ...headers };
    const body = JSON.stringify({ page_id, points: 1 });
    return call("/api/tip", { method: "POST", headers: keyed, body });
  };

  test("is 401 without a session, with the sign-in address, and charged to the limit", async () => {
    const nobody = { ...(await signedIn(OWNER)), Cookie: "other=1" };
    const dead = await signedIn(OWNER);
    expect((await call("/api/auth/logout", { method: "POST", headers: dead })).status).toBe(204);
    for (const headers of [{}, nobody, { Authorization: "Bearer x" }, dead]) {
      const response = await request(headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("RateLimit")).toMatch(/^"tip";r=19;/);
      expect(await errorOf(response)).toMatchObject({
        code: "AUTH_REQUIRED",
        details: { login_url: `${ORIGIN}/api/auth/login` },
      });
    }
  });

  test("succeeds with a session, is not cached, and sets no cookie", async () => {
    const response = await request(await signedIn(OWNER));
    expect(response.ok).toBe(true);
    expectPrivate(response);
    expect(response.headers.has("Set-Cookie")).toBe(false);
  });

  test("S5: is 403 for a browser whose cookie comes along, but not the token", async () => {
    const { "X-CSRF-Token": _, ...headers } = await signedIn(OWNER);
    const response = await request(headers);
    expect([response.status, (await errorOf(response)).code]).toEqual([403, "CSRF_REQUIRED"]);
  });
});

/** No cache keeps it, and no other site reads it. */
function expectPrivate({ headers }: Response): void {
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
  expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
  expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
}

test("S4, S22: each signed-in page is its user's, a stranger gets a link to sign in, another user 404", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  const [owner, other] = [await signedIn(OWNER), await signedIn("demo-free")];
  expect(PAGES.length).toBeGreaterThan(6);
  for (const route of PAGES) {
    const path = route.replace(":page_id", page_id);
    const shown = await callFromIdle(path, { headers: owner });
    expect([route, shown.status]).toEqual([route, 200]);
    expectPrivate(shown);
    await shown.body?.cancel();

    const closed = await call(path, { headers: { Accept: "text/html", Cookie: "hub_session=x" } });
    expect([route, closed.status]).toEqual([route, 401]);
    expect(closed.headers.get("Cache-Control")).toBe("no-store");
    expect(await closed.text()).toContain('href="/api/auth/login?return_to=');

    for (const id of route.includes(":page_id") ? [page_id, "none"] : []) {
      const refused = await callFromIdle(route.replace(":page_id", id), { headers: other });
      const { code } = await errorOf(refused);
      expect([route, refused.status, code]).toEqual([route, 404, "PAGE_NOT_FOUND"]);
    }
  }
});

test("S5: each form's route is 403 without its session's token, and from a page of another site", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER, links: [A_JAR] });
  const { "X-CSRF-Token": token, ...own } = await signedIn(OWNER);
  const { "X-CSRF-Token": foreign } = await signedIn(OWNER);
  // Nothing that could be done: only who asks is judged.
  const tip = new URLSearchParams({ page_id, points: "0", key: newKey(Date.now()) });
  const statusOf = async (path: string, csrf_token: string, more: Record<string, string> = {}) => {
    const response = await callFromIdle(`${path.replace(":page_id", page_id)}?${tip}`, {
      method: "POST",
      headers: { ...own, ...more },
      body: new URLSearchParams({ action: "none", csrf_token }),
    });
    await response.body?.cancel();
    return response.status;
  };
  expect(FORMS.length).toBeGreaterThan(1);
  for (const path of FORMS) {
    const refused = [
      await statusOf(path, ""),
      await statusOf(path, foreign),
      await statusOf(path, `${token}0`),
      // Nor is it enough in a header, where scripts send it.
      await statusOf(path, "", { "X-CSRF-Token": token }),
      await statusOf(path, token, { "Sec-Fetch-Site": "cross-site" }),
    ];
    expect([path, refused]).toEqual([path, refused.map(() => 403)]);
    expect([path, await statusOf(path, token)]).not.toEqual([path, 403]);
  }
});

test("S8: the document of the editor's preview is the same for all, and allows no script", async () => {
  const anonymous = await call(PREVIEW_FRAME_PATH);
  expect([anonymous.status, anonymous.headers.has("Set-Cookie")]).toEqual([200, false]);
  const policy = anonymous.headers.get("Content-Security-Policy")?.split("; ") ?? [];
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"]),
  );
  expect(policy.filter((rule) => /^(?:script|connect|frame)-src/.test(rule))).toEqual([]);
  const sandbox = policy.find((rule) => rule.startsWith("sandbox"));
  expect(sandbox).toBe("sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  const mine = await call(PREVIEW_FRAME_PATH, { headers: await signedIn(OWNER) });
  expect(await mine.text()).toBe(await anonymous.text());
});

describe("S22: what is somebody's", () => {
  /** A milestone and a notification of the hub for each of the two users. */
  async function givenNotifications(): Promise<void> {
    for (const owner_id of ["demo-free", "demo-pro"] as const) {
      const { page_id } = await freshPage({ owner_id });
      await env.DB.batch([
        env.DB.prepare("INSERT INTO milestones VALUES (?1, 'view', 100, 1000)").bind(page_id),
        env.DB.prepare("INSERT INTO hub_notifications VALUES (?1, ?2, 'ن', 'n', NULL, 2000)").bind(
          owner_id,
          page_id,
        ),
      ]);
    }
  }

  /** Sends a tip of one point to another user's page. */
  async function givenTip(headers: Record<string, string>): Promise<void> {
    const { page_id } = await freshPage({ owner_id: OWNER, links: [A_JAR] });
    const keyed = { ...headers, "Idempotency-Key": crypto.randomUUID() };
    const body = JSON.stringify({ page_id, points: 1 });
    expect((await call("/api/tip", { method: "POST", headers: keyed, body })).status).toBe(201);
  }

  test("is shown to its owner only, on every private route", async () => {
    await givenNotifications();
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const id = await givenDelivery(page_id);
    const [free, pro] = [await signedIn("demo-free"), await signedIn("demo-pro")];
    await Promise.all([givenTip(free), givenTip(pro)]);
    await givenFile("demo-free");
    const file_id = await givenFile("demo-pro");
    // Which slugs are free is the same for all.
    for (const route of READ.filter((path) => !path.startsWith("/api/me/slugs"))) {
      // Only its owner gets anything about a page or file, and the answers contain times.
      if (/:(?:page|file)_id/.test(route)) {
        const of_pro = route.replace(":page_id", page_id).replace(":file_id", file_id);
        const path = of_pro.replace(":version", "1").replace(":id", id);
        const shown = await callFromIdle(path, { headers: pro });
        expect([route, shown.status]).toEqual([route, 200]);
        expectPrivate(shown);
        await shown.body?.cancel();
        const refused = await callFromIdle(of_pro, { headers: free });
        const none = route.replace(/:(?:page|file)_id/, "none");
        const absent = await callFromIdle(none, { headers: free });
        expect([route, refused.status, absent.status]).toEqual([route, 404, 404]);
        const [one, other] = [await errorOf(refused), await errorOf(absent)];
        expect({ ...one, details: {} }).toEqual({ ...other, details: {} });
        continue;
      }
      const shownTo = async (headers: Record<string, string>) => {
        const response = await callFromIdle(route, { headers });
        expect([route, response.status]).toEqual([route, 200]);
        expectPrivate(response);
        return response.text();
      };
      const [one, other] = await Promise.all([shownTo(free), shownTo(pro)]);
      expect(one, route).not.toBe(other);
      // The difference is not by chance: the same user gets the same answer again.
      expect(await shownTo(free)).toBe(one);
    }
  });
});

test("S4: nothing private is in a cache, or shown to a visitor, under any spelling", async () => {
  const headers = await signedIn("demo-pro");
  const spellings = ["", ";a.css", "/a.css", "%2fa.css", ".css", "?a.css", "%3fa.css"];
  for (const path of [
    ...spellings.map((more) => `/api/me/wallet${more}`),
    ...["/api", "/api/me/x.css", "/api/auth/session/x.png", "/api/auth/session;x.png"],
    ...["/api/analytics/view", `${ORIGIN}//api/me/wallet`, "/%2fapi%2fme%2fx.css"],
    ...["/%61pi/me/wallet", "/API/me/wallet", "/demo%2f..%2fapi%2fme%2fwallet"],
    ...["/demo/../api/me/wallet", "/vcard/%2e%2e%2fapi%2fme%2fwallet.vcf"],
    ...["/media/..%2fapi%2fme%2fwallet", "/assets/..%2f..%2fapi%2fme%2fwallet"],
  ]) {
    for (let round = 0; round < 2; round += 1) {
      const mine = await callFromIdle(path, { headers });
      const text = await mine.text();
      const isPrivate = mine.status === 200;
      if (path.includes("api")) {
        expect([path, mine.headers.get("Cache-Control")]).toEqual([path, "no-store"]);
        expect(mine.headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
      }
      const theirs = await callFromIdle(path, {});
      const shown = await theirs.text();
      expect([path, theirs.status]).toEqual([path, isPrivate ? 401 : mine.status]);
      expect(shown).not.toMatch(/demo-pro|"points"/);
      if (isPrivate) expect(text).toMatch(/demo-pro|"points"|"notifications"/);
    }
  }
});
