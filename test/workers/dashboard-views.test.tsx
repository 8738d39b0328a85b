/** The rendered pages of the dashboard: complete, in both languages, and safe with any untrusted text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIMENSIONS } from "../../objects/tables/event.ts";
import { changed, statsAddress } from "../../src/dashboard/addresses.ts";
import type { Frame } from "../../src/dashboard/frame.tsx";
import { NOTIFICATIONS_TEXTS } from "../../src/dashboard/notifications-texts.ts";
import type { OwnedPage } from "../../src/dashboard/page-card.tsx";
import { PagesPage } from "../../src/dashboard/pages-page.tsx";
import { PAGES_TEXTS } from "../../src/dashboard/pages-texts.ts";
import { FRAME_SCRIPT_TEXTS } from "../../src/dashboard/script-texts.ts";
import { FRAME_TEXTS } from "../../src/dashboard/texts.ts";
import { StartPage } from "../../src/editor/start-page.tsx";
import { STATS_REVISIONS_MAX } from "../../src/http/limits.ts";
import type { Change } from "../../src/pages/revisions-store.ts";
import { nameOf } from "../../src/stats/dashboard/breakdowns.tsx";
import { changeOf, rateChangeOf } from "../../src/stats/dashboard/change.ts";
import { momentNames, pageDayBegins } from "../../src/stats/dashboard/dates.ts";
import { PART_TEXTS } from "../../src/stats/dashboard/part-texts.ts";
import type { StatsPageProps } from "../../src/stats/dashboard/props.ts";
import { SCRIPT_TEXTS } from "../../src/stats/dashboard/script-texts.ts";
import { StatsPage } from "../../src/stats/dashboard/stats-page.tsx";
import { DASHBOARD_TEXTS } from "../../src/stats/dashboard/texts.ts";
import type { PageColumns } from "../../src/stats/page-columns.ts";
import type { Stats } from "../../src/stats/stats-shape.ts";
import { ErrorPage } from "../../src/views/error-page.tsx";
import type { ReaderLocale } from "../../src/views/numbering.ts";
import { counted, formatRate } from "../../src/views/numbers.ts";

const NOW_MS = Date.parse("2026-11-21T14:05:00Z");
/** Arabic with Arabic-Indic digits. */
const AR = "ar-u-nu-arab";
const LOCALES = [AR, "ar-u-nu-latn", "en"] as const;

const FRAME: Frame = {
  locale: "en",
  user_name: "Mara Quill",
  now_ms: NOW_MS,
  csrf_token: "a-token",
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

const EMPTY: Stats = {
  from: "2026-11-20",
  to: "2026-11-21",
  tz: "Asia/Riyadh",
  interval: "day",
  totals: { views: 0, clicks: 0, visitors: 0, bots: 0, owner: 0, limited: 0 },
  previous: { views: 0, clicks: 0, visitors: 0 },
  series: [
    { t: "2026-11-20T00:00:00+03:00", views: 0, clicks: 0 },
    { t: "2026-11-21T00:00:00+03:00", views: 0, clicks: 0 },
  ],
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
  series: [
    { t: "2026-11-20T00:00:00+03:00", views: 70, clicks: 10 },
    { t: "2026-11-21T00:00:00+03:00", views: 50, clicks: 20 },
  ],
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
    // A link, a referrer, three campaigns, and another page.
    expect(html.split("<bdi>abc</bdi>").length - 1).toBe(1 + 1 + 3 + 1);
    expect(stats({ locale: AR })).toMatch(/<h1><bdi>Mara Quill<\/bdi><\/h1>/);
  });

  test("that are a link's id cannot reach an object's prototype", () => {
    const links = [{ ...SHOP, link_id: "constructor", clicks: 1 }];
    expect(stats({ stats: { ...FILLED, links } })).toContain(
      'data-live-link="constructor" data-shown="1" data-flushed="0"',
    );
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
      { page_id: "p1", slug: "mara", name: "Mara Quill" },
      { page_id: "p2", slug: "other", name },
    ];
  }
});

