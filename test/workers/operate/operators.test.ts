/**
 * The operators' pages and actions (docs/security.md S36): for those whom OPERATORS names, and for
 * nobody else, not even by a hint.
 */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { hubFault, hubSays, mendHub, signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  errorOf,
  eventually,
  expectErrors,
  freshPage,
  ORIGIN,
  sums,
} from "../kit/kit.ts";

const OPERATOR = "demo-pro";
const OWNER = "demo-business";
const PAGES = ["/admin", "/admin/errors", "/admin/pages", "/admin/metrics"];
Object.assign(env, { OPERATORS: `someone,${OPERATOR}` });

/** Headers of a request from a page of this site with a session. */
const signedIn = async (user_id: string): Promise<Record<string, string>> =>
  (await creator(user_id)).headers;

function takedown(
  page_id: string,
  headers: Record<string, string>,
  reason = "تصيّد",
): Promise<Response> {
  return call(`/api/admin/pages/${page_id}/takedown`, {
    method: "POST",
    headers,
    body: JSON.stringify({ reason }),
  });
}

/** A change of a page by its owner. */
function edit(page_id: string, headers: Record<string, string>, change: object): Promise<Response> {
  return call(`/api/me/pages/${page_id}`, {
    method: "PATCH",
    headers: { ...headers, "If-Match": "*", "Content-Type": "application/json" },
    body: JSON.stringify(change),
  });
}

/** A page's status in D1, not at the edge: a page has few purges. */
function stored(page_id: string): Promise<string | null> {
  return env.DB.prepare("SELECT status FROM pages WHERE page_id = ?1")
    .bind(page_id)
    .first<string>("status");
}

function undo(page_id: string, headers: Record<string, string>): Promise<Response> {
  return call(`/api/admin/pages/${page_id}/takedown`, { method: "DELETE", headers });
}

async function statusOf(slug: string): Promise<number> {
  const response = await call(`/${slug}`);
  await response.body?.cancel();
  return response.status;
}

/** Until the change has reached the page's object and the edge; the route delivers it after its answer. */
async function delivered(page_id: string): Promise<void> {
  const waiting = "SELECT count(*) AS n FROM page_changes WHERE page_id = ?1 AND told = 0";
  await expect.poll(() => env.DB.prepare(waiting).bind(page_id).first("n")).toBe(0);
}

async function hubSaysOf(page_id: string, type: string): Promise<void> {
  await hubSays(type, { user_id: OWNER, page_id });
  await delivered(page_id);
}

describe("S36: somebody who is no operator", () => {
  /** What tells two answers apart, but for what no two answers share. */
  async function answerOf(path: string, init: Parameters<typeof call>[1] = {}) {
    const response = await call(path, init);
    const headers = Object.fromEntries(response.headers);
    delete headers["x-request-id"];
    const text = (await response.text()).replace(/[0-9a-f-]{36}/g, "");
    return { status: response.status, headers, text };
  }

  test("gets the answers of a path without a page, with and without a session", async () => {
    const signed_in = { Cookie: await signIn("demo-free") };
    for (const headers of [{}, { Cookie: "hub_session=guess" }, signed_in]) {
      for (const path of PAGES) {
        const other = path.replace("/admin", "/blog");
        for (const Accept of ["text/html", "*/*"]) {
          const given = { headers: { ...headers, Accept } };
          expect(await answerOf(path, given)).toEqual(await answerOf(other, given));
        }
      }
      const { page_id } = await freshPage();
      const post = { method: "POST", headers, body: '{"reason":"x"}' };
      const seen = await answerOf(`/api/admin/pages/${page_id}/takedown`, post);
      expect(seen).toEqual(await answerOf("/api/nothing", post));
      expect(seen.status).toBe(404);
    }
  });

  test("is everybody where no operators are named, or the list is malformed", async () => {
    const logged = expectErrors();
    const headers = await signedIn(OPERATOR);
    for (const operators of ["", `${OPERATOR} ,`, `,${OPERATOR}`]) {
      Object.assign(env, { OPERATORS: operators });
      for (const path of PAGES) expect((await call(path, { headers })).status).toBe(404);
      const { page_id, slug } = await freshPage();
      expect((await takedown(page_id, headers)).status).toBe(404);
      expect(await statusOf(slug)).toBe(200);
    }
    expect(logged()).toEqual(["setting_refused", "setting_refused"]);
  });

  test("is an operator whose session the hub does not confirm", async () => {
    expectErrors();
    const headers = await signedIn(OPERATOR);
    await env.DB.prepare("INSERT INTO accounts VALUES (?1, 9000000000000000)").bind(OPERATOR).run();
    await hubFault("*", "error");
    expect((await call("/admin", { headers })).status).toBe(404);
    await mendHub();
    await env.DB.prepare("DELETE FROM accounts").run();
  });
});

