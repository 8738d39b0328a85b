/** Pages from files: whole or not at all, once each, and without a request (docs/contract.md section 10). */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { DAY_LIMITS } from "../../../../src/accounts/limits.ts";
import { storePicture } from "../../../../src/authoring/pictures/store-picture.ts";
import { pictureFile } from "../../../../src/authoring/transfer/export-format.ts";
import { REASONS } from "../../../../src/authoring/transfer/import-reasons.ts";
import { IMPORT_BYTES_MAX } from "../../../../src/authoring/transfer/limits.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { LINKS_MAX } from "../../../../src/pages/document/limits.ts";
import type { Stats } from "../../../../src/stats/stats-shape.ts";
import { cases } from "../../kit/cases.ts";
import {
  errorOf,
  expectErrors,
  freshDay,
  freshPage,
  loseWorkshop,
  useUpDay,
} from "../../kit/kit.ts";
import { creator, type PageJson } from "../authoring-kit.ts";
import { sample } from "../pictures/picture-samples.ts";
import { LINKSTACK, LINKTREE, savedPage } from "./transfer-files.ts";
import {
  addHistory,
  type Creator,
  deletePagesOf,
  end,
  everything,
  exported,
  fullPage,
  type ImportAnswer,
  imported,
  numbers,
  orphans,
  pageFile,
  statsOf,
  thisHour,
  upload,
  withoutIds,
} from "./transfer-kit.ts";
import { makeZip } from "./zip-maker.ts";

let layan: Creator;
/** A page with everything that a page can have, its numbers, and its export; the page itself has ended. */
let page: PageJson;
let stats: Stats;
let zip: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  layan = await creator();
  page = await fullPage(layan);
  stats = await statsOf(layan, page.page_id, "?fresh=1");
  zip = await exported(layan, page.page_id);
  await end(page.page_id);
});

beforeEach(async () => {
  for (const user_id of ["demo-free", "demo-pro", "demo-business"]) await freshDay(user_id);
  // A business has 100 pages.
  await deletePagesOf("demo-business");
});

/** A different file each time. */
const lines = () => `المتجر https://shop.example/${crypto.randomUUID()}`;

const DAY_S = 86_400;
/** For tests of hundreds of requests, on a busy machine. */
const LONG_MS = 120_000;

test("export, delete, import: the same page but for ids, the same numbers as imported", async () => {
  const answer = await imported(layan, "application/zip", zip);
  expect(answer).toMatchObject({ status: 201, refused: [], notes: [], page: { status: "draft" } });
  expect(withoutIds(answer.page)).toEqual(withoutIds(page));
  expect(answer.page.page_id).not.toBe(page.page_id);
  const ids = new Set(page.links.map(({ link_id }) => link_id));
  expect(answer.page.links.filter(({ link_id }) => ids.has(link_id))).toEqual([]);

  const after = await statsOf(layan, answer.page.page_id, "?fresh=1");
  expect(numbers(after)).toEqual(numbers(stats));
  const { views, clicks, visitors } = stats.totals;
  expect([views, clicks, visitors]).toEqual([42, 15, 5]);
  expect(after.imported).toEqual({ views, clicks, visitors });
  expect(answer.counts).toEqual({ views, clicks });
});

test("imported history is never part of exact", async () => {
  const copy = await imported(layan, "application/zip", zip);
  const response = await layan.send("GET", `/api/me/pages/${copy.page.page_id}/audit`);
  expect(await response.json()).toMatchObject({ exact: true, accepted: 0, flushed: 0, drift: 0 });
  const shards = await env.DB.prepare(
    `SELECT DISTINCT shard FROM (SELECT page_id, shard FROM tallies UNION ALL SELECT page_id, shard FROM days)
     WHERE page_id = ?1`,
  )
    .bind(copy.page.page_id)
    .all();
  expect(shards.results).toEqual([{ shard: -2 }]);
});

