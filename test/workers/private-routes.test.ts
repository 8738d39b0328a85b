/// <reference types="vite/types/importMeta.d.ts" />
/**
 * Rules of all private routes. The routes come from the OpenAPI document, which `openapi.test.ts`
 * compares with the registered routes.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { SUBSCRIBERS_STEPS } from "../../objects/newsletter/subscribers-schema.ts";
import { migrate } from "../../objects/platform/schema.ts";
import { fileKey } from "../../src/files/files-store.ts";
import { PREVIEW_FRAME_PATH } from "../../src/http/endpoints.ts";
import type { Page } from "../../src/pages/pages-store.ts";
import { OPERATIONS } from "../../src/site/openapi/operations.ts";
import { speedUpTimers } from "./faults.ts";
import { hubFault, mendHub, signIn } from "./hub-kit.ts";
import { call, errorOf, expectErrors, freshPage, ORIGIN } from "./kit.ts";
import { sample } from "./picture-samples.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await mendHub();
});

/** Operators' routes do not exist for others: `operators.test.ts` has their rules. */
const PRIVATE = OPERATIONS.filter(({ access }) => access?.startsWith("session")).map(
  ({ method, path, access, responses }) => ({
    method: method.toUpperCase(),
    path,
    access,
    /** The statuses of success that the document has. */
    fine: Object.keys(responses)
      .map(Number)
      .filter((status) => status < 300),
  }),
);
/** Routes that answer 401 without a session; sign-out does not. */
const CLOSED = PRIVATE.filter(({ path }) => !path.startsWith("/api/auth/"));

/** The Hono apps of all route files. */
const files = import.meta.glob<Record<string, { routes?: { path: string; method: string }[] }>>(
  "../../src/**/*-route.{ts,tsx}",
  { eager: true },
);
/** Routes that need no CSRF token (docs/contract.md section 8): they read no session cookie. */
const NO_COOKIE = [
  "/api/analytics/view",
  "/api/log/error",
  "/api/webhooks/hub",
  "/api/restore",
  "/api/newsletter",
  "/newsletter/confirm",
  "/newsletter/unsubscribe",
];
const ROUTES = Object.values(files)
  .flatMap((exported) => Object.values(exported).flatMap(({ routes = [] }) => routes))
  // Without repetitions: Hono registers a route once per middleware.
  .filter(({ method, path }, i, all) => {
    return i === all.findIndex((other) => other.method === method && other.path === path);
  });
const CHANGING = ROUTES.filter(
  ({ method, path }) =>
    !["ALL", "GET"].includes(method) &&
    !NO_COOKIE.includes(path) &&
    !path.startsWith("/api/admin/"),
);
/** The signed-in pages, and the codes on them. They are not in the OpenAPI document. */
const SIGNED_IN_PAGES = ROUTES.filter(
  ({ method, path }) =>
    method === "GET" && path.startsWith("/dashboard") && path !== PREVIEW_FRAME_PATH,
).map(({ path }) => path);

