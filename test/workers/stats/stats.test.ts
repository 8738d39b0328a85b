/** A page's statistics for its owner (docs/contract.md section 8). */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { PageObject } from "../../../objects/page/page-object.ts";
import { STATS_REVISIONS_MAX } from "../../../src/stats/limits.ts";
import type { Stats } from "../../../src/stats/stats-shape.ts";
import { editLinkSql, type PlainPage, removeLinkSql } from "../../plain-page.ts";
import { signIn } from "../kit/hub-kit.ts";
import {
  beacon,
  call,
  errorOf,
  expectErrors,
  freshPage,
  pageObject,
  tallyRows,
} from "../kit/kit.ts";

const OWNER = "demo-pro";
const Cookie = await signIn(OWNER);

interface Answer extends Stats {
  ok: true;
}

function ask(page_id: string, query = "", what = "stats"): Promise<Response> {
  return call(`/api/me/pages/${page_id}/${what}${query}`, { headers: { Cookie } });
}

async function statsOf(page_id: string, query = ""): Promise<Answer> {
  const response = await ask(page_id, query);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

type Tally = [
  at: string,
  kind: "view" | "click",
  link_id: string,
  n: number,
  class_?: string,
  shard?: number,
];

interface Rows {
  tallies?: Tally[];
  days?: [day: string, visitors: number, breakdowns: object, shard?: number][];
  rolled_to?: string;
}

/** A page of OWNER's with these rows in D1; `shard` is 0 by default. */
async function pageWith(
  { tallies = [], days = [], rolled_to }: Rows,
  plain: Partial<PlainPage> = {},
) {
  const page = await freshPage({ owner_id: OWNER, ...plain });
  const second = (at: string) => Date.parse(at) / 1_000;
  const row = (sql: string, ...values: unknown[]) =>
    env.DB.prepare(`INSERT INTO ${sql}`).bind(page.page_id, ...values);
  await env.DB.batch([
    env.DB.prepare("SELECT 1"),
    ...tallies.map(([at, kind, link_id, n, class_ = "human", shard = 0]) =>
      row(
        "tallies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        second(at),
        kind,
        link_id,
        class_,
        shard,
        n,
      ),
    ),
    ...days.map(([day, visitors, breakdowns, shard = 0]) =>
      row(
        "days VALUES (?1, ?2, ?3, ?4, ?5, 1, 0)",
        second(day),
        shard,
        visitors,
        JSON.stringify(breakdowns),
      ),
    ),
    ...(rolled_to === undefined ? [] : [row("rolled_days VALUES (?1, 0, ?2)", second(rolled_to))]),
  ]);
  return page;
}

const SHOP = "https://shop.example/";
const VIDEO = "https://video.example/";
const MAIL = "mailto:layla@example.com";

const NOON = Date.parse("2026-11-20T12:30:00Z");
const atNoon = () => void vi.useFakeTimers({ toFake: ["Date"], now: NOON });

describe("the days of a creator", () => {
  beforeEach(atNoon);

  test("begin at midnight in their zone, or with the first whole hour of UTC after it", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-18T20:00:00Z", "view", "", 1],
        ["2026-11-18T21:00:00Z", "view", "", 10],
        ["2026-11-19T20:00:00Z", "view", "", 100],
        ["2026-11-19T21:00:00Z", "view", "", 1_000],
      ],
    });
    const riyadh = await statsOf(page_id, "?from=2026-11-18&to=2026-11-20&tz=Asia/Riyadh");
    expect(riyadh.tz).toBe("Asia/Riyadh");
    expect(riyadh.series).toEqual([
      { t: "2026-11-18T00:00:00+03:00", views: 1, clicks: 0 },
      { t: "2026-11-19T00:00:00+03:00", views: 110, clicks: 0 },
      { t: "2026-11-20T00:00:00+03:00", views: 1_000, clicks: 0 },
    ]);
    for (const [tz, views] of [
      // Minus five hours: the 19th ends at 05:00 of the 20th.
      ["America/Lima", [11, 1_100]],
      // The 19th begins at 20:30.
      ["Asia/Tehran", [1, 110]],
    ] as const) {
      const { series } = await statsOf(page_id, `?from=2026-11-18&to=2026-11-19&tz=${tz}`);
      expect([tz, series.map((point) => point.views)]).toEqual([tz, views]);
    }
  });

  test("that were rolled up are the days of UTC of the same date", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-08-01T00:00:00Z", "view", "", 5],
        ["2026-08-01T00:00:00Z", "click", "shop", 2],
        ["2026-08-02T00:00:00Z", "view", "", 7],
      ],
      rolled_to: "2026-08-03",
    });
    for (const tz of ["America/Los_Angeles", "Pacific/Auckland"]) {
      const stats = await statsOf(page_id, `?from=2026-08-01&to=2026-08-01&tz=${tz}`);
      expect([tz, stats.totals.views, stats.totals.clicks]).toEqual([tz, 5, 2]);
      expect(stats.series.map(({ views }) => views)).toEqual([5]);
      expect(stats.links[0]).toMatchObject({ link_id: "shop", clicks: 2 });
    }
  });

  test("that are empty are filled with zeros, and hours that have not come are left out", async () => {
    const { page_id } = await pageWith({ tallies: [["2026-11-20T03:00:00Z", "click", "shop", 2]] });
    const today = await statsOf(page_id, "?from=2026-11-20&to=2026-11-20&interval=hour");
    expect(today.series).toHaveLength(13);
    expect(today.series.filter(({ views, clicks }) => views + clicks > 0)).toEqual([
      { t: "2026-11-20T03:00:00+00:00", views: 0, clicks: 2 },
    ]);
    const month = await statsOf(page_id);
    expect(month).toMatchObject({ from: "2026-10-22", to: "2026-11-20", interval: "day" });
    expect(month.series).toHaveLength(30);
    const future = await statsOf(page_id, "?from=2027-01-01");
    expect(future).toMatchObject({ from: "2027-01-01", to: "2027-01-30", series: [] });
  });
});