const Label = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const Url = fc.webUrl({ withQueryParameters: true }).filter((url) => url.length < 500);
const AnyLink = fc.oneof(
  fc.record({
    kind: fc.constantFrom("link", "card", "social"),
    label: fc.record({ ar: Label }),
    url: Url,
    enabled: fc.boolean(),
    highlight: fc.boolean(),
    from: fc.option(fc.nat(1_800_000_000)),
  }),
  fc.record({
    kind: fc.constantFrom("heading", "text"),
    label: fc.record({ ar: Label, en: Label }),
  }),
);
const AnyPage = fc.record({
  locales: fc.constantFrom(["ar"], ["ar", "en"]),
  time_zone: fc.constantFrom("UTC", "Asia/Riyadh", "America/New_York"),
  indexed: fc.boolean(),
  name: fc.record({ ar: Label.filter((text) => text.trim() !== "") }),
  bio: fc.record({ ar: Label, en: Label }, { requiredKeys: [] }),
  look: fc.record({ palette: fc.constantFrom("sand", "rose"), density: fc.constantFrom("cosy") }),
  links: fc.array(AnyLink, { maxLength: 5 }),
});
const History = fc.array(fc.tuple(fc.nat(600), fc.nat(8), fc.integer({ min: 1, max: 1_000_000 })), {
  maxLength: 20,
});

test(
  "any page comes back the same, with the same numbers, and twice is once",
  async () => {
    await fc.assert(
      fc.asyncProperty(AnyPage, History, async (members, history) => {
        const answer = await layan.send("POST", "/api/me/pages", {
          slug: layan.slug(),
          ...members,
        });
        // A name of invisible characters is empty.
        fc.pre(answer.status === 201);
        const { page } = await answer.json<{ page: PageJson }>();
        const targets = ["", ...page.links.map(({ link_id }) => link_id), "gone"];
        await addHistory(
          page.page_id,
          history.map(([hours, link, n]) => [
            thisHour() - hours * 3_600,
            targets[link % targets.length] ?? "",
            n,
          ]),
        );
        const before = await statsOf(layan, page.page_id);
        const file = await exported(layan, page.page_id);
        await end(page.page_id);

        const copy = await imported(layan, "application/zip", file);
        expect(copy).toMatchObject({ status: 201, refused: [], notes: [] });
        expect(withoutIds(copy.page)).toEqual(withoutIds(page));
        const { views, clicks } = before.totals;
        const after = await statsOf(layan, copy.page.page_id);
        expect(numbers(after)).toEqual(numbers(before));
        expect(after.imported).toMatchObject({ views, clicks });

        const stored = await everything();
        const again = await imported(layan, "application/zip", file);
        expect(again).toMatchObject({ status: 200, page: copy.page });
        expect(await everything()).toBe(stored);
        await end(copy.page.page_id);
      }),
      { numRuns: cases(100, 1 / 20) },
    );
  },
  LONG_MS,
);

const FILES: [string, string, () => string][] = [
  ["a LinkStack export", "application/json", () => JSON.stringify(LINKSTACK)],
  ["a saved Linktree page", "text/html", () => savedPage(LINKTREE)],
  ["CSV", "text/csv", () => "label,url\nالمتجر,https://shop.example/\n,x y\n"],
  ["pasted lines", "text/plain; charset=utf-8", () => "المتجر https://shop.example/\nx y\n"],
];

test.each(FILES)(
  "S27: %s becomes a draft of its owner without a request",
  async (_, type, make) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const { status, page, refused, refused_total } = await imported(layan, type, make());
    expect(status).toBe(201);
    expect(page).toMatchObject({ status: "draft", version: 1, ends_at: null });
    expect(page.links.length).toBeGreaterThan(0);
    expect(refused.length).toBe(refused_total);
    expect(refused_total).toBeGreaterThan(0);
    // The session is the hub's.
    const addresses = fetched.mock.calls.map(([input]) => new Request(input).url);
    expect(addresses.filter((address) => !address.startsWith(env.HUB_URL))).toEqual([]);
    const path = `/api/me/pages/${page.page_id}`;
    expect(await (await layan.send("GET", path)).json()).toEqual({ ok: true, page });
    const { revisions } = await (await layan.send("GET", `${path}/revisions`)).json<{
      revisions: { what: string[] }[];
    }>();
    expect(revisions.map(({ what }) => what)).toEqual([["imported"]]);
  },
);