describe("an operator", () => {
  test("sees each page in both languages, which no cache keeps", async () => {
    const { page_id } = await freshPage();
    await env.DB.prepare(
      "INSERT INTO errors VALUES ('abc', 1, 2, 3, 'error', 'it broke', 'at f (a.js:1)', ?1, '')",
    )
      .bind(page_id)
      .run();
    await env.MONITOR.getByName(MONITOR).counted({ sample: {}, pages: { [page_id]: 3 } });
    const headers = await signedIn(OPERATOR);
    for (const [path, words] of [
      ["/admin", "/admin/errors"],
      ["/admin/errors", "it broke"],
      ["/admin/errors/abc", "at f (a.js:1)"],
      ["/admin/pages", `/admin/pages/${page_id}`],
      [`/admin/pages/${page_id}`, page_id],
    ] as const) {
      for (const text of ['lang="ar" dir="rtl"', 'lang="en" dir="ltr"']) {
        const response = await call(`${path}?lang=${text.slice(6, 8)}`, { headers });
        expect([path, response.status]).toEqual([path, 200]);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        expect(response.headers.get("RateLimit")).toMatch(/^"public";r=\d+;/);
        const html = await response.text();
        for (const part of [text, words]) expect(html).toContain(part);
        expect(html).not.toContain("undefined");
      }
    }
    expect((await call("/admin/errors/none", { headers })).status).toBe(404);
    expect((await call("/admin/pages/none", { headers })).status).toBe(404);
  });

  test("finds a page by its id, its slug and its address", async () => {
    const { page_id, slug } = await freshPage();
    const headers = await signedIn(OPERATOR);
    for (const q of [page_id, `${ORIGIN}/${slug}/ar`, ` ${slug.toUpperCase()} `]) {
      const response = await call(`/admin/pages?q=${encodeURIComponent(q)}`, { headers });
      expect([response.status, response.headers.get("Location")]).toEqual([
        302,
        `/admin/pages/${page_id}`,
      ]);
    }
    const english = await call(`/admin/pages?q=${slug}&lang=en`, { headers });
    expect(english.headers.get("Location")).toBe(`/admin/pages/${page_id}?lang=en`);
    const missing = await call("/admin/pages?q=nobody-has-this&lang=en", { headers });
    expect(await missing.text()).toContain("There is no such page.");
  });

  test("marks a group of errors as seen, until more reports come", async () => {
    await env.DB.prepare(
      "INSERT INTO errors VALUES ('seen', 1, 2, 3, 'error', 'm', '', '', '')",
    ).run();
    const headers = await signedIn(OPERATOR);
    const isNew = async () =>
      (await (await call("/admin/errors/seen", { headers })).text()).includes("data-action");
    expect(await isNew()).toBe(true);
    const mark = (n: number) =>
      call("/api/admin/errors/seen/seen", { method: "POST", headers, body: JSON.stringify({ n }) });
    // No more than there are: a report that comes at the same time stays new.
    expect((await mark(99)).status).toBe(200);
    expect((await mark(1)).status).toBe(200);
    expect(await isNew()).toBe(false);
    await env.DB.prepare("UPDATE errors SET n = 4 WHERE fingerprint = 'seen'").run();
    expect(await isNew()).toBe(true);
    await env.DB.prepare("DELETE FROM errors WHERE fingerprint = 'seen'").run();
    const { results } = await env.DB.prepare(
      "SELECT * FROM error_marks WHERE fingerprint = 'seen'",
    ).all();
    expect(results).toEqual([]);
  });

  test("S5: cannot act without the token, nor from another site", async () => {
    const { page_id, slug } = await freshPage();
    const { "X-CSRF-Token": _, ...without } = await signedIn(OPERATOR);
    const foreign = {
      ...(await signedIn(OPERATOR)),
      Origin: "https://evil.example",
      "Sec-Fetch-Site": "cross-site",
    };
    for (const headers of [without, foreign]) {
      const response = await takedown(page_id, headers);
      expect([response.status, (await errorOf(response)).code]).toEqual([403, "CSRF_REQUIRED"]);
    }
    expect(await statusOf(slug)).toBe(200);
  });
});

