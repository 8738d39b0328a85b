/** Files of other services become pages; each line that does not has its reason. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { STORED_DOCUMENT_BYTES_MAX } from "../../../../src/authoring/limits.ts";
import { IMPORT_TYPES, type ImportType } from "../../../../src/authoring/transfer/import-query.ts";
import { ImportRefused, REASONS } from "../../../../src/authoring/transfer/import-reasons.ts";
import type { ImportedPage } from "../../../../src/authoring/transfer/imported-page.ts";
import {
  IMPORT_JSON_VALUES_MAX,
  IMPORT_LINE_CHARS_MAX,
  IMPORT_LINES_MAX,
  IMPORT_REMARKS_MAX,
} from "../../../../src/authoring/transfer/limits.ts";
import { readFile } from "../../../../src/authoring/transfer/read-file.ts";
import type { Remarks } from "../../../../src/authoring/transfer/remarks.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { LINKS_MAX, NAME_CHARS_MAX } from "../../../../src/pages/document/limits.ts";
import { cases } from "../../kit/cases.ts";
import { LINKSTACK, LINKTREE, savedPage } from "./transfer-files.ts";
import { pageFile } from "./transfer-kit.ts";
import { joined, makeZip } from "./zip-maker.ts";

async function read(type: ImportType, file: string | Uint8Array): Promise<ImportedPage> {
  const bytes = typeof file === "string" ? utf8(file) : new Uint8Array(file);
  return readFile(type, bytes, { now_s: 1_800_000_000, makeId: () => crypto.randomUUID() });
}

/** `kind label url` of each link. */
function links({ document }: ImportedPage): string[] {
  return document.links.map(({ kind, label, url }) =>
    [kind, label.ar ?? label.en, url ?? ""].join(" ").trim(),
  );
}

function remarks({ list }: Remarks): [number | null, string, string][] {
  return list.map(({ line, text, reason }) => [line, text, reason.en]);
}

test("pasted lines have an address, with a label before or after it", async () => {
  const page = await read(
    "text/plain",
    [
      "\ufeffhttps://a.example",
      "المتجر https://shop.example/",
      "قناتي - youtube.com/@layan",
      "\u200fفيديو: \u200ehttps://video.example/\u200e",
      "",
      "# أعمالي",
      "راسلني | layan@example.com\r",
      "tel:+966501234567 اتصل بي",
      "+966501234567",
      "//cdn.example/x",
      "www.b.example:8080/x?y#z",
      "http://مثال.إختبار/صفحة",
    ].join("\n"),
  );
  expect(links(page)).toEqual([
    "link a.example https://a.example/",
    "link المتجر https://shop.example/",
    "link قناتي https://youtube.com/@layan",
    "link فيديو https://video.example/",
    "heading أعمالي",
    "link راسلني mailto:layan@example.com",
    "link اتصل بي tel:+966501234567",
    "link +966501234567 tel:+966501234567",
    "link cdn.example https://cdn.example/x",
    "link b.example https://www.b.example:8080/x?y#z",
    expect.stringMatching(/^link xn--\S+ http:\/\/xn--/),
  ]);
  expect(page.document.locales).toEqual(["ar"]);
  expect(page.document.name).toEqual({ ar: "صفحة مستوردة" });
  expect(page.refused.n).toBe(0);
});

test("a page without an Arabic letter is in English", async () => {
  const { document } = await read("text/plain", "Shop https://shop.example/");
  expect(document).toMatchObject({
    locales: ["en"],
    name: { en: "Imported page" },
    links: [{ label: { en: "Shop" } }],
  });
});