test("a dry run says what would be made, and stores nothing", async () => {
  const stored = await everything();
  const dry = await imported(layan, "application/zip", zip, "?dry_run=1");
  expect(await everything()).toBe(stored);
  expect(dry).toMatchObject({ status: 200, dry_run: true, counts: { views: 42 } });
  expect(dry.page).not.toHaveProperty("page_id");
  const { page: made } = await imported(layan, "application/zip", zip);
  expect(dry.page).toMatchObject({
    slug: made.slug,
    name: made.name,
    look: made.look,
    links: made.links.map(({ label, url }) => ({ label, url })),
  });
});

test("a file without a page is refused with the reasons of its lines", async () => {
  const stored = await everything();
  const response = await upload(layan, "text/plain", "one\ntwo");
  expect(response.status).toBe(400);
  const { code, details } = await errorOf(response);
  expect(code).toBe("VALIDATION_FAILED");
  expect(details).toMatchObject({
    issues: [{ path: "", message: REASONS.no_links.en }],
    refused: [
      { line: null, reason_en: REASONS.no_links.en, reason: REASONS.no_links.ar },
      { line: 1, text: "one", reason_en: REASONS.no_address.en },
      { line: 2, text: "two", reason_en: REASONS.no_address.en },
    ],
  });
  expect(await everything()).toBe(stored);
});

test("the slug is the file's if it is free, or one that is derived from it", async () => {
  const slug = `layan${crypto.randomUUID().slice(0, 6)}`;
  const links = [{ title: "a", url: "https://a.example" }];
  /** Of the n-th page of a user with this name. */
  const slugOf = async (username: string, n = 0) => {
    const pageProps = { account: { username, pageTitle: `${n}` }, links };
    return (await imported(layan, "text/html", savedPage({ props: { pageProps } }))).page.slug;
  };
  const name = `@${slug.toUpperCase()}`;
  expect([await slugOf(name), await slugOf(name, 1)]).toEqual([slug, `${slug}-2`]);
  for (let taken = 3; taken < 9; taken += 1) await freshPage({ slug: `${slug}-${taken}` });
  expect(await slugOf(name, 2)).toBe(`${slug}-9`);
  expect(await slugOf(name, 3)).toMatch(/^page-[0-9a-f]{12}$/);
  expect(await slugOf("api")).toBe("api-2");
  expect(await slugOf("not a slug")).toMatch(/^page-/);
  const long = "ع".repeat(64);
  expect([await slugOf(long), await slugOf(long, 1)]).toEqual([long, `${"ع".repeat(62)}-2`]);
});

test("the same file twice at once makes one page", async () => {
  const file = lines();
  const answers = await Promise.all([1, 2, 3].map(() => imported(layan, "text/plain", file)));
  expect(new Set(answers.map(({ page }) => page.page_id)).size).toBe(1);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
});

test("the same file of another owner, or of a deleted page, makes another page", async () => {
  const file = lines();
  const first = await imported(layan, "text/plain", file);
  const other = await imported(await creator("demo-pro"), "text/plain", file);
  expect(other.status).toBe(201);
  await layan.remove(first.page);
  const second = await imported(layan, "text/plain", file);
  expect(second.status).toBe(201);
  expect(second.page.page_id).not.toBe(first.page.page_id);
});

test("a plan's limit holds for imports, and nothing is stored past it", async () => {
  const free = await creator("demo-free");
  await deletePagesOf("demo-free");
  const first = await imported(free, "text/plain", lines());
  const stored = await everything();
  const refused = await upload(free, "application/zip", zip);
  expect(refused.status).toBe(403);
  expect(await errorOf(refused)).toMatchObject({ code: "PLAN_LIMIT", details: { pages_max: 1 } });
  expect(await everything()).toBe(stored);
  await end(first.page.page_id);
});