describe("the numbers", () => {
  beforeEach(atNoon);

  test("are human; bots, the owner and limited events are separate", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-20T01:00:00Z", "view", "", 50],
        ["2026-11-20T01:00:00Z", "click", "video", 7],
        ["2026-11-20T02:00:00Z", "click", "shop", 3],
        ["2026-11-20T02:00:00Z", "click", "gone", 4],
        ["2026-11-20T02:00:00Z", "view", "", 20, "bot"],
        ["2026-11-20T02:00:00Z", "click", "shop", 1, "bot"],
        ["2026-11-20T02:00:00Z", "view", "", 5, "owner"],
        ["2026-11-20T02:00:00Z", "click", "shop", 9, "limited"],
      ],
      days: [["2026-11-20", 31, {}]],
    });
    const { totals, links, imported } = await statsOf(page_id, "?from=2026-11-20");
    expect(totals).toEqual({ views: 50, clicks: 14, visitors: 31, bots: 21, owner: 5, limited: 9 });
    expect(links).toEqual(
      [
        { link_id: "video", label: "فيديو", removed: false, clicks: 7, url: VIDEO },
        { link_id: "gone", label: null, removed: true, clicks: 4, url: null },
        { link_id: "shop", label: "المتجر", removed: false, clicks: 3, url: SHOP },
        { link_id: "mail", label: "راسلني", removed: false, clicks: 0, url: MAIL },
        { link_id: "contact", label: "حفظ جهة الاتصال", removed: false, clicks: 0, url: null },
      ].map((link) => ({ ...link, imported: 0 })),
    );
    expect(imported).toEqual({ views: 0, clicks: 0, visitors: 0 });
  });

  test("are compared with the same part of the period before", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-19T00:00:00Z", "view", "", 1],
        ["2026-11-19T12:00:00Z", "view", "", 10],
        ["2026-11-19T13:00:00Z", "view", "", 100],
        ["2026-11-18T13:00:00Z", "view", "", 1_000],
      ],
      days: [
        ["2026-11-18", 6, {}],
        ["2026-11-19", 8, {}],
      ],
    });
    const today = await statsOf(page_id, "?from=2026-11-20&to=2026-11-20");
    expect(today.previous).toEqual({ views: 11, clicks: 0, visitors: null });
    const yesterday = await statsOf(page_id, "?from=2026-11-19&to=2026-11-19");
    expect(yesterday.previous).toEqual({ views: 1_000, clicks: 0, visitors: 6 });
  });

  test("of a dimension add up to all human events of the page's days", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-19T01:00:00Z", "view", "", 50],
        ["2026-11-20T01:00:00Z", "click", "video", 7],
      ],
      days: [
        [
          "2026-11-19",
          40,
          { referrer: { "a.example": [20, 0], "b.example": [25, 0], "(other)": [1, 0] } },
        ],
        ["2026-11-20", 5, { referrer: { "a.example": [0, 6] }, country: { SA: [0, 7] } }],
        ["2026-11-18", 5, { referrer: { "c.example": [1, 6] } }],
      ],
    });
    const { breakdowns, totals } = await statsOf(page_id, "?from=2026-11-19&to=2026-11-20");
    expect(totals.visitors).toBe(45);
    expect(breakdowns.referrer).toEqual([
      { value: "b.example", views: 25, clicks: 0 },
      { value: "a.example", views: 20, clicks: 6 },
      { value: null, views: 4, clicks: 1 },
      { value: "(other)", views: 1, clicks: 0 },
    ]);
    expect(breakdowns.country).toEqual([
      { value: null, views: 50, clicks: 0 },
      { value: "SA", views: 0, clicks: 7 },
    ]);
    expect(breakdowns.utm_source).toEqual([{ value: null, views: 50, clicks: 7 }]);
    expect(breakdowns.language).toEqual([{ value: null, views: 50, clicks: 7 }]);
  });

  test("that were imported are in the totals and shown apart: views, clicks, visitors, links", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-19T01:00:00Z", "view", "", 10],
        ["2026-11-19T01:00:00Z", "view", "", 5, "human", -2],
        ["2026-11-19T01:00:00Z", "click", "shop", 3, "human", 0],
        ["2026-11-19T01:00:00Z", "click", "shop", 2, "human", -2],
        ["2026-11-19T01:00:00Z", "click", "video", 1, "human", -1],
        ["2026-11-19T01:00:00Z", "view", "", 7, "bot", -2],
      ],
      days: [
        ["2026-11-19", 8, {}],
        ["2026-11-19", 4, {}, -2],
      ],
    });
    const { totals, imported, links } = await statsOf(page_id, "?from=2026-11-19");
    expect(totals).toMatchObject({ views: 15, clicks: 6, visitors: 12, bots: 7 });
    expect(imported).toEqual({ views: 5, clicks: 3, visitors: 4 });
    expect(links.slice(0, 2)).toMatchObject([
      { link_id: "shop", clicks: 5, imported: 2 },
      { link_id: "video", clicks: 1, imported: 1 },
    ]);
  });

  test("beyond a hundred values of a dimension are added to the others, and none is lost", async () => {
    const day = (from: number) =>
      Object.fromEntries(
        Array.from({ length: 80 }, (_, i) => [`h${from + i}.example`, [i + 1, 0]]),
      );
    const { page_id } = await pageWith({
      tallies: [["2026-11-19T01:00:00Z", "view", "", 6_490]],
      days: [
        ["2026-11-19", 0, { referrer: { ...day(0), "(other)": [10, 0] } }],
        ["2026-11-20", 0, { referrer: day(70) }],
      ],
    });
    const { referrer } = (await statsOf(page_id, "?from=2026-11-19")).breakdowns;
    expect(referrer).toHaveLength(101);
    expect(referrer.at(-1)?.value).toBe("(other)");
    expect(referrer.reduce((sum, { views }) => sum + views, 0)).toBe(6_490);
  });
});

