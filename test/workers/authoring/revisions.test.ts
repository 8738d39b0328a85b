/** The revisions of a page, and the way back to one (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  REVISION_BYTES_MAX,
  REVISION_DAYS,
  REVISIONS_KEPT,
  REVISIONS_MAX,
} from "../../../src/pages/document/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { errorOf } from "../kit/kit.ts";
import { type Creator, creator, type PageJson, pageOf } from "./authoring-kit.ts";

const DAY_MS = 86_400_000;
const SHOP = { url: "https://shop.example/", label: { ar: "المتجر" } };
const VIDEO = { url: "https://video.example/", label: { ar: "فيديو" } };

interface Revision {
  version: number;
  at: string;
  what: string[];
}

async function revisions(me: Creator, { page_id }: PageJson, query = ""): Promise<Revision[]> {
  const response = await me.send("GET", `/api/me/pages/${page_id}/revisions${query}`);
  expect(response.status).toBe(200);
  return (await response.json<{ revisions: Revision[] }>()).revisions;
}

const versions = async (me: Creator, page: PageJson, query = "") =>
  (await revisions(me, page, query)).map(({ version }) => version);

function restore(me: Creator, page: PageJson, version: number | string, tag?: string) {
  const path = `/api/me/pages/${page.page_id}/revisions/${version}/restore`;
  return me.send("POST", path, undefined, { "If-Match": tag ?? `"v${page.version}"` });
}

/** Gives a page revisions up to this version in SQL, all saved at the same time. */
async function grow(
  { page_id }: PageJson,
  version: number,
  saved_at: number,
  bytes = 300,
): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT OR IGNORE INTO revisions
       SELECT page_id, i, ?3, '["bio"]', slug, status, ?4, document FROM pages, n WHERE page_id = ?1`,
    ).bind(page_id, version, saved_at, bytes),
    env.DB.prepare("UPDATE revisions SET saved_at = ?2 WHERE page_id = ?1").bind(page_id, saved_at),
    env.DB.prepare("UPDATE pages SET version = ?2 WHERE page_id = ?1").bind(page_id, version),
  ]);
}

async function stored({ page_id }: PageJson): Promise<number[]> {
  const { results } = await env.DB.prepare(
    "SELECT version FROM revisions WHERE page_id = ?1 ORDER BY version",
  )
    .bind(page_id)
    .all<{ version: number }>();
  return results.map(({ version }) => version);
}

/** All whole numbers from one to another. */
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("the revisions of a page", () => {
  test("are one for every save, the newest first, with what it changed", async () => {
    const clock = stopClock();
    const me = await creator();
    let page = await me.make({ links: [SHOP] });
    const at = [page.created_at];
    const edits = [
      { status: "published", slug: me.slug() },
      { name: { ar: "نور" }, bio: { ar: "رسّامة" } },
      { links: [], look: { palette: "sea" }, time_zone: "Asia/Riyadh" },
      { locales: ["ar", "en"], indexed: false, contact: { name: "ليان" } },
    ];
    for (const edit of edits) {
      clock.advance(1_000);
      page = await me.patch(page, edit);
      at.push(page.updated_at);
    }
    page = await me.remove(page);
    await me.send("POST", `/api/me/pages/${page.page_id}/undelete`);
    const list = await revisions(me, page);
    expect(list.map(({ version, what }) => [version, what])).toEqual([
      [7, ["undeleted"]],
      [6, ["deleted"]],
      [5, ["locales", "indexed", "contact"]],
      [4, ["time_zone", "look", "links"]],
      [3, ["name", "bio"]],
      [2, ["slug", "status"]],
      [1, ["created"]],
    ]);
    expect(list.slice(2).map((revision) => revision.at)).toEqual(at.reverse());
  });

  test(`are listed ${REVISIONS_KEPT} at a time, older ones before a version`, async () => {
    const me = await creator();
    const page = await me.make();
    await grow(page, 150, Date.now());
    expect(await versions(me, page)).toEqual(range(51, 150).reverse());
    expect(await versions(me, page, "?before=51")).toEqual(range(1, 50).reverse());
    expect(await versions(me, page, "?before=1")).toEqual([]);
    for (const before of ["0", "x", "1.5", "05"]) {
      const path = `/api/me/pages/${page.page_id}/revisions?before=${before}`;
      expect((await me.send("GET", path)).status).toBe(400);
    }
  });

  test(`are stored for ${REVISION_DAYS} days at least, and the last ${REVISIONS_KEPT} longer`, async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.make();
    await grow(page, 150, Date.now());
    clock.advance(REVISION_DAYS * DAY_MS);
    let now = await me.patch({ ...page, version: 150 }, { bio: { ar: "1" } });
    expect(await stored(page)).toEqual(range(1, 151));
    clock.advance(1);
    now = await me.patch(now, { bio: { ar: "2" } });
    expect(now.version).toBe(152);
    expect(await stored(page)).toEqual(range(53, 152));
  });

  test(`are ${REVISIONS_MAX} at most, however young`, async () => {
    const me = await creator();
    const page = await me.make();
    await grow(page, REVISIONS_MAX, Date.now());
    await me.patch({ ...page, version: REVISIONS_MAX }, { bio: { ar: "1" } });
    expect(await stored(page)).toEqual(range(2, REVISIONS_MAX + 1));
  });

  test("F29: are as many as fit into 8 MiB, beyond the last 100", async () => {
    const me = await creator();
    const page = await me.make();
    await grow(page, 300, Date.now(), REVISION_BYTES_MAX / 128);
    await me.patch({ ...page, version: 300 }, { bio: { ar: "1" } });
    // The newest one is the patch's, which is small: 127 large ones fit beside it.
    expect(await stored(page)).toEqual(range(174, 301));
  });
});

/** Versions that a page of one version does not have. */
const NONE = [
  ...[2, 0, "1.5", "__proto__", "9".repeat(30), "%00", "1e0", "0x1", "01", "%201"],
] as const;

function read(me: Creator, page: PageJson, version: number | string) {
  return me.send("GET", `/api/me/pages/${page.page_id}/revisions/${version}`);
}

describe("a revision that is read", () => {
  test("has the page as it was saved, with its slug and status of then", async () => {
    const me = await creator();
    const first = await me.make({ status: "published", links: [SHOP, VIDEO] });
    const slug = me.slug();
    const now = await me.patch(first, { slug, status: "draft", links: [], bio: { ar: "بعد" } });
    const [list] = [await revisions(me, now)];
    for (const [page, entry] of [
      [first, list[1]],
      [now, list[0]],
    ] as const) {
      const { page_id, version, created_at, updated_at, ends_at, ...members } = page;
      const response = await read(me, page, version);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        ok: true,
        revision: { ...entry, at: updated_at, page: members },
      });
    }
  });

  test("is there for a suspended page and for one whose deletion can be undone", async () => {
    const me = await creator();
    const page = await me.make();
    await me.remove(page);
    expect((await read(me, page, 1)).status).toBe(200);
    await env.DB.prepare("UPDATE pages SET status = 'suspended', ends_at = NULL WHERE page_id = ?1")
      .bind(page.page_id)
      .run();
    expect((await read(me, page, 2)).status).toBe(200);
  });
});

test("a revision that the page has not is 404 to read and to restore", async () => {
  const me = await creator();
  const page = await me.make();
  for (const version of NONE) {
    const refused = await read(me, page, version);
    expect([version, refused.status]).toEqual([version, 404]);
    expect((await errorOf(refused)).code).toBe("NOT_FOUND");
  }
  for (const version of NONE.slice(0, 3)) {
    expect([version, (await restore(me, page, version)).status]).toEqual([version, 404]);
  }
});

describe("a revision that is restored", () => {
  test("is a new version with its document; slug and status stay", async () => {
    const me = await creator();
    const first = await me.make({ bio: { ar: "رسّامة" }, links: [SHOP, VIDEO] });
    const slug = me.slug();
    const patch = { slug, status: "published", bio: null, links: [], look: { palette: "sea" } };
    const now = await me.patch(first, patch);
    const response = await restore(me, now, 1);
    expect([response.status, response.headers.get("ETag")]).toEqual([200, '"v3"']);
    const restored = await pageOf(response);
    expect(restored).toEqual({
      ...first,
      ...{ slug, status: "published", version: 3, updated_at: restored.updated_at },
    });
    expect((await revisions(me, now))[0]).toMatchObject({ version: 3, what: ["restored"] });
  });

  test("has its links back with their ids, and removes those that came later", async () => {
    const me = await creator();
    const first = await me.make({ links: [SHOP] });
    const now = await me.patch(first, { links: [VIDEO] });
    const restored = await pageOf(await restore(me, now, 1));
    expect(restored.links).toEqual(first.links);
    const { results } = await env.DB.prepare("SELECT link_id FROM removed_links WHERE page_id = ?1")
      .bind(first.page_id)
      .all();
    expect(results).toEqual(now.links.map(({ link_id }) => ({ link_id })));
    // And the other way round: nothing is lost on the way.
    expect((await pageOf(await restore(me, restored, 2))).links).toEqual(now.links);
  });

  test("makes no version where the page is the same already", async () => {
    const me = await creator();
    const page = await me.make({ links: [SHOP] });
    expect(await pageOf(await restore(me, page, 1))).toEqual(page);
    expect(await versions(me, page)).toEqual([1]);
  });

  test("needs If-Match with the page's current version", async () => {
    const me = await creator();
    const page = await me.patch(await me.make(), { bio: { ar: "رسّامة" } });
    const path = `/api/me/pages/${page.page_id}/revisions/1/restore`;
    expect((await me.send("POST", path)).status).toBe(428);
    expect((await restore(me, page, 1, '"v1"')).status).toBe(412);
  });

  test("has what it lacks of today's schema filled in", async () => {
    const me = await creator();
    const first = await me.make({ links: [SHOP], indexed: false });
    const now = await me.patch(first, { links: [] });
    await env.DB.prepare(
      `UPDATE revisions SET document = json_remove(document, '$.indexed', '$.look.motion',
         '$.links[0].highlight') WHERE page_id = ?1 AND version = 1`,
    )
      .bind(first.page_id)
      .run();
    const restored = await pageOf(await restore(me, now, 1));
    expect(restored).toMatchObject({ indexed: true, look: first.look, links: first.links });
  });
});
