/** The routes of creators' pages: making, reading and changing them (docs/contract.md section 10). */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../../src/index.ts";
import { call, errorOf, eventually, freshAddress, ORIGIN } from "../kit/kit.ts";
import { creator, type PageAnswer, type PageJson, pageOf, pathOf } from "./authoring-kit.ts";

const SHOP = { url: "https://shop.example/", label: { ar: "المتجر" } };
const VIDEO = { url: "https://video.example/", label: { ar: "فيديو" } };

const NO_PATCHES = [
  ...["null", "[]", "7", '"text"', "1e999", '{"name":{"ar":1e999}}', '{"unknown":1}'],
  ...['{"__proto__":{"status":"published"}}', '{"constructor":{}}', '{"look":{"__proto__":{}}}'],
  ...['{"links":{"0":{}}}', '{"links":[null]}', '{"slug":null}', '{"name":null}'],
  '{"status":"suspended"}',
  `{"contact":${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}}`,
  `{"links":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
];

describe("a new page", () => {
  test("is a draft of version 1 with what its creator left out filled in", async () => {
    const me = await creator();
    const slug = me.slug();
    const body = { slug, name: { ar: "ليان" }, links: [SHOP] };
    const response = await me.send("POST", "/api/me/pages", body);
    expect(response.status).toBe(201);
    expect(response.headers.get("ETag")).toBe('"v1"');
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const { ok, page } = await response.json<PageAnswer>();
    expect(response.headers.get("Location")).toBe(pathOf(page));
    expect(ok).toBe(true);
    expect(page).toEqual({
      page_id: expect.stringMatching(/^[\w-]{22}$/),
      slug,
      status: "draft",
      locales: ["ar"],
      time_zone: "UTC",
      indexed: true,
      name: { ar: "ليان" },
      bio: {},
      avatar: null,
      contact: null,
      look: expect.objectContaining({ palette: "sand", accent: null }),
      links: [
        {
          link_id: expect.stringMatching(/^[\w-]{22}$/),
          kind: "link",
          label: { ar: "المتجر" },
          url: "https://shop.example/",
          enabled: true,
          from: null,
          until: null,
          highlight: false,
          image: null,
        },
      ],
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updated_at: page.created_at,
      ends_at: null,
    });
  });

  test("has an id and ids of links that nobody chose", async () => {
    const me = await creator();
    const page = await me.make({ page_id: "chosen", links: [SHOP, SHOP] });
    const ids = new Set([page.page_id, ...page.links.map(({ link_id }) => link_id)]);
    expect(ids.size).toBe(3);
    expect(ids).not.toContain("chosen");
    const chosen = { slug: me.slug(), name: { ar: "ن" }, links: [{ ...SHOP, link_id: "chosen" }] };
    const refused = await me.send("POST", "/api/me/pages", chosen);
    expect(refused.status).toBe(400);
  });

  test("is its owner's as GET answers it, and in the list without its links", async () => {
    const me = await creator();
    const page = await me.make({ status: "published", links: [SHOP], bio: { ar: "رسّامة" } });
    const response = await me.send("GET", pathOf(page));
    expect(response.status).toBe(200);
    expect(response.headers.get("ETag")).toBe('"v1"');
    expect(await pageOf(response)).toEqual(page);
    const list = await me.send("GET", "/api/me/pages");
    const { pages } = await list.json<{ pages: PageJson[] }>();
    const { page_id, slug, status, locales, name, avatar, version, created_at, updated_at } = page;
    expect(pages).toContainEqual({
      ...{ page_id, slug, status, locales, name, avatar, version },
      ...{ created_at, updated_at, ends_at: null },
    });
  });

  test("is answered 304 to a client that has it, and not after a change", async () => {
    const me = await creator();
    const page = await me.make();
    const ask = (tag: string) => me.send("GET", pathOf(page), undefined, { "If-None-Match": tag });
    const same = await ask('"v1"');
    expect([same.status, same.headers.get("ETag"), await same.text()]).toEqual([304, '"v1"', ""]);
    await me.patch(page, { name: { ar: "أخرى" } });
    const changed = await ask('"v1"');
    expect([changed.status, changed.headers.get("ETag")]).toEqual([200, '"v2"']);
  });
});

describe("PATCH", () => {
  test("changes the members that it names, by RFC 7396, and nothing else", async () => {
    const me = await creator();
    const page = await me.make({
      locales: ["ar", "en"],
      name: { ar: "ليان", en: "Layan" },
      bio: { ar: "رسّامة", en: "Painter" },
      links: [SHOP],
    });
    const patched = await me.patch(page, { bio: { en: null }, indexed: false, links: [VIDEO] });
    expect(patched).toEqual({
      ...page,
      bio: { ar: "رسّامة" },
      indexed: false,
      links: [expect.objectContaining(VIDEO)],
      version: 2,
      updated_at: patched.updated_at,
    });
    const emptied = await me.patch(patched, { bio: null, links: null, indexed: null });
    expect(emptied).toMatchObject({ bio: {}, links: [], indexed: true, name: page.name });
  });

  test("is read as application/merge-patch+json too, and as no other type", async () => {
    const me = await creator();
    const page = await me.make();
    for (const [type, status] of [
      ["application/merge-patch+json", 200],
      ["application/json; charset=utf-8", 200],
      ["application/json-patch+json", 415],
      ["application/xml", 415],
    ] as const) {
      const headers = { "If-Match": "*", "Content-Type": type };
      const response = await me.send("PATCH", pathOf(page), { bio: { ar: type } }, headers);
      expect([type, response.status]).toEqual([type, status]);
    }
  });

  test("F13: that makes no page of the page is 400 in the envelope, and changes nothing", async () => {
    const me = await creator();
    const page = await me.make();
    for (const body of NO_PATCHES) {
      const headers = { ...me.headers, "If-Match": "*", "Content-Type": "application/json" };
      const refused = await call(pathOf(page), { method: "PATCH", body, headers });
      expect([body, refused.status]).toEqual([body, 400]);
      expect(await errorOf(refused)).toMatchObject({ ok: false, code: "VALIDATION_FAILED" });
    }
    expect(await pageOf(await me.send("GET", pathOf(page)))).toEqual(page);
  });
});

describe("PUT", () => {
  test("replaces the whole page; what the body leaves out gets its default", async () => {
    const me = await creator();
    const page = await me.make({
      status: "published",
      bio: { ar: "رسّامة" },
      indexed: false,
      links: [SHOP, VIDEO],
    });
    const [, video] = page.links;
    const put = await me.put(page, { slug: page.slug, name: { ar: "نور" }, links: [video, SHOP] });
    expect(put).toMatchObject({ status: "draft", name: { ar: "نور" }, bio: {}, indexed: true });
    expect(put.links[0]).toEqual(video);
    expect(put.links[1]?.link_id).not.toBe(page.links[0]?.link_id);
    const { slug: _, ...body } = page;
    const without = await me.send("PUT", pathOf(page), body, { "If-Match": "*" });
    expect(without.status).toBe(400);
  });

  test("takes back what GET answered: members that nobody can change are ignored", async () => {
    const me = await creator();
    const page = await me.make({ links: [SHOP] });
    const other = { page_id: "x", version: 99, created_at: 0, updated_at: null, ends_at: "now" };
    expect(await me.put(page, page)).toEqual(page);
    expect(await me.put(page, { ...page, ...other })).toEqual(page);
    expect(await me.patch(page, other)).toEqual(page);
  });
});

describe("a change", () => {
  test("that changes nothing makes no version, and no revision", async () => {
    const me = await creator();
    const page = await me.make({ links: [SHOP], time_zone: "Asia/Riyadh" });
    const { ar } = page.name;
    for (const patch of [{}, { name: { ar } }, { time_zone: "asia/RIYADH" }, { bio: null }]) {
      expect(await me.patch(page, patch)).toEqual(page);
    }
    const { results } = await env.DB.prepare("SELECT version FROM revisions WHERE page_id = ?1")
      .bind(page.page_id)
      .all();
    expect(results).toEqual([{ version: 1 }]);
  });

  test.for(["PATCH", "PUT", "DELETE"])(
    "is 428 without If-Match, and of another version 412 with the current page and its ETag: %s",
    async (method) => {
      const me = await creator();
      const first = await me.make();
      const page = await me.patch(first, { name: { ar: "أخرى" } });
      const body = method === "DELETE" ? undefined : { ...first, name: { ar: "ثالثة" } };
      for (const headers of [{}, { "If-None-Match": "*" }] as Record<string, string>[]) {
        const { status } = await me.send(method, pathOf(page), body, headers);
        expect(status).toBe(428);
      }
      // Weak ones never match (RFC 9110 section 13.1.1), and neither does a malformed one.
      const others = ['W/"v2"', 'w/"v2"', "v2", '"v02"', '"a,*,b"', '"v2', '"v1", *'];
      for (const tag of ['"v1"', ...(method === "PATCH" ? others : [])]) {
        const refused = await me.send(method, pathOf(page), body, { "If-Match": tag });
        expect([tag, refused.status, refused.headers.get("ETag")]).toEqual([tag, 412, '"v2"']);
        const conflict = { code: "VERSION_CONFLICT", details: { page } };
        expect(await errorOf(refused)).toMatchObject(conflict);
      }
      expect(await pageOf(await me.send("GET", pathOf(page)))).toEqual(page);
    },
  );

  test("is made where If-Match names the version, alone or in a list, or any version", async () => {
    const me = await creator();
    let { page_id, version } = await me.make();
    for (const tags of ['"v1"', '"v9", "v2"', '"x","v3" ', 'W/"v4", "v4"', "*", " * "]) {
      const patch = { bio: { ar: `${version}` } };
      const response = await me.send("PATCH", pathOf({ page_id }), patch, { "If-Match": tags });
      version += 1;
      expect([response.status, response.headers.get("ETag")]).toEqual([200, `"v${version}"`]);
    }
  });

  test("is told to the page's object after the answer, and not when the cron runs", async () => {
    const me = await creator();
    const page = await me.make();
    const untold = "SELECT count(*) AS n FROM page_changes WHERE page_id = ?1 AND told = 0";
    const left = () => env.DB.prepare(untold).bind(page.page_id).first("n");
    await eventually(async () => expect(await left()).toBe(0));
    const request = new Request(new URL(pathOf(page), ORIGIN), {
      method: "PATCH",
      headers: {
        ...{ ...me.headers, "CF-Connecting-IP": freshAddress() },
        ...{ "Content-Type": "application/json", "If-Match": '"v1"' },
      },
      body: JSON.stringify({ bio: { ar: "جديد" } }),
    });
    const ctx = createExecutionContext();
    expect((await worker.fetch(request, env, ctx)).status).toBe(200);
    await waitOnExecutionContext(ctx);
    expect(await left()).toBe(0);
  });

  test("of one version by many at once is made by one of them; the others get 412", async () => {
    const me = await creator();
    const page = await me.make();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        me.send("PATCH", pathOf(page), { bio: { ar: `${i}` } }, { "If-Match": '"v1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const now = await pageOf(await me.send("GET", pathOf(page)));
    expect(now).toMatchObject({ version: 2, bio: { ar: `${winner}` } });
  });
});
