/**
 * A restore, from pages of every kind to the objects' counts (docs/faults.md F31): D1 is emptied after the
 * night's backup, and everything is compared as sets, and what was written after the backup with the report.
 */
import { applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { endsForGood } from "../../../src/accounts/ended-pages.ts";
import { rememberEndedUser } from "../../../src/accounts/ended-users.ts";
import { compareMedia } from "../../../src/backup/media-rows.ts";
import { signCall } from "../../../src/backup/restore-call.ts";
import { restoreRows } from "../../../src/backup/restore-rows.ts";
import { BACKED_TABLES } from "../../../src/backup/tables.ts";
import { runCron } from "../../../src/cron.ts";
import worker from "../../../src/index.ts";
import { deliverPageChanges } from "../../../src/pages/page-changes.ts";
import { randomSecret, secretOf } from "../../secret.ts";
import { creator } from "../../workers/authoring-kit.ts";
import {
  BACKUP_KEY,
  backUp,
  callsOf,
  deployment,
  restoreOf,
  rowsOf,
  wipe,
} from "../../workers/backup-kit.ts";
import { emptyDatabase } from "../../workers/empty-database.ts";
import { bytesOf, follow, offer, upload, uses, visit } from "../../workers/files-kit.ts";
import {
  beacon,
  call,
  errorOf,
  eventually,
  freshAddress,
  freshPage,
  ORIGIN,
  pageObject,
  recordAll,
  sums,
} from "../../workers/kit.ts";
import {
  confirmed,
  lastMailTo,
  linkOf,
  listOf,
  newsletterPage,
} from "../../workers/newsletter-kit.ts";
import { event, exported, fullPage, imported, statsOf } from "../../workers/transfer-kit.ts";

const BACKED = BACKED_TABLES.map(({ name }) => name);

function subscribersOf(page_id: string) {
  return env.SUBSCRIBERS.getByName(page_id);
}

/** Storage that is lost: the object begins anew. */
async function lose(page_id: string): Promise<void> {
  await runInDurableObject(subscribersOf(page_id), (_, { storage }) => storage.deleteAll());
  await evictDurableObject(subscribersOf(page_id));
}

async function tipPage(me: Awaited<ReturnType<typeof creator>>) {
  const links = [{ kind: "tip", label: { ar: "إكرامية" }, block: { amounts: [5] } }];
  return me.make({ status: "published", links });
}

async function sendTip(page_id: string, n: number): Promise<void> {
  const tipper = await creator("demo-pro");
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const sent = await tipper.send("POST", "/api/tip", { page_id, points: 5 }, key);
  expect(sent.status).toBe(201);
  await eventually(async () => expect((await pageObject(page_id).memory()).tips).toBe(n));
  await pageObject(page_id).flush();
}

async function receive(type: string, data: object): Promise<void> {
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ type, timestamp, data });
  const id = crypto.randomUUID();
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
    "webhook-signature": new Webhook(env.HUB_WEBHOOK_SECRET).sign(id, new Date(), body),
  };
  const response = await call("/api/webhooks/hub", { method: "POST", body, headers });
  expect(response.status).toBe(200);
}

/** Pages of every kind, with all that belongs to them in D1 and objects. */
async function seed() {
  const me = await creator();
  const full = await fullPage(me);
  const renamed = await me.patch(await me.make({ status: "published" }), { slug: me.slug() });
  const draft = await me.make({ links: [{ label: { ar: "أ" }, url: "https://a.example/" }] });
  const removing = await me.remove(await me.make({ status: "published" }));
  await recordAll(full.page_id, [
    event(),
    event(),
    event({ link_id: full.links[0]?.link_id ?? "" }),
  ]);
  await pageObject(full.page_id).flush();
  const copy = (await imported(me, "application/zip", await exported(me, full.page_id))).page;
  const news = await newsletterPage();
  const readers = [await confirmed(news), await confirmed(news), await confirmed(news)];
  const tips = await tipPage(me);
  await sendTip(tips.page_id, 1);
  const { file_id } = await upload(me, bytesOf(10));
  const offered = await offer(me, file_id);
  await visit(await follow(offered.path)).then((response) => response.arrayBuffer());
  await uses(offered.page.page_id).flush();
  await receive("notification.created", {
    ...{ user_id: "demo-business", id: crypto.randomUUID(), text: "خبر", text_en: "News" },
    ...{ url: "/", created_at: new Date().toISOString() },
  });
  await me.send("POST", "/api/me/notifications/read", { ids: ["hub-n1"] });
  const doomed = await me.make({ status: "published" });
  const orphan = await freshPage({ owner_id: `user-${crypto.randomUUID()}` });
  await recordAll(orphan.page_id, [event()]);
  await deliverPageChanges(env, Date.now());
  await eventually(async () => {
    expect((await pageObject(offered.page.page_id).totals())[0]?.accepted).toBe(1);
  });
  const { results } = await env.DB.prepare("SELECT page_id FROM pages").all<{ page_id: string }>();
  for (const { page_id } of results) await pageObject(page_id).flush();
  return { me, full, renamed, draft, removing, copy, news, readers, tips, file_id, doomed, orphan };
}