test("a day's imports and their rows are limited by the plan, in both or in none", async () => {
  const pro = await creator("demo-pro");
  const { imports_day, import_kilorows_day } = DAY_LIMITS;
  const refusedBy = async (scope: string, limit: number) => {
    const stored = await everything();
    const refused = await upload(pro, "text/plain", `${lines()}\n# ${scope}`);
    expect(refused.status).toBe(429);
    expect((await errorOf(refused)).details).toMatchObject({ scope, limit, window_s: 86_400 });
    expect(await everything()).toBe(stored);
  };
  await useUpDay("demo-pro", "import_kilorows_day", import_kilorows_day.pro);
  // The refusals took no import.
  for (let n = 0; n <= imports_day.pro; n += 1) {
    await refusedBy("import_kilorows_day", import_kilorows_day.pro);
  }
  await useUpDay("demo-pro", "imports_day", imports_day.pro);
  await refusedBy("imports_day", imports_day.pro);
  // What is only looked at, or is there already, is no import.
  await imported(pro, "text/plain", lines(), "?dry_run=1");
  await useUpDay("demo-pro", "import_reads_day", DAY_LIMITS.import_reads_day.pro);
  for (const query of ["", "?dry_run=1"]) {
    // Nothing of the file is read: it has no page.
    const refused = await upload(pro, "text/plain", "", query);
    expect([refused.status, (await errorOf(refused)).details]).toMatchObject([
      429,
      { scope: "import_reads_day" },
    ]);
  }
  await freshDay("demo-pro");
  const file = lines();
  const first = await imported(pro, "text/plain", file);
  await useUpDay("demo-pro", "imports_day", imports_day.pro);
  expect((await imported(pro, "text/plain", file)).status).toBe(200);
  await end(first.page.page_id);
});

test("a page whose deletion can be undone has room of the plan for imports", async () => {
  const free = await creator("demo-free");
  await deletePagesOf("demo-free");
  const first = await imported(free, "text/plain", lines());
  await free.remove(first.page);
  expect((await upload(free, "text/plain", `${lines()}\nx`)).status).toBe(403);
  await end(first.page.page_id);
});

test("other types are refused, and so is an unknown value of the query", async () => {
  for (const type of ["application/xml", "multipart/form-data", "image/png", ""]) {
    const response = await upload(layan, type, utf8(lines()));
    expect(response.status).toBe(415);
    expect((await errorOf(response)).details).toMatchObject({
      types: ["text/plain", "text/csv", "text/html", "application/json", "application/zip"],
    });
  }
  const query = await upload(layan, "text/plain", lines(), "?dry_run=yes");
  expect((await errorOf(query)).code).toBe("VALIDATION_FAILED");
});

test("a file of 8 MiB is read, one byte more is 413, whatever Content-Length says", async () => {
  const start = utf8(`${lines()}\n`);
  const body = new Uint8Array(IMPORT_BYTES_MAX + 1).fill(0x0a);
  body.set(start);
  const largest = body.subarray(0, IMPORT_BYTES_MAX);
  const whole = await imported(layan, "text/plain", largest, "?dry_run=1");
  expect(whole.page.links).toHaveLength(1);
  // Through a pipe of unknown length: a Blob's own stream is sent with a Content-Length.
  const stream = new Blob([body]).stream().pipeThrough(new TransformStream());
  const response = await upload(layan, "text/plain", stream);
  expect(response.status).toBe(413);
  expect((await errorOf(response)).details).toMatchObject({ max_bytes: IMPORT_BYTES_MAX });
});

/** Calls of D1 and R2 that one import makes, each of which can fail. */
const CALLS = (
  [
    [env.DB, ["batch"]],
    [env.DB.prepare("SELECT 1"), ["first", "all", "run"]],
    [env.MEDIA, ["put", "get", "head"]],
  ] as const
).flatMap(([one, names]) => names.map((name) => [Object.getPrototypeOf(one), name] as const));

/** Makes the call with this number fail, before it is made or after it, with its reply lost. */
function failAt(at: number, when: "before" | "after"): { reached: () => boolean } {
  let calls = 0;
  for (const [prototype, name] of CALLS) {
    const real = Reflect.get(prototype, name) as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(prototype as Record<string, typeof real>, name).mockImplementation(async function (
      this: unknown,
      ...args: unknown[]
    ) {
      calls += 1;
      if (calls !== at) return real.apply(this, args);
      if (when === "after") await real.apply(this, args);
      throw new Error("no reply");
    });
  }
  return { reached: () => calls >= at };
}