describe("tips", () => {
  const tip = { seq: 3, from_name: "<b>Mara</b>", points: 60, message: "<i>thanks</i>", at: 0 };
  const received = { n: 3, points: 1_200, has_jar: true, tips: [tip] };

  test("have their exact total and the newest ones as text, on a page that had a jar or has one", () => {
    const english = stats({ received, stats: EMPTY });
    for (const text of [
      "3 tips · 1,200 points",
      "&lt;b&gt;Mara&lt;/b&gt;",
      "&lt;i&gt;thanks&lt;/i&gt;",
    ])
      expect(english).toContain(text);
    expect(stats({ received, locale: AR })).toContain("٣ إكراميات مجموعها ١٬٢٠٠ نقطة");
    const none = { n: 0, points: 0, has_jar: false, tips: [] };
    expect(stats({ received: none })).not.toContain("data-tips-total");
    expect(stats({ received: { ...none, has_jar: true } })).toContain("No tips yet");
    expect(stats({ received: { ...received, has_jar: false } })).toContain("data-tips-total");
  });
});

describe("downloads", () => {
  const downloads = [
    { link_id: "shop", uses: 1_200, bytes: 7_240_000 },
    { link_id: "long-gone", uses: 3, bytes: 90_000 },
  ];

  test("have their uses and bytes by block, in both languages", () => {
    const english = stats({ downloads });
    for (const text of ["1,200", "7.2 MB", "7,240,000 bytes", "Removed link", "90 kB"]) {
      expect(english).toContain(text);
    }
    expect(stats({ downloads, locale: AR })).toContain("١٬٢٠٠");
    expect(stats()).not.toContain("data-downloads");
  });
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
          /^<script defer="" src="\/assets\/(?:frame|pages|dashboard)-[0-9a-f]+\.js">$/,
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

  test("every text exists in both languages, and none is left in the other's", () => {
    for (const [arabic, english] of [
      [FRAME_TEXTS[AR], FRAME_TEXTS.en],
      [PAGES_TEXTS[AR], PAGES_TEXTS.en],
      [NOTIFICATIONS_TEXTS.ar, NOTIFICATIONS_TEXTS.en],
      [FRAME_SCRIPT_TEXTS.ar, FRAME_SCRIPT_TEXTS.en],
      [DASHBOARD_TEXTS[AR], DASHBOARD_TEXTS.en],
      [PART_TEXTS[AR], PART_TEXTS.en],
      [SCRIPT_TEXTS.ar, SCRIPT_TEXTS.en],
    ] as const) {
      const [ar, en] = [words(arabic), words(english)];
      expect([...ar.keys()]).toEqual([...en.keys()]);
      for (const [key, text] of ar) {
        if (key === "and" || key === "other_language") continue;
        expect([key, text]).toEqual([key, expect.stringMatching(/[\u0621-\u064a]/)]);
        expect([key, en.get(key)]).toEqual([key, expect.not.stringMatching(/[\u0621-\u064a]/)]);
      }
    }
  });

  function words(texts: object, prefix = ""): Map<string, string> {
    return new Map(
      Object.entries(texts).flatMap(([key, text]): (readonly [string, string])[] => {
        if (typeof text === "string") return [[prefix + key, text]];
        if (typeof text === "function") return [[prefix + key, String(text(7, 7))]];
        return [...words(text, `${key}.`)];
      }),
    );
  }
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

  test("the last point is open while its hour, day or month is not over", () => {
    expect(stats()).toMatch(/<div data-series="[^"]*" data-open="">/);
    const past = { ...FILLED, from: "2026-11-01", to: "2026-11-20" };
    expect(stats({ stats: past })).not.toContain("data-open");
  });

  test("edits of the page are noted beside the hour or day in which they were", () => {
    const edit = (version: number, at: string, ...what: Change[]) => ({ version, at, what });
    const revisions = [
      edit(4, "2026-11-21T08:00:00.000Z", "links", "look"),
      edit(3, "2026-11-20T21:00:00.000Z", "links"),
      edit(2, "2026-11-20T20:59:59.999Z", "avatar"),
    ];
    const notes = (locale: ReaderLocale) =>
      [
        ...stats({ locale, stats: { ...FILLED, revisions } }).matchAll(
          /datetime="([^"]+)">[^<]+<\/time><a class="why edits" href="\/dashboard\/pages\/p1\/edit#revisions">([^<]+)/g,
        ),
      ].map(([, t, words]) => [t, words]);
    expect(notes("en")).toEqual([
      ["2026-11-21T00:00:00+03:00", "Edits of the page: 2 (links and look)"],
      ["2026-11-20T00:00:00+03:00", "Edits of the page: 1 (picture)"],
    ]);
    expect(notes(AR)[0]?.[1]).toBe("تعديلات الصفحة: ٢ (الروابط والمظهر)");
    expect(stats()).not.toContain("edits");
    const many = Array.from({ length: STATS_REVISIONS_MAX }, (_, i) =>
      edit(i, "2026-11-21T08:00:00.000Z", "bio"),
    );
    const marked = (revisions: Stats["revisions"]) => stats({ stats: { ...FILLED, revisions } });
    expect(marked(many)).toContain("Only the newest 100 edits");
    expect(marked(many.slice(1))).not.toContain("Only the newest 100 edits");
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

  test("have their live attributes if today is in the period, and only then", () => {
    const html = stats();
    expect(html).toContain(
      'data-live="views" data-shown="120" data-flushed="77" data-previous="100"',
    );
    expect(html).toContain('data-live="bots" data-shown="4" data-flushed="0"');
    expect(html).toContain('data-live-link="shop" data-shown="21" data-flushed="11"');
    expect(html).toContain('data-day="2026-11-21"');
    expect(html).toContain("data-live-state");
    const past = stats({ stats: { ...FILLED, from: "2026-11-01", to: "2026-11-20" } });
    expect(past).not.toContain("data-day");
    expect(past).not.toContain("data-live-state");
  });

  test("a removed link is marked, shown by its last label where one is known, and still counts", () => {
    const html = stats();
    expect(html).toMatch(/<bdi>Removed link<\/bdi><\/a> <span class="why">no longer on the page/);
    expect(html).toContain('data-live-link="old" data-shown="9"');
    const links = [{ ...SHOP, removed: true }];
    expect(stats({ locale: AR, stats: { ...FILLED, links } })).toMatch(
      /<bdi>Shop<\/bdi><\/a> <span class="why">· رابط محذوف<\/span>/,
    );
  });

  test("languages are shown by their names, on a page that has two or had views in two", () => {
    const share = (value: string | null) => ({ value, views: 5, clicks: 0 });
    const of = (...values: (string | null)[]) => ({
      ...FILLED,
      breakdowns: { ...NOBODY, language: values.map(share) },
    });
    expect(stats({ stats: of("ar", null) })).not.toContain("<h2>Language</h2>");
    const two = stats({ stats: of("ar", "en") });
    expect(two).toContain("<h2>Language</h2>");
    expect(two).toContain("<bdi>العربية</bdi>");
    expect(two).toContain("<bdi>English</bdi>");
    // The fifth card of its kind has a row of its own.
    expect(two).toContain('<section class="card share wider">');
    expect(stats()).toContain('<section class="card share">');
    const page = { ...PAGE, is_bilingual: true };
    expect(stats({ locale: AR, page, stats: of("ar") })).toContain("<h2>اللغة</h2>");
    expect(nameOf(AR, "language", null)).toBe("غير معروف");
    expect(nameOf("en", "language", "constructor")).toBe("constructor");
  });

  test("lists show eight and fold the rest away, and codes become words", () => {
    const country = Array.from({ length: 11 }, (_, i) => ({
      value: ["SA", "T1", "not a code", null, "(other)"][i] ?? `X${i}`,
      views: 20 - i,
      clicks: 0,
    }));
    const html = stats({ stats: { ...FILLED, breakdowns: { ...FILLED.breakdowns, country } } });
    const [shown = "", folded = ""] = html.split('<details class="rest">');
    expect(shown).toContain("Saudi Arabia");
    expect(shown).not.toContain("X8");
    expect(folded).toContain("3 more");
    expect(folded).toContain("X10");
    expect(nameOf(AR, "country", "SA")).toBe("المملكة العربية السعودية");
    expect(nameOf("en", "country", "T1")).toBe("Tor network");
    expect(nameOf("en", "country", "not a code")).toBe("not a code");
    expect(nameOf(AR, "device", "mobile")).toBe("هاتف");
    expect(nameOf("en", "device", "constructor")).toBe("constructor");
    expect(nameOf(AR, "referrer", null)).toBe("زيارة مباشرة أو مصدر غير معروف");
    expect(nameOf("en", "utm_source", "(other)")).toBe("Others");
    expect(nameOf(AR, "utm_source", "instagram")).toBe("إنستغرام");
    expect(nameOf("en", "utm_source", "constructor")).toBe("constructor");
    expect(nameOf("en", "utm_source", "newsletter\u202e")).toBe("newsletter");
  });

  test("campaigns are shown where there are any, without the visits that had none", () => {
    expect(stats()).not.toContain("Campaigns</h2>");
    const unknown = [{ value: null, views: 120, clicks: 30 }];
    const none = { ...FILLED.breakdowns, utm_source: unknown };
    expect(stats({ stats: { ...FILLED, breakdowns: none } })).not.toContain("Campaigns</h2>");
    const some = { ...none, utm_source: [{ value: "mail", views: 1, clicks: 0 }, ...unknown] };
    const html = stats({ stats: { ...FILLED, breakdowns: some } });
    const [, campaigns = ""] = html.split("Campaigns</h2>");
    expect(campaigns).toContain("<bdi>mail</bdi>");
    expect(campaigns).not.toContain("Unknown");
  });

  test("that were imported are said not to be Sila's, and the audit says that it leaves them out", () => {
    const html = stats({ stats: { ...FILLED, imported: { views: 3, clicks: 1, visitors: 1 } } });
    expect(html).toContain("3 views and 1 click of these were not counted by Sila");
    expect(html).toContain("sample data were not counted by Sila, and are not in here");
    expect(stats()).not.toContain("not counted by Sila");
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
    expect(full).not.toContain(new_page);
    expect(full).toContain("Your plan has room for 2 pages.");
    expect(full).toMatch(/<a class="primary" role="link" aria-disabled="true">/);
  });

  test("a plan without room says so before the form of a new page, with the way to the pages", () => {
    const start = (full: number | null) =>
      (<StartPage frame={FRAME} slug="" full={full} />).toString();
    expect(start(null)).toContain('<form id="start"');
    expect(start(1)).not.toContain("<form id");
    expect(start(1)).toContain("Your plan has room for 1 page.");
    expect(start(1)).toMatch(/<a class="primary" href="\/dashboard(?:\?[^"]*)?">/);
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
      series: [
        { t: "2026-11-20T00:00:00+03:00", clicks: 8 },
        { t: "2026-11-21T00:00:00+03:00", clicks: 13 },
      ],
    },
  };
  const url = new URL("https://sila.example/dashboard/p1?range=7d&link=shop");

  test("has its clicks against the views of the page, live, and its share of all clicks", () => {
    const html = stats({ stats: LINK, url });
    expect(html).toContain('data-link="shop"');
    expect(html).toContain(
      'data-live="clicks" data-shown="21" data-flushed="11" data-previous="10">21<',
    );
    expect(html).toContain('data-live="views" data-shown="120"');
    expect(html).toMatch(/<span data-live-rate="[^"]*">17.5%<\/span>/);
    expect(html).toMatch(/data-live-share="[^"]*" data-shown="30" data-flushed="0">70%</);
    expect([...html.matchAll(/<td data-n="(\d+)"/g)].map(([, n]) => Number(n))).toEqual([
      50, 13, 70, 8,
    ]);
    expect(html).not.toContain("data-links");
    expect(html).not.toContain("<h2>Countries</h2>");
  });

  test("can be opened, copied and left, and is reached from the list", () => {
    const html = stats({ stats: LINK, url });
    expect(html).toContain('<a class="part-chip" href="/dashboard/p1?range=7d">');
    expect(html).toContain('href="https://shop.example/" rel="noopener noreferrer nofollow"');
    expect(html).toContain('data-copy="https://shop.example/"');
    expect(html).toContain("link=shop");
    expect(stats()).toContain(
      'href="/dashboard/p1?range=7d&amp;tz=Asia%2FRiyadh&amp;lang=en&amp;link=shop"',
    );
    const gone = { ...LINK, links: [{ ...SHOP, removed: true, url: null }] };
    expect(stats({ stats: gone, url })).not.toContain("data-copy");
    expect(stats({ stats: gone, url })).toContain("no longer on the page");
  });

  test("keeps its place when the days change, and in the CSV", () => {
    const html = stats({ stats: LINK, url });
    expect(html).toContain('href="/dashboard/p1?range=30d&amp;link=shop"');
    expect(html).toContain('<input type="hidden" name="link" value="shop"/>');
    expect(html).toMatch(/stats\.csv\?[^"]*lang=en&amp;link=shop"/);
  });
});

