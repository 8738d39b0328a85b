/**
 * Deletions and a D1 that is restored to a time before (docs/faults.md F25): what was asked for last holds after the
 * next run of the cron.
 */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { deleteOldNotes, noteUserEnd, readAsked } from "../../../src/accounts/page-notes.ts";
import { runCron } from "../../../src/cron.ts";
import { UNDO_MINUTES } from "../../../src/pages/document/limits.ts";
import { creator, type PageJson, pageOf, pathOf } from "../authoring/authoring-kit.ts";
import { breakD1, stopClock } from "../kit/faults.ts";
import { hubSays } from "../kit/hub-kit.ts";
import { call, eventually, expectErrors, freshPage, pageObject } from "../kit/kit.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Not on the hour, when the cron has more to do. */
const CRON_AT = Date.UTC(2026, 0, 1, 0, 1);
const RESTORED = ["pages", "revisions", "deleted_users", "page_changes"];

/** D1 as it is now; answers a function that restores it to that. */
async function pointOfD1(): Promise<(runs_back?: number) => Promise<void>> {
  const kept = await Promise.all(
    RESTORED.map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()),
  );
  return async (runs_back = 2) => {
    const generated = new Set(["locale", "name", "time_zone"]);
    const rows = kept.flatMap(({ results }, i) =>
      results.map((row) => {
        const columns = Object.keys(row).filter((name) => !generated.has(name));
        return env.DB.prepare(
          `INSERT INTO ${RESTORED[i]} (${columns.join()})
           VALUES (${columns.map((_, at) => `?${at + 1}`).join()})`,
        ).bind(...columns.map((name) => row[name]));
      }),
    );
    await env.DB.batch([
      ...RESTORED.map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
      ...rows,
      env.DB.prepare("UPDATE cron_runs SET n = max(0, n - ?1)").bind(runs_back),
    ]);
  };
}

/** A run that may purge at once. */
async function cronRun(): Promise<void> {
  await env.DB.prepare("UPDATE purge_turns SET tokens = 25, taken_at = 0").run();
  await env.DB.prepare("DELETE FROM page_purges").run();
  await runCron(env, CRON_AT);
}

/** In the background, and after the second for which this isolate caches a page. */
function shows({ slug }: Pick<PageJson, "slug">, status: number): Promise<void> {
  return eventually(async () => expect((await call(`/${slug}`)).status).toBe(status));
}

async function publishedPage() {
  const me = await creator();
  return { me, page: await me.make({ status: "published" }) };
}

const undelete = async ({ me, page }: Awaited<ReturnType<typeof publishedPage>>) =>
  me.send("POST", `${pathOf(page)}/undelete`);
const endOf = ({ page_id }: PageJson) =>
  env.DB.prepare("SELECT ends_at FROM pages WHERE page_id = ?1").bind(page_id).first("ends_at");

