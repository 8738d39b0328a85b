/** Slugs: which are free, who gets one, and how long one rests (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { endPage } from "../../../src/accounts/end-page.ts";
import { SLUG_CHARS_MAX } from "../../../src/http/limits.ts";
import { FORMER_SLUG_DAYS, RESTING_SLUG_DAYS } from "../../../src/pages/document/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { call, errorOf } from "../kit/kit.ts";
import { type Creator, creator, type PageJson, pageOf, pathOf } from "./authoring-kit.ts";

const DAY_MS = 86_400_000;

async function ask(
  me: Creator,
  slug: string,
  query = "",
): Promise<{ slug: string; free: boolean }> {
  const response = await me.send("GET", `/api/me/slugs/${encodeURIComponent(slug)}${query}`);
  expect(response.status).toBe(200);
  return response.json();
}

/** The status and code of the answer to an attempt to give a page this slug. */
async function take(me: Creator, slug: string, page?: PageJson): Promise<[number, string?]> {
  const name = { ar: "ليان" };
  const response =
    page === undefined
      ? await me.send("POST", "/api/me/pages", { slug, name })
      : await me.send("PATCH", `/api/me/pages/${page.page_id}`, { slug }, { "If-Match": "*" });
  if (response.ok) return [response.status];
  return [response.status, (await errorOf(response)).code];
}

const TAKEN = [409, "SLUG_TAKEN"];

describe("the canonical spelling", () => {
  test.for<[spelling: string, canonical: string]>([
    ["LAYAN.Art", "layan.art"],
    ["ﻟﻴﺎن", "ليان"],
  ])("of %s is stored, asked for and taken: %s", async ([spelling = "", canonical = ""]) => {
    const me = await creator();
    const free = { ok: true, slug: canonical, free: true, suggestions: [] };
    expect(await ask(me, spelling)).toEqual(free);
    const page = await me.make({ slug: spelling });
    expect(page.slug).toBe(canonical);
    expect(await ask(me, spelling)).toMatchObject({ free: false });
    expect(await take(me, spelling)).toEqual(TAKEN);
    expect(await take(me, canonical)).toEqual(TAKEN);
    await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page.page_id).run();
  });

  test("S13: is of one script, with letters or digits at both ends, and at most 64 of them", async () => {
    const me = await creator();
    const page = await me.make();
    const longest = [me.slug().padEnd(SLUG_CHARS_MAX, "x"), "𞸀".repeat(SLUG_CHARS_MAX)];
    for (const slug of longest) expect(await ask(me, slug)).toMatchObject({ free: true });
    // `slug-proposals.test.ts` has what else is none.
    for (const slug of ["layanليان", "-a", ...longest.map((slug) => slug + slug.slice(-1))]) {
      expect(await take(me, slug)).toEqual([400, "VALIDATION_FAILED"]);
      expect(await take(me, slug, page)).toEqual([400, "VALIDATION_FAILED"]);
    }
    for (const path of ["%ff", "%E0%A4%A", "a%2Fb"]) {
      const asked = await me.send("GET", `/api/me/slugs/${path}`);
      expect([path, asked.status]).toEqual([path, 400]);
    }
  });
});

test("a slug that is an address of the site is taken, in every spelling", async () => {
  const me = await creator();
  const page = await me.make();
  for (const slug of ["api", "ＡＰＩ"]) {
    expect(await ask(me, slug)).toMatchObject({ free: false });
    expect(await take(me, slug)).toEqual(TAKEN);
    expect(await take(me, slug, page)).toEqual(TAKEN);
  }
});

test("a slug that looks like a name of the service is taken, but for the page that has it", async () => {
  const me = await creator();
  const page = await me.make({ status: "published" });
  const [given, rename] = ["ﺻﻠﻪ", "UPDATE pages SET slug = ?2 WHERE page_id = ?1"];
  for (const slug of [given, "S1LA", "log-in"]) {
    expect(await ask(me, slug)).toMatchObject({ free: false });
    expect(await take(me, slug)).toEqual(TAKEN);
    expect(await take(me, slug, page)).toEqual(TAKEN);
  }
  await env.DB.prepare(rename).bind(page.page_id, "صله").run();
  expect(await ask(me, given, `?page_id=${page.page_id}`)).toMatchObject({ free: true });
  expect(await take(me, given, page)).toEqual([200]);
  const saved = await me.send("PATCH", pathOf(page), { bio: { ar: "س" } }, { "If-Match": "*" });
  expect(await pageOf(saved)).toMatchObject({ slug: "صله", bio: { ar: "س" } });
  expect((await call(`/${encodeURIComponent("صله")}`)).status).toBe(200);
});

test("two at once: one gets the slug, by making, renaming or undeleting a page", async () => {
  const [me, other] = [await creator(), await creator("demo-pro")];
  const mine = await me.make({ status: "published" });
  const theirs = await other.make();
  for (let round = 0; round < 2; round += 1) {
    const slug = me.slug();
    const answers = await Promise.all([
      take(me, slug),
      take(me, slug, mine),
      take(other, slug, theirs),
      take(me, slug.toUpperCase()),
    ]);
    const statuses = answers.map(([status]) => status).sort();
    expect(statuses.slice(1)).toEqual([409, 409, 409]);
    const { results } = await env.DB.prepare("SELECT page_id FROM pages WHERE slug = ?1")
      .bind(slug)
      .all();
    expect(results).toHaveLength(1);
  }
  const deleted = await me.remove(await me.make({ status: "published" }));
  const undo = me.send("POST", `/api/me/pages/${deleted.page_id}/undelete`);
  expect(
    await Promise.all([take(other, deleted.slug, theirs), undo.then((r) => r.status)]),
  ).toEqual([TAKEN, 200]);
});

