/** Plans, and the deletion of a page and its undo (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_LIMITS } from "../../../src/accounts/limits.ts";
import {
  ENDING_PAGES_MAX,
  PAGES_PER_PLAN,
  UNDO_MINUTES,
} from "../../../src/pages/document/limits.ts";
import { notePageChanged } from "../../../src/pages/document/page-changes-store.ts";
import { reinstatePage, suspendPage } from "../../../src/pages/document/pages-store.ts";
import { EMPTY_DOCUMENT } from "../../plain-page.ts";
import { stopClock } from "../kit/faults.ts";
import { changePlan } from "../kit/hub-kit.ts";
import { beacon, call, errorOf, freshAddress, freshDay, pageObject, useUpDay } from "../kit/kit.ts";
import {
  type Creator,
  creator,
  type PageAnswer,
  type PageJson,
  pageOf,
  pathOf,
} from "./authoring-kit.ts";

beforeEach(async () => {
  await env.DB.prepare("UPDATE pages SET owner_id = NULL").run();
});
afterEach(async () => {
  await changePlan("demo-free", "free");
});

const UNDO_MS = UNDO_MINUTES * 60_000;
const SHOP = { url: "https://shop.example/" };

const remove = (me: Creator, page: PageJson, tag = "*") =>
  me.send("DELETE", pathOf(page), undefined, { "If-Match": tag });
const undelete = (me: Creator, page: PageJson) => me.send("POST", `${pathOf(page)}/undelete`);
const makeOne = (me: Creator) =>
  me.send("POST", "/api/me/pages", { slug: me.slug(), name: { ar: "ن" } });

/** The answers to each way to change a page. */
function changes(me: Creator, page: PageJson): Promise<Response[]> {
  const match = { "If-Match": "*" };
  return Promise.all([
    me.send("PATCH", pathOf(page), { slug: me.slug(), status: "published" }, match),
    me.send("PUT", pathOf(page), page, match),
    me.send("POST", `${pathOf(page)}/revisions/1/restore`, undefined, match),
  ]);
}

async function listed(me: Creator): Promise<string[]> {
  const { pages } = await (await me.send("GET", "/api/me/pages")).json<{ pages: PageJson[] }>();
  return pages.map(({ page_id }) => page_id);
}

