/** The rendered pages of the dashboard: complete, in both languages, and safe with any untrusted text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIMENSIONS, type Dimension } from "../../../objects/events/event.ts";
import { StartPage } from "../../../src/authoring/editor/start-page.tsx";
import { changed, statsAddress } from "../../../src/dashboard/addresses.ts";
import type { Frame } from "../../../src/dashboard/dashboard-frame.tsx";
import { PagesPage } from "../../../src/dashboard/pages-page.tsx";
import { PAGES_TEXTS } from "../../../src/dashboard/pages-texts.ts";
import { changeOf, rateChangeOf } from "../../../src/dashboard/stats/change.ts";
import { momentNames, pageDayBegins } from "../../../src/dashboard/stats/dates.ts";
import type { StatsPageProps } from "../../../src/dashboard/stats/props.ts";
import { nameOf } from "../../../src/dashboard/stats/ranked-lists.tsx";
import { StatsPage } from "../../../src/dashboard/stats/stats-page.tsx";
import { DASHBOARD_TEXTS } from "../../../src/dashboard/stats/texts.ts";
import type { Change } from "../../../src/pages/document/revisions-store.ts";
import { STATS_REVISIONS_MAX } from "../../../src/stats/limits.ts";
import type { OwnedPage } from "../../../src/stats/owned-pages-store.ts";
import type { PageColumns } from "../../../src/stats/page-columns.ts";
import type { Stats } from "../../../src/stats/stats-shape.ts";
import type { ReaderLocale } from "../../../src/views/numbering.ts";
import { counted, formatRate } from "../../../src/views/numbers.ts";

const NOW_MS = Date.parse("2026-11-21T14:05:00Z");
/** Arabic with Arabic-Indic digits. */
const AR = "ar-u-nu-arab";
const LOCALES = [AR, "ar-u-nu-latn", "en"] as const;

const FRAME: Frame = {
  locale: "en",
  user_name: "Mara Quill",
  now_ms: NOW_MS,
  csrf_token: "a-token",
  has_own_accounts: false,
  unread: 0,
  tz: "Asia/Riyadh",
  url: new URL("https://sila.example/dashboard/p1?range=7d&tz=Asia%2FRiyadh&lang=en"),
};

const PAGE: PageColumns = {
  page_id: "p1",
  slug: "mara",
  name: "Mara Quill",
  locale: "en",
  status: "published",
  time_zone: "Asia/Riyadh",
  has_contact: false,
  is_bilingual: false,
  since: Date.parse("2026-01-01T00:00:00Z"),
};
const NOBODY = Object.fromEntries(
  DIMENSIONS.map((dimension) => [dimension, []]),
) as unknown as Stats["breakdowns"];
const SHOP = {
  link_id: "shop",
  label: "Shop",
  removed: false,
  clicks: 21,
  imported: 0,
  url: "https://shop.example/",
};

/** `days` of views and clicks, each at its midnight in Riyadh. */
const seriesOf = (...days: [date: string, views: number, clicks: number][]) =>
  days.map(([date, views, clicks]) => ({ t: `${date}T00:00:00+03:00`, views, clicks }));

const EMPTY: Stats = {
  from: "2026-11-20",
  to: "2026-11-21",
  tz: "Asia/Riyadh",
  interval: "day",
  totals: { views: 0, clicks: 0, visitors: 0, bots: 0, owner: 0, limited: 0 },
  previous: { views: 0, clicks: 0, visitors: 0 },
  series: seriesOf(["2026-11-20", 0, 0], ["2026-11-21", 0, 0]),
  links: [],
  breakdowns: NOBODY,
  link: null,
  filter: null,
  imported: { views: 0, clicks: 0, visitors: 0 },
  revisions: [],
  as_of: "2026-11-21T14:05:00.000Z",
  pending: { views: 0, clicks: 0 },
  behind_ms: 0,
  flushed: { views: 0, clicks: 0, bots: 0, owner: 0, limited: 0, links: {}, visitors: null },
};

const OWNED: OwnedPage = {
  ...PAGE,
  ends_at: null,
  is_new: false,
  today: { views: 0, clicks: 0 },
  month: { views: 0, clicks: 0 },
};

