/**
 * A D1 that is restored to a time before is noticed by the next run of the cron, which keeps what D1 lacks
 * (docs/faults.md F20).
 */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { endsForGood } from "../../../src/accounts/ended-pages.ts";
import { runCron } from "../../../src/cron.ts";
import { askWhatD1Lacks, noticeRestored, readWentBack } from "../../../src/operate/lacking.ts";
import { EMPTY_DOCUMENT } from "../../plain-page.ts";
import { creator, type PageJson } from "../authoring/authoring-kit.ts";
import { confirmed, newsletterPage } from "../blocks/newsletter-kit.ts";
import { call, count, eventually, expectErrors, freshPage, pageObject } from "../kit/kit.ts";

/** Not on the hour, when the cron has more to do. */
const CRON_AT = Date.UTC(2026, 0, 1, 0, 1);
const cronRun = () => runCron(env, CRON_AT);

beforeEach(async () => {
  expectErrors();
  // Of other tests: what D1 lacks still, and pages that it has lost for good.
  const { objects } = await env.MEDIA.list();
  if (objects.length > 0) await env.MEDIA.delete(objects.map(({ key }) => key));
});

/** D1 forgets runs of the cron, as one that is restored does. */
const loseRuns = (n: number) =>
  env.DB.prepare("UPDATE cron_runs SET n = max(0, n - ?1)").bind(n).run();
const losePage = (page_id: string) =>
  env.DB.batch(
    ["pages", "revisions", "newsletters", "tallies", "days", "tips"].map((table) =>
      env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id),
    ),
  );
const loseSaves = (page_id: string, version: number) =>
  env.DB.prepare("UPDATE pages SET version = ?2 WHERE page_id = ?1").bind(page_id, version).run();

/** A page whose object has heard of each of its versions. */
async function savedPage(saves: number): Promise<PageJson> {
  const me = await creator();
  let page = await me.make({ status: "published" });
  for (let i = 0; i < saves; i += 1) page = await me.patch(page, { name: { ar: `ن${i}` } });
  await pageObject(page.page_id).changed();
  return page;
}

async function alerts() {
  const overview = await env.MONITOR.getByName("monitor").overview();
  return (overview?.alerts ?? []).filter(({ kind }) => kind === "restored");
}

/** What each slice has asked. */
async function askAll(): Promise<number[]> {
  const asked: number[] = [];
  for (let run = 0; run < 20 && !(await readWentBack(env))?.is_complete; run += 1) {
    asked.push(await askWhatD1Lacks(env));
  }
  return asked;
}

const lackingOf = async (page_id: string) =>
  (await readWentBack(env))?.pages.find((page) => page.page_id === page_id);