/** Headers of a request from a page of this site with a session. */
async function signedIn(user_id: string): Promise<Record<string, string>> {
  const Cookie = await signIn(user_id);
  const response = await call("/api/auth/session", { headers: { Cookie } });
  const { csrf_token } = await response.json<{ csrf_token: string }>();
  return { Cookie, "X-CSRF-Token": csrf_token, Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
}

/** A page of demo-business, whose plan has room for those that the tests make. */
const OWNER = "demo-business";
let page_of_owner: Promise<Page> | undefined;

function pageOfOwner(): Promise<Page> {
  page_of_owner ??= freshPage({ owner_id: OWNER });
  return page_of_owner;
}

test("there are private routes, and some of them change something", () => {
  expect(CLOSED.length).toBeGreaterThan(2);
  expect(CHANGING.length).toBeGreaterThan(1);
  expect(SIGNED_IN_PAGES.length).toBeGreaterThan(6);
});

/** A picture that the owner has uploaded. */
const OWN_PICTURE = "pictures/with-picture/a.png";

beforeAll(async () => {
  const { page_id } = await freshPage({ page_id: "with-picture", owner_id: OWNER });
  await env.MEDIA.put(OWN_PICTURE, sample("png"));
  await env.DB.prepare("INSERT INTO pictures VALUES (?1, ?2, 'image/png', 1, 1, 1, 0, NULL)")
    .bind(OWN_PICTURE, page_id)
    .run();
});

/** A file of one byte, as its owner's requests leave it. Made without the hub, which may be down. */
async function givenFile(
  is_complete: boolean,
  owner_id = OWNER,
): Promise<{ file_id: string; n: string }> {
  const file_id = `f-${crypto.randomUUID()}`;
  const upload = await env.MEDIA.createMultipartUpload(fileKey(file_id));
  const part = await upload.uploadPart(1, ONE_BYTE);
  const etag = is_complete ? (await upload.complete([part])).httpEtag : null;
  const { DB } = env;
  await DB.batch([
    DB.prepare("INSERT INTO files VALUES (?1, ?2, 'a', 'text/plain', 1, ?3, ?4, ?5, ?6, ?6)").bind(
      file_id,
      owner_id,
      is_complete ? "ready" : "uploading",
      upload.uploadId,
      etag,
      Date.now(),
    ),
    DB.prepare("INSERT INTO file_parts SELECT ?1, 1, ?2 WHERE ?3").bind(
      file_id,
      part.etag,
      is_complete ? 0 : 1,
    ),
  ]);
  return { file_id, n: "1" };
}

const ONE_BYTE = new Uint8Array([1]);
const A_JAR = {
  link_id: "jar",
  kind: "tip" as const,
  label: "إكرامية",
  block: { amounts: [1] },
};

type Place = Pick<Page, "page_id" | "slug">;
type Given = Readonly<Record<string, string>>;

const AN_ENDPOINT = { url: "https://receiver.example/hooks", events: ["link.up" as const] };

/** An endpoint of the page, which has one of this kind at most. */
async function givenWebhook({ page_id }: Pick<Page, "page_id">): Promise<Given> {
  const webhooks = env.WEBHOOKS.getByName(page_id);
  const { endpoints } = await webhooks.list();
  const { id = "" } = endpoints[0] ?? (await webhooks.create(AN_ENDPOINT)) ?? {};
  return { id };
}

async function givenDelivery(page: Pick<Page, "page_id">): Promise<Given> {
  const { id = "" } = await givenWebhook(page);
  return { id: String(await env.WEBHOOKS.getByName(page.page_id).sendTest(id)) };
}

/** What a route needs besides a page of the user's; the values replace those of its path and body. */
const GIVEN: Readonly<Record<string, (page: Place) => Promise<Given>>> = {
  "POST /api/tip": async () => {
    const { page_id } = await freshPage({ owner_id: "demo-pro", links: [A_JAR] });
    return { page_id };
  },
  "GET /api/me/files/{file_id}": () => givenFile(true),
  "DELETE /api/me/files/{file_id}": () => givenFile(true),
  "PUT /api/me/files/{file_id}/parts/{n}": () => givenFile(false),
  "POST /api/me/files/{file_id}/complete": () => givenFile(false),
  "POST /api/me/pages/{page_id}/links/{link_id}/download-link": async () => {
    const { file_id } = await givenFile(true);
    const block = { file_id, access: "link", uses_max: null } as const;
    const links = [{ link_id: "book", kind: "download", block } as const];
    const { page_id } = await freshPage({ owner_id: OWNER, links });
    return { page_id, link_id: "book" };
  },
  "DELETE /api/me/pages/{page_id}/subscribers/{id}": async ({ page_id }) => {
    await runInDurableObject(env.SUBSCRIBERS.getByName(page_id), (_, { storage }) => {
      migrate(storage, SUBSCRIBERS_STEPS);
      storage.sql.exec(
        `INSERT INTO subscribers VALUES ('reader', 'a@example.com', 'a@example.com', 'news', 'ar',
           'https://sila.example', 'ليان', 'human', NULL, 1, 2, NULL)`,
      );
    });
    return { id: "reader" };
  },
  "PATCH /api/me/pages/{page_id}/webhooks/{id}": givenWebhook,
  "DELETE /api/me/pages/{page_id}/webhooks/{id}": givenWebhook,
  "POST /api/me/pages/{page_id}/webhooks/{id}/secret": givenWebhook,
  "POST /api/me/pages/{page_id}/webhooks/{id}/test": givenWebhook,
  "GET /api/me/pages/{page_id}/webhook-deliveries/{id}": givenDelivery,
  "POST /api/me/pages/{page_id}/webhook-deliveries/{id}/send": givenDelivery,
};

/** The body with which a route succeeds; routes that are not named here have none. */
const BODIES: Readonly<
  Record<string, (slug: string, given: Given) => string | Uint8Array<ArrayBuffer>>
> = {
  "POST /api/tip": (_, { page_id }) => JSON.stringify({ page_id, points: 1 }),
  "POST /api/me/files": () => '{"name":"a.txt","type":"text/plain","size":1}',
  "PUT /api/me/files/{file_id}/parts/{n}": () => ONE_BYTE,
  "POST /api/me/pages/{page_id}/links/{link_id}/download-link": () => '{"expires_in_s":60}',
  "POST /api/me/notifications/read": () => '{"all":true}',
  "POST /api/me/pages": (slug) => JSON.stringify({ slug, name: { ar: "ليان" } }),
  "PATCH /api/me/pages/{page_id}": () => '{"indexed":false}',
  "PUT /api/me/pages/{page_id}": (slug) => JSON.stringify({ slug, name: { ar: "ليان" } }),
  "PUT /api/me/pages/{page_id}/pictures": () => sample("png"),
  "POST /api/me/pages/{page_id}/webhooks": () => JSON.stringify(AN_ENDPOINT),
  "PATCH /api/me/pages/{page_id}/webhooks/{id}": () => '{"enabled":false}',
  "POST /api/ai/bio": () => '{"locale":"ar","about":"رسّامة"}',
  "POST /api/ai/labels": () => '{"locale":"ar","links":[{"url":"https://shop.example/"}]}',
  "POST /api/ai/translate": () => '{"from":"ar","to":"en","texts":["رسّامة"]}',
  "POST /api/ai/alt": () => JSON.stringify({ locale: "ar", image: OWN_PICTURE }),
  "POST /api/me/pages/import": (slug) => `https://${slug}.example/`,
};

/** The address, headers and body of a request that succeeds for a user with this page. */
async function requestTo(
  { method, path }: { method: string; path: string },
  page: Place,
): Promise<{ address: string; method: string; headers: Record<string, string>; body?: BodyInit }> {
  const free = `free-${page.slug}`;
  const given = (await GIVEN[`${method} ${path}`]?.(page)) ?? {};
  const values: Given = { page_id: page.page_id, slug: free, version: "1", ...given };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const body = BODIES[`${method} ${path}`]?.(free, given);
  const type = path.endsWith("/import") ? "text/plain" : "application/json";
  return {
    address,
    method,
    headers: {
      "If-Match": "*",
      "Idempotency-Key": crypto.randomUUID(),
      "Content-Type": type,
    },
    ...(body === undefined ? {} : { body }),
  };
}

describe.each(CLOSED)("$method $path", (route) => {
  /** A change gets a page of its own; what is only read, the page of all tests. */
  const request = async (headers: Record<string, string>) => {
    const is_read = route.method === "GET";
    const page = is_read ? await pageOfOwner() : await freshPage({ owner_id: OWNER });
    const { address, ...sent } = await requestTo(route, page);
    return call(address, { ...sent, headers: { ...sent.headers, ...headers } });
  };

  test("is 401 without a session, with the sign-in address, and charged to the limit", async () => {
    const nobody = { ...(await signedIn(OWNER)), Cookie: "other=1" };
    const dead = await signedIn(OWNER);
    expect((await call("/api/auth/logout", { method: "POST", headers: dead })).status).toBe(204);
    for (const headers of [{}, nobody, { Authorization: "Bearer x" }, dead]) {
      const response = await request(headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("RateLimit")).toMatch(
        route.path === "/api/tip" ? /^"tip";r=19;/ : /^"public";r=59;/,
      );
      expect(await errorOf(response)).toMatchObject({
        code: "AUTH_REQUIRED",
        details: { login_url: `${ORIGIN}/api/auth/login` },
      });
    }
  });

  test("succeeds with a session, is not cached, and sets no cookie", async () => {
    const response = await request(await signedIn(OWNER));
    expect(route.fine).toContain(response.status);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(response.headers.has("Set-Cookie")).toBe(false);
  });

  test.for([
    ["error", 502],
    ["hang", 504],
  ] as const)("is refused while the hub is %s: %i", async ([fault, status]) => {
    speedUpTimers();
    const logged = expectErrors();
    const headers = await signedIn(OWNER);
    await env.DB.prepare("UPDATE accounts SET changed_at = 9e15").run();
    await env.DB.prepare(
      "INSERT OR IGNORE INTO accounts (user_id, changed_at) VALUES (?1, 9000000000000000)",
    )
      .bind(OWNER)
      .run();
    await hubFault("*", fault);
    const response = await request(headers);
    await env.DB.prepare("DELETE FROM accounts").run();
    expect(response.status).toBe(status);
    expect(logged()).toEqual(["hub_failed"]);
  });
});

describe.each(SIGNED_IN_PAGES)("the page %s", (route) => {
  const pathOf = (page_id: string) => route.replace(":page_id", page_id);

  test("is 401 without a session, with a link to sign in, and charged to the limit", async () => {
    const { page_id } = await pageOfOwner();
    for (const headers of [{}, { Cookie: "hub_session=x" }, { Authorization: "Bearer x" }]) {
      const response = await call(pathOf(page_id), {
        headers: { Accept: "text/html", ...headers },
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("RateLimit")).toMatch(/^"public";r=59;/);
      expect(await response.text()).toContain('href="/api/auth/login?return_to=');
    }
  });

  test("S4: is shown to its user, and no cache may keep it", async () => {
    const { page_id } = await pageOfOwner();
    const response = await call(pathOf(page_id), { headers: await signedIn(OWNER) });
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.has("Cloudflare-CDN-Cache-Control")).toBe(false);
    await response.body?.cancel();
  });

  test.runIf(route.includes(":page_id"))("S22: is 404 for another user", async () => {
    const { page_id } = await pageOfOwner();
    const headers = await signedIn("demo-free");
    for (const id of [page_id, "none"]) {
      const response = await call(pathOf(id), { headers });
      expect([response.status, (await errorOf(response)).code]).toEqual([404, "PAGE_NOT_FOUND"]);
    }
  });
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

describe.each(CHANGING)("$method $path", ({ method, path }) => {
  test("S5: is 403 for a browser whose cookie comes along, but not the token", async () => {
    const { "X-CSRF-Token": _, ...headers } = await signedIn("demo-free");
    const response = await call(path, { method, headers, body: "{}" });
    expect(response.status).toBe(403);
    expect((await errorOf(response)).code).toBe("CSRF_REQUIRED");
  });
});

describe("S22: what is somebody's", () => {
  /** A milestone and a notification of the hub for each of the two users. */
  async function givenNotifications(): Promise<Record<"demo-free" | "demo-pro", string[]>> {
    const ids = { "demo-free": [] as string[], "demo-pro": [] as string[] };
    for (const owner_id of ["demo-free", "demo-pro"] as const) {
      const { page_id } = await freshPage({ owner_id });
      await env.DB.batch([
        env.DB.prepare("INSERT INTO milestones VALUES (?1, 'view', 100, 1000)").bind(page_id),
        env.DB.prepare("INSERT INTO hub_notifications VALUES (?1, ?2, 'ن', 'n', NULL, 2000)").bind(
          owner_id,
          page_id,
        ),
      ]);
      ids[owner_id].push(`hub-${page_id}`, `milestone-${page_id}-view-100`);
    }
    return ids;
  }

  /** Sends a tip of one point to another user's page. */
  async function givenTip(headers: Record<string, string>): Promise<void> {
    const { page_id } = await freshPage({ owner_id: OWNER, links: [A_JAR] });
    const sent = await call("/api/tip", {
      method: "POST",
      headers: { ...headers, "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify({ page_id, points: 1 }),
    });
    expect(sent.status).toBe(201);
  }

  test("is shown to its owner only, on every private route", async () => {
    await givenNotifications();
    const { page_id } = await freshPage({ owner_id: "demo-pro" });
    const delivery = await givenDelivery({ page_id });
    const [free, pro] = [await signedIn("demo-free"), await signedIn("demo-pro")];
    await Promise.all([givenTip(free), givenTip(pro)]);
    await givenFile(true, "demo-free");
    const { file_id } = await givenFile(true, "demo-pro");
    // Which slugs are free is the same for all.
    const reads = CLOSED.filter(
      ({ method, path }) => method === "GET" && !path.startsWith("/api/me/slugs"),
    );
    for (const { method, path } of reads) {
      // Only its owner gets anything about a page or file, and the answers contain times.
      if (/\{(?:page|file)_id\}/.test(path)) {
        const of_pro = path.replace("{page_id}", page_id).replace("{file_id}", file_id);
        const there = of_pro.replace("{version}", "1").replace("{id}", delivery.id ?? "");
        expect((await call(there, { method, headers: pro })).status).toBe(200);
        const refused = await call(of_pro, { method, headers: free });
        const nowhere = path.replace(/\{(?:page|file)_id\}/, "none");
        const absent = await call(nowhere, { method, headers: free });
        expect([refused.status, absent.status]).toEqual([404, 404]);
        const [one, other] = [await errorOf(refused), await errorOf(absent)];
        expect({ ...one, details: {} }).toEqual({ ...other, details: {} });
        continue;
      }
      const [one, other] = await Promise.all(
        [free, pro].map(async (headers) => {
          const response = await call(path, { method, headers });
          expect(response.status).toBe(200);
          return response.text();
        }),
      );
      expect(one).not.toBe(other);
      // The difference is not by chance: the same user gets the same answer again.
      expect(await (await call(path, { method, headers: free })).text()).toBe(one);
    }
  });

  test("is 404 for another user, and unchanged", async () => {
    const ids = await givenNotifications();
    const [free, pro] = [await signedIn("demo-free"), await signedIn("demo-pro")];
    const markRead = (headers: Record<string, string>, marked: string[]) =>
      call("/api/me/notifications/read", {
        method: "POST",
        headers,
        body: JSON.stringify({ ids: marked }),
      });
    for (const theirs of ids["demo-pro"]) {
      for (const marked of [[theirs], [...ids["demo-free"], theirs]]) {
        const response = await markRead(free, marked);
        expect(response.status).toBe(404);
        expect((await errorOf(response)).code).toBe("NOT_FOUND");
      }
    }
    const { results } = await env.DB.prepare("SELECT * FROM notification_reads").all();
    expect(results).toEqual([]);
    expect((await markRead(pro, ids["demo-pro"])).status).toBe(200);
  });
});

describe("S4: nothing private is ever cacheable", () => {
  test.for([
    "/api/me/x.css",
    "/api/me/wallet;a.css",
    "/api/me/wallet/a.css",
    "/api/me/wallet%2fa.css",
    "/api/me/wallet.css",
    "/api/me/wallet?a.css",
    "/api/me/wallet%3fa.css",
    "/api/me/notifications/x.js",
    "/api/auth/session/x.png",
    "/api/auth/session;x.png",
    `${ORIGIN}//api/me/wallet`,
    "/%61pi/me/wallet",
    "/API/me/wallet",
    "/demo%2f..%2fapi%2fme%2fwallet",
    "/slug%2f..%2fapi",
    "/demo/../api/me/wallet",
    "/vcard/%2e%2e%2fapi%2fme%2fwallet.vcf",
    "/media/..%2fapi%2fme%2fwallet",
    "/assets/..%2f..%2fapi%2fme%2fwallet",
  ])("%s is in no cache, and shows a visitor nothing private under any spelling", async (path) => {
    const headers = await signedIn("demo-pro");
    for (let round = 0; round < 2; round += 1) {
      const mine = await call(path, { headers });
      const text = await mine.text();
      const isPrivate = mine.status === 200;
      if (path.includes("api")) expect(mine.headers.get("Cache-Control")).toBe("no-store");
      const theirs = await call(path);
      const shown = await theirs.text();
      expect(theirs.status).toBe(isPrivate ? 401 : mine.status);
      expect(shown).not.toMatch(/demo-pro|"points"/);
      if (isPrivate) expect(text).toMatch(/demo-pro|"points"|"notifications"/);
    }
  });
});