/** The rows of D1 by table, without those of these pages. */
async function rowsWithout(page_ids: readonly string[]): Promise<Record<string, string[]>> {
  const rows = await rowsOf(env.DB, BACKED);
  return Object.fromEntries(
    Object.entries(rows).map(([table, texts]) => [
      table,
      texts.filter((text) => !page_ids.some((page_id) => text.includes(page_id))),
    ]),
  );
}

describe("a database that is a new one with nothing but migrations", () => {
  const date = "2031-01-01";
  let made: Awaited<ReturnType<typeof seed>>;
  let before: Record<string, string[]>;
  let report: Awaited<ReturnType<typeof restoreOf>>;
  let late: Awaited<ReturnType<Awaited<ReturnType<typeof creator>>["make"]>>;

  beforeAll(async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    made = await seed();
    const { me, full, news, readers, tips, doomed, orphan } = made;
    await backUp(date);
    before = await rowsWithout([doomed.page_id, orphan.page_id]);

    // After the backup: an edit, events, a tip, subscribers who come and go, a page that ends, a new one, and a user
    // whom the hub deletes.
    await me.patch(full, { name: { ar: "ليان الجديدة" } });
    await deliverPageChanges(env, Date.now());
    await recordAll(full.page_id, [event(), event()]);
    await pageObject(full.page_id).flush();
    await sendTip(tips.page_id, 2);
    readers.push(await confirmed(news));
    const [leaving = ""] = readers;
    const welcome = await lastMailTo(leaving);
    await call(linkOf(welcome, "unsubscribe"), { method: "POST" });
    await eventually(async () => {
      const { subscribers } = await pageObject(news.page_id).memory();
      expect(subscribers).toMatchObject({ n: 3, version: 5 });
    });
    await endsForGood(env, doomed.page_id, Date.now());
    await receive("user.deleted", { user_id: orphan.owner_id });
    late = await me.make({ status: "published" });
    await call(`/api/me/pages/${late.page_id}/pictures`, {
      ...{ method: "PUT", headers: me.headers },
      body: (await import("../../workers/picture-samples.ts")).sample("png"),
    });

    // The tests below lose the rows alone.
    await emptyDatabase(env.DB);
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
    // It is killed once, and begun again.
    let calls = 0;
    const dying: typeof real = async (step) => {
      calls += 1;
      if (calls > 30) throw new Error("killed");
      return real(step);
    };
    const real = callsOf();
    await expect(restoreOf(date, dying)).rejects.toThrow("killed");
    report = await restoreOf(date, real);
  });

  test("F31: D1 has all that the backup had, but pages that have ended since", async () => {
    const { full, news, tips, doomed, orphan } = made;
    const after = await rowsWithout([doomed.page_id, orphan.page_id]);
    // What objects have counted since is there too.
    for (const table of ["tallies", "days", "tips", "milestones"]) {
      const changed = [full.page_id, tips.page_id, news.page_id];
      const others = (rows: string[] = []) =>
        rows
          .filter(
            (text) =>
              text.includes('"shard":-2') || !changed.some((page_id) => text.includes(page_id)),
          )
          // When the object sent it.
          .map((text) =>
            text.includes('"shard":0') ? text.replace(/"updated_at":\d+/, "") : text,
          );
      expect(others(after[table]), table).toEqual(others(before[table]));
      delete after[table];
    }
    // The hub deleted them after the backup.
    expect(after.deleted_users?.join()).toContain(orphan.owner_id);
    delete after.deleted_users;
    const { tallies, days, tips: received, milestones, deleted_users, ...rows } = before;
    // The trigger on pages resets what pages use; no picture lost its row.
    expect(after).toEqual(rows);
    for (const { page_id } of [doomed, orphan]) {
      const found = await rowsOf(env.DB, ["pages", "revisions", "removed_links", "tallies"]);
      expect(JSON.stringify(found)).not.toContain(page_id);
    }
  });

  test("F31: the objects bring every count back, also of after the backup", async () => {
    const { me, full, copy, tips } = made;
    expect(await sums(full.page_id)).toMatchObject({ accepted: 11 });
    // Imported history has no object.
    expect(before.tallies?.join()).toContain(copy.page_id);
    // With 40 views and 12 clicks of an earlier time, which no object has.
    expect((await statsOf(me, full.page_id)).totals).toMatchObject({ views: 46, clicks: 16 });
    const { results } = await env.DB.prepare("SELECT seq FROM tips WHERE page_id = ?1 ORDER BY seq")
      .bind(tips.page_id)
      .all();
    expect(results).toEqual([{ seq: 1 }, { seq: 2 }]);
  });

  test("F31: what was written after the backup, and nothing else, is listed", () => {
    const { full, news, tips, doomed, orphan } = made;
    const of = (page_ids: readonly string[]) => [...page_ids].sort();
    expect(report.pages_older).toEqual([
      { page_id: full.page_id, backup: full.version, now: full.version + 1 },
    ]);
    expect(report.pages_ended).toEqual(of([doomed.page_id, orphan.page_id]));
    expect(report.tips_newer).toEqual([{ page_id: tips.page_id, backup: 1, now: 2 }]);
    expect(report.subscribers_newer).toEqual([{ page_id: news.page_id, backup: 3, now: 5 }]);
    expect(report.pages_unknown).toContain(late.page_id);
    expect(report.pictures_without_row).toContainEqual(expect.stringContaining(late.page_id));
    expect(report).toMatchObject({
      ...{ pages_renamed: [], subscribers_left: [], pictures_lost: [], files_lost: [] },
    });
  });

  test("F31: subscribers are as they were when D1 was lost: nobody who left is back", async () => {
    const { news, readers } = made;
    const { subscribers } = await listOf(news);
    expect(subscribers.map(({ email }) => email).sort()).toEqual(readers.slice(1).sort());
  });

  test("F31: what was restored can be edited, and an ended page stays away", async () => {
    const { me, full, renamed, removing, doomed } = made;
    const now = await me.send("GET", `/api/me/pages/${full.page_id}`);
    const { page } = await now.json<{ page: typeof full }>();
    expect(page).toMatchObject({ version: full.version, name: { ar: "ليان" } });
    expect((await me.patch(page, { name: { ar: "مرة أخرى" } })).version).toBe(full.version + 1);
    expect((await call(`/${renamed.slug}`)).status).toBe(200);
    const undone = await me.send("POST", `/api/me/pages/${removing.page_id}/undelete`);
    expect([200, 404, 405]).toContain(undone.status);
    await runCron(env, Date.UTC(2031, 0, 1, 12, 1));
    expect((await me.send("GET", `/api/me/pages/${doomed.page_id}`)).status).toBe(404);
    expect((await beacon({ page_id: doomed.page_id })).status).not.toBe(202);
  });

  test("F31: a second restore changes nothing", async () => {
    const rows = await rowsOf(env.DB, BACKED);
    expect((await restoreOf(date)).written).toBe(0);
    expect(await rowsOf(env.DB, BACKED)).toEqual(rows);
  });
});