test("each refused line has its number, an excerpt and the reason in both languages", async () => {
  const long = `x https://a.example/${"a".repeat(IMPORT_LINE_CHARS_MAX)}`;
  const label = "ل".repeat(201);
  const page = await read(
    "text/plain",
    [
      "https://a.example",
      "hello world",
      "javascript:alert(1)",
      "https://user:secret@a.example/",
      long,
      `${label} https://a.example/`,
      `${label.slice(1)} https://a.example/`,
    ].join("\r\n"),
  );
  expect(links(page)).toHaveLength(2);
  expect(remarks(page.refused)).toEqual([
    [2, "hello world", REASONS.no_address.en],
    [3, "javascript:alert(1)", REASONS.bad_address.en],
    [4, "https://user:secret@a.example/", REASONS.bad_address.en],
    [5, expect.stringMatching(/^x https.*…$/), REASONS.long_line.en],
    [6, expect.stringMatching(/^ل+…$/), REASONS.long_label.en],
  ]);
  for (const { reason } of page.refused.list) expect(reason.ar).toMatch(/\p{Script=Arabic}/u);
});

test("lines past the limit are not read", async () => {
  const lines = Array.from({ length: IMPORT_LINES_MAX }, () => "").join("\n");
  const last = `${lines}https://a.example`;
  expect((await read("text/plain", last)).document.links).toHaveLength(1);
  for (const type of ["text/plain", "text/csv"] as const) {
    const { refused } = await read(type, `https://a.example${lines}\nhttps://b.example`);
    expect(remarks(refused)).toEqual([
      [IMPORT_LINES_MAX + 1, "https://b.example", REASONS.too_many_lines.en],
    ]);
  }
});

test("links past the limit of a page are refused one by one", async () => {
  const lines = Array.from({ length: LINKS_MAX + 2 }, (_, i) => `https://a.example/${i}`);
  const page = await read("text/plain", lines.join("\n"));
  expect(page.document.links).toHaveLength(LINKS_MAX);
  expect(remarks(page.refused)).toEqual([
    [LINKS_MAX + 1, `https://a.example/${LINKS_MAX}`, REASONS.too_many.en],
    [LINKS_MAX + 2, `https://a.example/${LINKS_MAX + 1}`, REASONS.too_many.en],
  ]);
});

test("a page is no larger than the other routes allow: its last links are refused", async () => {
  const line = (i: number) => `https://a.example/${i}/${"a".repeat(1_980)}`;
  const page = await read(
    "text/plain",
    Array.from({ length: LINKS_MAX }, (_, i) => line(i)).join("\n"),
  );
  const bytes = utf8(JSON.stringify(page.document)).length;
  expect(bytes).toBeLessThanOrEqual(STORED_DOCUMENT_BYTES_MAX);
  // Without the ids that its links get, and less than one link.
  expect(bytes).toBeGreaterThan(STORED_DOCUMENT_BYTES_MAX - LINKS_MAX * 40 - 3_000);
  expect(page.refused.n).toBe(LINKS_MAX - page.document.links.length);
  expect(new Set(page.refused.list.map(({ reason }) => reason))).toEqual(
    new Set([REASONS.large_page]),
  );
});

test("CSV names its columns in English or Arabic, in any order", async () => {
  const english = await read(
    "text/csv",
    [
      "URL,Title,Kind,Enabled,From,Until,Notes",
      'https://a.example,"One, two ""three""",link,yes,,,x',
      'b.example/x,"two',
      'lines",social,0,2026-01-01T00:00:00Z,1800000000,',
      ",A heading,heading",
      "https://c.example",
      "",
    ].join("\r\n"),
  );
  expect(english.document.links).toMatchObject([
    { label: { en: 'One, two "three"' }, url: "https://a.example/", enabled: true },
    {
      kind: "social",
      label: { en: "two\nlines" },
      url: "https://b.example/x",
      enabled: false,
      from: 1_767_225_600,
      until: 1_800_000_000,
    },
    { kind: "heading", label: { en: "A heading" }, url: null },
    { label: { en: "c.example" }, url: "https://c.example/" },
  ]);
  expect(remarks(english.notes)).toEqual([[1, "Notes", REASONS.column_ignored.en]]);

  const arabic = await read(
    "text/csv",
    "\ufeffالاسم;الرابط;النوع;مفعّل;مميّز\nالمتجر;shop.example;رابط;لا;نعم\nأعمالي;;عنوان\n",
  );
  expect(arabic.document.links).toMatchObject([
    { label: { ar: "المتجر" }, url: "https://shop.example/", enabled: false, highlight: true },
    { kind: "heading", label: { ar: "أعمالي" } },
  ]);
});

