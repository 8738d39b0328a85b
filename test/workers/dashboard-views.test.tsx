/** The rendered pages of the dashboard: complete, in both languages, and safe with any untrusted text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIMENSIONS } from "../../objects/tables/event.ts";
import { changed, statsAddress } from "../../src/stats/dashboard/addresses.ts";
import { nameOf } from "../../src/stats/dashboard/breakdowns.tsx";
import { changeOf, rateChangeOf } from "../../src/stats/dashboard/change.ts";
import { momentNames, pageDayBegins } from "../../src/stats/dashboard/dates.ts";
import { counted, formatRate } from "../../src/stats/dashboard/numbers.ts";
import { PagesPage } from "../../src/stats/dashboard/pages-page.tsx";
import type { Frame, StatsPageProps } from "../../src/stats/dashboard/props.ts";
import { SCRIPT_TEXTS } from "../../src/stats/dashboard/script-texts.ts";
import { StatsPage } from "../../src/stats/dashboard/stats-page.tsx";
import { DASHBOARD_TEXTS } from "../../src/stats/dashboard/texts.ts";
import type { PageColumns } from "../../src/stats/page-columns.ts";
import type { Stats } from "../../src/stats/stats-shape.ts";
import { ErrorPage } from "../../src/views/error-page.tsx";
import type { Locale } from "../../src/views/locale.ts";

const NOW_MS = Date.parse("2026-11-21T14:05:00Z");
const LOCALES = ["ar", "en"] as const;

const FRAME: Frame = {
  locale: "en",
  user_name: "Mara Quill",
  now_ms: NOW_MS,
  csrf_token: "a-token",
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
};
const NOBODY = Object.fromEntries(
  DIMENSIONS.map((dimension) => [dimension, []]),
) as unknown as Stats["breakdowns"];
const SHOP = { link_id: "shop", label: "Shop", removed: false, clicks: 21, imported: 0 };

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
  imported: { views: 0, clicks: 0, visitors: 0 },
  revisions: [],
  as_of: "2026-11-21T14:05:00.000Z",
  pending: { views: 0, clicks: 0 },
  flushed: { views: 0, clicks: 0, bots: 0, owner: 0, limited: 0, links: {} },
};

const FILLED: Stats = {
  ...EMPTY,
  totals: { views: 120, clicks: 30, visitors: 90, bots: 4, owner: 2, limited: 1 },
  previous: { views: 100, clicks: 40, visitors: null },
  series: [
    { t: "2026-11-20T00:00:00+03:00", views: 70, clicks: 10 },
    { t: "2026-11-21T00:00:00+03:00", views: 50, clicks: 20 },
  ],
  links: [SHOP, { link_id: "old", label: null, removed: true, clicks: 9, imported: 0 }],
  flushed: { ...EMPTY.flushed, views: 77, links: { shop: 11 } },
};

function stats(overrides: Partial<StatsPageProps> = {}): string {
  return (
    <StatsPage
      {...FRAME}
      pages={[PAGE]}
      page={PAGE}
      range="7d"
      stats={FILLED}
      origin="https://sila.example"
      {...overrides}
    />
  ).toString();
}

function pages(overrides: Partial<Parameters<typeof PagesPage>[0]> = {}): string {
  return (<PagesPage {...FRAME} pages={[]} {...overrides} />).toString();
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
    expect(stats({ locale: "ar" })).toMatch(/<h1><bdi>Mara Quill<\/bdi><\/h1>/);
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

  function withNames(name: string) {
    return [
      { page_id: "p1", slug: "mara", name: "Mara Quill" },
      { page_id: "p2", slug: "other", name },
    ];
  }
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
      expect(html.match(/<script[^>]*>/g)).toEqual([
        expect.stringMatching(/^<script defer="" src="\/assets\/dashboard-[0-9a-f]+\.js">$/),
      ]);
    }
  });

  test("are in no search engine's index, and carry the token for signing out", () => {
    for (const html of all) {
      expect(html).toContain('<meta name="robots" content="noindex"/>');
      expect(html).toContain('<meta name="csrf-token" content="a-token"/>');
    }
  });

  test("are in the reader's language only", () => {
    const names = new Set(["العربية", "English"]);
    const both = { ...FILLED, links: [], imported: { views: 3, clicks: 2, visitors: 1 } };
    for (const locale of LOCALES) {
      const foreign = Object.values(DASHBOARD_TEXTS[locale === "ar" ? "en" : "ar"])
        .filter((text) => typeof text === "string")
        .filter((text) => text.length > 2 && !names.has(text));
      const words = stats({ locale, stats: both })
        .replace(/<[^>]*>/g, "\n")
        .split("\n");
      expect(words.filter((word) => foreign.includes(word.trim()))).toEqual([]);
    }
  });

  test("every text exists in both languages, and none is left in the other's", () => {
    for (const texts of [DASHBOARD_TEXTS, SCRIPT_TEXTS]) {
      const [ar, en] = [words(texts.ar), words(texts.en)];
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
      ).toEqual(FILLED.series);
    }
  });

  test("edits of the page are noted beside the hour or day in which they were", () => {
    const edit = (version: number, at: string) => ({ version, at, what: ["links" as const] });
    const revisions = [
      edit(4, "2026-11-21T08:00:00.000Z"),
      edit(3, "2026-11-20T21:00:00.000Z"),
      edit(2, "2026-11-20T20:59:59.999Z"),
    ];
    const notes = (locale: Locale) =>
      [
        ...stats({ locale, stats: { ...FILLED, revisions } }).matchAll(
          /datetime="([^"]+)">[^<]+<\/time><span class="why edits">([^<]+)/g,
        ),
      ].map(([, t, words]) => [t, words]);
    expect(notes("en")).toEqual([
      ["2026-11-20T00:00:00+03:00", "Edits of the page: 1"],
      ["2026-11-21T00:00:00+03:00", "Edits of the page: 2"],
    ]);
    expect(notes("ar")[1]?.[1]).toBe("تعديلات الصفحة: ٢");
    expect(stats()).not.toContain("edits");
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

  test("a link that is gone is marked and still counts", () => {
    const html = stats();
    expect(html).toMatch(/Removed link <span class="why">no longer on the page/);
    expect(html).toContain('data-live-link="old" data-shown="9"');
  });

  test("a removed link is shown by its last label", () => {
    const links = [{ ...SHOP, removed: true }];
    expect(stats({ stats: { ...FILLED, links } })).toContain(
      '<span class="label gone"><bdi>Shop</bdi><span class="why"> · Removed link</span></span>',
    );
    expect(stats({ locale: "ar", stats: { ...FILLED, links } })).toContain(
      '<bdi>Shop</bdi><span class="why"> · رابط محذوف</span>',
    );
    expect(stats()).toContain('<span class="label"><bdi>Shop</bdi></span>');
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
    expect(stats({ locale: "ar", page, stats: of("ar") })).toContain("<h2>اللغة</h2>");
    expect(nameOf("ar", "language", null)).toBe("غير معروف");
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
    expect(nameOf("ar", "country", "SA")).toBe("المملكة العربية السعودية");
    expect(nameOf("en", "country", "T1")).toBe("Tor network");
    expect(nameOf("en", "country", "not a code")).toBe("not a code");
    expect(nameOf("ar", "device", "mobile")).toBe("هاتف");
    expect(nameOf("en", "device", "constructor")).toBe("constructor");
    expect(nameOf("ar", "referrer", null)).toBe("مباشرةً أو غير معروف");
    expect(nameOf("en", "utm_source", "(other)")).toBe("Others");
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
    expect(html).toContain("invented sample data were not counted by Sila, and are not in here");
    expect(stats()).not.toContain("not counted by Sila");
  });
});

describe("where there is nothing to show", () => {
  test("a creator without a page sees what will be here", () => {
    expect(pages({ locale: "ar" })).toContain(DASHBOARD_TEXTS.ar.no_pages);
    expect(pages()).toContain(DASHBOARD_TEXTS.en.no_pages);
  });

  test("a page without a visit shows its address and code instead of an empty chart", () => {
    for (const locale of LOCALES) {
      const html = stats({ locale, range: "today", stats: EMPTY });
      expect(html).toContain(DASHBOARD_TEXTS[locale].empty_today);
      expect(html).toContain("sila.example/mara");
      expect(html).toContain('src="/dashboard/p1/qr.svg"');
      expect(html).toMatch(/data-filled="(true)?" hidden/);
      expect(html).not.toMatch(/NaN|Infinity/);
    }
    expect(stats()).not.toContain("data-empty");
  });

  test("a draft is marked in the list of pages, and so is a suspended page", () => {
    const counts = { views: 0, clicks: 0 };
    const marks = (status: PageColumns["status"], locale: Locale = "en") =>
      pages({ locale, pages: [{ ...PAGE, status, today: counts, month: counts }] }).match(
        /<span class="badge">[^<]*/g,
      );
    expect(marks("draft")).toEqual(['<span class="badge">Draft']);
    expect(marks("draft", "ar")).toEqual(['<span class="badge">مسودة']);
    expect(marks("suspended")).toEqual(['<span class="badge">Suspended']);
    expect(marks("published")).toBeNull();
  });

  test("a suspended page says so", () => {
    expect(stats({ page: { ...PAGE, status: "suspended" } })).toContain("This page is suspended");
    expect(stats()).not.toContain("suspended");
  });
});