const FILLED: Stats = {
  ...EMPTY,
  totals: { views: 120, clicks: 30, visitors: 90, bots: 4, owner: 2, limited: 1 },
  previous: { views: 100, clicks: 40, visitors: null },
  series: seriesOf(["2026-11-20", 70, 10], ["2026-11-21", 50, 20]),
  links: [SHOP, { ...SHOP, link_id: "old", label: null, removed: true, clicks: 9, url: null }],
  flushed: { ...EMPTY.flushed, views: 77, links: { shop: 11 } },
};

function stats(overrides: Partial<StatsPageProps> = {}): string {
  return (
    <StatsPage
      {...FRAME}
      pages={[PAGE]}
      page={PAGE}
      range="7d"
      notice={null}
      used_up_at={null}
      qr={{ side: 29, path: "M4 4h7v1h-7z" }}
      stats={FILLED}
      downloads={[]}
      received={null}
      audit={null}
      origin="https://sila.example"
      {...overrides}
    />
  ).toString();
}

function pages(overrides: Partial<Parameters<typeof PagesPage>[0]> = {}): string {
  return (<PagesPage {...FRAME} pages={[]} pages_max={10} {...overrides} />).toString();
}

/** The numbers in the table behind the chart, row by row. */
const rowsOf = (html: string) =>
  [...html.matchAll(/<td data-n="(\d+)"/g)].map(([, n]) => Number(n));

type Texts = readonly (string | RegExp)[];

function expectShown(html: string, shown: Texts, hidden: Texts = []): void {
  for (const text of shown) expect(html).toMatch(text);
  for (const text of hidden) expect(html).not.toMatch(text);
}

const tags = (html: string, name: string) => html.match(new RegExp(`<${name}[ >]`, "g")) ?? [];

describe("S12: strangers' and creators' words in the dashboard", () => {
  test("never become markup, at any place", () => {
    const calm = stats({ stats: withWords("word"), pages: withNames("word") });
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const poison = `"'><img src=x onerror=alert(1)></time><script>${text}</script>`;
        const html = stats({
          user_name: poison,
          stats: withWords(poison),
          pages: withNames(poison),
        });
        const of_value = stats({ stats: ofValue(poison) });
        expect(of_value).not.toMatch(/<img src=x|[\u202a-\u202e\u2066-\u2069]/);
        for (const name of ["img", "script", "time", "a", "bdi"]) {
          expect([name, tags(html, name).length]).toEqual([name, tags(calm, name).length]);
        }
        expect(html).not.toContain("<img src=x");
      }),
      { numRuns: 50 },
    );
  });

  test("are isolated and lose their bidi controls: names, labels, referrers, campaigns", () => {
    const html = stats({ stats: withWords("\u202eabc"), pages: withNames("\u202eabc") });
    expect(html).not.toContain("\u202e");
    // A referrer and three campaigns, whose language is not known; a link and another page.
    expect(html.split("<bdi>abc</bdi>").length - 1).toBe(1 + 3);
    expect(html.split('<bdi lang="en" dir="ltr">abc</bdi>').length - 1).toBe(1 + 1);
    expect(stats({ locale: AR })).toContain('<h1><bdi lang="en" dir="ltr">Mara Quill</bdi></h1>');
  });

  function withWords(word: string): Stats {
    const shares = [{ value: word, views: 3, clicks: 1 }];
    return {
      ...FILLED,
      links: [{ ...SHOP, label: word }],
      breakdowns: {
        ...NOBODY,
        referrer: shares,
        utm_source: shares,
        utm_medium: shares,
        utm_campaign: shares,
      },
    };
  }

  function ofValue(value: string): Stats {
    const counts = { views: 3, clicks: 1, previous: null, series: [] };
    return { ...withWords(value), filter: { dimension: "referrer", value, ...counts } };
  }

  function withNames(name: string) {
    return [
      { page_id: "p1", slug: "mara", name: "Mara Quill", locale: "en" as const },
      { page_id: "p2", slug: "other", name, locale: "en" as const },
    ];
  }
});