describe("a slug that a published page gave up", () => {
  test(`is nobody else's for ${FORMER_SLUG_DAYS} days, and then free`, async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.make({ status: "published" });
    const other = await me.make();
    await me.patch(page, { slug: me.slug() });
    for (const advance_ms of [0, FORMER_SLUG_DAYS * DAY_MS - 1]) {
      clock.advance(advance_ms);
      expect(await ask(me, page.slug)).toMatchObject({ free: false });
      expect(await take(me, page.slug)).toEqual(TAKEN);
      expect(await take(me, page.slug, other)).toEqual(TAKEN);
    }
    clock.advance(1);
    expect(await ask(me, page.slug)).toMatchObject({ free: true });
    expect(await take(me, page.slug, other)).toEqual([200]);
  });

  test("can come back to its page, and is the page's own to ask for", async () => {
    const me = await creator();
    const page = await me.make({ status: "published" });
    const renamed = await me.patch(page, { slug: me.slug() });
    const query = `?page_id=${page.page_id}`;
    expect(await ask(me, page.slug, query)).toMatchObject({ free: true });
    expect(await ask(me, renamed.slug, query)).toMatchObject({ free: true });
    const back = await me.patch(renamed, { slug: page.slug });
    expect(back.slug).toBe(page.slug);
    expect(await take(me, renamed.slug)).toEqual(TAKEN);
    const { results } = await env.DB.prepare("SELECT slug FROM former_slugs WHERE page_id = ?1")
      .bind(page.page_id)
      .all();
    expect(results).toEqual([{ slug: renamed.slug }]);
  });

  test("is free again once the page has given up 20 more", async () => {
    const clock = stopClock();
    const me = await creator();
    let page = await me.make({ status: "published" });
    const slugs = [page.slug];
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1);
      page = await me.patch(page, { slug: me.slug() });
      slugs.push(page.slug);
      if (i === 0) {
        // All but two of those that come later, in one statement.
        await env.DB.prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 18)
           INSERT INTO former_slugs (slug, page_id, until)
           SELECT slug || '-' || i, page_id, until + 1 FROM former_slugs, n WHERE slug = ?1`,
        )
          .bind(slugs[0])
          .run();
      } else expect(await ask(me, slugs[0] ?? "")).toMatchObject({ free: i === 2 });
    }
    expect(await ask(me, slugs[1] ?? "")).toMatchObject({ free: false });
  });
});

describe("a slug of a page that was never published", () => {
  test("is free at once when the page gives it up, also in the save that publishes it", async () => {
    const me = await creator();
    for (const patch of [{}, { status: "published" }]) {
      const page = await me.make();
      await me.patch(page, { slug: me.slug(), ...patch });
      expect(await ask(me, page.slug)).toMatchObject({ free: true });
      expect(await take(me, page.slug)).toEqual([201]);
    }
  });

  test("is free when the page has ended", async () => {
    const me = await creator();
    const page = await me.make();
    await endPage(env.DB, page.page_id, Date.now());
    expect(await ask(me, page.slug)).toMatchObject({ free: true });
  });
});

describe("a slug of a deleted page", () => {
  test("is the page's as long as the deletion can be undone", async () => {
    const me = await creator();
    const page = await me.remove(await me.make());
    expect(await ask(me, page.slug)).toMatchObject({ free: false });
    expect(await take(me, page.slug)).toEqual(TAKEN);
  });

  test(`rests for ${RESTING_SLUG_DAYS} days, with those that it gave up before`, async () => {
    const clock = stopClock();
    const me = await creator();
    const page = await me.make({ status: "published" });
    const { page_id, slug } = await me.patch(page, { slug: me.slug() });
    await endPage(env.DB, page_id, Date.now());
    clock.advance(RESTING_SLUG_DAYS * DAY_MS - 1);
    for (const rests of [slug, page.slug]) {
      expect(await ask(me, rests)).toMatchObject({ free: false });
      expect(await take(me, rests)).toEqual(TAKEN);
    }
    clock.advance(1);
    for (const free of [slug, page.slug]) {
      expect(await ask(me, free)).toMatchObject({ free: true });
      expect(await take(me, free)).toEqual([201]);
    }
  });
});

test("S22: what another user's page has or gave up is not free for asking with its id", async () => {
  const [me, other] = [await creator(), await creator("demo-pro")];
  const first = await other.make({ status: "published" });
  const theirs = await other.patch(first, { slug: other.slug() });
  for (const page_id of [theirs.page_id, "none", "", "a b"]) {
    const query = `?page_id=${encodeURIComponent(page_id)}`;
    const asked = await me.send("GET", `/api/me/slugs/${first.slug}${query}`);
    expect(asked.status).toBe(404);
  }
  const mine = await me.make();
  const query = `?page_id=${mine.page_id}`;
  expect(await ask(me, theirs.slug, query)).toMatchObject({ free: false });
});