describe("the links", () => {
  const clicks = (link_id: string, n: number): Tally => [
    "2026-11-20T01:00:00Z",
    "click",
    link_id,
    n,
  ];

  beforeEach(atNoon);

  test("that were removed keep their clicks and their last label, and those without clicks go", async () => {
    const { page_id } = await pageWith({ tallies: [clicks("shop", 3), clicks("video", 2)] });
    const removed = (link_id: string, label: object) =>
      env.DB.prepare("INSERT INTO removed_links VALUES (?1, ?2, ?3, 0)").bind(
        page_id,
        link_id,
        JSON.stringify(label),
      );
    await env.DB.batch([
      env.DB.prepare(removeLinkSql("shop")).bind(page_id),
      removed("shop", { ar: "المتجر\u202e القديم", en: "The old shop" }),
      env.DB.prepare(removeLinkSql("video")).bind(page_id),
      removed("video", { en: "Video" }),
      env.DB.prepare(removeLinkSql("mail")).bind(page_id),
      removed("mail", { ar: "راسلني" }),
    ]);
    const { totals, links } = await statsOf(page_id, "?from=2026-11-20");
    expect(totals.clicks).toBe(5);
    expect(links).toMatchObject([
      { link_id: "shop", label: "المتجر القديم", removed: true, clicks: 3 },
      { link_id: "video", label: "Video", removed: true, clicks: 2 },
      { link_id: "contact", removed: false, clicks: 0 },
    ]);
    const csv = await ask(page_id, "?from=2026-11-20", "stats.csv");
    expect(await csv.text()).toContain("removed_link,shop,المتجر القديم,,3,\r\n");
  });

  test("are listed while they are off, blocks, or outside their times; a heading and a contact that is gone are removed", async () => {
    const { page_id } = await pageWith(
      { tallies: [clicks("mail", 3), clicks("video", 2), clicks("contact", 1)] },
      { contact: null },
    );
    const block = { file_id: "f", access: "free", uses_max: null } as const;
    const download = { kind: "download", url: null, block, enabled: false } as const;
    await env.DB.batch([
      env.DB.prepare(editLinkSql("shop", download)).bind(page_id),
      env.DB.prepare(editLinkSql("video", { until: 1 })).bind(page_id),
      env.DB.prepare(editLinkSql("mail", { kind: "heading", url: null })).bind(page_id),
    ]);
    const { links } = await statsOf(page_id, "?from=2026-11-20");
    expect(links.map(({ link_id, label, removed }) => [link_id, label, removed])).toEqual([
      ["mail", "راسلني", true],
      ["video", "فيديو", false],
      ["contact", "حفظ جهة الاتصال", true],
      ["shop", "المتجر", false],
    ]);
  });
});