describe("what only some pages have", () => {
  const tip = { seq: 3, from_name: "<b>Mara</b>", points: 60, message: "<i>thanks</i>", at: 0 };
  const received = { n: 3, points: 1_200, has_jar: true, tips: [tip] };
  const none = { n: 0, points: 0, has_jar: false, tips: [] };
  const TOTAL = "data-tips-total";
  const downloads = [
    { link_id: "shop", uses: 1_200, bytes: 7_240_000 },
    { link_id: "long-gone", uses: 3, bytes: 90_000 },
  ];

  test.each<[string, Partial<StatsPageProps>, shown: string[], hidden?: string[]]>([
    [
      "tips, with their exact total and the newest ones as text",
      { received, stats: EMPTY },
      ["3 tips · 1,200 points", "&lt;b&gt;Mara&lt;/b&gt;", "&lt;i&gt;thanks&lt;/i&gt;"],
    ],
    ["no tips where there was never a jar", { received: none }, [], [TOTAL]],
    ["a jar without tips", { received: { ...none, has_jar: true } }, ["No tips yet"]],
    ["tips of a jar that is gone", { received: { ...received, has_jar: false } }, [TOTAL]],
    [
      "downloads, with their uses and bytes by block",
      { downloads },
      ["1,200", "7.2 MB", "7,240,000 bytes", "Removed link", "90 kB"],
    ],
    ["no downloads", {}, [], ["data-downloads"]],
  ])("%s", (_, props, shown, hidden) => expectShown(stats(props), shown, hidden));
});

describe("the pages of the dashboard", () => {
  const all = LOCALES.flatMap((locale) => [
    stats({ locale }),
    stats({ locale, stats: EMPTY }),
    pages({ locale }),
  ]);

  test("S8: have no style and no script but from files of ours", () => {
    for (const html of all) {
      expect(html).not.toMatch(/\sstyle=|<style|\son[a-z]+=|javascript:/);
      // For signing out.
      expect(html).toContain('<meta name="csrf-token" content="a-token"/>');
      expect(html).toContain('<meta name="robots" content="noindex"/>');
      for (const script of html.match(/<script[^>]*>/g) ?? []) {
        expect(script).toMatch(
          /^<script (?:async|defer="") src="\/assets\/(?:frame|pages|dashboard)-[0-9a-f]+\.js">$/,
        );
      }
    }
  });

  test("are in the reader's language only", () => {
    const names = new Set(["العربية", "English"]);
    const both = { ...FILLED, links: [], imported: { views: 3, clicks: 2, visitors: 1 } };
    for (const locale of LOCALES) {
      const foreign = Object.values(DASHBOARD_TEXTS[locale === "en" ? AR : "en"])
        .filter((text) => typeof text === "string")
        .filter((text) => text.length > 2 && !names.has(text));
      const words = stats({ locale, stats: both })
        .replace(/<[^>]*>/g, "\n")
        .split("\n");
      expect(words.filter((word) => foreign.includes(word.trim()))).toEqual([]);
    }
  });
});

