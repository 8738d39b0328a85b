/**
 * S22 over every route that changes something of a creator's page, as they are registered with
 * Hono: what one user names of another is not there. `private-routes.test.ts` has what is read.
 */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { errorOf } from "../kit/kit.ts";
import { HANDLERS } from "../kit/registered-routes.ts";
import { type Creator, callFromIdle, creator, type PageJson } from "./authoring-kit.ts";

const CHANGING = /^(?!ALL|GET)\w+ \/api\/me\/pages\/:page_id/;
/** Without repetitions: Hono registers a route once per middleware. */
const NAMES = new Set(HANDLERS.map(({ method, path }) => `${method} ${path}`));
const ROUTES = [...NAMES].filter((name) => CHANGING.test(name));

let me: Creator;
let other: Creator;
let mine: PageJson;
let theirs: PageJson;

beforeAll(async () => {
  expect(ROUTES.length).toBeGreaterThan(4);
  [me, other] = [await creator("demo-business"), await creator("demo-pro")];
  const members = { status: "published", links: [{ url: "https://shop.example/" }] };
  const made = await Promise.all([me, other].map((user) => user.make(members)));
  const patch = { bio: { ar: "رسّامة" }, links: [] };
  mine = await me.patch(made[0] as PageJson, patch);
  theirs = await other.patch(made[1] as PageJson, patch);
});

/** A request that its route would grant to the page's owner. */
function send(route: string, page_id: string): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  const of_page = path.replace(":page_id", page_id).replace(":version", "1");
  return callFromIdle(of_page.replace(/:\w+(?:\{[^/]*\})?/g, "x"), {
    method,
    headers: { "If-Match": "*", "Content-Type": "application/json", ...me.headers },
    body: JSON.stringify({ ...theirs, bio: { ar: "من غيره" } }),
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

test.each(ROUTES)(
  "S22: %s is 404 for another user's page as for none, and changes nothing",
  async (route) => {
    const before = await rows(theirs);
    const refused: unknown[] = [];
    for (const page_id of [theirs.page_id, "none", "%ff"]) {
      const response = await send(route, page_id);
      expect([page_id, response.status]).toEqual([page_id, 404]);
      expect(response.headers.has("ETag")).toBe(false);
      refused.push({ ...(await errorOf(response)), details: {} });
    }
    expect(refused).toEqual(refused.map(() => refused[0]));
    expect(await rows(theirs)).toEqual(before);
  },
);

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