describe("subscribers", () => {
  test("F31: a list that its object lost is taken back, in parts, with the links of old mails", async () => {
    const news = await newsletterPage();
    const readers = [await confirmed(news), await confirmed(news)];
    const [leaving = ""] = readers;
    const welcome = await lastMailTo(leaving);
    await backUp("2031-02-01");
    await lose(news.page_id);
    expect((await listOf(news)).total).toBe(0);
    // One has signed up again, and is not there twice.
    readers.push(await confirmed(news));
    await restoreOf("2031-02-01");
    const emails = (await listOf(news)).subscribers.map(({ email }) => email);
    expect(emails.sort()).toEqual(readers.toSorted());
    expect(await lastMailTo(leaving)).toEqual(welcome);
    await call(linkOf(welcome, "unsubscribe"), { method: "POST" });
    expect((await listOf(news)).total).toBe(2);
    await restoreOf("2031-02-01");
    expect((await listOf(news)).total).toBe(2);
  });

  test("F31: a lost list that somebody has left since takes nothing back", async () => {
    const news = await newsletterPage();
    await confirmed(news);
    await confirmed(news);
    await backUp("2031-02-02");
    await lose(news.page_id);
    const email = await confirmed(news);
    const { subscribers } = await listOf(news);
    await news.owner.send("DELETE", `${news.path}/${subscribers[0]?.id}`);
    const report = await restoreOf("2031-02-02");
    expect(report.subscribers_left).toEqual([news.page_id]);
    expect((await listOf(news)).total).toBe(0);
    expect(email).toContain("@");
  });

  test("F31: a part that is repeated, and one that comes late, bring nobody back", async () => {
    const page_id = `news-${crypto.randomUUID()}`;
    const subscriber = (n: number) => ({
      ...{ id: `id-${n}`, email: `A${n}@example.com`, address: `a${n}@example.com` },
      ...{ link_id: "block", locale: "ar" as const, site: ORIGIN, page_name: "" },
      class: "human" as const,
      ...{ origin: null, asked_at: 1, confirmed_at: 2, welcomed_at: 3, tokens: [`hash-${n}`] },
    });
    const part = (from: number, is_last: boolean) => ({
      ...{ list: "list", version: 9, is_last },
      subscribers: [subscriber(from), subscriber(from + 1)],
    });
    const list = subscribersOf(page_id);
    expect(await list.restore(part(1, false))).toEqual({ result: "taken", taken: 2 });
    await list.remove("id-1");
    expect(await list.restore(part(1, false))).toEqual({ result: "taken", taken: 0 });
    expect(await list.restore(part(3, true))).toEqual({ result: "taken", taken: 2 });
    await list.remove("id-3");
    for (const again of [part(1, false), part(3, true)]) {
      expect(await list.restore(again)).toEqual({ result: "current", taken: 0 });
    }
    const { version, subscribers } = await list.readForBackup("", 500);
    expect(subscribers.map(({ id }) => id)).toEqual(["id-2", "id-4"]);
    expect(version).toBeGreaterThan(9);
    expect(await list.readForBackup("id-2", 500)).toMatchObject({ subscribers: [{ id: "id-4" }] });
  });
});