describe("one value of a list", () => {
  const share = (value: string | null, views: number) => ({ value, views, clicks: 1 });
  const VALUE: Stats = {
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
      series: [
        { t: "2026-11-20T00:00:00+03:00", views: 40, clicks: 8 },
        { t: "2026-11-21T00:00:00+03:00", views: 20, clicks: 4 },
      ],
    },
  };
  const url = new URL("https://sila.example/dashboard/p1?filter=country%3ASA");

  test("shows what is stored of it, and nothing of all people but its own list", () => {
    const html = stats({ stats: VALUE, url });
    expect(html).toContain('<a class="part-chip" href="/dashboard/p1">');
    expect(html).toContain("Countries: <bdi>Saudi Arabia</bdi>");
    expect(html).toContain("are not stored for each value");
    expect(html).toContain('<span class="number">50%</span>');
    expect(html).toContain('<span class="number">60</span>');
    expect([...html.matchAll(/<td data-n="(\d+)"/g)].map(([, n]) => Number(n))).toEqual([
      20, 4, 40, 8,
    ]);
    for (const other of ["<h2>Links</h2>", "<h2>Referrers</h2>", "Visitors</dt>", 'data-live="']) {
      expect(html).not.toContain(other);
    }
    expect(html).toMatch(/<a href="[^"]*SA" aria-current="true"><bdi>Saudi Arabia/);
  });

  test("has no clicks where they say nothing", () => {
    const filter = { ...VALUE.filter, dimension: "referrer", value: "a.example" };
    const html = stats({ stats: { ...VALUE, filter } as Stats, url });
    expect([...html.matchAll(/<td data-n="(\d+)"/g)].map(([, n]) => Number(n))).toEqual([20, 40]);
    expect(html).not.toContain(">Clicks<");
  });

  test("is reached from its row with its share; the others and the unknown are no value", () => {
    const html = stats({ stats: { ...VALUE, filter: null } });
    expect(html).toMatch(/<a href="[^"]*filter=country%3AEG"><bdi>Egypt<\/bdi><\/a>/);
    expect(html).toMatch(/<td>40<\/td><td class="percent">33.3%<\/td><td>1<\/td>/);
    expect(html).toContain('<span class="label"><bdi>Unknown</bdi></span>');
    expect(html).toContain('<span class="label"><bdi>Others</bdi></span>');
  });
});

