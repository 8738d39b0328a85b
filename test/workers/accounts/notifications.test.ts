/** Notifications: their texts, their pages, and their read marks. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { toJson } from "../../../src/accounts/notification-texts.ts";
import {
  listNotifications,
  markRead,
  type StoredNotification,
} from "../../../src/accounts/notifications-store.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call, errorOf, eventOf, freshPage, pageObject, recordAll } from "../kit/kit.ts";

let users = 0;

function freshUser(): string {
  users += 1;
  return `reader-${users}`;
}

/** Sends a notification of the hub; lists are sorted by `created_at`. */
async function tell(user_id: string, id: string, created_at: number): Promise<string> {
  await env.DB.prepare("INSERT INTO hub_notifications VALUES (?1, ?2, 'خبر', 'News', NULL, ?3)")
    .bind(user_id, id, created_at)
    .run();
  return `hub-${id}`;
}

async function reach(
  page_id: string,
  kind: "view" | "click",
  n: number,
  at: number,
): Promise<string> {
  await env.DB.prepare("INSERT INTO milestones VALUES (?1, ?2, ?3, ?4)")
    .bind(page_id, kind, n, at)
    .run();
  return `milestone-${page_id}-${kind}-${n}`;
}

/** A page's first `n` tips, each a second after the other; answers the ids, the newest first. */
async function receive(page_id: string, n: number): Promise<string[]> {
  await env.DB.prepare(
    `INSERT INTO tips SELECT ?1, value, value * 5, 'jar', 'from', 'سارة', 5, '', value * 1000
     FROM json_each(?2)`,
  )
    .bind(page_id, JSON.stringify(Array.from({ length: n }, (_, i) => i + 1)))
    .run();
  return Array.from({ length: n }, (_, i) => `tip-${page_id}-${n - i}`);
}

/** All ids, page by page; calls `between` after each page. */
async function walk(user_id: string, limit: number, unread_only = false, between = async () => {}) {
  const ids: string[] = [];
  let after: { created_at: number; id: string } | null = null;
  for (;;) {
    const { notifications } = await listNotifications(env.DB, user_id, {
      limit,
      unread_only,
      after,
    });
    ids.push(...notifications.map(({ id }) => id));
    const last: StoredNotification | undefined = notifications.at(-1);
    if (last === undefined) return ids;
    after = last;
    await between();
  }
}

describe("the list", () => {
  test("is sorted newest first, then by id, and paging misses and repeats nothing", async () => {
    const user_id = freshUser();
    const { page_id } = await freshPage({ owner_id: user_id });
    const oldest = await reach(page_id, "click", 100, 1);
    // Five of one moment, on three pages of two.
    const same = [await reach(page_id, "view", 100, 2), await reach(page_id, "view", 1_000, 2)];
    for (const id of ["a", "b", "c"]) same.push(await tell(user_id, id, 2));
    const newest = await tell(user_id, "d", 3);
    // A newer notification does not move the next page.
    let news = 0;
    const arrives = async () => {
      news += 1;
      await tell(user_id, `later${news}`, 1_000 + news);
    };
    const all = [newest, ...same.toSorted().toReversed(), oldest];
    expect(await walk(user_id, 2, false, arrives)).toEqual(all);
  });

  test("has the milestones of the user's current pages, and no others", async () => {
    const [user_id, other] = [freshUser(), freshUser()];
    const { page_id } = await freshPage({ owner_id: user_id });
    const { page_id: nobodys } = await freshPage();
    const id = await reach(page_id, "click", 100, 5);
    await reach(nobodys, "click", 100, 5);
    expect(await walk(user_id, 10)).toEqual([id]);
    expect(await walk(other, 10)).toEqual([]);
    await env.DB.prepare("UPDATE pages SET owner_id = ?2 WHERE page_id = ?1")
      .bind(page_id, other)
      .run();
    expect(await walk(user_id, 10)).toEqual([]);
    expect(await walk(other, 10)).toEqual([id]);
  });

  test("has the newest 100 tips of each of the user's pages, and no others", async () => {
    const [user_id, other] = [freshUser(), freshUser()];
    const [busy, quiet] = [
      await freshPage({ owner_id: user_id }),
      await freshPage({ owner_id: user_id }),
    ];
    await receive(busy.page_id, 103);
    const last = await receive(quiet.page_id, 2);
    await receive((await freshPage()).page_id, 1);
    const newest = Array.from({ length: 100 }, (_, i) => `tip-${busy.page_id}-${103 - i}`);
    const ids = await walk(user_id, 30);
    expect(ids.filter((id) => newest.includes(id))).toEqual(newest);
    expect(ids.filter((id) => !newest.includes(id))).toEqual(last);
    expect(await walk(other, 10)).toEqual([]);
    expect(await markRead(env.DB, user_id, [newest[0] ?? "", ...last], 7)).toBe(99);
    expect(await markRead(env.DB, user_id, [`tip-${busy.page_id}-3`], 7)).toBeNull();
    expect(await markRead(env.DB, user_id, "all", 8)).toBe(0);
  });
});

