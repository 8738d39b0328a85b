/** S15: webhooks of the hub, signed by the independent npm package `standardwebhooks`. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { readAccountTimes } from "../../../src/accounts/accounts-store.ts";
import { HUB_NOTIFICATIONS_MAX, WEBHOOK_BYTES_MAX } from "../../../src/accounts/limits.ts";
import { markRead } from "../../../src/accounts/notifications-store.ts";
import { verifyWebhook } from "../../../src/accounts/standard-webhooks.ts";
import { runCron } from "../../../src/cron.ts";
import { utf8 } from "../../../src/http/bytes.ts";
import { requireConfig } from "../../../src/http/config.ts";
import { UNDO_MINUTES } from "../../../src/pages/document/limits.ts";
import { documentOf, findPage } from "../../../src/pages/document/pages-store.ts";
import { listRevisions } from "../../../src/pages/document/revisions-store.ts";
import { savePage } from "../../../src/pages/document/save-page.ts";
import { breakD1 } from "../kit/faults.ts";
import { beacon, call, errorOf, eventually, freshPage } from "../kit/kit.ts";

const SECRET = env.HUB_WEBHOOK_SECRET ?? "";
const OTHER_SECRET = `whsec_${btoa("another secret, of somebody else")}`;

let made = 0;

/** A user and a webhook id for one test. */
function fresh(): { user_id: string; id: string } {
  made += 1;
  return { user_id: `user-${made}`, id: `msg_${made}_${crypto.randomUUID()}` };
}

interface Sent {
  id?: string;
  at_ms?: number;
  secret?: string;
  headers?: Record<string, string>;
}

function signatureOf(body: string, { id = "", at_ms = Date.now(), secret = SECRET }: Sent): string {
  return new Webhook(secret).sign(id, new Date(at_ms), body);
}

/** Sends a body as the hub does, with the given differences. */
function send(body: unknown, sent: Sent = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { id = fresh().id, at_ms = Date.now(), headers } = sent;
  return call("/api/webhooks/hub", {
    method: "POST",
    body: text,
    headers: {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at_ms / 1_000)),
      "webhook-signature": signatureOf(text, { ...sent, id, at_ms }),
      ...headers,
    },
  });
}

function changed(user_id: string) {
  return { type: "user.updated", timestamp: new Date().toISOString(), data: { user_id } };
}

function notice(user_id: string, id = "n1", more: object = {}) {
  const created_at = "2026-11-21T08:00:00.000Z";
  const data = { user_id, id, text: "خبر", text_en: "News", url: "/demo", created_at, ...more };
  return { type: "notification.created", timestamp: created_at, data };
}

function ofPage(type: "page.suspended" | "page.reinstated", user_id: string, page_id: string) {
  return { type, timestamp: new Date().toISOString(), data: { user_id, page_id } };
}

/** A page's row, how long its deletion can be undone, and what its saves have changed. */
async function lifeOf(page_id: string) {
  const row = await env.DB.prepare(
    "SELECT version, status, ends_at - updated_at AS undo_ms FROM pages WHERE page_id = ?1",
  )
    .bind(page_id)
    .first<{ version: number; status: string; undo_ms: number | null }>();
  const saves = (await listRevisions(env.DB, page_id, 1_000, 1_000)).map(({ what }) => what);
  return { ...row, saves: saves.reverse() };
}

async function changedAt(user_id: string): Promise<number> {
  return (await readAccountTimes(env.DB, user_id)).changed_at;
}

async function noticesOf(user_id: string) {
  const { results } = await env.DB.prepare(
    "SELECT id, text, text_en, url, created_at FROM hub_notifications WHERE user_id = ?1 ORDER BY id",
  )
    .bind(user_id)
    .all();
  return results;
}

const REFUSED = "WEBHOOK_SIGNATURE_INVALID";

/** What is verified of a webhook. */
function signed(sent: Sent & { id: string }) {
  const { id, at_ms = Date.now() } = sent;
  const body = JSON.stringify(changed("user-x"));
  const signature = signatureOf(body, { ...sent, at_ms });
  return { body: utf8(body), id, timestamp: String(Math.floor(at_ms / 1_000)), signature };
}