describe("the saves of the page", () => {
  const save = (page_id: string, version: number, at: string, what: string[]) =>
    env.DB.prepare(`INSERT INTO revisions VALUES (?1, ?2, ?3, ?4, 'x', 'published', 2, '{}')`).bind(
      page_id,
      version,
      Date.parse(at),
      JSON.stringify(what),
    );

  beforeEach(atNoon);

  test("in the period are listed, the newest first, and no other", async () => {
    const { page_id } = await pageWith({}, { time_zone: "Asia/Riyadh" });
    await env.DB.batch([
      save(page_id, 2, "2026-11-18T20:59:59.999Z", ["bio"]),
      save(page_id, 3, "2026-11-18T21:00:00.000Z", ["links", "name"]),
      save(page_id, 4, "2026-11-19T20:59:59.999Z", ["look"]),
      save(page_id, 5, "2026-11-19T21:00:00.000Z", ["slug"]),
    ]);
    const { revisions } = await statsOf(page_id, "?from=2026-11-19&to=2026-11-19");
    expect(revisions).toEqual([
      { version: 4, at: "2026-11-19T20:59:59.999Z", what: ["look"] },
      { version: 3, at: "2026-11-18T21:00:00.000Z", what: ["links", "name"] },
    ]);
  });

  test("are the newest hundred of the period, where it has more", async () => {
    const { page_id } = await pageWith({});
    await env.DB.batch(
      Array.from({ length: STATS_REVISIONS_MAX + 1 }, (_, i) =>
        save(page_id, 2 + i, new Date(NOON - 200_000 + 1_000 * i).toISOString(), ["links"]),
      ),
    );
    const { revisions } = await statsOf(page_id);
    expect(revisions).toHaveLength(STATS_REVISIONS_MAX);
    expect([revisions[0]?.version, revisions.at(-1)?.version]).toEqual([
      2 + STATS_REVISIONS_MAX,
      3,
    ]);
  });
});

