/** Reserved slugs, compared with the registered routes. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { canonicalSlug } from "../../src/http/ids.ts";
import { isReservedSlug } from "../../src/pages/reserved-slugs.ts";
import { createPage, ReservedSlugError } from "../../src/pages/save-page.ts";
import { plainPage } from "../plain-page.ts";
import { call, freshPage } from "./kit.ts";
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
    for (const slug of [
      "apis",
      "health-food",
      "sitemap",
      "robots",
      "demo",
      "layla",
      "helpful",
      "",
    ]) {
      expect([slug, isReservedSlug(slug)]).toEqual([slug, false]);
    }
  });

  test("is a name under which a page could pass for the service", () => {
    for (const slug of ["login", "sign-in", "admin", "support", "billing", "sila", "صلة"]) {
      expect([slug, isReservedSlug(slug)]).toEqual([slug, true]);
    }
  });

  test("is reserved in its canonical spelling, and so in every other", () => {
    for (const spelled of ["API", "Robots.TXT", "ＨＥＡＬＴＨ", "Dashboard", "Admin"]) {
      expect(isReservedSlug(canonicalSlug(spelled) ?? "")).toBe(true);
    }
  });

  test("is refused when a page is written, in any spelling", async () => {
    for (const slug of ["robots.txt", "Dashboard", "api"]) {
      const page = plainPage({ page_id: crypto.randomUUID(), slug });
      const create = () => createPage(env.DB, page, { what: ["created"] }, 0);
      expect(create).toThrow(ReservedSlugError);
    }
    const { results } = await env.DB.prepare(
      "SELECT slug FROM pages WHERE slug IN ('robots.txt', 'Dashboard', 'api')",
    ).all();
    expect(results).toEqual([]);
  });

  test("leads to its route even if a page has it as its slug", async () => {
    const { page_id } = await freshPage();
    await env.DB.prepare("UPDATE pages SET slug = 'robots.txt' WHERE page_id = ?1")
      .bind(page_id)
      .run();
    const response = await call("/robots.txt");
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  });
});