describe("a page's numbers", () => {
  test("the table behind the chart holds every point, with what a script can read", () => {
    for (const locale of LOCALES) {
      const html = stats({ locale });
      const rows = [
        ...html.matchAll(
          /<tr data-tick="[^"]+"><th scope="row"><time datetime="([^"]+)">[^<]+<\/time><\/th><td data-n="(\d+)">[^<]+<\/td><td data-n="(\d+)">/g,
        ),
      ];
      expect(
        rows.map(([, t, views, clicks]) => ({ t, views: Number(views), clicks: Number(clicks) })),
      ).toEqual(FILLED.series.toReversed());
    }
  });

  test("the hours of several days are folded by day, the newest first", () => {
    const series = [
      { t: "2026-11-20T22:00:00+03:00", views: 3, clicks: 1 },
      { t: "2026-11-20T23:00:00+03:00", views: 2, clicks: 1 },
      { t: "2026-11-21T00:00:00+03:00", views: 1, clicks: 0 },
    ];
    const hourly = { ...FILLED, interval: "hour" as const, series };
    const html = stats({ stats: hourly, now_ms: Date.parse(series[2]?.t ?? "") });
    const days = html.split('<details class="day"').slice(1);
    expect(days).toHaveLength(2);
    expect(days[0]).toMatch(/^ open=""><summary><span>Saturday, November 21<\/span>/);
    expect(days[0]).toContain("1 view, 0 clicks");
    expect(days[1]).toMatch(/^><summary><span>Friday, November 20<\/span>.*5 views, 2 clicks/);
    expect(days[1]?.match(/datetime="[^"]+(?=">[^A])/g)).toEqual([
      'datetime="2026-11-20T23:00:00+03:00',
      'datetime="2026-11-20T22:00:00+03:00',
    ]);
    expect(stats({ stats: { ...hourly, from: "2026-11-21" } })).not.toContain('class="day"');
  });

  test("edits of the page are noted beside the hour or day in which they were", () => {
    const edit = (version: number, at: string, ...what: Change[]) => ({ version, at, what });
    const edited = (...revisions: Stats["revisions"]) => stats({ stats: { ...FILLED, revisions } });
    const html = edited(
      edit(4, "2026-11-21T08:00:00.000Z", "links", "look"),
      edit(3, "2026-11-20T21:00:00.000Z", "links"),
      edit(2, "2026-11-20T20:59:59.999Z", "avatar"),
    );
    const notes = html.matchAll(
      /datetime="([^"]+)">[^<]+<\/time><a class="why edits" href="\/dashboard\/pages\/p1\/edit#revisions">([^<]+)/g,
    );
    expect([...notes].map(([, t, words]) => [t, words])).toEqual([
      ["2026-11-21T00:00:00+03:00", "Edits of the page: 2 (links and look)"],
      ["2026-11-20T00:00:00+03:00", "Edits of the page: 1 (picture)"],
    ]);
    expect(stats()).not.toContain("edits");
    const many = Array.from({ length: STATS_REVISIONS_MAX }, (_, i) =>
      edit(i, "2026-11-21T08:00:00.000Z", "bio"),
    );
    const cut_off = "Only the newest 100 edits";
    expectShown(edited(...many), [cut_off]);
    expectShown(edited(...many.slice(1)), [], [cut_off]);
  });

  test("hours of today that are still to come have hidden rows, and no other day has any", () => {
    const hourly = (stats_: Stats) => stats({ stats: { ...stats_, interval: "hour" } });
    const today = {
      ...FILLED,
      from: "2026-11-21",
      series: [{ t: "2026-11-21T17:00:00+03:00", views: 1, clicks: 0 }],
    };
    expect(hourly(today).match(/<tr hidden="" data-tick/g)).toHaveLength(6);
    const yesterday = { ...today, from: "2026-11-20", to: "2026-11-20" };
    expect(hourly(yesterday)).not.toMatch(/<tr hidden/);
  });

  test("are live, and the last point open, if today is in the period, and only then", () => {
    const live = [/<div data-series="[^"]*" data-open="">/, "data-live-state", "data-day"];
    expectShown(stats(), [
      ...live,
      'data-live="views" data-shown="120" data-flushed="77" data-previous="100"',
      'data-live="bots" data-shown="4" data-flushed="0"',
      'data-live-link="shop" data-shown="21" data-flushed="11"',
      'data-day="2026-11-21"',
    ]);
    const past = { ...FILLED, from: "2026-11-01", to: "2026-11-20" };
    expectShown(stats({ stats: past }), [], [...live, "data-open"]);
  });

  test("a removed link is marked, shown by its last label where one is known, and still counts", () => {
    expectShown(stats(), [
      /<bdi lang="en" dir="ltr">Removed link<\/bdi><\/a> <span class="why">no longer on the page/,
      'data-live-link="old" data-shown="9"',
    ]);
    const links = [{ ...SHOP, removed: true }];
    expectShown(stats({ locale: AR, stats: { ...FILLED, links } }), [
      /<bdi lang="en" dir="ltr">Shop<\/bdi><\/a> <span class="why">· رابط محذوف<\/span>/,
    ]);
  });

  test("languages are shown by their names, on a page that has two or had views in two", () => {
    const of = (...values: (string | null)[]): Stats => ({
      ...FILLED,
      breakdowns: {
        ...NOBODY,
        language: values.map((value) => ({ value, views: 5, clicks: 0 })),
      },
    });
    expectShown(stats({ stats: of("ar", null) }), [], ["<h2>Language</h2>"]);
    expectShown(stats({ stats: of("ar", "en") }), [
      "<h2>Language</h2>",
      "<bdi>العربية</bdi>",
      "<bdi>English</bdi>",
    ]);
    const page = { ...PAGE, is_bilingual: true };
    expectShown(stats({ locale: AR, page, stats: of("ar") }), ["<h2>اللغة</h2>"]);
  });

  test("lists show eight and fold the rest away", () => {
    const country = Array.from({ length: 11 }, (_, i) => {
      return { value: `X${i}`, views: 20 - i, clicks: 0 };
    });
    const html = stats({ stats: { ...FILLED, breakdowns: { ...NOBODY, country } } });
    const [shown = "", folded = ""] = html.split('<details class="rest">');
    expectShown(shown, ["X7"], ["X8"]);
    expectShown(folded, ["3 more", "X10"]);
  });

  test.each<[ReaderLocale, Dimension, string | null, string]>([
    [AR, "country", "SA", "المملكة العربية السعودية"],
    ["en", "country", "T1", "Tor network"],
    ["en", "country", "not a code", "not a code"],
    [AR, "referrer", null, "زيارة مباشرة أو مصدر غير معروف"],
    ["en", "utm_source", "(other)", "Others"],
    ["en", "utm_source", "newsletter\u202e", "newsletter"],
  ])("in %s, the %s %s is %s", (locale, dimension, value, name) => {
    expect(nameOf(locale, dimension, value)).toBe(name);
  });

  test("campaigns are shown where there are any, without the visits that had none", () => {
    const unknown = [{ value: null, views: 120, clicks: 30 }];
    const of = (utm_source: Stats["breakdowns"]["utm_source"]) =>
      stats({ stats: { ...FILLED, breakdowns: { ...NOBODY, utm_source } } });
    for (const none of [of([]), of(unknown)]) expectShown(none, [], ["Campaigns</h2>"]);
    const html = of([{ value: "mail", views: 1, clicks: 0 }, ...unknown]);
    const [, campaigns = ""] = html.split("Campaigns</h2>");
    expectShown(campaigns, ["<bdi>mail</bdi>"], ["Unknown"]);
  });

  test("that were imported are said not to be Sila's, and the audit says that it leaves them out", () => {
    const imported = { views: 3, clicks: 1, visitors: 1 };
    expectShown(stats({ stats: { ...FILLED, imported } }), [
      "3 views and 1 click of these were not counted by Sila",
      "sample data were not counted by Sila, and are not in here",
    ]);
    expectShown(stats(), [], ["not counted by Sila"]);
  });
});