describe("ranges by name", () => {
  beforeEach(atNoon);

  test("are days of the zone that is asked for", async () => {
    const { page_id } = await pageWith({}, { time_zone: "Asia/Riyadh" });
    const days = async (query: string) => {
      const { from, to } = await statsOf(page_id, query);
      return [from, to];
    };
    expect(await days("?range=today")).toEqual(["2026-11-20", "2026-11-20"]);
    expect(await days("?range=7d")).toEqual(["2026-11-14", "2026-11-20"]);
    vi.setSystemTime(Date.parse("2026-11-20T22:00:00Z"));
    expect(await days("?range=yesterday")).toEqual(["2026-11-20", "2026-11-20"]);
    expect(await days("?range=yesterday&tz=UTC")).toEqual(["2026-11-19", "2026-11-19"]);
  });

  test("all time begins with the page, or with history that is older", async () => {
    const made = { updated_at: Date.parse("2026-11-01T22:00:00Z") };
    const since = async (rows: Rows, query = "?range=all") => {
      const { page_id } = await pageWith(rows, { ...made, time_zone: "Asia/Riyadh" });
      const { from, to, series } = await statsOf(page_id, query);
      expect([to, series.length > 0]).toEqual(["2026-11-20", true]);
      return from;
    };
    expect(await since({})).toBe("2026-11-02");
    expect(await since({}, "?range=all&tz=UTC")).toBe("2026-11-01");
    expect(await since({ tallies: [["2026-10-30T21:00:00Z", "view", "", 1]] })).toBe("2026-10-31");
    expect(await since({ days: [["2026-09-29T21:00:00Z", 1, {}, -2]] })).toBe("2026-09-30");
  });

  test("all time has everything: rolled days, imported history and visitors, in any zone", async () => {
    const { page_id } = await pageWith(
      {
        tallies: [
          ["2020-01-01T00:00:00Z", "view", "", 1, "human", -2],
          ["2026-03-31T00:00:00Z", "view", "", 10],
          ["2026-11-20T01:00:00Z", "click", "shop", 2],
        ],
        days: [
          ["2020-01-01", 1, { country: { SA: [1, 0] } }, -2],
          ["2026-03-31", 7, { country: { SA: [8, 0] } }],
        ],
        rolled_to: "2026-08-01",
      },
      { updated_at: NOON },
    );
    for (const tz of ["America/Los_Angeles", "Pacific/Kiritimati"]) {
      const stats = await statsOf(page_id, `?range=all&tz=${tz}`);
      expect([tz, stats.totals.views, stats.totals.clicks]).toEqual([tz, 11, 2]);
      expect(stats.totals.visitors).toBe(8);
      expect(stats.imported).toEqual({ views: 1, clicks: 0, visitors: 1 });
      expect(stats.previous).toEqual({ views: 0, clicks: 0, visitors: 0 });
      expect(stats.interval).toBe("month");
      const counted = stats.series.filter(({ views, clicks }) => views + clicks > 0);
      expect(counted.map(({ t, views, clicks }) => [t.slice(0, 7), views, clicks])).toEqual([
        [expect.stringMatching(/^20(19-12|20-01)$/), 1, 0],
        ["2026-03", 10, 0],
        ["2026-11", 0, 2],
      ]);
    }
  });

  test("all time is eleven years at most, and days where there are few enough", async () => {
    const { page_id } = await pageWith({ tallies: [["2001-01-01T00:00:00Z", "view", "", 1]] });
    expect(await statsOf(page_id, "?range=all")).toMatchObject({ from: "2015-11-21" });
    expect((await ask(page_id, "?range=all&interval=day")).status).toBe(400);
    const young = await pageWith({}, { updated_at: Date.parse("2025-01-01T00:00:00Z") });
    expect(await statsOf(young.page_id, "?range=all")).toMatchObject({ interval: "day" });
    const months = await statsOf(young.page_id, "?range=all&interval=month");
    expect(months.series).toHaveLength(23);
  });

  test("months begin on the 1st, the first one where the period begins", async () => {
    const { page_id } = await pageWith({
      tallies: [
        ["2026-08-30T21:00:00Z", "view", "", 1],
        ["2026-08-31T20:00:00Z", "view", "", 2],
        ["2026-08-31T21:00:00Z", "view", "", 4],
        ["2026-11-01T12:00:00Z", "view", "", 8],
      ],
      days: [["2026-09-30T21:00:00Z", 1, { country: { SA: [3, 1] } }]],
    });
    const stats = await statsOf(
      page_id,
      "?from=2026-08-31&to=2026-11-20&interval=month&tz=Asia/Riyadh&filter=country:SA",
    );
    expect(stats.series).toEqual([
      { t: "2026-08-31T00:00:00+03:00", views: 3, clicks: 0 },
      { t: "2026-09-01T00:00:00+03:00", views: 4, clicks: 0 },
      { t: "2026-10-01T00:00:00+03:00", views: 0, clicks: 0 },
      { t: "2026-11-01T00:00:00+03:00", views: 8, clicks: 0 },
    ]);
    expect(stats.filter?.series.map(({ views }) => views)).toEqual([0, 0, 3, 0]);
  });
});