/** The id of a webhook that is accepted, or the code of its refusal. */
function verdict(
  { body, id, timestamp, signature }: ReturnType<typeof signed>,
  now = Date.now(),
): Promise<string> {
  const headers = new Headers({
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  });
  const { HUB_WEBHOOK_SECRET } = requireConfig(env, "webhooks");
  if (HUB_WEBHOOK_SECRET === undefined) throw new Error("there is no hub");
  return verifyWebhook(HUB_WEBHOOK_SECRET, headers, body, now).catch((error) => error.code);
}

describe("the signature", () => {
  test("of the hub is accepted, and the event takes effect", async () => {
    const { user_id, id } = fresh();
    const response = await send(changed(user_id), { id });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("RateLimit")).toMatch(/^"public";r=59;/);
    expect(await changedAt(user_id)).toBeGreaterThan(0);
  });

  test("of anyone else is refused, and nothing takes effect", async () => {
    const { user_id } = fresh();
    const response = await send(changed(user_id), { secret: OTHER_SECRET });
    expect([response.status, (await errorOf(response)).code]).toEqual([401, REFUSED]);
    expect(await changedAt(user_id)).toBe(0);
  });

  test("is refused if a part is missing, malformed, or another than was signed", async () => {
    const right = signed({ id: "msg_1" });
    const value = right.signature.slice("v1,".length);
    for (const wrong of [
      { body: utf8("{}") },
      { id: "" },
      { id: "msg_2" },
      { timestamp: "" },
      { timestamp: "now" },
      { timestamp: `${Date.now()}` },
      // The same number, but another text than the signed one.
      { timestamp: `0${right.timestamp}` },
      { signature: "" },
      { signature: value },
      { signature: `v1a,${value}` },
      { signature: "v1," },
      { signature: right.signature.slice(0, -4) },
      { signature: `${right.signature}A` },
      { signature: "v1,%%%% v1,====" },
    ]) {
      expect([wrong, await verdict({ ...right, ...wrong })]).toEqual([wrong, REFUSED]);
    }
    const [longest, longer] = ["x".repeat(256), "x".repeat(257)];
    expect(await verdict(signed({ id: longest }))).toBe(longest);
    expect(await verdict(signed({ id: longer }))).toBe(REFUSED);
  });

  test("may be one of several, while the hub changes its secret", async () => {
    const id = "msg_several";
    const at_ms = Date.now();
    const parts = signed({ id, at_ms });
    const { signature: right } = parts;
    const { signature: wrong } = signed({ id, at_ms, secret: OTHER_SECRET });
    const unknown = "v1a,c2lnbmF0dXJl";
    for (const signature of [
      `${right} ${wrong}`,
      `${wrong} ${right}`,
      `${unknown} ${wrong} ${right}`,
      `${right} ${right}`,
    ]) {
      expect([signature, await verdict({ ...parts, signature })]).toEqual([signature, id]);
    }
    // Only eight are verified, so that the work per request is bounded.
    const late = [...Array(8).fill(wrong), right].join(" ");
    for (const signature of [
      `${wrong} ${wrong}`,
      `${wrong} ${unknown}`,
      `${right},${wrong}`,
      late,
    ]) {
      expect([signature, await verdict({ ...parts, signature })]).toEqual([signature, REFUSED]);
    }
  });

  test.for([0, 300, -300, 301, -301])(
    "holds for 300 s either way, and not a second longer: %i",
    async (age_s) => {
      const now = Math.floor(Date.now() / 1_000) * 1_000;
      const outcome = await verdict(signed({ id: "old", at_ms: now - age_s * 1_000 }), now);
      expect(outcome).toBe(Math.abs(age_s) <= 300 ? "old" : REFUSED);
    },
  );

  test("has one spelling: the spare bits of its last character are zero", async () => {
    const parts = signed({ id: "msg_spelling" });
    const { signature: right } = parts;
    const bytes = Uint8Array.fromBase64(right.slice("v1,".length));
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const last = alphabet.indexOf(right.at(-2) ?? "");
    for (const spare of [1, 2, 3]) {
      const signature = `${right.slice(0, -2)}${alphabet[last + spare]}=`;
      expect(Uint8Array.fromBase64(signature.slice("v1,".length))).toEqual(bytes);
      expect(await verdict({ ...parts, signature })).toBe(REFUSED);
    }
  });
});