describe("where there is nothing to show", () => {
  test("a creator without a page sees what will be here", () => {
    for (const locale of LOCALES) {
      const html = pages({ locale });
      expect(html).toContain(PAGES_TEXTS[locale].none);
      for (const step of PAGES_TEXTS[locale].none_steps) expect(html).toContain(step);
      expect(html).toContain('<a class="primary" href="/dashboard/new?');
    }
  });

  test("a page without a visit shows its address and code instead of an empty chart", () => {
    for (const locale of LOCALES) {
      const html = stats({ locale, range: "today", stats: EMPTY });
      expect(html).toContain(DASHBOARD_TEXTS[locale].empty_today);
      expect(html).toContain("sila.example/mara");
      expect(html).toMatch(/<svg [^>]*role="img"><title>[^<]*sila\.example\/mara<\/title>/);
      expect(html).toMatch(/data-filled="(true)?" hidden/);
      expect(html).not.toMatch(/NaN|Infinity/);
    }
    expect(stats()).not.toContain("data-empty");
  });

  const own = ["/dashboard/p1", "/dashboard/p1"];
  const edit = "/dashboard/pages/p1/edit";
  test.each<[string, Partial<OwnedPage>, string | undefined, string[]]>([
    ["published", {}, undefined, [...own, edit, "/mara", "https://sila.example/mara"]],
    [
      "new",
      { status: "draft", is_new: true },
      "Draft",
      ["/dashboard/p1", `${edit}#start`, "/dashboard/p1", edit],
    ],
    ["a draft", { status: "draft" }, "Draft", [...own, edit]],
    ["suspended", { status: "suspended", is_new: true }, "Suspended", own],
    ["deleted", { status: "draft", ends_at: NOW_MS }, "Deleted", ["/api/me/pages/p1/undelete"]],
  ])(
    "a page in the list that is %s is marked, and leads to what its owner can do with it",
    (_, page, mark, links) => {
      const html = pages({ pages: [{ ...OWNED, time_zone: "UTC", ...page }] });
      const list = html.slice(html.indexOf('<ul class="owned">'));
      const found = [
        ...list.matchAll(/(?:href|data-copy|data-undelete)="([^"?#]+)(?:\?[^"#]*)?([^"]*)/g),
      ];
      expect(found.map(([, to, fragment]) => `${to}${fragment}`)).toEqual(links);
      expect(/<span class="badge[^>]*>([^<]*)/.exec(list)?.[1]).toBe(mark);
      // On the reader's clock.
      expect(list.includes("gone for good at 17:05")).toBe(page.ends_at !== undefined);
    },
  );

  test("a new page is offered while the plan has room, and otherwise the list says how much it has", () => {
    const new_page = 'href="/dashboard/new?';
    const one = { ...OWNED, page_id: "other" };
    expect(pages({ pages: [OWNED], pages_max: 2 })).toContain(new_page);
    expect(pages({ pages: [OWNED, { ...one, ends_at: NOW_MS }], pages_max: 2 })).toContain(
      new_page,
    );
    const full = pages({ pages: [OWNED, one], pages_max: 2 });
    const disabled = /<a class="primary" role="link" aria-disabled="true">/;
    expectShown(full, ["Your plan has room for 2 pages.", disabled], [new_page]);
    // Who comes by the address of the form is told the same, with the way to the pages.
    const start = (max: number | null) =>
      (<StartPage frame={FRAME} slug="" full={max} />).toString();
    const back = /<a class="primary" href="\/dashboard(?:\?[^"]*)?">/;
    expectShown(start(null), ['<form id="start"']);
    expectShown(start(1), ["Your plan has room for 1 page.", back], ["<form id"]);
  });

  test("a draft or suspended page says so, and nobody is asked to share what nobody can see", () => {
    for (const status of ["suspended", "draft"] as const) {
      for (const numbers of [FILLED, EMPTY]) {
        const html = stats({ page: { ...PAGE, status }, stats: numbers });
        expect(html).toMatch(/This page is (?:a draft|suspended)/);
        expect(html).not.toMatch(/class="code"|data-copy|qr\.svg|href="\/mara"/);
      }
    }
    expect(stats()).not.toMatch(/suspended|is a draft/);
    expect(stats()).toContain('data-copy="https://sila.example/mara"');
  });
});