describe("a number against the period before", () => {
  test('has a direction, is "new" after 0, and is absent if there is nothing to compare', () => {
    expect(changeOf("en", 120, 100)).toMatchObject({ direction: "up", short: "20%" });
    expect(changeOf("en", 30, 40)).toMatchObject({ direction: "down", short: "25%" });
    expect(changeOf("ar", 30, 40)?.short).toContain("٢٥");
    expect(changeOf("en", 1000, 1001)?.direction).toBe("same");
    expect(changeOf("en", 5, 0)).toMatchObject({ direction: "new", short: "new" });
    expect(changeOf("en", 0, 5)).toMatchObject({ direction: "down", short: "100%" });
    expect(changeOf("en", 0, 0)).toBeNull();
    expect(changeOf("en", 5, null)).toBeNull();
  });

  test("of the rate is in percentage points, not in percent of a percentage", () => {
    const rate = (clicks: number, views = 100) => ({ clicks, views });
    expect(rateChangeOf("en", rate(12), rate(10))).toMatchObject({
      direction: "up",
      short: "2 pt",
    });
    expect(rateChangeOf("ar", rate(10), rate(12))?.direction).toBe("down");
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
    [11, "١١ مشاهدةً", "١١ نقرةً", "١١ زائرًا"],
    [99, "٩٩ مشاهدةً", "٩٩ نقرةً", "٩٩ زائرًا"],
    [100, "١٠٠ مشاهدة", "١٠٠ نقرة", "١٠٠ زائر"],
    [103, "١٠٣ مشاهدات", "١٠٣ نقرات", "١٠٣ زوّار"],
  ])("%i has its Arabic plural form", (n, view, click, visitor) => {
    expect(counted("ar", "view", n)).toBe(view);
    expect(counted("ar", "click", n)).toBe(click);
    expect(counted("ar", "visitor", n)).toBe(visitor);
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
    const arabic = momentNames("ar", "Asia/Riyadh", "day", true);
    expect(arabic(Date.parse("2026-11-20T21:00:00Z")).tick).toBe("٢١ نوفمبر");
  });

  test("the note on the page's days names when they begin, and is absent if the shown ones do too", () => {
    const begins = (locale: Locale, tz: string, page_zone: string) =>
      pageDayBegins(locale, NOW_MS, { tz, page_zone });
    expect(begins("en", "Asia/Riyadh", "UTC")).toBe("03:00");
    expect(begins("en", "America/New_York", "UTC")).toBe("19:00");
    expect(begins("ar", "Asia/Kolkata", "UTC")).toBe("٠٥:٣٠");
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
    expect(html).toContain('<details class="custom" open="">');
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