describe("the body", () => {
  test("may be as large as the limit and no larger", async () => {
    const event = JSON.stringify(changed(fresh().user_id));
    const largest = event + " ".repeat(WEBHOOK_BYTES_MAX - event.length);
    expect((await send(largest)).status).toBe(200);
    const response = await send(`${largest} `);
    expect(response.status).toBe(413);
    expect((await errorOf(response)).details.max_bytes).toBe(WEBHOOK_BYTES_MAX);
  });

  test("that is signed but not JSON, or not an event, is refused with the reason", async () => {
    const { user_id } = fresh();
    const ofUser = (data: object) => ({ type: "user.updated", data });
    const wrong_notices = [
      ...[{ id: "n/1" }, { text: "\u202e" }, { text_en: "x".repeat(501) }],
      ...[{ created_at: "yesterday" }, { created_at: "1969-12-31T23:59:59Z" }],
      ...["javascript:alert(1)", "//evil.example", "/\\evil.example", "/x/..//evil.example"].map(
        (url) => ({ url }),
      ),
    ];
    const no_events = [
      ...["null", { data: { user_id } }, ofUser({ user_id: "a b" })],
      ...[ofUser({ user_id: "x".repeat(129) }), ofPage("page.reinstated", user_id, "a b")],
      ...wrong_notices.map((members) => notice(user_id, "n1", members)),
    ];
    for (const body of ["{", "", ...no_events]) {
      const response = await send(body);
      expect([body, response.status]).toEqual([body, 400]);
      const code = body === "{" || body === "" ? "INVALID_JSON" : "VALIDATION_FAILED";
      expect((await errorOf(response)).code).toBe(code);
    }
    expect(await noticesOf(user_id)).toEqual([]);
    expect(await changedAt(user_id)).toBe(0);
  });

  test("of an unknown kind is accepted and ignored", async () => {
    const { user_id } = fresh();
    expect((await send({ type: "user.renamed", data: { user_id } })).status).toBe(200);
    expect((await send({ type: "constructor", data: { user_id } })).status).toBe(200);
    expect(await changedAt(user_id)).toBe(0);
  });
});

describe("a webhook", () => {
  test("that comes again, with a new time and signature, is 200 and changes nothing", async () => {
    const { user_id, id } = fresh();
    expect((await send(notice(user_id), { id })).status).toBe(200);
    const before = await noticesOf(user_id);
    await env.DB.prepare("DELETE FROM hub_notifications WHERE user_id = ?1").bind(user_id).run();
    for (const at_ms of [Date.now(), Date.now() + 60_000]) {
      expect((await send(notice(user_id), { id, at_ms })).status).toBe(200);
    }
    // With another body too: an id is one event.
    expect((await send(notice(user_id, "n2"), { id })).status).toBe(200);
    expect(before).toHaveLength(1);
    expect(await noticesOf(user_id)).toEqual([]);
  });

  test("that comes twice at once takes effect once", async () => {
    const { user_id, id } = fresh();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => send(notice(user_id, `n${i}`), { id })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await noticesOf(user_id)).toHaveLength(1);
  });

  test.for(["write", "read the known ids"])(
    "is 503 while D1 cannot %s, has then changed nothing, and takes effect when it is sent again",
    async (fault) => {
      vi.spyOn(console, "error").mockImplementation(() => {});
      const { user_id, id } = fresh();
      const d1: D1Database = Object.getPrototypeOf(env.DB);
      const broken =
        fault === "write"
          ? breakD1("before")
          : vi.spyOn(d1, "prepare").mockImplementation(() => {
              throw new Error("D1 refuses");
            });
      const refused = await send(notice(user_id), { id });
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
      if ("mend" in broken) broken.mend();
      else broken.mockRestore();
      expect(await noticesOf(user_id)).toEqual([]);
      expect((await send(notice(user_id), { id })).status).toBe(200);
      expect(await noticesOf(user_id)).toHaveLength(1);
    },
  );

  test("is 200 where D1 wrote and only the reply was lost", async () => {
    const { user_id, id } = fresh();
    const d1 = breakD1("after");
    expect((await send(notice(user_id), { id })).status).toBe(200);
    d1.mend();
    expect((await send(notice(user_id, "n2"), { id })).status).toBe(200);
    expect(await noticesOf(user_id)).toHaveLength(1);
  });

  test("is remembered for a week, then deleted with outdated notes", async () => {
    const { user_id, id } = fresh();
    await send(changed(user_id), { id });
    const longer = fresh().user_id;
    await send(changed(longer));
    await env.DB.prepare(
      "UPDATE accounts SET changed_at = changed_at - 86400001 WHERE user_id = ?1",
    )
      .bind(user_id)
      .run();
    const known = () =>
      env.DB.prepare("SELECT 1 FROM webhooks WHERE webhook_id = ?1").bind(id).first();
    const on_the_hour = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
    await runCron(env, on_the_hour + 6 * 86_400_000);
    expect(await known()).not.toBeNull();
    expect(await changedAt(user_id)).toBe(0);
    expect(await changedAt(longer)).toBeGreaterThan(0);
    await runCron(env, on_the_hour + 8 * 86_400_000);
    expect(await known()).toBeNull();
  });
});