describe("one link", () => {
  const LINK: Stats = {
    ...FILLED,
    link: {
      link_id: "shop",
      previous: 10,
      series: seriesOf(["2026-11-20", 0, 8], ["2026-11-21", 0, 13]),
    },
  };
  const url = new URL("https://sila.example/dashboard/p1?range=7d&link=shop");

  test("has its clicks against the views of the page, live, and its share of all clicks", () => {
    const html = stats({ stats: LINK, url });
    expectShown(
      html,
      [
        'data-link="shop"',
        'data-live="clicks" data-shown="21" data-flushed="11" data-previous="10">21<',
        'data-live="views" data-shown="120"',
        /<span data-live-rate="[^"]*">17.5%<\/span>/,
        /data-live-share="[^"]*" data-shown="30" data-flushed="0">70%</,
      ],
      ["data-links", "<h2>Countries</h2>"],
    );
    expect(rowsOf(html)).toEqual([50, 13, 70, 8]);
  });

  test("is reached from the list, can be opened, copied and left, and keeps its place", () => {
    expectShown(stats(), [
      'href="/dashboard/p1?range=7d&amp;tz=Asia%2FRiyadh&amp;lang=en&amp;link=shop"',
    ]);
    expectShown(stats({ stats: LINK, url }), [
      '<a class="part-chip" href="/dashboard/p1?range=7d">',
      'href="https://shop.example/" rel="noopener noreferrer nofollow"',
      'data-copy="https://shop.example/"',
      // With other days, and in the CSV.
      'href="/dashboard/p1?range=30d&amp;link=shop"',
      '<input type="hidden" name="link" value="shop"/>',
      /stats\.csv\?[^"]*lang=en&amp;link=shop"/,
    ]);
    const gone = { ...LINK, links: [{ ...SHOP, removed: true, url: null }] };
    expectShown(stats({ stats: gone, url }), ["no longer on the page"], ["data-copy"]);
  });
});