describe("a takedown", () => {
  test("takes down the pictures, the share picture and the card of the page, at the edge too", async () => {
    const { page_id, slug } = await freshPage({ owner_id: OWNER, contact: { name: "ليان" } });
    const key = `pictures/${page_id}/0123456789abcdef0123456789abcdef.webp`;
    await env.MEDIA.put(key, "webp", { httpMetadata: { contentType: "image/webp" } });
    const seen = () =>
      Promise.all(
        [`/media/${key}`, `/${slug}/share.png`, `/vcard/${slug}.vcf`].map(
          async (path) => (await call(path)).status,
        ),
      );
    expect(await seen()).toEqual([200, 200, 200]);
    await takedown(page_id, await signedIn(OPERATOR));
    await delivered(page_id);
    await eventually(async () => expect(await seen()).toEqual([410, 410, 410]));
  });

  test("answers 410, stops the counting, tells the owner why, and can be undone", async () => {
    const { page_id, slug } = await freshPage({ owner_id: OWNER });
    const operator = await signedIn(OPERATOR);
    const owner = await signedIn(OWNER);
    expect((await beacon({ page_id })).status).toBe(202);
    const first = await takedown(page_id, operator);
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ ok: true, taken_down: { reason: "تصيّد" } });
    await delivered(page_id);
    expect(await statusOf(slug)).toBe(410);
    const refused = await beacon({ page_id });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([410, "PAGE_SUSPENDED"]);
    expect((await sums(page_id)).accepted).toBe(1);

    // A second one changes nothing, and the first reason stays.
    expect(await (await takedown(page_id, operator, "x")).json()).toMatchObject({
      taken_down: { reason: "تصيّد" },
    });
    const notes = await (await call("/api/me/notifications", { headers: owner })).json<{
      notifications: { text: string; url: string }[];
    }>();
    const mine = notes.notifications.filter(({ url }) => url === `/dashboard/${page_id}`);
    expect(mine.map(({ text }) => text)).toEqual([expect.stringContaining("تصيّد")]);

    for (const path of [
      "/dashboard?lang=ar",
      `/dashboard/${page_id}?lang=ar`,
      `/dashboard/pages/${page_id}/edit`,
    ]) {
      const response = await call(path, { headers: { ...owner, Accept: "text/html" } });
      expect([path, response.status]).toEqual([path, path.endsWith("edit") ? 410 : 200]);
      expect(await response.text()).toContain("تصيّد");
    }
    const patch = await edit(page_id, owner, { status: "published" });
    expect([patch.status, (await errorOf(patch)).details.takedown_reason]).toEqual([410, "تصيّد"]);

    expect(await (await undo(page_id, operator)).json()).toEqual({ ok: true, taken_down: null });
    await delivered(page_id);
    await expect.poll(() => statusOf(slug)).toBe(200);
    expect((await beacon({ page_id })).status).toBe(202);
    expect((await undo(page_id, operator)).status).toBe(200);
    const { results } = await env.DB.prepare(
      "SELECT user_id, what, reason FROM operator_actions WHERE page_id = ?1 ORDER BY at",
    )
      .bind(page_id)
      .all();
    expect(results).toEqual([
      { user_id: OPERATOR, what: "takedown", reason: "تصيّد" },
      { user_id: OPERATOR, what: "reinstate", reason: "" },
    ]);
  });

  test("survives the hub's reinstatement, and the hub's suspension survives its undo", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const operator = await signedIn(OPERATOR);
    await takedown(page_id, operator);
    await hubSaysOf(page_id, "page.reinstated");
    expect(await stored(page_id)).toBe("suspended");
    await hubSaysOf(page_id, "page.suspended");
    await undo(page_id, operator);
    expect(await stored(page_id)).toBe("suspended");
    await hubSaysOf(page_id, "page.reinstated");
    expect(await stored(page_id)).toBe("published");

    // The hub came first this time.
    await hubSaysOf(page_id, "page.suspended");
    await takedown(page_id, operator);
    await hubSaysOf(page_id, "page.reinstated");
    expect(await stored(page_id)).toBe("suspended");
    await undo(page_id, operator);
    expect(await stored(page_id)).toBe("published");
  });

  test("closes each door of the page, and no cache keeps that for longer than 30 s", async () => {
    const links = [
      { link_id: "shop", url: "https://shop.example/" },
      { link_id: "jar", kind: "tip" as const, url: null, block: { amounts: [1] } },
      { link_id: "news", kind: "newsletter" as const, url: null, block: {} },
    ];
    const { page_id, slug } = await freshPage({ owner_id: OWNER, links });
    const operator = await signedIn(OPERATOR);
    await takedown(page_id, operator);
    await delivered(page_id);
    const reader = { ...(await signedIn("demo-free")), "Content-Type": "application/json" };
    const post = (path: string, body: object) =>
      call(path, {
        method: "POST",
        headers: { ...reader, "Idempotency-Key": "once" },
        body: JSON.stringify({ page_id, ...body }),
      });
    const answers = {
      page: call(`/${slug}`),
      card: call(`/vcard/${slug}.vcf`),
      picture: call(`/${slug}/share.png`),
      click: call(`/r/${page_id}/shop`),
      tip: post("/api/tip", { points: 1, link_id: "jar" }),
      newsletter: post("/api/newsletter", { email: "reader@example.com" }),
      view: beacon({ page_id }),
      edit: edit(page_id, await signedIn(OWNER), { status: "published" }),
    };
    for (const [door, answering] of Object.entries(answers)) {
      const { status, headers } = await answering;
      expect([door, status]).toEqual([door, door === "newsletter" ? 404 : 410]);
      expect([door, headers.get("Cache-Control")]).toEqual([
        door,
        expect.stringMatching(/^(?:no-store|public, max-age=30)$/),
      ]);
    }
  });

  test("of a draft leaves a draft when it is undone", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER, status: "draft" });
    const operator = await signedIn(OPERATOR);
    await takedown(page_id, operator);
    expect(await stored(page_id)).toBe("suspended");
    await undo(page_id, operator);
    expect(await stored(page_id)).toBe("draft");
  });

  test("needs a reason that can be read, and a page", async () => {
    const { page_id } = await freshPage();
    const operator = await signedIn(OPERATOR);
    for (const reason of ["", "\u202e\u2069", "x".repeat(501)]) {
      expect((await takedown(page_id, operator, reason)).status).toBe(400);
    }
    expect((await takedown(page_id, operator, "x".repeat(500))).status).toBe(200);
    expect((await takedown("none", operator)).status).toBe(404);
  });
});

test("the monitor's alarm looks after the cron, and without deliveries sends nothing", async () => {
  // Of its own: what the tests before this one broke may be worth an alert.
  const monitor = env.MONITOR.getByName(crypto.randomUUID());
  await monitor.measured({ sample: {}, mail_per_day: 0 });
  expect(await runDurableObjectAlarm(monitor)).toBe(true);
  expect((await monitor.overview())?.alerts).toEqual([]);
});