describe("all time", () => {
  test("is compared with nothing, and shown by the month where it is long", () => {
    const long: Stats = {
      ...FILLED,
      from: "2025-01-01",
      interval: "month",
      series: [{ t: "2026-11-01T00:00:00+03:00", views: 120, clicks: 30 }],
    };
    const html = stats({ stats: long, range: "all" });
    expect(html).toContain("From the first day of the page");
    expect(html).not.toContain("Compared with");
    expect(html).not.toContain("data-previous");
    expect(html.match(/class="change" hidden=""/g)).toHaveLength(4);
    expect(html).toContain(">November 2026</time>");
    expect(html).toMatch(/interval=day">Days<.*interval=month" aria-current="page">Months</s);
    expect(stats({ locale: AR, stats: long, range: "all" })).toContain("نوفمبر ٢٠٢٦");
  });
});

describe("the audit in the page", () => {
  const entry = (accepted: number, drift = 0) => ({
    accepted,
    flushed: accepted + drift,
    pending: 0,
    drift,
  });
  const audit = (drift: number) => ({
    ...entry(9, drift),
    exact: drift === 0,
    views: entry(5),
    links: [{ ...entry(4, drift), link_id: "shop", label: "<b>Shop", removed: true }],
  });

  test("says whether the numbers are exact, with every entry, and without a script", () => {
    const html = stats({ audit: audit(0) });
    expect(html).toContain('data-exact="exact"');
    expect(html).toContain("<bdi>&lt;b&gt;Shop (Removed link)</bdi>");
    const [entries = ""] = html.split("data-audit-entries")[1]?.split("</tbody>") ?? [];
    expect(entries.match(/<tr>/g)).toHaveLength(3);
    const drifted = stats({ audit: audit(-2) });
    expect(drifted).toContain('data-exact="drift"');
    expect(drifted).toContain("Difference of 2");
    expect(drifted).toContain('<td class="alarming">-2</td>');
    expect(stats({ audit: null })).toContain('data-exact="unknown"');
  });
});