describe("one value of a list", () => {
  const share = (value: string | null, views: number) => ({ value, views, clicks: 1 });
  const VALUE = {
    ...FILLED,
    breakdowns: {
      ...NOBODY,
      country: [share("SA", 60), share("EG", 40), share(null, 15), share("(other)", 5)],
      referrer: [share("a.example", 90), share(null, 30)],
    },
    filter: {
      dimension: "country",
      value: "SA",
      views: 60,
      clicks: 12,
      previous: { views: 50, clicks: 12 },
      series: seriesOf(["2026-11-20", 40, 8], ["2026-11-21", 20, 4]),
    },
  } satisfies Stats;
  const url = new URL("https://sila.example/dashboard/p1?filter=country%3ASA");

  test("shows what is stored of it, and nothing of all people but its own list", () => {
    const html = stats({ stats: VALUE, url });
    expectShown(
      html,
      [
        '<a class="part-chip" href="/dashboard/p1">',
        "Countries: <bdi>Saudi Arabia</bdi>",
        "are not stored for each value",
        '<span class="number">50%</span>',
        '<span class="number">60</span>',
        /<a href="[^"]*SA" aria-current="true"><bdi>Saudi Arabia/,
      ],
      ["<h2>Links</h2>", "<h2>Referrers</h2>", "Visitors</dt>", 'data-live="'],
    );
    expect(rowsOf(html)).toEqual([20, 4, 40, 8]);
  });

  test("has no clicks where they say nothing", () => {
    const filter = { ...VALUE.filter, dimension: "referrer" as const, value: "a.example" };
    const html = stats({ stats: { ...VALUE, filter }, url });
    expect(rowsOf(html)).toEqual([20, 40]);
    expectShown(html, [], [">Clicks<"]);
  });

  test("is reached from its row with its share; the others and the unknown are no value", () => {
    expectShown(stats({ stats: { ...VALUE, filter: null } }), [
      /<a href="[^"]*filter=country%3AEG"><bdi>Egypt<\/bdi><\/a>/,
      /<td>40<\/td><td class="percent">33.3%<\/td><td>1<\/td>/,
      '<span class="label"><bdi>Unknown</bdi></span>',
      '<span class="label"><bdi>Others</bdi></span>',
    ]);
  });
});

test("all time is compared with nothing, and shown by the month where it is long", () => {
  const long: Stats = {
    ...FILLED,
    from: "2025-01-01",
    interval: "month",
    series: seriesOf(["2026-11-01", 120, 30]),
  };
  const html = stats({ stats: long, range: "all" });
  expectShown(
    html,
    [
      "From the first day of the page",
      ">November 2026</time>",
      /interval=day">Days<.*interval=month" aria-current="page">Months</s,
    ],
    ["Compared with", "data-previous"],
  );
  expect(html.match(/class="change" hidden=""/g)).toHaveLength(4);
  expectShown(stats({ locale: AR, stats: long, range: "all" }), ["نوفمبر ٢٠٢٦"]);
});

test("the audit in the page says whether the numbers are exact, with every entry, and without a script", () => {
  const entry = (accepted: number, drift = 0) => {
    return { accepted, flushed: accepted + drift, pending: 0, drift };
  };
  const audit = (drift: number) => ({
    ...entry(9, drift),
    exact: drift === 0,
    views: entry(5),
    links: [{ ...entry(4, drift), link_id: "shop", label: "<b>Shop", removed: true }],
  });
  const html = stats({ audit: audit(0) });
  expectShown(html, [
    'data-exact="exact"',
    /, last checked \d\d:\d\d</,
    "<bdi>&lt;b&gt;Shop (Removed link)</bdi>",
  ]);
  const [entries = ""] = html.split("data-audit-entries")[1]?.split("</tbody>") ?? [];
  expect(entries.match(/<tr>/g)).toHaveLength(3);
  expectShown(stats({ audit: audit(-2) }), [
    'data-exact="drift"',
    "Difference of 2",
    '<td class="alarming">-2</td>',
  ]);
  expectShown(stats({ audit: null }), ['data-exact="unknown"'], ["last checked"]);
});