describe("F20: a D1 that is behind", () => {
  test("raises one alert, and what objects know is kept through the sweeps after it", async () => {
    await cronRun();
    const older = await savedPage(4);
    const unknown = await savedPage(0);
    await count(unknown.page_id, 30);
    await pageObject(unknown.page_id).flush();
    const news = await newsletterPage();
    await confirmed(news);
    await confirmed(news);
    await eventually(async () => {
      expect((await pageObject(news.page_id).memory()).subscribers.n).toBe(2);
    });
    const ended = await savedPage(0);
    await endsForGood(env, ended.page_id, Date.now());
    await cronRun();
    await cronRun();

    await loseSaves(older.page_id, 1);
    await losePage(unknown.page_id);
    await losePage(news.page_id);
    await loseRuns(2);
    for (let run = 0; run < 3; run += 1) await cronRun();

    expect(await alerts()).toMatchObject([{ value: 2, ended_at: null }]);
    const went_back = await readWentBack(env);
    expect(went_back).toMatchObject({ minutes_back: 2, is_complete: true, unanswered: 0, more: 0 });
    expect(await lackingOf(older.page_id)).toMatchObject({ kept: 1, version: 5 });
    expect(await lackingOf(unknown.page_id)).toMatchObject({ kept: 0, version: 1 });
    expect(await lackingOf(news.page_id)).toMatchObject({ kept: 0, subscribers: 2 });
    expect(await lackingOf(ended.page_id)).toBeUndefined();
    // What D1 has got since is lacking no more.
    await loseSaves(older.page_id, 5);
    expect(await lackingOf(older.page_id)).toBeUndefined();
  });

  test("lacks tips that its object has received, until that has sent them", async () => {
    const { page_id } = await freshPage();
    const from = { from_id: "someone", from_name: "س" };
    const tip = { ...from, points: 5, message: "", at: Date.now() };
    const id = crypto.randomUUID();
    await pageObject(page_id).convert([{ id, link_id: "tip", class: "human", origin: null, tip }]);
    await pageObject(page_id).flush();
    for (const table of ["tips", "tallies"]) {
      await env.DB.prepare(`DELETE FROM ${table} WHERE page_id = ?1`).bind(page_id).run();
    }
    await noticeRestored(env, 1, Date.now());
    await askAll();
    expect(await lackingOf(page_id)).toMatchObject({ version: 1, kept: 1, tips: 1 });
    await pageObject(page_id).sweep();
    await pageObject(page_id).flush();
    expect(await lackingOf(page_id)).toBeUndefined();
  });

  test("by no run of the cron is noticed by a page that was made, once", async () => {
    await cronRun();
    const page = await savedPage(0);
    await cronRun();
    expect(await readWentBack(env)).toBeNull();
    await losePage(page.page_id);
    await cronRun();
    const noticed_at = (await readWentBack(env))?.noticed_at ?? 0;
    expect(await lackingOf(page.page_id)).toMatchObject({ kept: 0, version: 1 });
    await cronRun();
    await cronRun();
    expect((await readWentBack(env))?.noticed_at).toBe(noticed_at);
  });

  test("is not seen where pages have ended, and where runs of the cron overlap", async () => {
    const page = await savedPage(0);
    await cronRun();
    await endsForGood(env, page.page_id, Date.now());
    await Promise.all([cronRun(), cronRun()]);
    await cronRun();
    expect(await readWentBack(env)).toBeNull();
  });

  test("is asked about in slices, of which each leaves the sweep its pages", async () => {
    await env.DB.prepare("DELETE FROM pages").run();
    await env.DB.prepare(
      `INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)
       SELECT printf('many-%03d', i), printf('many-%03d', i), 'draft', 1, '', ?1, 0, 0 FROM n`,
    )
      .bind(EMPTY_DOCUMENT)
      .run();
    await noticeRestored(env, 3, Date.now());
    expect(await askAll()).toEqual([100, 50]);
    expect(await askWhatD1Lacks(env)).toBe(0);
    await env.DB.prepare("DELETE FROM pages").run();
  });

  test("is noticed again by the next run where R2 fails", async () => {
    await cronRun();
    await cronRun();
    await cronRun();
    const page = await savedPage(1);
    await loseSaves(page.page_id, 1);
    await loseRuns(3);
    vi.spyOn(Object.getPrototypeOf(env.MEDIA), "put").mockRejectedValueOnce(
      new Error("R2 refuses"),
    );
    await cronRun();
    expect(await readWentBack(env)).toBeNull();
    for (let run = 0; run < 3; run += 1) await cronRun();
    expect(await lackingOf(page.page_id)).toMatchObject({ kept: 1, version: 2 });
  });
});

describe("the operators' page", () => {
  beforeEach(() => void Object.assign(env, { OPERATORS: "demo-pro" }));

  async function adminPage(lang: string): Promise<string> {
    const { headers } = await creator("demo-pro");
    const response = await call(`/admin?lang=${lang}`, { headers });
    expect(response.status).toBe(200);
    return response.text();
  }

  test("says what D1 lacks once it went back, and nothing before", async () => {
    expect(await adminPage("en")).not.toContain("since it went back");
    const older = await savedPage(4);
    const unknown = await savedPage(0);
    await loseSaves(older.page_id, 1);
    await losePage(unknown.page_id);
    await noticeRestored(env, 7, Date.now());
    expect(await adminPage("en")).toContain("further ones are being asked");
    await askAll();
    const html = await adminPage("en");
    for (const said of ["since it went back", "about 7 minutes", "all were asked"]) {
      expect(html).toContain(said);
    }
    const cells = `<td class="number">1 of 5</td><td class="number">0</td><td class="number">0</td>`;
    expect(html).toContain(`<bdi>${older.page_id}</bdi></a></td>${cells}`);
    expect(html).toContain(`<td><bdi>${unknown.page_id}</bdi></td><td class="number">no row</td>`);
    expect(await adminPage("ar")).toContain("صفحات ينقص منها شيء");
  });

  test("is there while R2 fails, and says that it does not know", async () => {
    vi.spyOn(Object.getPrototypeOf(env.MEDIA), "get").mockRejectedValue(new Error("R2 refuses"));
    expect(await adminPage("en")).toContain("could not be read now");
  });
});
