/**
 * Two sessions of a creator race (docs/faults.md F1, F10, F24, F25): random edits with fresh or stale
 * versions, one after the other or at once, with events, restarts of the objects, and a D1 that refuses
 * or loses replies in between. `races-model.ts` judges what is stored in the end.
 */
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, seedOfTheDay } from "../kit/cases.ts";
import { breakD1, loseSaves } from "../kit/faults.ts";
import { errorOf, expectErrors } from "../kit/kit.ts";
import { type Creator, creator, type PageJson, pageOf, pathOf } from "./authoring-kit.ts";
import { History, step } from "./races-history.ts";

/** Random histories in a weekly run, and the part of them in any other. */
const HISTORIES = 500;
const PART = 1 / 50;

test("F25: every version is an edit that somebody sent, none is lost, and every count is exact", {
  timeout: 600_000,
}, async () => {
  expectErrors();
  const sessions = await Promise.all([creator(), creator()]);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      const history = await History.begin(sessions);
      for (const step of steps) await history.take(step);
      await history.end();
    }),
    { numRuns: cases(HISTORIES, PART), seed: seedOfTheDay(), endOnFailure: true },
  );
});

describe("a save", () => {
  const save = (me: Creator, page: PageJson) =>
    me.send("PATCH", pathOf(page), { bio: { ar: "رسّامة" } }, { "If-Match": '"v1"' });
  const read = async (me: Creator, page: PageJson) => pageOf(await me.send("GET", pathOf(page)));

  test("F4: is 503 while D1 refuses, says nothing of D1, changes nothing, and can be repeated", async () => {
    const logged = expectErrors();
    const me = await creator();
    const page = await me.make();
    const d1 = breakD1("before");
    const refused = await save(me, page);
    d1.mend();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
    const { details, ...error } = await errorOf(refused);
    expect(error.code).toBe("DEPENDENCY_DOWN");
    expect(Object.keys(details)).toEqual(["request_id"]);
    expect(logged()).toContain("save_failed");
    expect(await read(me, page)).toEqual(page);
    expect((await save(me, page)).status).toBe(200);
  });

  test("F3: whose reply was lost is read back, and acknowledged", async () => {
    const me = await creator();
    const page = await me.make();
    expectErrors();
    const d1 = breakD1("after");
    const slug = me.slug();
    const made = me.send("POST", "/api/me/pages", { slug, name: { ar: "ن" } });
    const [saved, created] = await Promise.all([save(me, page), made]);
    d1.mend();
    expect([saved.status, created.status]).toEqual([200, 201]);
    expect(await read(me, page)).toEqual(await pageOf(saved));
  });

  const SHOP = { label: { ar: "متجر" }, url: "https://shop.example" };
  const REQUESTS = [
    ["PATCH", "", { bio: { ar: "رسّامة" }, links: [SHOP, { kind: "text", label: { ar: "أهلا" } }] }],
    ["PUT", "", { slug: "lost-reply-page", name: { ar: "ليان" }, links: [SHOP] }],
    ["POST", "/revisions/1/restore", undefined],
    ["DELETE", "", undefined],
  ] as const;

  describe.for(REQUESTS)("%s %s", ([method, path, body]) => {
    /** A page at version 2, and a request that changes it. */
    async function changedPage(me: Creator) {
      const first = await me.make({ links: [SHOP] });
      const page = await me.patch(first, { bio: { ar: "قبل" }, links: first.links });
      const send = () =>
        me.send(method, pathOf(page) + path, body, { "If-Match": `"v${page.version}"` });
      return { page, send };
    }

    test("F3: that cannot be read back is 503; its repetition is answered as if it was made now", async () => {
      const me = await creator();
      const { page, send } = await changedPage(me);
      expectErrors();
      const d1 = loseSaves();
      const lost = await send();
      d1.mend();
      expect(lost.status).toBe(503);
      const made = await read(me, page);
      expect(made.version).toBe(3);
      const repeated = await send();
      expect([repeated.ok, repeated.headers.get("ETag")]).toEqual([true, '"v3"']);
      expect(await pageOf(repeated)).toEqual(made);
      expect(await read(me, page)).toEqual(made);
      await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page.page_id).run();
    });

    test("F3: sent twice at once makes one version, and both get it", async () => {
      const me = await creator();
      const { page, send } = await changedPage(me);
      const answers = await Promise.all([send(), send()]);
      const [one, other] = await Promise.all(answers.map(pageOf));
      expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
      expect(one).toEqual(other);
      expect(await read(me, page)).toEqual({ ...one, version: 3 });
      await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page.page_id).run();
    });

    test("repeated after another change is 412 with the current page, unless the page has it still", async () => {
      const me = await creator();
      const { page, send } = await changedPage(me);
      const made = await pageOf(await send());
      if (method === "DELETE") await me.send("POST", `${pathOf(page)}/undelete`);
      else await me.patch(made, { links: [], bio: { ar: "بعد" } });
      const repeated = await send();
      expect(repeated.status).toBe(412);
      const { details } = await errorOf(repeated);
      expect(details.page).toEqual(await read(me, page));
      await env.DB.prepare("DELETE FROM pages WHERE page_id = ?1").bind(page.page_id).run();
    });
  });

  test("F3: repeated for an older version is 412 where it would also be no valid page now", async () => {
    const me = await creator();
    const page = await me.make({ locales: ["ar", "en"], name: { ar: "ن", en: "N" } });
    await me.patch(page, { locales: ["en"] });
    const patch = { name: { en: null } };
    const late = await me.send("PATCH", pathOf(page), patch, { "If-Match": '"v1"' });
    expect(late.status).toBe(412);
  });
});
