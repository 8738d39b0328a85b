/** Reserved slugs, compared with the registered routes. */
import { describe, expect, test } from "vitest";
import { canonicalSlug } from "../../../src/http/ids.ts";
import {
  isClaimable,
  isReservedSlug,
  skeleton,
} from "../../../src/pages/document/reserved-slugs.ts";
import { HANDLERS } from "../kit/registered-routes.ts";

/** Literal first segments; a parameter, a wildcard or the landing page has none. */
const FIRST_SEGMENTS = new Set(
  HANDLERS.map(({ path }) => path.split("/")[1] ?? "").filter((segment) => /^[^:*]/.test(segment)),
);

describe("a reserved slug", () => {
  test("is the first segment of every fixed route", () => {
    expect([...FIRST_SEGMENTS]).toEqual(
      expect.arrayContaining(["api", "r", "p", "health", "media", "sitemap.xml", "sitemaps"]),
    );
    expect([...FIRST_SEGMENTS].filter((segment) => !isReservedSlug(segment))).toEqual([]);
  });

  test("is not a slug that only starts with one, and no person's name", () => {
    for (const slug of ["apis", "health-food", "sitemap", "robots", "layla"]) {
      expect([slug, isReservedSlug(slug)]).toEqual([slug, false]);
    }
  });

  test("is a name under which a page could pass for the service", () => {
    for (const slug of ["login", "sign-in", "admin", "support", "billing", "sila", "صلة"]) {
      expect([slug, isReservedSlug(slug)]).toEqual([slug, true]);
    }
  });
});

describe("the first segment of a route to come", () => {
  test("cannot be claimed, and stays the page's that had it before", () => {
    const to_come = ["e", "log", "mcp", "method", "report", "s"];
    expect(to_come.filter((slug) => isClaimable(slug) || isReservedSlug(slug))).toEqual([]);
  });
});

describe("a name of the service", () => {
  test.for([
    ["صلة", "صله", "صلہ", "صلھ", "صلە", "صلۀ", "صلۃ", "ص-لة", "ص_ل.ة", "صل٥", "صل۵", "صڵة"],
    ["sila", "s-ila", "s_i.l-a", "s1la", "siia", "slla", "síla", "sıla", "şilá", "silɑ", "ꜱɪʟᴀ"],
    ["support", "supp0rt", "sup-port", "suppórt", "ꜱᴜᴘᴘᴏʀᴛ", "ƽꭎƥᵽᴑꭇŧ"],
    ["login", "log1n", "l0gin", "log-in", "iogin", "log.in", "logꞏin", "loɡin"],
    ["sign-in", "sign.in", "s-i-g-n-in", "s1gn-1n", "slgnin", "siɡn-in", "ʂɨɠƞin"],
    ["admin", "adm1n", "ad-min", "àdmin", "admln", "ađɱin"],
    ["dashboard", "dash-board", "dashb0ard", "đasħƀoaɍd"],
    ["official", "0fficial", "officiai", "oꬵƒiȼial"],
    ["wallet", "ɯaƚłɇt"],
    ["pay", "paɣ"],
  ])("S13: %s cannot be claimed in letters that look like its own", (slugs) => {
    for (const slug of slugs) expect([slug, canonicalSlug(slug)]).toEqual([slug, slug]);
    const claimable = slugs.filter(isClaimable);
    expect(claimable).toEqual([]);
    expect(new Set(slugs.map(skeleton)).size).toBe(1);
  });

  test("S13: leaves the names near it free", () => {
    const near = ["silas", "silva", "silla", "salla", "sila-shop", "my-sila", "s2la", "sola"];
    const arabic = ["صلاح", "صلات", "وصلة", "صلتي", "صلة-القمر", "ضله", "سله", "صل", "صل٦"];
    const routes = ["tlp", "apl", "medla", "he1th", "news-letter", "a-p-i", "statu5"];
    const others = ["adam", "admiral", "blogger", "bloga", "helpful", "logan", "payam", "wal"];
    for (const slug of [...near, ...arabic, ...routes, ...others]) {
      expect([slug, canonicalSlug(slug)]).toEqual([slug, slug]);
      expect([slug, isClaimable(slug)]).toEqual([slug, true]);
    }
  });

  test("reserves no address: what looks like it is the page's that had it before", () => {
    expect(["صله", "s1la", "log-in"].filter(isReservedSlug)).toEqual([]);
  });
});