describe("marking as read", () => {
  test("keeps its first time, and lowers the unread count", async () => {
    const user_id = freshUser();
    const ids: string[] = [];
    for (const [i, id] of ["a", "b", "c"].entries()) ids.push(await tell(user_id, id, i));
    expect(await markRead(env.DB, user_id, [ids[0] ?? "", ids[0] ?? ""], 100)).toBe(2);
    expect(await markRead(env.DB, user_id, ids.slice(0, 2), 200)).toBe(1);
    expect(await walk(user_id, 10, true)).toEqual([ids[2]]);
    expect(await markRead(env.DB, user_id, "all", 300)).toBe(0);
    expect(await markRead(env.DB, user_id, "all", 400)).toBe(0);
    const listing = { limit: 10, unread_only: false, after: null };
    const { notifications, unread } = await listNotifications(env.DB, user_id, listing);
    expect(notifications.map(({ read_at }) => read_at)).toEqual([300, 200, 100]);
    expect(unread).toBe(0);
  });

  test("changes nothing if one of the ids is not the user's", async () => {
    const [user_id, other] = [freshUser(), freshUser()];
    const mine = await tell(user_id, "a", 1);
    await tell(other, "b", 1);
    for (const foreign of ["hub-b", "hub-none", "none", "", mine.toUpperCase()]) {
      expect(await markRead(env.DB, user_id, [mine, foreign], 100)).toBeNull();
    }
    expect(await walk(user_id, 10, true)).toEqual([mine]);
    expect(await walk(other, 10, true)).toEqual(["hub-b"]);
  });
});

describe("in words", () => {
  const base = { id: "x", kind: "milestone", created_at: 0, read_at: null, page_id: "p" } as const;
  const tip = { ...base, kind: "tip", name: "ليلى", from_name: "Sara", message: "" } as const;

  test("a milestone is in Arabic with Arabic digits, and in English", () => {
    expect(toJson({ ...base, page_id: "layla", name: "ليلى", counted: "view", n: 100 })).toEqual({
      id: "x",
      kind: "milestone",
      text: "بلغت صفحتك «\u2068ليلى\u2069» ١٠٠ مشاهدة",
      text_en: "Your page “\u2068ليلى\u2069” reached 100 views",
      url: "/dashboard/layla",
      created_at: "1970-01-01T00:00:00.000Z",
      read_at: null,
    });
  });

  test("a tip is in both languages, with who sent it, how much and what they said", () => {
    expect(toJson({ ...tip, points: 2, message: "شكرًا" })).toMatchObject({
      kind: "tip",
      text: "وصل إلى صفحتك «\u2068ليلى\u2069» من \u2068Sara\u2069: نقطتان: «\u2068شكرًا\u2069»",
      text_en: "\u2068Sara\u2069 sent 2 points to your page “\u2068ليلى\u2069”: “\u2068شكرًا\u2069”",
    });
    expect(toJson({ ...tip, points: 1 }).text_en).toBe(
      "\u2068Sara\u2069 sent 1 point to your page “\u2068ليلى\u2069”",
    );
  });

  test("S12: neither a page's name, nor who sends a tip and what they say, changes the text's direction", () => {
    const evil = "\u202eevil\u2066";
    expect(toJson({ ...base, name: evil, counted: "view", n: 100 }).text).toBe(
      "بلغت صفحتك «\u2068evil\u2069» ١٠٠ مشاهدة",
    );
    const message = "\u2069\u202ehi";
    expect(toJson({ ...tip, from_name: evil, points: 5, message }).text_en).toBe(
      "\u2068evil\u2069 sent 5 points to your page “\u2068ليلى\u2069”: “\u2068hi\u2069”",
    );
  });
});