describe("a number against the period before", () => {
  test('has a direction, is "new" after 0, and is absent if there is nothing to compare', () => {
    expect(changeOf("en", 120, 100)).toMatchObject({ direction: "up", short: "20%" });
    expect(changeOf("en", 30, 40)).toMatchObject({ direction: "down", short: "25%" });
    expect(changeOf(AR, 30, 40)?.short).toContain("٢٥");
    expect(changeOf("en", 1000, 1001)?.direction).toBe("same");
    expect(changeOf("en", 5, 0)).toMatchObject({ direction: "new", short: "new" });
    expect(changeOf("en", 0, 5)).toMatchObject({ direction: "down", short: "100%" });
    expect(changeOf("en", 0, 0)).toBeNull();
    expect(changeOf("en", 5, null)).toBeNull();
  });

  test("is at most 999 percent, and says that it is more", () => {
    expect(changeOf("en", 1099, 110)).toMatchObject({ short: "899%" });
    expect(changeOf("en", 5000, 1)).toMatchObject({
      short: ">999%",
      full: ">999% more than in the period before",
    });
    expect(changeOf(AR, 5000, 1)?.short).toContain("فوق ٩٩٩");
    expect(changeOf("en", 30, 40)?.full).toBe("25% fewer than in the period before");
  });

  test.each([
    [1, "نقطة", "نقطة مئوية واحدة", "1 percentage point "],
    [2, "نقطتان", "نقطتين مئويتين", "2 percentage points "],
    [3, "٣ نقاط", "٣ نقاط مئوية", "3 percentage points "],
    [4.1, "٤٫١ نقطة", "٤٫١ نقطة مئوية", "4.1 percentage points "],
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
    [0, "لا مشاهدات", "لا نقرات", "لا زوّار"],
    [1, "مشاهدة واحدة", "نقرة واحدة", "زائر واحد"],
    [2, "مشاهدتان", "نقرتان", "زائران"],
    [3, "٣ مشاهدات", "٣ نقرات", "٣ زوّار"],
    [10, "١٠ مشاهدات", "١٠ نقرات", "١٠ زوّار"],
    [11, "١١ مشاهدة", "١١ نقرة", "١١ زائرًا"],
    [100, "١٠٠ مشاهدة", "١٠٠ نقرة", "١٠٠ زائر"],
    [103, "١٠٣ مشاهدات", "١٠٣ نقرات", "١٠٣ زوّار"],
  ])("%i has its Arabic plural form", (n, view, click, visitor) => {
    expect(counted(AR, "view", n)).toBe(view);
    expect(counted(AR, "click", n)).toBe(click);
    expect(counted(AR, "visitor", n)).toBe(visitor);
  });

  test("English needs two forms", () => {
    expect([0, 1, 2, 1234].map((n) => counted("en", "click", n))).toEqual([
      "0 clicks",
      "1 click",
      "2 clicks",
      "1,234 clicks",
    ]);
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
    expect(begins("en", "Asia/Riyadh", "UTC")).toBe("03:00");
    expect(begins("en", "America/New_York", "UTC")).toBe("19:00");
    expect(begins(AR, "Asia/Kolkata", "UTC")).toBe("٠٥:٣٠");
    expect(begins("en", "UTC", "Asia/Riyadh")).toBe("21:00");
    expect(begins("en", "Asia/Riyadh", "Asia/Riyadh")).toBeNull();
    expect(begins("en", "Asia/Riyadh", "Asia/Aden")).toBeNull();
    expect(stats()).not.toContain("days of the page’s time zone");
    expect(stats({ page: { ...PAGE, time_zone: "UTC" } })).toContain(
      "Such a day begins at 03:00 here",
    );
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

  test("the sign-in link is on the 401 page, and on no other", () => {
    const error = { locale: "en", error: "خطأ", message_en: "Error", request_id: "r" } as const;
    const sign_in = "/api/auth/login?return_to=%2Fdashboard";
    expect((<ErrorPage {...error} status={401} sign_in={sign_in} />).toString()).toContain(
      `<a class="contact" href="${sign_in}">Sign in</a>`,
    );
    expect((<ErrorPage {...error} status={404} />).toString()).not.toContain("Sign in");
  });
});