test.each(["before", "after"] as const)(
  "whichever call of D1 or R2 fails %s it is made, the page is whole or not there",
  async (when) => {
    // One picture, one link and one row of counts: each kind of call, and few of them.
    const small = { ...page, links: page.links.slice(0, 1) };
    const row = { hour: thisHour() - DAY_S, link_id: "", class: "human", shard: 0, n: 3 };
    const file = makeZip([
      pageFile(small),
      { name: pictureFile(page.avatar ?? ""), content: sample("jpeg") },
      { name: "tallies.jsonl", content: `${JSON.stringify(row)}\n` },
    ]);
    expectErrors();
    const made = async () =>
      (await (await layan.send("GET", "/api/me/pages")).json<{ pages: unknown[] }>()).pages.length;
    const count = await made();
    let failed = 0;
    for (let at = 1; ; at += 1) {
      const { reached } = failAt(at, when);
      const response = await upload(layan, "application/zip", file);
      vi.restoreAllMocks();
      expectErrors();
      expect(await orphans()).toEqual([]);
      if (!reached()) {
        expect(response.status).toBe(201);
        break;
      }
      if (response.ok) {
        // A failure that the import survives, such as a lost reply of the transaction.
        const { page: copy } = await response.json<ImportAnswer>();
        expect(withoutIds(copy)).toEqual(withoutIds(small));
        await end(copy.page_id);
      } else {
        failed += 1;
        expect(response.status).toBe(503);
        expect(await made()).toBe(count);
      }
    }
    expect(failed).toBeGreaterThan(5);
    expect(await made()).toBe(count + 1);
    // The same file again is that page: nothing of the failed ones is in the way.
    expect((await upload(layan, "application/zip", file)).status).toBe(200);
  },
  LONG_MS,
);

test("while the workshop fails an import is 503, and makes nothing", async () => {
  const before = await everything();
  expectErrors();
  loseWorkshop();
  const response = await upload(layan, "text/plain", lines());
  expect(response.status).toBe(503);
  expect(await everything()).toEqual(before);
});

test("what somebody changed in an export is checked like what a client sends", async () => {
  const link = { label: { ar: "أ" }, url: "https://a.example/", link_id: "one" };
  const export_of = (page: object, rows: Record<string, string> = {}) =>
    makeZip([
      pageFile(page, { rolled_to: -5 }),
      ...Object.entries(rows).map(([name, content]) => ({ name, content, is_deflated: true })),
    ]);
  const hour = thisHour();
  const tally = (link_id: string, n: number) =>
    JSON.stringify({ hour: hour - DAY_S, link_id, class: "human", shard: 0, n });
  const { page, refused, notes, counts } = await imported(
    layan,
    "application/zip",
    export_of(
      {
        slug: "../x",
        status: "published",
        page_id: "mine",
        name: { ar: "\u202eليان" },
        avatar: "pictures/other/0123.jpg",
        look: { palette: "<script>" },
        links: [
          link,
          { ...link, url: "javascript:alert(1)" },
          { ...link, label: { ar: "ب" } },
          { ...link, link_id: "contact", label: { ar: "ج" } },
          ...Array.from({ length: LINKS_MAX }, () => ({ kind: "heading", label: { ar: "د" } })),
          null,
        ],
      },
      {
        "tallies.jsonl": [tally("one", 3), tally("", 2), tally("unknown", 4), "{", tally("", -1)]
          .map((line) => `${line}\n`)
          .join(""),
      },
    ),
  );
  expect(page).toMatchObject({ status: "draft", name: { ar: "ليان" }, avatar: null });
  expect(page.slug).toMatch(/^page-/);
  expect(page.links).toHaveLength(LINKS_MAX);
  expect(new Set(page.links.map(({ link_id }) => link_id)).size).toBe(LINKS_MAX);
  expect(page.links.map(({ link_id }) => link_id)).not.toContain("contact");
  expect(notes.map(({ reason_en }) => reason_en)).toEqual([
    REASONS.look_replaced.en,
    REASONS.picture_missing.en,
  ]);
  expect(refused.map(({ line, reason_en }) => [line, reason_en])).toEqual([
    [2, REASONS.bad_address.en],
    ...[LINKS_MAX + 2, LINKS_MAX + 3, LINKS_MAX + 4].map((n) => [n, REASONS.too_many.en]),
    [LINKS_MAX + 5, expect.any(String)],
    [4, REASONS.bad_count.en],
    [5, REASONS.bad_count.en],
  ]);
  expect(counts).toEqual({ views: 2, clicks: 7 });
  const { links } = await statsOf(layan, page.page_id);
  expect(links.filter(({ clicks }) => clicks > 0)).toMatchObject([
    { label: null, clicks: 4 },
    { label: "أ", clicks: 3, link_id: page.links[0]?.link_id },
  ]);

  for (const [file, reason] of [
    [export_of({ name: {} }), "page.json: name"],
    [makeZip([{ name: "a.json", content: "{}" }]), REASONS.not_export.en],
    [makeZip([pageFile({}, { format_version: 2 })]), REASONS.newer_export.en],
  ] as const) {
    const response = await upload(layan, "application/zip", file);
    expect(response.status).toBe(400);
    expect(JSON.stringify((await errorOf(response)).details)).toContain(reason);
  }
});