test("CSV without names has its addresses in any column, and tabs in UTF-16 are read too", async () => {
  const text = "Shop\thttps://shop.example/\nhttps://a.example\tA\nhttps://b.example\n";
  const utf16 = new Uint8Array(Uint16Array.from(`\ufeff${text}`, (c) => c.charCodeAt(0)).buffer);
  const swapped = Uint8Array.from(utf16, (_, i) => utf16[i ^ 1] ?? 0);
  for (const file of [text, utf16, swapped]) {
    expect(links(await read("text/csv", file))).toEqual([
      "link Shop https://shop.example/",
      "link A https://a.example/",
      "link b.example https://b.example/",
    ]);
  }
});

test("a refused record of CSV is named by the line at which it starts", async () => {
  const page = await read(
    "text/csv",
    [
      "label,url,kind,enabled,from,until",
      '"two\nlines",https://a.example',
      "x,ftp://b.example",
      "x,c.example,poem",
      "x,d.example,link,maybe",
      "x,e.example,link,yes,tomorrow",
      "x,f.example,link,yes,20,10",
      "x,,link",
      ",,heading",
    ].join("\n"),
  );
  expect(page.document.links).toHaveLength(1);
  expect(remarks(page.refused).map(([line, , reason]) => [line, reason])).toEqual([
    [4, REASONS.bad_address.en],
    [5, REASONS.unknown_kind.en],
    [6, REASONS.bad_switch.en],
    [7, REASONS.bad_time.en],
    [8, REASONS.bad_times.en],
    [9, REASONS.no_address.en],
    [10, REASONS.no_text.en],
  ]);
});

test("a LinkStack export becomes a page, in the order that LinkStack shows", async () => {
  const page = await read("application/json", JSON.stringify(LINKSTACK));
  expect(links(page)).toEqual([
    "link مثبت https://pinned.example/",
    "heading أعمالي",
    "link المتجر https://shop.example/",
    "social Instagram https://instagram.com/layan",
    "link راسلني mailto:layan@example.com",
    "link اتصل tel:+966501234567",
    "text مرحبًا & أهلًا\nبكم",
  ]);
  expect(page.slug).toBe("Layan");
  expect(page.document).toMatchObject({
    name: { ar: "ليان" },
    bio: { ar: "رسّامة" },
    contact: {
      name: "ليان أحمد",
      organisation: "مرسم",
      phones: ["+966501234567"],
      emails: ["layan@example.com"],
      address: "الرياض, السعودية",
    },
  });
  expect(remarks(page.refused)).toEqual([
    [4, "spacer", REASONS.no_counterpart.en],
    [9, "سيئ javascript:alert(1)", REASONS.bad_address.en],
  ]);
});

test("the fields of LinkStack's user may stand beside the links, with a picture as base64", async () => {
  const { user, links: all } = LINKSTACK;
  const picture = { image_data: btoa("picture"), image_extension: "PNG" };
  const page = await read("application/json", JSON.stringify({ ...user, links: all, ...picture }));
  expect(page.document.name).toEqual({ ar: "ليان" });
  expect(page.document.avatar).toBe("avatar.png");
  expect(page.pictures.get("avatar.png")?.()).toEqual(utf8("picture"));
  const refused = { ...user, links: all, image_data: "?", image_extension: "svg" };
  const without = await read("application/json", JSON.stringify(refused));
  expect(without.document.avatar).toBeNull();
  expect(remarks(without.notes)).toContainEqual([null, "image_data", REASONS.picture_refused.en]);
});