describe("conflicts", () => {
  test("F31: a file whose content was deleted since is listed, and ends", async () => {
    const me = await creator();
    const kept = await upload(me, bytesOf(10));
    const lost = await upload(me, bytesOf(10));
    await backUp("2031-02-28");
    await wipe(env.DB);
    await env.MEDIA.delete(`files/${lost.file_id}`);
    const later = `files/${crypto.randomUUID()}`;
    await env.MEDIA.put(later, "");
    const report = await restoreOf("2031-02-28");
    expect(report.files_lost).toEqual([`files/${lost.file_id}`]);
    expect(report.files_without_row).toContain(later);
    expect(report.files_without_row).not.toContain(`files/${kept.file_id}`);
    const { results } = await env.DB.prepare(
      "SELECT file_id, state FROM files WHERE file_id IN (?1, ?2) ORDER BY state",
    )
      .bind(kept.file_id, lost.file_id)
      .all();
    expect(results).toEqual([
      { file_id: lost.file_id, state: "ended" },
      { file_id: kept.file_id, state: "ready" },
    ]);
  });

  test("F31: a page that was saved later stays; one whose slug was taken gets a new one", async () => {
    const me = await creator();
    const kept = await me.make({ status: "published" });
    const lost = await me.make({ status: "published" });
    await backUp("2031-03-01");
    const newer = await me.patch(kept, { name: { ar: "أحدث" } });
    await deliverPageChanges(env, Date.now());
    await recordAll(kept.page_id, [event()]);
    expect((await pageObject(kept.page_id).memory()).version).toBe(newer.version);
    await env.DB.batch(
      ["pages", "revisions"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(lost.page_id),
      ),
    );
    await env.DB.prepare("DELETE FROM former_slugs WHERE slug = ?1").bind(lost.slug).run();
    const taker = await me.make({ status: "published", slug: lost.slug });
    const report = await restoreOf("2031-03-01");
    const [renamed] = report.pages_renamed;
    expect(report.pages_renamed).toEqual([
      {
        page_id: lost.page_id,
        was: lost.slug,
        slug: expect.stringMatching(/^restored-[0-9a-f]{16}$/),
      },
    ]);
    expect(report.pages_older).toEqual([]);
    expect((await call(`/${renamed?.slug}`)).status).toBe(200);
    // As where the answer was lost, or the command killed.
    const again = await restoreOf("2031-03-01");
    expect(again).toMatchObject({ written: 0, pages_renamed: report.pages_renamed });
    const read = async (page_id: string) =>
      (await me.send("GET", `/api/me/pages/${page_id}`)).json<{ page: typeof kept }>();
    expect((await read(kept.page_id)).page).toMatchObject({
      version: newer.version,
      name: { ar: "أحدث" },
    });
    expect((await read(taker.page_id)).page.slug).toBe(lost.slug);
  });

  test("F31: a takedown after the backup is listed, because the page is back as it was before", async () => {
    const me = await creator();
    const page = await me.make({ status: "published" });
    await recordAll(page.page_id, [event()]);
    await backUp("2031-03-05");
    await receive("page.suspended", { user_id: "demo-business", page_id: page.page_id });
    await deliverPageChanges(env, Date.now());
    await wipe(env.DB);
    await evictDurableObject(pageObject(page.page_id));
    const { page_id, version } = page;
    const { pages_older } = await restoreOf("2031-03-05", callsOf(), { dry_run: true });
    expect(pages_older).toEqual([{ page_id, backup: version, now: version + 1 }]);
  });

  test("F31: a restore of which every answer is lost once is as whole as another", async () => {
    const news = await newsletterPage();
    const readers = [await confirmed(news), await confirmed(news)];
    const me = await creator();
    const taken = await me.make({ status: "published" });
    await backUp("2031-03-06");
    const before = await rowsOf(env.DB, BACKED);
    await wipe(env.DB);
    await lose(news.page_id);
    await me.make({ status: "published", slug: taken.slug });
    const call = callsOf();
    const report = await restoreOf("2031-03-06", async (step) => {
      await call(step);
      return call(step);
    });
    expect(report.pages_renamed).toMatchObject([{ page_id: taken.page_id, was: taken.slug }]);
    const after = await rowsOf(env.DB, BACKED);
    for (const table of ["revisions", "removed_links", "newsletters", "pictures"]) {
      expect(after[table], table).toEqual(expect.arrayContaining(before[table] ?? []));
    }
    const emails = (await listOf(news)).subscribers.map(({ email }) => email);
    expect(emails.sort()).toEqual(readers.toSorted());
  });

  test("F31: rows of an older release get the defaults of columns that were added since", async () => {
    const { page_id, slug } = await freshPage();
    const pages = BACKED_TABLES.find(({ name }) => name === "pages");
    if (pages === undefined) throw new Error("no table of pages");
    const [row = {}] = (
      await env.DB.prepare(`SELECT ${pages.columns} FROM pages WHERE page_id = ?1`)
        .bind(page_id)
        .all<Record<string, string | number | null>>()
    ).results;
    await wipe(env.DB);
    const { source: _, published_at: __, ...older } = row;
    await env.DB.batch(restoreRows(env.DB, pages, [older]));
    expect(await env.DB.prepare("SELECT slug, source, published_at FROM pages").first()).toEqual({
      ...{ slug, source: null, published_at: null },
    });
  });

  test("F31: a file that is uploaded while a restore compares the bucket with D1 does not end", async () => {
    const me = await creator();
    const uploads: string[] = [];
    const MEDIA = new Proxy(env.MEDIA, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "list") return typeof value === "function" ? value.bind(target) : value;
        return async (options: R2ListOptions) => {
          const list = await target.list(options);
          uploads.push((await upload(me, bytesOf(10))).file_id);
          return list;
        };
      },
    });
    const found = await compareMedia({ DB: env.DB, MEDIA }, "files", "");
    for (const file_id of uploads) {
      expect(found.without_content).not.toContain(`files/${file_id}`);
      const file = await env.DB.prepare("SELECT state FROM files WHERE file_id = ?1")
        .bind(file_id)
        .first();
      expect(file).toEqual({ state: "ready" });
    }
    expect(uploads).toHaveLength(1);
  });

  test("F31: what an operator did comes back although the hub has deleted the operator", async () => {
    const action_id = crypto.randomUUID();
    const user_id = `user-${action_id}`;
    await env.DB.prepare("INSERT INTO operator_actions VALUES (?1, ?2, 'takedown', 'p', 'why', 0)")
      .bind(action_id, user_id)
      .run();
    await backUp("2031-03-03");
    await rememberEndedUser(env.KV, user_id);
    await wipe(env.DB);
    await restoreOf("2031-03-03");
    const actions = await rowsOf(env.DB, ["operator_actions"]);
    expect(actions.operator_actions).toContainEqual(expect.stringContaining(action_id));
  });

  test("F31: a page whose object does not answer is listed, and the others are healed", async () => {
    const me = await creator();
    const [dead, well] = [await me.make(), await me.make()];
    await backUp("2031-03-04");
    await wipe(env.DB);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const PAGE = new Proxy(env.PAGE, {
      get(target, name) {
        if (name !== "getByName") return Reflect.get(target, name);
        return (page_id: string) => {
          const page = target.getByName(page_id);
          if (page_id !== dead.page_id) return page;
          const sweep = () => Promise.reject(new Error("no answer"));
          return { memory: () => page.memory(), statsNames: () => page.statsNames(), sweep };
        };
      },
    });
    const report = await restoreOf("2031-03-04", callsOf(deployment({ PAGE })));
    expect(report.pages_unhealed).toEqual([dead.page_id]);
    expect(report.pages_unhealed).not.toContain(well.page_id);
  });

  test("F31: a revision that is newer than its page is left out, so the page can be saved", async () => {
    const me = await creator();
    const page = await me.make();
    await env.DB.prepare(
      `INSERT INTO revisions SELECT page_id, 2, saved_at, what, slug, status, bytes, document
       FROM revisions WHERE page_id = ?1`,
    )
      .bind(page.page_id)
      .run();
    await backUp("2031-03-09");
    await wipe(env.DB);
    await restoreOf("2031-03-09");
    expect((await me.patch(page, { name: { ar: "ب" } })).version).toBe(2);
  });
});

