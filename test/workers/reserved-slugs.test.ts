/** Reserved slugs, compared with the registered routes. */
import { describe, expect, test } from "vitest";
import { isReservedSlug } from "../../src/pages/reserved-slugs.ts";
import { HANDLERS } from "./registered-routes.ts";

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
