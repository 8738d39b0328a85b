/// <reference types="vite/types/importMeta.d.ts" />
/** Reserved slugs, compared with the registered routes. */
import { describe, expect, test } from "vitest";
import { canonicalSlug } from "../../src/http/ids.ts";
import { isReservedSlug } from "../../src/pages/reserved-slugs.ts";
import { call, freshPage } from "./kit.ts";

/** All files of routes, present and future, as registered with Hono. */
const files = import.meta.glob<Record<string, { routes?: { path: string }[] }>>(
  "../../src/**/*-route.{ts,tsx}",
  { eager: true },
);

/** Literal first segments; a parameter, a wildcard or the landing page has none. */
const FIRST_SEGMENTS = new Set(
  Object.values(files)
    .flatMap((exported) => Object.values(exported).flatMap(({ routes = [] }) => routes))
    .map(({ path }) => path.split("/")[1] ?? "")
    .filter((segment) => /^[^:*]/.test(segment)),
);

describe("a reserved slug", () => {
  test("is the first segment of every fixed route", () => {
    expect([...FIRST_SEGMENTS]).toEqual(
      expect.arrayContaining(["api", "r", "p", "health", "media", "sitemap.xml", "sitemaps"]),
    );
    expect([...FIRST_SEGMENTS].filter((segment) => !isReservedSlug(segment))).toEqual([]);
  });

  test("is not a slug that only starts with one, and no person's name", () => {
    for (const slug of ["apis", "health-food", "sitemap", "robots", "demo", "layla", "صلة", ""]) {
      expect([slug, isReservedSlug(slug)]).toEqual([slug, false]);
    }
  });

  test("is reserved in its canonical spelling, and so in every other", () => {
    for (const spelled of ["API", "Robots.TXT", "ＨＥＡＬＴＨ", "Dashboard"]) {
      expect(isReservedSlug(canonicalSlug(spelled) ?? "")).toBe(true);
    }
  });

  test("leads to its route even if a page has it as its slug", async () => {
    await freshPage({ slug: "robots.txt" });
    const response = await call("/robots.txt");
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  });
});