test("a saved Linktree page becomes a page; its pictures are not fetched", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const page = await read("text/html", savedPage(LINKTREE));
  expect(page.slug).toBe("layan.art");
  expect(page.document).toMatchObject({
    name: { ar: "layan.art" },
    bio: { ar: "رسّامة من الرياض" },
    avatar: null,
  });
  expect(links(page)).toEqual([
    "link المتجر https://shop.example/?a=1&b=2",
    "heading أعمالي",
    "heading معارض",
    "link جدة </p> https://jeddah.example/",
    "social Instagram https://instagram.com/layan",
    "social Email address mailto:layan@example.com",
  ]);
  expect(remarks(page.refused)).toEqual([
    [5, "دفع", REASONS.no_counterpart.en],
    [6, "سيئ data:text/html,x", REASONS.bad_address.en],
    [7, "7", REASONS.not_object.en],
    [10, "X", REASONS.bad_address.en],
  ]);
  expect(remarks(page.notes)).toEqual([
    [null, "https://pictures.example/layan.png", REASONS.picture_not_fetched.en],
    [4, "https://pictures.example/jeddah.png", REASONS.picture_not_fetched.en],
  ]);
  expect(fetched).not.toHaveBeenCalled();
});

test("Linktree's links may be under the account", async () => {
  const { account, links: all } = LINKTREE.props.pageProps;
  const data = { props: { pageProps: { account: { ...account, links: all } } } };
  expect(links(await read("text/html", savedPage(data)))).toHaveLength(6);
});

test("a user name that stands for a missing name is cut to a name's length, and noted", async () => {
  const name = "ل".repeat(NAME_CHARS_MAX + 1);
  const cut = `${"ل".repeat(NAME_CHARS_MAX - 1)}…`;
  const all = [{ title: "أ", url: "https://a.example/", link: "https://a.example/" }];
  const linktree = { props: { pageProps: { account: { username: name }, links: all } } };
  const linkstack = { links: all, user: { littlelink_name: name } };
  for (const page of [
    await read("text/html", savedPage(linktree)),
    await read("application/json", JSON.stringify(linkstack)),
  ]) {
    expect(page.document.name).toEqual({ ar: cut });
    expect(remarks(page.notes).map(([, , reason]) => reason)).toEqual([REASONS.shortened.en]);
  }
});

test("whatever texts a file of another service has, they are cut and never refused", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc
      .tuple(fc.constantFrom("ل", "😀", "a ", "\u202e", "\ud800", "\u0301"), fc.nat(1_200))
      .map(([unit, n]) => unit.repeat(n)),
  );
  const keys = ["title", "first_name", "cell_phone", "email", "organization", "role"];
  const card = fc.dictionary(fc.constantFrom(...keys, "work_address_city"), text);
  const all = [{ title: "أ", link: "https://a.example/" }];
  await fc.assert(
    fc.asyncProperty(fc.tuple(text, text, text, card), async ([slug, name, bio, fields]) => {
      const contact = { title: name, button_id: 96, link: JSON.stringify(fields) };
      const user = { littlelink_name: slug, name, littlelink_description: bio };
      const file = JSON.stringify({ user, links: [...all, contact] });
      const { document } = await read("application/json", file);
      expect(document.links).toHaveLength(1);
      expect(document.contact).not.toBeNull();
    }),
    { numRuns: cases(100, 1 / 10) },
  );
});

test("groups inside groups are read to a bounded depth", async () => {
  let nested: object = { title: "deep", url: "https://deep.example/" };
  for (let depth = 0; depth < 5_000; depth += 1) nested = { title: "", links: [nested] };
  const data = { props: { pageProps: { links: [{ title: "a", url: "a.example" }, nested] } } };
  const page = await read("text/html", savedPage(data));
  expect(links(page)).toEqual(["link a https://a.example/"]);
  expect(remarks(page.refused)).toEqual([[5, "", REASONS.nested.en]]);
});