describe("the route", () => {
  const list = JSON.stringify({ step: "list" });

  async function ask(
    header: string | null,
    body = list,
    service = deployment(),
  ): Promise<Response> {
    const headers = new Headers({ "CF-Connecting-IP": freshAddress() });
    if (header !== null) headers.set("X-Sila-Restore", header);
    const request = new Request(`${ORIGIN}/api/restore`, { method: "POST", headers, body });
    const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
    return worker.fetch(request, service, context as unknown as ExecutionContext);
  }

  test("S31: it does not exist without a key, a signature of this body, or at another time", async () => {
    const key = secretOf(BACKUP_KEY);
    const now = Date.now();
    expect((await ask(signCall(key, list, now))).status).toBe(200);
    const refused = await Promise.all([
      ask(null),
      ask("1.2"),
      ask(signCall(key, `${list} `, now)),
      ask(signCall(key, list, now - 301_000)),
      ask(signCall(key, list, now + 301_000)),
      ask(signCall(secretOf(randomSecret()), list, now)),
      ask(signCall(key, list, now), list, deployment({ BACKUP_KEY: "" })),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
  });

  test("a call that is no step, and a backup that is none, are refused with the reason", async () => {
    const key = secretOf(BACKUP_KEY);
    for (const [body, reason] of [
      ['{"step":"drop"}', null],
      ['{"step":"manifest","date":"2040-01-01"}', "there is no complete backup of 2040-01-01"],
    ] as const) {
      const response = await ask(signCall(key, body, Date.now()), body);
      expect(response.status).toBe(400);
      const { details } = await errorOf(response);
      if (reason !== null) expect(details.reason).toBe(reason);
    }
  });
});