test("a picture that is none is left out and noted", async () => {
  const key = "pictures/p/a.jpg";
  const file = makeZip([
    pageFile({ ...page, avatar: key, links: [] }),
    { name: "pictures/a.jpg", content: "<svg onload=alert(1)>" },
  ]);
  for (const query of ["?dry_run=1", ""]) {
    const { page: made, notes } = await imported(layan, "application/zip", file, query);
    expect(made.avatar).toBeNull();
    expect(notes).toMatchObject([{ text: key, reason_en: REASONS.picture_refused.en }]);
  }
});

test("of AVIF, which uploads cannot be, only what a page of the same user has is imported", async () => {
  const type = "image/avif";
  const { page_id } = await layan.make({});
  const storing = { page_id, is_photo: false, charge: async () => {} };
  const picture = { type, width: 40, height: 24, bytes: sample("avif") } as const;
  const { stored } = await storePicture(env, storing, picture, Date.now());
  const exportWith = (content: Uint8Array) =>
    makeZip([
      pageFile({ ...page, avatar: stored.key, links: [] }),
      { name: pictureFile(stored.key), content },
    ]);
  const { page: made, notes } = await imported(
    layan,
    "application/zip",
    exportWith(sample("avif")),
  );
  expect(notes).toEqual([]);
  const { page_id: copy, avatar } = made;
  expect(avatar).toBe(stored.key.replace(page_id, copy));
  expect(await (await env.MEDIA.get(avatar ?? ""))?.bytes()).toEqual(sample("avif"));
  const row = await env.DB.prepare("SELECT type, width, height FROM pictures WHERE key = ?1")
    .bind(avatar)
    .first();
  expect(row).toEqual({ type, width: 40, height: 24 });

  // Bytes that nobody has checked, under the name of some that were; and another user's.
  const changed = sample("avif").with(-1, 0);
  const salem = await creator("demo-pro");
  for (const [by, content] of [
    [layan, changed],
    [salem, sample("avif")],
  ] as const) {
    const answer = await imported(by, "application/zip", exportWith(content));
    expect(answer.page.avatar).toBeNull();
    expect(answer.notes).toMatchObject([
      { text: stored.key, reason_en: REASONS.picture_refused.en },
    ]);
  }
});

test("a look of any depth is replaced and noted", async () => {
  const deep = `${"[".repeat(190_000)}${"]".repeat(190_000)}`;
  const file = `{"format":"sila-page","format_version":1,"page":{"name":{"ar":"ل"},"look":${deep}}}`;
  const { notes } = await imported(layan, "application/json", file, "?dry_run=1");
  expect(notes).toMatchObject([{ text: "page.json: look", reason_en: REASONS.look_replaced.en }]);
});

test("a page.json without its zip is a page without pictures and counts", async () => {
  const file = pageFile(page).content;
  const { page: made, notes, counts } = await imported(layan, "application/json", file);
  expect(made.links).toHaveLength(3);
  expect(notes.map(({ reason_en }) => reason_en)).toEqual([
    REASONS.picture_missing.en,
    REASONS.picture_missing.en,
  ]);
  expect(counts).toEqual({ views: 0, clicks: 0 });
});