describe("one link", () => {
  beforeEach(atNoon);

  const TALLIES: Tally[] = [
    ["2026-11-19T09:00:00Z", "click", "shop", 5],
    ["2026-11-19T18:00:00Z", "click", "shop", 50],
    ["2026-11-20T09:00:00Z", "click", "shop", 3],
    ["2026-11-20T09:00:00Z", "click", "shop", 1, "human", -2],
    ["2026-11-20T09:00:00Z", "click", "shop", 7, "bot"],
    ["2026-11-20T09:00:00Z", "click", "video", 9],
    ["2026-11-20T10:00:00Z", "click", "shop", 2],
  ];

  test("has its people's clicks by the hour or day, and those of the same hours before", async () => {
    const { page_id } = await pageWith({ tallies: TALLIES });
    const today = await statsOf(page_id, "?range=today&interval=hour&link=shop");
    expect(today.link).toMatchObject({ link_id: "shop", previous: 5 });
    expect(today.link?.series.filter(({ clicks }) => clicks > 0)).toEqual([
      { t: "2026-11-20T09:00:00+00:00", clicks: 4 },
      { t: "2026-11-20T10:00:00+00:00", clicks: 2 },
    ]);
    expect(today.link?.series.map(({ t }) => t)).toEqual(today.series.map(({ t }) => t));
    expect(today.links.find(({ link_id }) => link_id === "shop")?.clicks).toBe(6);
    const days = await statsOf(page_id, "?from=2026-11-19&link=shop");
    expect(days.link?.series.map(({ clicks }) => clicks)).toEqual([55, 6]);
    expect((await statsOf(page_id)).link).toBeNull();
  });

  test("that was removed is there without a click in the period; one that never was is 404", async () => {
    const { page_id } = await pageWith({ tallies: TALLIES });
    await env.DB.batch([
      env.DB.prepare(removeLinkSql("mail")).bind(page_id),
      env.DB.prepare(`INSERT INTO removed_links VALUES (?1, 'mail', '{"ar":"راسلني"}', 0)`).bind(
        page_id,
      ),
    ]);
    const { link, links } = await statsOf(page_id, "?link=mail");
    expect(link).toMatchObject({ link_id: "mail", previous: 0 });
    expect(links.find(({ link_id }) => link_id === "mail")).toEqual({
      link_id: "mail",
      label: "راسلني",
      removed: true,
      clicks: 0,
      imported: 0,
      url: null,
    });
    expect((await statsOf(page_id)).links.map(({ link_id }) => link_id)).not.toContain("mail");
    const response = await ask(page_id, "?link=never");
    expect([response.status, (await errorOf(response)).code]).toEqual([404, "LINK_NOT_FOUND"]);
  });
});

describe("one value of a dimension", () => {
  beforeEach(atNoon);

  test("has its views and clicks by days of the page, and of the period before", async () => {
    const of = (SA: [number, number], host: [number, number]) => ({
      country: { SA, EG: [1, 1] },
      referrer: { "a.example": host },
    });
    const { page_id } = await pageWith(
      {
        tallies: [["2026-11-20T09:00:00Z", "view", "", 99]],
        days: [
          ["2026-11-16T21:00:00Z", 1, of([100, 50], [0, 0])],
          ["2026-11-18T21:00:00Z", 1, of([4, 2], [3, 0])],
          ["2026-11-19T21:00:00Z", 1, of([10, 6], [5, 1])],
          ["2026-11-19T21:00:00Z", 1, of([20, 0], [0, 0]), -2],
        ],
      },
      { time_zone: "Asia/Riyadh" },
    );
    const { filter } = await statsOf(page_id, "?from=2026-11-19&filter=country:SA");
    expect(filter).toEqual({
      dimension: "country",
      value: "SA",
      views: 34,
      clicks: 8,
      previous: { views: 100, clicks: 50 },
      series: [
        { t: "2026-11-19T00:00:00+03:00", views: 4, clicks: 2 },
        { t: "2026-11-20T00:00:00+03:00", views: 30, clicks: 6 },
      ],
    });
    const today = await statsOf(page_id, "?range=today&filter=referrer:a.example");
    expect(today.filter).toMatchObject({ views: 5, clicks: 1, previous: null });
    const none = await statsOf(page_id, "?range=7d&filter=country:T1");
    expect(none.filter).toMatchObject({ views: 0, clicks: 0 });
    expect(none.filter?.series).toHaveLength(7);
    expect((await statsOf(page_id)).filter).toBeNull();
  });

  test("may be any text, quotes and brackets too", async () => {
    const value = `a"b'c].$[0]%_‮🙂`;
    const { page_id } = await pageWith({
      days: [["2026-11-20", 1, { utm_campaign: { [value]: [2, 1], other: [5, 5] } }]],
    });
    const query = `?filter=${encodeURIComponent(`utm_campaign:${value}`)}`;
    expect((await statsOf(page_id, query)).filter).toMatchObject({ value, views: 2, clicks: 1 });
  });
});