/** Gives `demo-free` pages until they have so many. */
async function fill(prefix: string, pages: number, ends_at: number | null = null): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     INSERT INTO pages (page_id, owner_id, slug, status, version, save_id, document, created_at, updated_at, ends_at)
     SELECT ?2 || '-' || i, 'demo-free', ?2 || '-' || i, 'draft', 1, '', ?3, 0, 0, ?4 FROM n
     WHERE i <= ?1 - (SELECT count(*) FROM pages WHERE owner_id = 'demo-free')`,
  )
    .bind(pages, prefix, EMPTY_DOCUMENT, ends_at)
    .run();
}

/** What the hub decides, as the webhook writes it. */
async function byHub(statement: typeof suspendPage, { page_id }: PageJson): Promise<void> {
  const now = Date.now();
  await env.DB.batch([
    statement(env.DB, { page_id, owner_id: "demo-business" }, crypto.randomUUID(), now),
    notePageChanged(env.DB, page_id, now),
  ]);
  await pageObject(page_id).changed();
}

describe("a plan", () => {
  test("F29: allows a user 20 pages that are just being deleted, and not more", async () => {
    const me = await creator("demo-free");
    await fill("ending", ENDING_PAGES_MAX, Date.now() + UNDO_MS);
    expect((await remove(me, await pageOf(await makeOne(me)))).status).toBe(202);
    expect((await makeOne(me)).status).toBe(403);
  });

  test("that refuses a page leaves nothing behind", async () => {
    const me = await creator("demo-free");
    await makeOne(me);
    const rows = () =>
      env.DB.prepare(
        "SELECT (SELECT count(*) FROM page_changes) + (SELECT count(*) FROM revisions) AS n",
      ).first("n");
    await env.DB.prepare("DELETE FROM page_changes").run();
    const before = await rows();
    expect((await makeOne(me)).status).toBe(403);
    expect(await rows()).toBe(before);
  });

  test("allows 1 page free, 10 pro, 100 business, and one more is 403 PLAN_LIMIT", async () => {
    expect(PAGES_PER_PLAN).toEqual({ free: 1, pro: 10, business: 100 });
    for (const [plan, pages_max] of Object.entries(PAGES_PER_PLAN)) {
      await changePlan("demo-free", plan as keyof typeof PAGES_PER_PLAN);
      const me = await creator("demo-free");
      // All but one of the pages that it allows.
      await fill(plan, pages_max - 1);
      expect((await makeOne(me)).status).toBe(201);
      const refused = await makeOne(me);
      expect(refused.status).toBe(403);
      expect(await errorOf(refused)).toMatchObject({
        code: "PLAN_LIMIT",
        details: { plan, pages_max },
      });
    }
  });

  test("is not exceeded by several requests at once", async () => {
    const me = await creator("demo-free");
    const answers = await Promise.all(Array.from({ length: 6 }, () => makeOne(me)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(403)]);
    expect(await listed(me)).toHaveLength(1);
  });

  test("that sinks suspends nothing; it only stops new pages, and the undo of a deletion", async () => {
    await changePlan("demo-free", "pro");
    const pro = await creator("demo-free");
    const [first, second] = [await pro.make({ status: "published" }), await pro.make()];
    await changePlan("demo-free", "free");
    const me = await creator("demo-free");
    expect((await makeOne(me)).status).toBe(403);
    const patched = await me.patch(first, { slug: me.slug(), bio: { ar: "رسّامة" } });
    expect(patched.status).toBe("published");
    expect((await call(`/${patched.slug}`)).status).toBe(200);
    const deleted = await me.remove(second);
    const refused = await undelete(me, deleted);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "PLAN_LIMIT"]);
    await me.remove(patched);
    expect((await undelete(me, deleted)).status).toBe(200);
  });

  test("counts a deleted page no more: another may be made, and the deletion not undone then", async () => {
    const me = await creator("demo-free");
    const page = await me.remove(await me.make());
    const [undone, made] = await Promise.all([undelete(me, page), makeOne(me)]);
    expect([undone.status, made.status].filter((status) => status === 403)).toHaveLength(1);
    expect((await makeOne(me)).status).toBe(403);
  });
});

describe("a deleted page", () => {
  test("is 404 for everybody at once, and its owner sees until when that can be undone", async () => {
    stopClock();
    const me = await creator();
    const page = await me.make({ status: "published", links: [SHOP] });
    const link_id = page.links[0]?.link_id ?? "";
    const response = await remove(me, page, '"v1"');
    expect(response.status).toBe(202);
    expect(response.headers.get("ETag")).toBe('"v2"');
    const ends_at = new Date(Date.now() + UNDO_MS).toISOString();
    const deleted = { ...page, version: 2, ends_at, updated_at: new Date().toISOString() };
    expect(await response.json()).toEqual({
      ok: true,
      page: deleted,
      undo: { path: `${pathOf(page)}/undelete`, until: ends_at },
    });
    await pageObject(page.page_id).changed();
    expect((await call(`/r/${page.page_id}/${link_id}`)).status).toBe(404);
    expect((await beacon({ page_id: page.page_id })).status).toBe(404);
    expect(await pageOf(await me.send("GET", pathOf(page)))).toEqual(deleted);
    expect(await listed(me)).toContain(page.page_id);
  });

  test("F29: and is undone, so often a day as the plan allows; past that no note is written", async () => {
    const me = await creator("demo-free");
    const page = await pageOf(await makeOne(me));
    const notes = async () => (await env.MEDIA.list({ prefix: "notes/ends/" })).objects.length;
    const refused = async (response: Response) => {
      expect(response.status).toBe(429);
      expect(await errorOf(response)).toMatchObject({
        code: "DAY_LIMIT",
        details: { scope: "ends_day", limit: DAY_LIMITS.ends_day.free },
      });
    };
    await useUpDay("demo-free", "ends_day", DAY_LIMITS.ends_day.free - 1);
    expect((await undelete(me, page)).status).toBe(200);
    const noted = await notes();
    await refused(await undelete(me, page));
    await refused(await remove(me, page));
    expect(await notes()).toBe(noted);
    await freshDay("demo-free");
    expect((await remove(me, page)).status).toBe(202);
    await useUpDay("demo-free", "ends_day", DAY_LIMITS.ends_day.free);
    // It is deleted already, so nothing is noted.
    expect((await remove(me, page)).status).toBe(202);
    await refused(await undelete(me, page));
    await freshDay("demo-free");
  });

  test("cannot be changed, renamed or restored: 404", async () => {
    const me = await creator();
    const page = await me.remove(await me.make());
    for (const refused of await changes(me, page)) {
      expect([refused.status, (await errorOf(refused)).code]).toEqual([404, "PAGE_NOT_FOUND"]);
    }
    expect(await pageOf(await me.send("GET", pathOf(page)))).toEqual(page);
  });

  test("that is deleted again stays as it is: 202 with the same end, and no version", async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.remove(await me.make());
    clock.advance(60_000);
    const again = await remove(me, page);
    expect(again.status).toBe(202);
    const answer = await again.json<PageAnswer & { undo: { until: string } }>();
    expect(answer.page).toEqual(page);
    expect(answer.undo.until).toBe(page.ends_at);
  });

  test("comes back as it was until the last millisecond of 30 minutes, with its counts", async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.make({ status: "published", links: [SHOP] });
    expect((await beacon({ page_id: page.page_id })).status).toBe(202);
    await me.remove(page);
    clock.advance(UNDO_MS - 1);
    // By two at once it is brought back once.
    const answers = await Promise.all([undelete(me, page), undelete(me, page)]);
    for (const { status, headers } of answers) {
      expect([status, headers.get("ETag")]).toEqual([200, '"v3"']);
    }
    const [undeleted, other] = await Promise.all(answers.map(pageOf));
    expect(undeleted).toEqual({ ...page, version: 3, updated_at: undeleted?.updated_at });
    expect(other).toEqual(undeleted);
    await pageObject(page.page_id).changed();
    const again = await beacon({ page_id: page.page_id }, { ip: freshAddress() });
    expect(again.status).toBe(202);
    expect(await pageObject(page.page_id).totals()).toMatchObject([{ kind: "view", accepted: 2 }]);
    // Twice changes nothing.
    expect(await pageOf(await undelete(me, page))).toEqual(undeleted);
  });

  test("is gone for its owner after 30 minutes, before the cron deletes its rows", async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.remove(await me.make({ status: "published" }));
    clock.advance(UNDO_MS);
    const answers = await Promise.all([
      undelete(me, page),
      me.send("GET", pathOf(page)),
      remove(me, page),
      me.send("GET", `${pathOf(page)}/revisions`),
    ]);
    answers.push(...(await changes(me, page)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect(await listed(me)).not.toContain(page.page_id);
  });
});

describe("a page", () => {
  test("that the hub suspended is 410 to change, and can be read, listed and deleted", async () => {
    const me = await creator();
    const page = await me.make({ status: "published" });
    await byHub(suspendPage, page);
    for (const refused of await changes(me, page)) {
      expect([refused.status, (await errorOf(refused)).code]).toEqual([410, "PAGE_SUSPENDED"]);
    }
    const now = await pageOf(await me.send("GET", pathOf(page)));
    expect(now).toMatchObject({ status: "suspended", version: 2 });
    expect((await remove(me, page)).status).toBe(202);
    expect(await pageOf(await undelete(me, page))).toMatchObject({ status: "suspended" });
    await byHub(reinstatePage, page);
    const reinstated = await pageOf(await me.send("GET", pathOf(page)));
    expect(reinstated.status).toBe("published");
    expect(await me.patch(reinstated, { status: "draft" })).toMatchObject({ status: "draft" });
  });
});

describe("F25: a user whom the hub deleted", () => {
  const DELETED =
    "INSERT OR IGNORE INTO deleted_users (user_id, deleted_at) VALUES ('demo-free', 9e15)";
  afterEach(() => env.DB.prepare("DELETE FROM deleted_users").run());

  test("makes and brings back no page by a request that had begun before", async () => {
    const me = await creator("demo-free");
    const page = await pageOf(await makeOne(me));
    await remove(me, page);
    await env.DB.prepare(DELETED).run();
    expect((await undelete(me, page)).ok).toBe(false);
    expect((await makeOne(me)).ok).toBe(false);
    const published = await env.DB.prepare(
      "SELECT count(*) AS n FROM pages WHERE owner_id = 'demo-free' AND ends_at IS NULL",
    ).first("n");
    expect(published).toBe(0);
  });
});
