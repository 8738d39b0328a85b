/** Slugs that are proposed, and why a text is none (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { SLUGS_PROPOSED } from "../../../src/authoring/limits.ts";
import { slugsLike, slugsOfName } from "../../../src/authoring/slug-proposals.ts";
import { whyNoSlug } from "../../../src/authoring/slug-reason.ts";
import { canonicalSlug } from "../../../src/http/ids.ts";
import { SLUG_CHARS_MAX } from "../../../src/http/limits.ts";
import { cases } from "../kit/cases.ts";
import { errorOf } from "../kit/kit.ts";
import { creator } from "./authoring-kit.ts";
import { slugs } from "./slug-arbitrary.ts";

interface Asked {
  ok: true;
  slug: string;
  free?: boolean;
  suggestions: string[];
}

const me = await creator();

async function ask(path: string): Promise<Asked> {
  const response = await me.send("GET", `/api/me/slugs${path}`);
  expect(response.status).toBe(200);
  return response.json();
}
const askSlug = (slug: string) => ask(`/${encodeURIComponent(slug)}`);
const askName = (name: string) => ask(`?name=${encodeURIComponent(name)}`);

async function remove(...taken: string[]): Promise<void> {
  const all = JSON.stringify(taken);
  await env.DB.prepare("DELETE FROM pages WHERE slug IN (SELECT value FROM json_each(?1))")
    .bind(all)
    .run();
}

describe("a slug that is not free", () => {
  test.for([
    ["layan", ["layan-2", "layan-links", "layan-page"]],
    ["ليان", ["صفحة-ليان", "روابط-ليان", "ليان-2"]],
    ["2026", ["2026-2", "2026-links", "2026-page"]],
    ["my.links", ["my.links-2", "my.links-3", "my.links-4"]],
  ] as const)("comes with others of its script: %s", async ([slug, suggestions]) => {
    await me.make({ slug });
    expect(await askSlug(slug)).toEqual({ ok: true, slug, free: false, suggestions });
    await remove(slug);
  });

  test("because it is reserved or rests comes with others too; one that is free with none", async () => {
    const reserved = await askSlug("Admin");
    expect(reserved).toMatchObject({ slug: "admin", free: false });
    expect(reserved.suggestions).toEqual(["admin-2", "admin-links", "admin-page"]);
    const [page, old] = [await me.make({ status: "published" }), me.slug()];
    const renamed = await me.patch(page, { slug: old });
    await me.patch(renamed, { slug: me.slug() });
    expect(await askSlug(old)).toMatchObject({
      free: false,
      suggestions: [`${old}-2`, `${old}-links`, `${old}-page`],
    });
    const own = await ask(`/${old}?page_id=${page.page_id}`);
    expect(own).toEqual({ ok: true, slug: old, free: true, suggestions: [] });
  });

  test("is never answered with one that is taken, in one statement of D1", async () => {
    const base = me.slug();
    const taken = [base, `${base}-2`, `${base}-page`, `${base}-3`];
    for (const slug of taken) await me.make({ slug });
    const prepare = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare");
    const { suggestions } = await askSlug(base);
    const statements = prepare.mock.calls.filter(([sql]) => sql.includes("former_slugs"));
    prepare.mockRestore();
    expect(suggestions).toEqual([`${base}-links`, `${base}-4`, `${base}-5`]);
    expect(statements).toHaveLength(1);
    await remove(...taken);
  });

  test("always has others: canonical, of its script and length, whatever it is", () => {
    fc.assert(
      fc.property(slugs, ({ slug }) => {
        const made = slugsLike(slug);
        expect(made.length).toBeGreaterThanOrEqual(2 * SLUGS_PROPOSED);
        expect(made).not.toContain(slug);
        for (const one of made) {
          expect(canonicalSlug(one)).toBe(one);
          expect([...one].length).toBeLessThanOrEqual(SLUG_CHARS_MAX);
        }
      }),
      { numRuns: cases(5_000, 1 / 25) },
    );
  });
});

describe("a slug of a name", () => {
  test.for([
    ["Layan Haddad", ["layan-haddad", "layanhaddad", "layan", "layan-haddad-2"]],
    ["سلمى العطار", ["salma-al-attar", "سلمى-العطار", "salmaalattar", "salma"]],
    [
      "د. عبد الرحمن ٧",
      ["dr-abdelrahman-7", "د-عبد-الرحمن-٧", "drabdelrahman7", "dr-abdelrahman-7-2"],
    ],
    ["ليان الخزّافة", ["ليان-الخزافة", "صفحة-ليان-الخزافة", "layan-al-khzafa", "ليان"]],
    ["@Salma.Attar", ["salma.attar", "salma.attar-2", "salma.attar-links", "salma.attar-page"]],
    ["instagram.com/salma_a/", ["salma_a", "salma_a-2", "salma_a-links", "salma_a-page"]],
    ["  José O’Neill ✨ ", ["jose-oneill", "joseoneill", "jose", "jose-oneill-2"]],
    ["ليان | Layan", ["layan", "ليان", "layan-2", "layan-links"]],
    ["مقهى ٧", ["مقهى-٧", "صفحة-مقهى-٧", "mqha-7", "مقهى"]],
    ["Café ٧", ["cafe", "cafe-2", "cafe-links", "cafe-page"]],
    ["Studio 7", ["studio-7", "studio7", "studio", "studio-7-2"]],
  ] as const)("has its words: %s", async ([name, proposed]) => {
    const { slug, suggestions } = await askName(name);
    expect([slug, ...suggestions]).toEqual(proposed);
  });

  test("is another one where that is taken, by somebody or by the site", async () => {
    await me.make({ slug: "noor-salem" });
    expect(await askName("Noor Salem")).toMatchObject({ slug: "noorsalem" });
    await remove("noor-salem");
    expect(await askName("Support")).toMatchObject({ slug: "support-2" });
    expect(await askName("صلة")).toMatchObject({ slug: "صفحة-صلة" });
  });

  test("of no letters that a slug may have is made up, and free", async () => {
    for (const name of ["✨🌙", "Лаян", "\u0640\u064b"]) {
      const { slug, suggestions } = await askName(name);
      expect(slug).toMatch(/^page-\d+$/);
      expect(suggestions).toHaveLength(SLUGS_PROPOSED);
    }
  });

  test("is canonical, of at most 64 characters, whatever the name is", async () => {
    const name = fc.string({ unit: "grapheme", maxLength: 60 });
    const words = fc.stringMatching(/^[a-zé\u0621-\u064a٠-٩0-9 '&-]{0,100}$/);
    fc.assert(
      fc.property(fc.oneof(name, words), (name) => {
        const made = slugsOfName(name);
        expect(made.length).toBeGreaterThan(SLUGS_PROPOSED);
        for (const slug of made) expect([slug, canonicalSlug(slug)]).toEqual([slug, slug]);
      }),
      { numRuns: cases(5_000, 1 / 25) },
    );
    const longest = await askName("a".repeat(100));
    expect(longest.slug).toBe("a".repeat(SLUG_CHARS_MAX - 1));
    const many = await askName("كلمة ".repeat(20));
    expect([...many.slug].length).toBeLessThanOrEqual(SLUG_CHARS_MAX);
  });

  test("needs a name of at most 100 characters, and is made up without one", async () => {
    const refused = await me.send("GET", `/api/me/slugs?name=${"x".repeat(101)}`);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([400, "VALIDATION_FAILED"]);
    expect((await ask("")).slug).toMatch(/^page-/);
  });
});

describe("a text that cannot be a slug", () => {
  test.for([
    ["empty", ["   ", "-.-", "\u064b"]],
    ["too_long", ["x".repeat(3_000), "ا".repeat(65)]],
    ["characters", ["a b", "a/b", "ليان؟", "a\u202eb"]],
    ["scripts", ["layanليان", "layan٢"]],
    ["script", ["лаян"]],
    ["ends", ["-a", "ليان-"]],
  ] as const)("is refused with the reason %s", async ([reason, texts]) => {
    for (const text of texts) {
      const refused = await me.send("GET", `/api/me/slugs/${encodeURIComponent(text)}`);
      const { code, details } = await errorOf(refused);
      expect([text, refused.status, code]).toEqual([text, 400, "VALIDATION_FAILED"]);
      expect([text, details]).toEqual([
        text,
        expect.objectContaining({
          reason,
          issues: [{ path: "slug", message: expect.any(String) }],
        }),
      ]);
    }
  });

  test("has a reason whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
        if (canonicalSlug(text) === null) expect(whyNoSlug(text).message).not.toBe("");
      }),
      { numRuns: cases(5_000, 1 / 25) },
    );
  });
});