describe("what is not in D1 yet", () => {
  test("is pending, and as_of is before it", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    const before = Date.now();
    for (const link_id of [undefined, undefined, "shop"]) await beacon({ page_id, link_id });
    const stats = await statsOf(page_id);
    expect(stats.totals).toMatchObject({ views: 0, clicks: 0 });
    expect(stats.pending).toEqual({ views: 2, clicks: 1 });
    expect(Date.parse(stats.as_of)).toBeGreaterThanOrEqual(before);
    await beacon({ page_id });
    // It stays before the oldest event that is waiting.
    expect((await statsOf(page_id)).as_of).toBe(stats.as_of);
    await pageObject(page_id).flush();
    const flushed_at = Date.now();
    const after = await statsOf(page_id);
    expect(after.totals).toMatchObject({ views: 3, clicks: 1 });
    expect(after.pending).toEqual({ views: 0, clicks: 0 });
    expect(Date.parse(after.as_of)).toBeGreaterThanOrEqual(flushed_at);
    expect(after.flushed).toMatchObject({ views: 3, clicks: 1, links: { shop: 1 } });
  });

  test("is there with fresh=1, up to the last event acknowledged before", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    for (let i = 1; i <= 5; i += 1) {
      await beacon({ page_id });
      const { totals, pending } = await statsOf(page_id, "?fresh=1");
      expect([totals.views, pending.views]).toEqual([i, 0]);
    }
  });

  test("is 503 with fresh=1 while the object cannot flush", async () => {
    const { page_id } = await freshPage({ owner_id: OWNER });
    expectErrors();
    vi.spyOn(PageObject.prototype, "flush").mockRejectedValueOnce(new Error("D1 refuses"));
    expect((await ask(page_id, "?fresh=1")).status).toBe(503);
    expect((await ask(page_id, "?fresh=1")).status).toBe(200);
  });
});

test("an answer is one read of the page by its key and one batch, for any query", async () => {
  const { page_id } = await freshPage({ owner_id: OWNER });
  // The first one reads the session, which is cached after that and looked up by one key.
  for (const query of [
    "",
    "",
    "?from=2026-01-01&to=2026-12-31",
    "?interval=hour&tz=Asia/Riyadh",
    "?range=all",
    "?link=shop",
    "?filter=country:SA",
  ]) {
    const batch = vi.spyOn(env.DB, "batch");
    const prepare = vi.spyOn(env.DB, "prepare");
    expect((await ask(page_id, query)).status).toBe(200);
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => !sql.includes("accounts"));
    expect(batch.mock.calls.map(([statements]) => statements.length)).toEqual([asked.length - 1]);
    vi.restoreAllMocks();
  }
});

describe("an invalid query", () => {
  let page_id: string;

  beforeAll(async () => {
    ({ page_id } = await freshPage({ owner_id: OWNER }));
  });

  test.each([
    ["?from=2026-02-30", "from"],
    ["?to=2026-1-1", "to"],
    ["?from=2026-11-20&to=2026-11-19", "to"],
    ["?range=year", "range"],
    ["?range=7d&to=2026-11-20", "range"],
    ["?interval=month&from=2010-01-01&to=2026-11-20", "from"],
    ["?link=a%20b", "link"],
    ["?filter=city:Riyadh", "filter"],
    [`?filter=referrer:${"a".repeat(254)}`, "filter"],
    ["?filter=country:SA&link=shop", "filter"],
    ["?filter=country:SA&interval=hour", "interval"],
    ["?tz=Mars/Phobos", "tz"],
    ["?tz=%2B03:00", "tz"],
  ])("%s is 400 and names %s", async (query, path) => {
    const response = await ask(page_id, query);
    expect(response.status).toBe(400);
    const { code, details } = await errorOf(response);
    expect(code).toBe("VALIDATION_FAILED");
    expect(details.issues).toEqual([{ path, message: expect.any(String) }]);
  });

  test("731 days are allowed, and hours of 90 days", async () => {
    atNoon();
    expect((await statsOf(page_id, "?from=2024-11-20&to=2026-11-20")).series).toHaveLength(731);
    expect((await ask(page_id, "?from=2024-11-19&to=2026-11-20")).status).toBe(400);
    const hours = await statsOf(page_id, "?from=2026-08-23&to=2026-11-20&interval=hour");
    expect(hours.series).toHaveLength(89 * 24 + 13);
    expect((await ask(page_id, "?from=2026-08-22&to=2026-11-20&interval=hour")).status).toBe(400);
  });

  test("S22: of another's page, which is 404, does not make its object flush", async () => {
    const { page_id } = await freshPage({ owner_id: "demo-free" });
    await beacon({ page_id });
    expect((await ask(page_id, "?fresh=1")).status).toBe(404);
    expect(await tallyRows(page_id)).toEqual([]);
  });
});