describe("a number against the period before", () => {
  test.each([
    [120, 100, "up", "20%"],
    [30, 40, "down", "25%"],
    [1000, 1001, "same", expect.any(String)],
    [5, 0, "new", "new"],
    [5000, 1, "up", ">999%"],
  ] as const)("%i after %i is %s: %s", (now, before, direction, short) => {
    expect(changeOf("en", now, before)).toMatchObject({ direction, short });
  });

  test("is absent if there is nothing to compare", () => {
    expect(changeOf("en", 0, 0)).toBeNull();
    expect(changeOf("en", 5, null)).toBeNull();
  });

  test("is in words, and in the reader's digits", () => {
    expect(changeOf("en", 5000, 1)?.full).toBe(">999% more than in the period before");
    expect(changeOf(AR, 30, 40)?.short).toContain("٢٥");
  });

  test.each([
    [1, "نقطة مئوية", "نقطة مئوية واحدة", "1 percentage point "],
    [2, "نقطتان مئويتان", "نقطتين مئويتين", "2 percentage points "],
    [4.1, "٤٫١ نقطة مئوية", "٤٫١ نقطة مئوية", "4.1 percentage points "],
  ])("of %d percentage points has its plural form", (points, short, full, english) => {
    const before = { views: 1000, clicks: 100 };
    const now = { views: 1000, clicks: 100 + points * 10 };
    expect(rateChangeOf(AR, now, before)).toEqual({
      direction: "up",
      short,
      full: `أعلى من الفترة السابقة بمقدار ${full}`,
    });
    expect(rateChangeOf("en", now, before)?.full).toContain(english);
  });

  test("of the rate is absent where there was no view", () => {
    const rate = (clicks: number, views = 100) => ({ clicks, views });
    expect(rateChangeOf(AR, rate(10), rate(12))?.direction).toBe("down");
    expect(rateChangeOf("en", rate(0, 0), rate(12))).toBeNull();
    expect(rateChangeOf("en", rate(1), rate(0, 0))).toBeNull();
    expect(formatRate("en", 3, 0)).toBe("–");
  });
});

describe("numbers and dates in words", () => {
  test.each([
    [0, "لا مشاهدات", "0 views"],
    [1, "مشاهدة واحدة", "1 view"],
    [2, "مشاهدتان", "2 views"],
    [3, "٣ مشاهدات", "3 views"],
    [11, "١١ مشاهدة", "11 views"],
    [100, "١٠٠ مشاهدة", "100 views"],
  ])("%i has its plural form, six in Arabic and two in English", (n, arabic, english) => {
    expect([counted(AR, "view", n), counted("en", "view", n)]).toEqual([arabic, english]);
  });

  test("hours of several days are named with their day, and under the axis midnight is the day", () => {
    const names = momentNames("en", "Asia/Riyadh", "hour", true);
    expect(names(Date.parse("2026-11-20T21:00:00Z"))).toEqual({
      full: "Saturday, November 21, 00:00",
      tick: "Nov 21",
    });
    expect(names(Date.parse("2026-11-20T22:00:00Z")).tick).toBe("01:00");
    const arabic = momentNames(AR, "Asia/Riyadh", "day", true);
    expect(arabic(Date.parse("2026-11-20T21:00:00Z")).tick).toBe("٢١ نوفمبر");
  });

  test("the note on the page's days names when they begin, and is absent if the shown ones do too", () => {
    const begins = (locale: ReaderLocale, tz: string, page_zone: string) =>
      pageDayBegins(locale, NOW_MS, { tz, page_zone });
    expect(begins("en", "America/New_York", "UTC")).toBe("19:00");
    expect(begins(AR, "Asia/Kolkata", "UTC")).toBe("٠٥:٣٠");
    expect(begins("en", "Asia/Riyadh", "Asia/Aden")).toBeNull();
  });
});

describe("links of the dashboard", () => {
  test("change one parameter and keep the others", () => {
    expect(changed(FRAME.url, { lang: "ar" })).toBe(
      "/dashboard/p1?range=7d&tz=Asia%2FRiyadh&lang=ar",
    );
    expect(changed(FRAME.url, { range: null, tz: null, lang: null })).toBe("/dashboard/p1");
    expect(statsAddress(FRAME.url, "a/b")).toBe(
      "/dashboard/a%2Fb?lang=en&tz=Asia%2FRiyadh&range=7d",
    );
  });

  test("a range brings its own days: those of a custom one are left behind", () => {
    const url = new URL(
      "https://sila.example/dashboard/p1?range=custom&from=2026-01-01&to=2026-01-02&interval=hour&lang=en",
    );
    const html = stats({ url, range: "custom" });
    expect(html).toContain('href="/dashboard/p1?range=30d&amp;lang=en"');
    expect(html).toContain('<summary class="tab chosen">Custom range</summary>');
  });
});