describe("GET /api/me/notifications", () => {
  let headers: Record<string, string>;

  beforeAll(async () => {
    headers = { Cookie: await signIn("demo-free") };
    for (let i = 1; i <= 25; i += 1) await tell("demo-free", `n${i}`, i * 1_000);
  });

  interface Answer {
    notifications: { id: string; created_at: string; read_at: string | null }[];
    unread: number;
    next_cursor: string | null;
  }

  async function get(query: string): Promise<Answer> {
    const response = await call(`/api/me/notifications${query}`, { headers });
    expect(response.status).toBe(200);
    return response.json<Answer>();
  }

  test("answers with twenty, or as many as requested, and a cursor for the rest", async () => {
    const first = await get("");
    expect(first.notifications).toHaveLength(20);
    expect(first.notifications[0]).toEqual({
      id: "hub-n25",
      kind: "hub",
      text: "خبر",
      text_en: "News",
      url: null,
      created_at: "1970-01-01T00:00:25.000Z",
      read_at: null,
    });
    expect(first.unread).toBe(25);
    const rest = await get(`?cursor=${encodeURIComponent(first.next_cursor ?? "")}`);
    expect(rest.notifications.map(({ id }) => id)).toEqual(
      ["n5", "n4", "n3", "n2", "n1"].map((n) => `hub-${n}`),
    );
    expect(rest.next_cursor).toBeNull();
    expect((await get("?limit=1")).notifications).toHaveLength(1);
    expect((await get("?limit=25")).next_cursor).toBeNull();
    expect((await get("?limit=100")).notifications).toHaveLength(25);
  });

  test("notifies the owner of the hundredth view, once, and nobody else", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-business", name: "ليلى" });
    const views = Array.from({ length: 100 }, (_, i) => eventOf(`view-${i}`));
    const owner = { Cookie: await signIn("demo-business") };
    const milestones = async (cookie: Record<string, string>) => {
      const response = await call("/api/me/notifications", { headers: cookie });
      const { notifications } = await response.json<Answer>();
      return notifications.filter(({ id }) => id.includes(page_id));
    };
    await recordAll(page_id, views.slice(1));
    await pageObject(page_id).flush();
    expect(await milestones(owner)).toEqual([]);
    await recordAll(page_id, views);
    await pageObject(page_id).flush();
    await pageObject(page_id).flush();
    expect(await milestones(owner)).toMatchObject([
      { kind: "milestone", url: `/dashboard/${page_id}`, read_at: null },
    ]);
    expect(await milestones(headers)).toEqual([]);
  });

  test("refuses an invalid query, and names the field", async () => {
    for (const [query, path] of [
      ["?limit=0", "limit"],
      ["?limit=101", "limit"],
      ["?limit=1e1", "limit"],
      ["?cursor=x", "cursor"],
      ["?cursor=9999999999999999.x", "cursor"],
      ["?unread=yes", "unread"],
    ] as const) {
      const response = await call(`/api/me/notifications${query}`, { headers });
      expect([query, response.status]).toEqual([query, 400]);
      const { code, details } = await errorOf(response);
      expect(code).toBe("VALIDATION_FAILED");
      expect(details.issues).toEqual([{ path, message: expect.any(String) }]);
    }
  });

  test("is 503 while D1 fails, without details", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await get("");
    const d1: D1Database = Object.getPrototypeOf(env.DB);
    vi.spyOn(d1, "batch").mockRejectedValue(new Error("D1_ERROR: near SELECT"));
    const response = await call("/api/me/notifications", { headers });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("SELECT");
  });

  test("POST …/read marks by id or all, and refuses any other body", async () => {
    const me = await creator("demo-free");
    const mark = (body: object) => me.send("POST", "/api/me/notifications/read", body);
    for (const [body, status] of [
      [{}, 400],
      [{ all: false }, 400],
      [{ ids: [] }, 400],
      [{ ids: ["x".repeat(129)] }, 400],
      [{ ids: Array(101).fill("hub-n1") }, 400],
      [{ ids: ["x".repeat(128)] }, 404],
      [{ ids: [...Array(99).fill("hub-n1"), "hub-none"] }, 404],
      [{ ids: ["x".repeat(16_385)] }, 413],
    ] as const) {
      const response = await mark(body);
      expect([body, response.status]).toEqual([body, status]);
    }
    expect((await get("")).unread).toBe(25);
    const marked = await mark({ ids: ["hub-n25", "hub-n24"] });
    expect(await marked.json()).toEqual({ ok: true, unread: 23 });
    expect((await get("?unread=1")).notifications[0]?.id).toBe("hub-n23");
    expect((await get("?unread=0")).notifications[0]?.read_at).toMatch(/^\d{4}-.*Z$/);
    expect(await (await mark({ all: true })).json()).toEqual({ ok: true, unread: 0 });
    expect(await get("?unread=true")).toEqual({
      ok: true,
      notifications: [],
      unread: 0,
      next_cursor: null,
    });
  });
});