describe("the event", () => {
  test.for(["session.revoked", "user.updated"])(
    "%s invalidates the user's cached sessions",
    async (type) => {
      const { user_id } = fresh();
      const before = (await readAccountTimes(env.DB, user_id)).now;
      expect((await send({ type, data: { user_id } })).status).toBe(200);
      expect(await changedAt(user_id)).toBeGreaterThanOrEqual(before);
      expect(await changedAt(`${user_id}x`)).toBe(0);
    },
  );

  test("notification.created adds a notification, once per id of the hub, with sanitized text", async () => {
    const { user_id } = fresh();
    const text = " خبر\u202e عن\u0000 نقاط ";
    await send(notice(user_id, "n1", { text, url: "/صلة?x=1" }));
    await send(notice(user_id, "n1", { text: "غيره" }));
    await send(
      notice(user_id, "n2", { url: "https://shop.example.com", text_en: "😀".repeat(500) }),
    );
    await send(notice(user_id, "n3", { url: null }));
    const created_at = Date.parse("2026-11-21T08:00:00.000Z");
    const kept = { text: "خبر", text_en: "News", created_at };
    expect(await noticesOf(user_id)).toEqual([
      { ...kept, id: "n1", text: "خبر عن نقاط", url: "/%D8%B5%D9%84%D8%A9?x=1" },
      { ...kept, id: "n2", text_en: "😀".repeat(500), url: "https://shop.example.com/" },
      { ...kept, id: "n3", url: null },
    ]);
  });

  test("notification.created keeps a user's newest 500, and deletes read marks of the others", async () => {
    const { user_id } = fresh();
    await env.DB.prepare(
      `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?2)
       INSERT INTO hub_notifications SELECT ?1, 'old-' || i, 'ن', 'n', NULL, i FROM numbers`,
    )
      .bind(user_id, HUB_NOTIFICATIONS_MAX)
      .run();
    await env.DB.prepare(
      `INSERT INTO notification_reads VALUES (?1, 'hub-old-1', 1), (?1, 'hub-old-2', 1), (?1, 'milestone-p-view-100', 1)`,
    )
      .bind(user_id)
      .run();
    expect((await send(notice(user_id, "new"))).status).toBe(200);
    const ids = (await noticesOf(user_id)).map(({ id }) => id);
    expect(ids).toHaveLength(HUB_NOTIFICATIONS_MAX);
    expect(ids).toContain("new");
    expect(ids).not.toContain("old-1");
    const { results } = await env.DB.prepare(
      "SELECT id FROM notification_reads WHERE user_id = ?1 ORDER BY id",
    )
      .bind(user_id)
      .all();
    expect(results).toEqual([{ id: "hub-old-2" }, { id: "milestone-p-view-100" }]);
  });

  test("user.deleted ends the sessions, deletes the notifications, and hides the pages of that user only", async () => {
    const { user_id } = fresh();
    const page = await freshPage({ owner_id: user_id });
    const other = await freshPage({ owner_id: `${user_id}x` });
    await send(notice(user_id));
    await markRead(env.DB, user_id, "all", 1);
    await send(notice(`${user_id}x`));
    expect((await send({ type: "user.deleted", data: { user_id } })).status).toBe(200);
    expect(await changedAt(user_id)).toBeGreaterThan(0);
    expect(await noticesOf(user_id)).toEqual([]);
    expect(await noticesOf(`${user_id}x`)).toHaveLength(1);
    const reads = env.DB.prepare("SELECT COUNT(*) AS n FROM notification_reads WHERE user_id = ?1");
    expect(await reads.bind(user_id).first("n")).toBe(0);
    expect((await call(`/${page.slug}`)).status).toBe(404);
    expect(await lifeOf(page.page_id)).toMatchObject({
      status: "published",
      undo_ms: UNDO_MINUTES * 60_000,
      saves: [["created"], ["deleted"]],
    });
    expect(await lifeOf(other.page_id)).toMatchObject({ undo_ms: null, saves: [["created"]] });
  });

  test("F21: takes effect everywhere though D1's reply is lost, and when it is sent again", async () => {
    const { user_id } = fresh();
    const { page_id } = await freshPage({ owner_id: user_id });
    expect((await beacon({ page_id })).status).toBe(202);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const d1 = breakD1("after");
    expect((await send({ type: "user.deleted", data: { user_id } })).status).toBe(200);
    d1.mend();
    await eventually(async () => expect((await beacon({ page_id })).status).toBe(404));
  });

  test("page.reinstated gives a page the status that it had before, with all edits in between", async () => {
    const { user_id } = fresh();
    const { page_id } = await freshPage({ owner_id: user_id, status: "draft" });
    await send(ofPage("page.suspended", user_id, page_id));
    const page = await findPage(env.DB, user_id, page_id);
    if (page === null) throw new Error("no such page");
    const bio = { ar: "سطر جديد" };
    const document = { ...documentOf(page), bio };
    await savePage(env.DB, page, { document }, { what: ["bio"] }, Date.now());
    expect(await lifeOf(page_id)).toMatchObject({ status: "suspended" });
    await send(ofPage("page.reinstated", user_id, page_id));
    expect(await findPage(env.DB, user_id, page_id)).toMatchObject({ status: "draft", bio });
  });

  test("page.suspended holds through a deletion that is undone", async () => {
    const { user_id } = fresh();
    const { page_id } = await freshPage({ owner_id: user_id, ends_at: Date.now() + 60_000 });
    await send(ofPage("page.suspended", user_id, page_id));
    expect(await lifeOf(page_id)).toMatchObject({ status: "suspended" });
  });

  test("page.suspended and page.reinstated change nothing the second time", async () => {
    const { user_id, id } = fresh();
    const { page_id } = await freshPage({ owner_id: user_id });
    const suspended = ofPage("page.suspended", user_id, page_id);
    await send(ofPage("page.reinstated", user_id, page_id));
    expect(await lifeOf(page_id)).toMatchObject({ version: 1, status: "published" });
    for (const sent of [{ id }, { id }, {}]) {
      expect((await send(suspended, sent)).status).toBe(200);
      expect(await lifeOf(page_id)).toMatchObject({ version: 2, status: "suspended" });
    }
    await send(ofPage("page.reinstated", user_id, page_id));
    // The hub sends an old event again.
    expect((await send(suspended, { id })).status).toBe(200);
    expect(await lifeOf(page_id)).toMatchObject({
      version: 3,
      status: "published",
      saves: [["created"], ["suspended"], ["reinstated"]],
    });
  });

  test("S22: page.suspended of another's page, or of none, is 200 and changes nothing", async () => {
    const { user_id } = fresh();
    const { page_id } = await freshPage({ owner_id: `${user_id}x` });
    const nobodys = await freshPage();
    for (const id of [page_id, nobodys.page_id, `${user_id}-none`]) {
      expect((await send(ofPage("page.suspended", user_id, id))).status).toBe(200);
      const noted = env.DB.prepare("SELECT 1 FROM page_changes WHERE page_id = ?1").bind(id);
      expect(await noted.first()).toBeNull();
    }
    expect(await lifeOf(page_id)).toMatchObject({ version: 1, status: "published" });
    expect(await lifeOf(nobodys.page_id)).toMatchObject({ version: 1, status: "published" });
  });
});