describe("F25: a D1 that is restored to a time before", () => {
  test.each([
    ["to another minute", 2],
    ["within the minute, which no count of cron runs tells", 0],
  ])("the deletion of a page, %s, has it deleted again, and the log says so", async (_, back) => {
    const { me, page } = await publishedPage();
    await cronRun();
    const restore = await pointOfD1();
    const deleted = await me.remove(page);
    await restore(back);
    await shows(page, 200);
    const logged = expectErrors();
    await cronRun();
    expect(await endOf(page)).toBe(Date.parse(deleted.ends_at ?? ""));
    await shows(page, 404);
    expect(logged()).toContain("deletion_repeated");
    // Its owner can still undo it, and what the cron did is not done again.
    expect((await undelete({ me, page })).status).toBe(200);
    await cronRun();
    await shows(page, 200);
  });

  test("a deletion of half an hour ago, has the page ended as if D1 had kept it", async () => {
    expectErrors();
    const { me, page } = await publishedPage();
    const restore = await pointOfD1();
    const clock = stopClock();
    await me.remove(page);
    clock.advance((UNDO_MINUTES + 2) * MINUTE_MS);
    await restore();
    await cronRun();
    expect(await endOf(page)).toBeNull();
    expect((await me.send("GET", pathOf(page))).status).toBe(404);
    expect((await pageObject(page.page_id).memory()).ended).toBe(true);
  });

  test("the deletion of a page, and that is undone hours later, has the page ended", async () => {
    expectErrors();
    const { me, page } = await publishedPage();
    await cronRun();
    // The restore itself would change nothing here.
    const undo = await pointOfD1();
    const clock = stopClock();
    await me.remove(page);
    clock.advance(120 * MINUTE_MS);
    await undo(-100);
    await cronRun();
    expect(await endOf(page)).toBeNull();
    expect((await me.send("GET", pathOf(page))).status).toBe(404);
    expect((await pageObject(page.page_id).memory()).ended).toBe(true);
  });

  test.each([2, 0])(
    "the end of a user, has their pages deleted again, %i runs back",
    async (back) => {
      const owner_id = `user-${crypto.randomUUID()}`;
      const page = await freshPage({ owner_id });
      await cronRun();
      const restore = await pointOfD1();
      await hubSays("user.deleted", { user_id: owner_id });
      await restore(back);
      await shows(page, 200);
      const logged = expectErrors();
      await cronRun();
      await shows(page, 404);
      expect(logged()).toContain("deletion_repeated");
      const deleted = env.DB.prepare("SELECT count(*) AS n FROM deleted_users WHERE user_id = ?1");
      expect(await deleted.bind(owner_id).first("n")).toBe(1);
      logged().length = 0;
      await cronRun();
      expect(await deleted.bind(owner_id).first("n")).toBe(1);
    },
  );

  test("an undone deletion, leaves the page alone", async () => {
    const made = await publishedPage();
    const restore = await pointOfD1();
    await made.me.remove(made.page);
    expect((await undelete(made)).status).toBe(200);
    await restore();
    await cronRun();
    expect(await endOf(made.page)).toBeNull();
    await shows(made.page, 200);
  });

  test("the undo of a deletion, has the page back, also after its half hour", async () => {
    expectErrors();
    const made = await publishedPage();
    const clock = stopClock();
    await made.me.remove(made.page);
    const restore = await pointOfD1();
    expect((await undelete(made)).status).toBe(200);
    clock.advance((UNDO_MINUTES + 2) * MINUTE_MS);
    await restore();
    await cronRun();
    expect(await endOf(made.page)).toBeNull();
    expect((await made.me.send("GET", pathOf(made.page))).status).toBe(200);
  });

  test("the undo of a page whose owner the hub deleted then, has the page deleted", async () => {
    expectErrors();
    const made = await publishedPage();
    const user_id = `user-${crypto.randomUUID()}`;
    await made.me.remove(made.page);
    const restore = await pointOfD1();
    await undelete(made);
    await env.DB.prepare("UPDATE pages SET owner_id = ?1 WHERE page_id = ?2")
      .bind(user_id, made.page.page_id)
      .run();
    await hubSays("user.deleted", { user_id });
    await restore();
    await env.DB.prepare("UPDATE pages SET owner_id = ?1 WHERE page_id = ?2")
      .bind(user_id, made.page.page_id)
      .run();
    await cronRun();
    expect(await endOf(made.page)).not.toBeNull();
  });

  test("a page that was made and deleted since, has neither", async () => {
    const restore = await pointOfD1();
    const { me, page } = await publishedPage();
    await me.remove(page);
    await restore();
    await cronRun();
    expect((await me.send("GET", pathOf(page))).status).toBe(404);
  });

  test("a deletion that was refused because of another save, leaves the page alone", async () => {
    const { me, page } = await publishedPage();
    const restore = await pointOfD1();
    const real = env.MEDIA.put;
    // The other save comes between the note and the deletion.
    vi.spyOn(Object.getPrototypeOf(env.MEDIA), "put").mockImplementationOnce(async function (
      this: R2Bucket,
      key,
      value,
    ) {
      const put = await real.call(this, key as string, value as string);
      await me.patch(page, { bio: { ar: "جديد" } });
      return put;
    });
    const refused = await me.send("DELETE", pathOf(page), undefined, {
      "If-Match": `"v${page.version}"`,
    });
    expect(refused.status).toBe(412);
    await cronRun();
    await restore();
    await cronRun();
    expect(await endOf(page)).toBeNull();
  });
});

describe("F25: a deletion", () => {
  test("that cannot be noted outside of D1 is 503, and changes nothing", async () => {
    const { me, page } = await publishedPage();
    const owner_id = `user-${crypto.randomUUID()}`;
    const other = await freshPage({ owner_id });
    expectErrors();
    vi.spyOn(Object.getPrototypeOf(env.MEDIA), "put").mockRejectedValue(new Error("R2 refuses"));
    const refused = await me.send("DELETE", pathOf(page), undefined, { "If-Match": "*" });
    expect(refused.status).toBe(503);
    await expect(hubSays("user.deleted", { user_id: owner_id })).rejects.toThrow();
    await shows(page, 200);
    await shows(other, 200);
  });

  test("that is noted and that D1 does not take is made by the next run of the cron", async () => {
    const { me, page } = await publishedPage();
    expectErrors();
    const d1 = breakD1("before");
    const failed = await me.send("DELETE", pathOf(page), undefined, { "If-Match": "*" });
    d1.mend();
    expect(failed.status).toBe(503);
    await cronRun();
    await shows(page, 404);
    const again = await me.send("DELETE", pathOf(page), undefined, { "If-Match": "*" });
    expect([again.status, (await pageOf(again)).version]).toEqual([202, page.version + 1]);
  });
});

test("a note is kept for 35 days, longer than D1 can be restored", async () => {
  const now = Date.now();
  for (const days of [36, 34]) await noteUserEnd(env.MEDIA, `u/${days}`, now - days * DAY_MS);
  await deleteOldNotes(env.MEDIA, now);
  const { user_ids } = await readAsked(env.MEDIA, 0);
  expect([user_ids.has("u/36"), user_ids.has("u/34")]).toEqual([false, true]);
});
