/**
 * S22 over every route of creators' pages and slugs, as they are registered with Hono: what one user
 * names of another is not there.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { type Creator, callFromIdle, creator, type PageJson } from "./authoring-kit.ts";
import { errorOf } from "./kit.ts";
import { HANDLERS } from "./registered-routes.ts";

/** Routes that name something, without repetitions: Hono registers a route once per middleware. */
const ROUTES = HANDLERS.filter(
  ({ method, path }) => method !== "ALL" && /^\/api\/me\/(?:pages|slugs)\//.test(path),
)
  .filter(({ path }) => path.includes(":"))
  .filter((route, i, all) => {
    return (
      i === all.findIndex(({ method, path }) => method === route.method && path === route.path)
    );
  });
/** A slug that another user has is known to be taken, and no more. */
const OF_PAGES = ROUTES.filter(({ path }) => path.includes(":page_id"));

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
  return callFromIdle(pathFor(path, page), {
    method,
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
  expect(OF_PAGES.filter(({ method }) => method !== "GET").length).toBeGreaterThan(4);
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