test.each<[string, ImportType, string | Uint8Array, string]>([
  ["words alone", "text/plain", "hello\nworld", REASONS.no_links.en],
  ["names of columns alone", "text/csv", "label,url\n", REASONS.no_links.en],
  ["other bytes than text", "text/csv", Uint8Array.of(0xff, 0x00, 0x81), REASONS.not_text.en],
  ["a quote that is not closed", "text/csv", 'a,b.example\n"c,d.example', REASONS.open_quote.en],
  ["no JSON", "application/json", "{", REASONS.not_json.en],
  ["other JSON", "application/json", "null", REASONS.unknown_json.en],
  ["no HTML", "text/html", "hello", REASONS.no_links.en],
  ["a page without links", "text/html", savedPage({}), REASONS.no_links.en],
  ["a page with broken data", "text/html", savedPage("{"), REASONS.no_links.en],
  ["too deep a page", "text/html", "<div>".repeat(20_000), REASONS.unreadable_page.en],
  ["no zip", "application/zip", "PK", REASONS.broken_zip.en],
])("%s is refused as a whole, with the reason", async (_, type, file, reason) => {
  await expect(read(type, file)).rejects.toMatchObject({ reason: { en: reason } });
});

test("whatever bytes come as any type, the answer is a page or a refusal", async () => {
  const zip = makeZip([
    { ...pageFile({ name: { ar: "ل" } }), is_deflated: true },
    { name: "tallies.jsonl", content: '{"hour":0,"link_id":"","class":"human","n":1}\n' },
  ]);
  const texts = [JSON.stringify(LINKSTACK), savedPage(LINKTREE), "a,b.example\n", "b.example"];
  const change = fc.tuple(fc.nat(), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(zip, ...texts.map(utf8)),
      fc.constantFrom(...IMPORT_TYPES),
      fc.array(change, { maxLength: 6 }),
      async (seed, type, changes) => {
        const file = seed.slice();
        for (const [at, byte] of changes) file[at % file.length] = byte;
        const answer = await read(type, file).catch((error: unknown) => error);
        if (answer instanceof Error) expect(answer).toBeInstanceOf(ImportRefused);
      },
    ),
    { numRuns: cases(2_000) },
  );
});

test("JSON with more values than allowed is refused before it is parsed", async () => {
  const links = (n: number) => `{"links":[${"0,".repeat(n)}0]}`;
  await expect(read("application/json", links(IMPORT_JSON_VALUES_MAX))).rejects.toMatchObject({
    reason: REASONS.too_many_values,
  });
  await expect(read("application/json", links(IMPORT_JSON_VALUES_MAX - 2))).rejects.toMatchObject({
    reason: REASONS.no_links,
  });
});

test("`__proto__` in a file is a member like any other", async () => {
  const file = '{"__proto__":{"links":[]},"links":[{"title":"a","link":"a.example"}]}';
  expect(links(await read("application/json", file))).toEqual(["link a https://a.example/"]);
});

/** Bytes of a file that takes minutes in quadratic time. */
const LONG_BYTES = 1_000_000;

/** Texts that need much time in a bad parser, by type. */
const HARD = Object.entries({
  "text/plain": ["\n", "a ", "#", "- ", "a.", "a@", "//"],
  "text/csv": ["a\n", " ", '"', '",', "a.", "a@"],
  "text/html": [
    "<div>",
    "<script ",
    "<script id=__NEXT_DATA__>",
    "<!--",
    "&amp;",
    "<a href=//a.b>",
    "<h1>",
    "<title>",
    "<meta name=a ",
    "<svg>",
    "<a href='/",
  ],
  "application/json": ["[", '{"a":', '"\\u0061"'],
}).flatMap(([type, units]) => units.map((unit) => [unit, type as ImportType] as const));

test.each(HARD)("a megabyte of %j as %s is read", async (unit, type) => {
  const one = utf8(unit);
  const start = utf8(type === "text/csv" || type === "text/plain" ? "https://a.example\n" : "");
  const times = Math.floor(LONG_BYTES / one.length);
  const body = new Uint8Array(times * one.length);
  for (let at = 0; at < body.length; at += one.length) body.set(one, at);
  const page = await read(type, joined([start, body])).catch((error: unknown) => error);
  if (!(page instanceof Error)) {
    expect((page as ImportedPage).refused.list.length).toBeLessThanOrEqual(IMPORT_REMARKS_MAX);
  }
});