describe("the CSV", () => {
  test("has every number of the answer, opens in a spreadsheet, and contains no formula", async () => {
    atNoon();
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-19T01:00:00Z", "view", "", 50],
        ["2026-11-19T01:00:00Z", "click", "shop", 7],
        ["2026-11-19T01:00:00Z", "view", "", 3, "bot"],
      ],
      days: [
        ["2026-11-19", 31, { utm_source: { '\u202e=HYPERLINK("x","y")': [2, 1], "a,b": [1, 0] } }],
      ],
    });
    const query = "?from=2026-11-19&to=2026-11-20&tz=Asia/Riyadh";
    const response = await ask(page_id, query, "stats.csv");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe(
      `attachment; filename="sila-${page_id}-2026-11-19-2026-11-20.csv"`,
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = new TextDecoder().decode(bytes).split("\r\n");
    expect(lines).toEqual([
      "section,key,label,views,clicks,visitors",
      "total,people,,50,7,31",
      "imported,people,,0,0,0",
      "events,bots,,3,,",
      "events,owner,,0,,",
      "events,limited,,0,,",
      "time,2026-11-19T00:00:00+03:00,,50,7,",
      "time,2026-11-20T00:00:00+03:00,,0,0,",
      "link,shop,المتجر,,7,",
      "link,video,فيديو,,0,",
      "link,mail,راسلني,,0,",
      "link,contact,حفظ جهة الاتصال,,0,",
      "referrer,,,50,,",
      "country,,,50,7,",
      "device,,,50,7,",
      "utm_source,,,47,,",
      `utm_source,"'=HYPERLINK(""x"",""y"")",,2,,`,
      `utm_source,"a,b",,1,,`,
      "utm_medium,,,50,,",
      "utm_campaign,,,50,,",
      "language,,,50,,",
      "",
    ]);
  });

  test("is in Arabic with lang=ar, and has the link or value that is asked for over time", async () => {
    atNoon();
    const { page_id } = await pageWith({
      tallies: [
        ["2026-11-19T01:00:00Z", "view", "", 9],
        ["2026-11-19T01:00:00Z", "click", "shop", 4],
      ],
      days: [["2026-11-19", 3, { country: { SA: [5, 4] }, referrer: { "=a.example": [5, 4] } }]],
    });
    const csv = async (query: string) => {
      const response = await ask(page_id, `?from=2026-11-19&${query}`, "stats.csv");
      return (await response.text()).split("\r\n");
    };
    const arabic = await csv("lang=ar&link=shop");
    expect(arabic[0]).toBe("القسم,المفتاح,الاسم,المشاهدات,النقرات,الزوّار");
    for (const line of arabic) expect(line).not.toMatch(/^[a-z]/);
    expect(arabic.slice(-3)).toEqual([
      "نقرات الرابط,2026-11-19T00:00:00+00:00,المتجر,,4,",
      "نقرات الرابط,2026-11-20T00:00:00+00:00,المتجر,,0,",
      "",
    ]);
    expect((await csv("filter=country:SA")).slice(-3, -1)).toEqual([
      "filter_time,2026-11-19T00:00:00+00:00,country: SA,5,4,",
      "filter_time,2026-11-20T00:00:00+00:00,country: SA,0,0,",
    ]);
    expect((await csv("filter=referrer:%3Da.example")).at(-3)).toBe(
      "filter_time,2026-11-19T00:00:00+00:00,referrer: =a.example,5,,",
    );
    expect((await ask(page_id, "?lang=fr", "stats.csv")).status).toBe(400);
  });
});

describe("S12, S17: a label with bidi and other controls", () => {
  const CONTROLS = [
    ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\0\x1b\x7f\x85",
  ];

  test("reaches neither JSON nor CSV with them, and hides no formula behind one", async () => {
    const labels = [
      `\u202eلون${CONTROLS.join("")}\u2066`,
      "\u202e=1+1",
      "\u2068\t@SUM(1)",
      "\r-2",
      "＝1+1",
      "a\nb\u2028c",
    ];
    const { page_id } = await freshPage({
      owner_id: OWNER,
      contact: null,
      links: labels.map((label, i) => ({
        // A link's id is no text of anybody, and programs look for it.
        link_id: i === 5 ? "-l5" : `l${i}`,
        label,
        url: "https://a.example/",
      })),
    });
    const read = async (what: string) => (await ask(page_id, "", what)).text();
    const [stats, audit, csv] = [await read("stats"), await read("audit"), await read("stats.csv")];
    const shown = ["لون", "=1+1", "@SUM(1)", "-2", "＝1+1"];
    for (const text of [stats, audit]) {
      const { links } = JSON.parse(text) as { links: { label: string }[] };
      expect(links.map(({ label }) => label).slice(0, 5)).toEqual(shown);
    }
    for (const control of CONTROLS) {
      for (const text of [stats, audit, csv]) expect(text).not.toContain(control);
    }
    const lines = csv.split("\r\n").filter((line) => line.startsWith("link,"));
    expect(lines).toEqual([
      "link,l0,لون,,0,",
      "link,l1,'=1+1,,0,",
      "link,l2,'@SUM(1),,0,",
      "link,l3,'-2,,0,",
      "link,l4,'＝1+1,,0,",
      'link,"-l5",a b c,,0,',
    ]);
  });
});
