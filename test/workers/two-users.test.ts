/// <reference types="vite/types/importMeta.d.ts" />
/**
 * S22 over every route of creators' pages and slugs, as they are registered with Hono: what one user
 * names of another is not there.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { creator, type PageJson } from "./authoring-kit.ts";
import { call, errorOf, freshAddress, ORIGIN } from "./kit.ts";

const files = import.meta.glob<Record<string, { routes?: { path: string; method: string }[] }>>(
  "../../src/**/*-route.{ts,tsx}",
  { eager: true },
);

/** Routes that name something, without repetitions: Hono registers a route once per middleware. */
const ROUTES = Object.values(files)
  .flatMap((exported) => Object.values(exported).flatMap(({ routes = [] }) => routes))
  .filter(({ method, path }) => method !== "ALL" && /^\/api\/me\/(?:pages|slugs)\//.test(path))
  .filter(({ path }) => path.includes(":"))
  .filter((route, i, all) => {
    return (
      i === all.findIndex(({ method, path }) => method === route.method && path === route.path)
    );
  });
const CHANGING = ROUTES.filter(({ method }) => method !== "GET");
/** A slug that another user has is known to be taken, and no more. */
const OF_PAGES = ROUTES.filter(({ path }) => path.includes(":page_id"));

type Creator = Awaited<ReturnType<typeof creator>>;

let me: Creator;
let other: Creator;
let mine: PageJson;
let theirs: PageJson;

beforeAll(async () => {
  [me, other] = [await creator("demo-business"), await creator("demo-pro")];
  const members = { status: "published", links: [{ url: "https://shop.example/" }] };
  const made = await Promise.all([me, other].map((user) => user.make(members)));
  const patch = { bio: { ar: "رسّامة" }, links: [] };
  mine = await me.patch(made[0] as PageJson, patch);
  theirs = await other.patch(made[1] as PageJson, patch);
});

function pathFor(path: string, { page_id, slug }: Pick<PageJson, "page_id" | "slug">): string {
  return path
    .replace(":page_id", page_id)
    .replace(":slug", slug)
    .replace(":version", "1")
    .replace(/:\w+(?:\{[^/]*\})?/g, "x");
}

/** A request that its route would grant to the page's owner. */
function send(
  { method, path }: { method: string; path: string },
  page: Pick<PageJson, "page_id" | "slug">,
  headers: Record<string, string>,
): Promise<Response> {
  return call(pathFor(path, page), {
    method,
    ip: freshAddress(),
    headers: {
      "If-Match": "*",
      "Content-Type": "application/json",
      ...(path.endsWith("/live") ? { Upgrade: "websocket" } : {}),
      ...headers,
    },
    ...(method === "GET" ? {} : { body: JSON.stringify({ ...theirs, bio: { ar: "من غيره" } }) }),
  });
}

/** All rows of D1 that name a page, and the slugs of all pages. */
async function rows({ page_id }: PageJson): Promise<unknown> {
  const tables = await env.DB.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*'
       AND EXISTS (SELECT 1 FROM pragma_table_info(sqlite_schema.name) WHERE name = 'page_id')`,
  ).all<{ name: string }>();
  const names = tables.results.map(({ name }) => name).filter((name) => name !== "page_changes");
  expect(names).toEqual(
    expect.arrayContaining(["pages", "revisions", "removed_links", "pictures"]),
  );
  const results = await env.DB.batch([
    ...names.map((name) =>
      env.DB.prepare(`SELECT * FROM ${name} WHERE page_id = ?1`).bind(page_id),
    ),
    env.DB.prepare("SELECT page_id, owner_id, slug FROM pages ORDER BY page_id"),
  ]);
  return results.map(({ results }) => results.map((row) => JSON.stringify(row)).sort());
}

test("there are routes of pages, and some of them change something", () => {
  expect(OF_PAGES.length).toBeGreaterThan(8);
  expect(CHANGING.length).toBeGreaterThan(4);
});

describe.each(OF_PAGES)("S22: $method $path", (route) => {
  test("is 404 for another user's page as for none, and changes nothing", async () => {
    const before = await rows(theirs);
    const absent = { page_id: "none", slug: "none" };
    const answers = [
      await send(route, theirs, me.headers),
      await send(route, absent, me.headers),
      await send(route, { ...absent, page_id: "a".repeat(65) }, me.headers),
      await send(route, { ...absent, page_id: "%ff" }, me.headers),
    ];
    const [first, ...others] = await Promise.all(
      answers.map(async (response) => {
        expect(response.status).toBe(404);
        expect(response.headers.has("ETag")).toBe(false);
        return { ...(await errorOf(response)), details: {} };
      }),
    );
    expect(others).toEqual([first, first, first]);
    expect(await rows(theirs)).toEqual(before);
  });

  test("is 401 without a session", async () => {
    for (const page of [theirs, { page_id: "none", slug: "none" }]) {
      const { Cookie: _, ...headers } = me.headers;
      expect((await send(route, page, headers)).status).toBe(401);
    }
  });
});

describe.each(CHANGING)("S5: $method $path", (route) => {
  test("is 403 without the token of this session, or from another site, and changes nothing", async () => {
    const before = await rows(mine);
    const { "X-CSRF-Token": _, ...without } = me.headers;
    const { "X-CSRF-Token": foreign } = other.headers;
    const attempts: Record<string, string>[] = [
      without,
      { ...me.headers, "X-CSRF-Token": foreign },
      { ...me.headers, "X-CSRF-Token": "" },
      { ...me.headers, "Sec-Fetch-Site": "cross-site" },
      { ...me.headers, "Sec-Fetch-Site": "same-site" },
      { ...me.headers, Origin: `${ORIGIN}.evil.example` },
      { ...without, "Content-Type": "text/plain" },
    ];
    for (const headers of attempts) {
      const response = await send(route, mine, headers);
      expect(response.status).toBe(403);
      expect((await errorOf(response)).code).toBe("CSRF_REQUIRED");
    }
    expect(await rows(mine)).toEqual(before);
  });
});

test("S22: a list has the pages of its user only", async () => {
  for (const [user, own, foreign] of [
    [me, mine, theirs],
    [other, theirs, mine],
  ] as const) {
    const text = await (await user.send("GET", "/api/me/pages")).text();
    expect(text).toContain(own.page_id);
    expect(text).not.toContain(foreign.page_id);
  }
});

test("S22: a slug of another user's page is taken, whatever page it is asked for", async () => {
  const asked = await me.send("GET", `/api/me/slugs/${theirs.slug}?page_id=${mine.page_id}`);
  expect(await asked.json()).toMatchObject({ ok: true, slug: theirs.slug, free: false });
  const named = await me.send("GET", `/api/me/slugs/${theirs.slug}?page_id=${theirs.page_id}`);
  expect(named.status).toBe(404);
});
