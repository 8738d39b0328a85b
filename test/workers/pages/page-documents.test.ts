/** What a creator may write of a page (docs/contract.md section 10). */
import { describe, expect, test } from "vitest";
import { DOCUMENT_BYTES_MAX } from "../../../src/authoring/limits.ts";
import { PageInput } from "../../../src/authoring/page-input.ts";
import { type BlockKind, isBlock } from "../../../src/pages/document/block-kinds.ts";
import {
  BIO_CHARS_MAX,
  CONTACT_ENTRIES_MAX,
  CONTACT_FIELD_CHARS_MAX,
  CONTACT_TEXT_CHARS_MAX,
  DOWNLOAD_USES_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
  LINKS_MAX,
  NAME_CHARS_MAX,
  TIP_AMOUNTS_MAX,
  TIP_POINTS_MAX,
} from "../../../src/pages/document/limits.ts";
import { LINK_KINDS } from "../../../src/pages/document/page-document.ts";
import { creator, type PageJson } from "../authoring/authoring-kit.ts";
import { call, errorOf } from "../kit/kit.ts";

const SHOP = { url: "https://shop.example/" };

/** One of each kind. */
const BLOCKS: Record<BlockKind, object> = {
  tip: { amounts: [5, 10] },
  download: { file_id: "file-1", access: "free", uses_max: null },
  newsletter: {},
};

/** A letter of two UTF-16 units and four bytes. */
const ASTRAL = "𞸀";

/** The paths of what is wrong with a page that has these members; none if nothing is. */
function wrong(members: Record<string, unknown>): string[] {
  const { error } = PageInput.safeParse({ slug: "layan", name: { ar: "ليان" }, ...members });
  return error?.issues.map(({ path }) => path.join(".")) ?? [];
}

function parsed(members: Record<string, unknown>) {
  return PageInput.parse({ slug: "layan", name: { ar: "ليان" }, ...members });
}

describe("a text", () => {
  const text = (n: number) => ASTRAL.repeat(n);
  const link = (members: object) => ({ links: [{ ...SHOP, ...members }] });
  const paragraph = (label: object) => link({ kind: "text", url: null, label });
  const contact = (members: object) => ({ contact: members });
  test.for<[name: string, max: number, path: string, page: (text: string) => object]>([
    ["a name", NAME_CHARS_MAX, "name.ar", (ar) => ({ name: { ar } })],
    ["a bio", BIO_CHARS_MAX, "bio.ar", (ar) => ({ bio: { ar } })],
    ["a label", LINK_LABEL_CHARS_MAX, "links.0.label.ar", (ar) => link({ label: { ar } })],
    ["a paragraph", LINK_TEXT_CHARS_MAX, "links.0.label.ar", (ar) => paragraph({ ar })],
    ["a contact's name", CONTACT_FIELD_CHARS_MAX, "contact.name", (name) => contact({ name })],
    ["a contact's note", CONTACT_TEXT_CHARS_MAX, "contact.note", (note) => contact({ note })],
  ])("is bounded in code points: %s has at most %i", ([, max, path, page]) => {
    expect(wrong({ ...page(text(max)) })).toEqual([]);
    expect(new Set(wrong({ ...page(text(max + 1)) }))).toEqual(new Set([path]));
  });

  test("F13: is stored well-formed, without control and bidi characters (S12)", () => {
    const { name, bio } = parsed({
      name: { ar: "a\ud800b" },
      bio: { en: " \u202ea\u0000b\u2066 \n" },
    });
    expect(name).toEqual({ ar: "a\ufffdb" });
    expect(bio).toEqual({ en: "ab" });
  });

  test("is needed in the page's default language only for its name", () => {
    expect(wrong({ name: { en: "Layan" } })).toEqual(["name.ar"]);
    expect(wrong({ locales: ["en"], name: { en: "Layan" } })).toEqual([]);
    expect(wrong({ locales: ["en", "ar"], name: { ar: "ليان" } })).toEqual(["name.en"]);
    expect(wrong({ name: { ar: "\u202e \u2066" } })).toEqual(["name.ar"]);
    expect(wrong({ name: { ar: "ليان", fr: "Layan" } })).toEqual(["name"]);
  });
});

test("a page has one or two languages, no other, and none twice", () => {
  const name = { ar: "ليان", en: "Layan" };
  for (const locales of [["ar"], ["en"], ["ar", "en"], ["en", "ar"]]) {
    expect(wrong({ locales, name })).toEqual([]);
  }
  for (const locales of [[], ["ar", "ar"], ["fr"], ["ar", "en", "ar"], "ar"]) {
    expect(wrong({ locales })[0]).toMatch(/^locales/);
  }
});

test("a time zone has a name of the IANA's, and is stored as the IANA spells it", () => {
  const stored = (time_zone: string) => parsed({ time_zone }).time_zone;
  for (const zone of ["Asia/Riyadh", "UTC", "America/Indiana/Knox", "Etc/GMT-14"]) {
    expect([stored(zone), stored(zone.toLowerCase())]).toEqual([zone, zone]);
  }
  const offsets = ["+03:00", "GMT+3", "Etc/GMT+14"];
  for (const time_zone of [...offsets, "", "Mars/Olympus", "__proto__", "Asia/Riyadh\n", null]) {
    expect([time_zone, wrong({ time_zone })]).toEqual([time_zone, ["time_zone"]]);
  }
});

describe("a link", () => {
  const issues = (link: object) => wrong({ links: [link] }).map((path) => path.slice(8));

  test("is one of 200 at most", () => {
    const links = Array.from({ length: LINKS_MAX }, () => SHOP);
    expect(wrong({ links })).toEqual([]);
    expect(wrong({ links: [...links, SHOP] })).toEqual(["links"]);
  });

  test("has an address if it leads somewhere, and none otherwise", () => {
    for (const kind of ["link", "card", "social"]) {
      expect(issues({ kind, ...SHOP })).toEqual([]);
      expect(issues({ kind })).toEqual(["url"]);
    }
    for (const kind of ["heading", "text"]) {
      expect(issues({ kind })).toEqual([]);
      expect(issues({ kind, ...SHOP })).toEqual(["url"]);
    }
    for (const [kind, block] of Object.entries(BLOCKS)) {
      expect(issues({ kind, block })).toEqual([]);
      expect(issues({ kind, block, ...SHOP })).toEqual(["url"]);
    }
    expect(issues({ kind: "shop", ...SHOP })).toEqual(["kind"]);
  });

  test("has a block if visitors act on it here, that of its kind, and none otherwise", () => {
    for (const kind of LINK_KINDS) {
      const own = isBlock(kind) ? BLOCKS[kind] : undefined;
      const link = { kind, ...(["link", "card", "social"].includes(kind) ? SHOP : {}) };
      expect([kind, issues(link)]).toEqual([kind, own === undefined ? [] : ["block"]]);
      for (const block of Object.values(BLOCKS)) {
        const expected = block === own ? [] : ["block"];
        expect([kind, block, issues({ ...link, block })]).toEqual([kind, block, expected]);
      }
    }
  });

  test(`offers 1 to ${TIP_AMOUNTS_MAX} tips, no two the same, of ${TIP_POINTS_MAX} points at most`, () => {
    const jar = (amounts: unknown) => [...new Set(issues({ kind: "tip", block: { amounts } }))];
    const many = Array.from({ length: TIP_AMOUNTS_MAX + 1 }, (_, i) => i + 1);
    for (const amounts of [[1], [TIP_POINTS_MAX], many.slice(1)]) expect(jar(amounts)).toEqual([]);
    for (const amounts of [[], many, [5, 5], [0], [-1], [1.5], ["5"], [TIP_POINTS_MAX + 1], null]) {
      expect([amounts, jar(amounts)]).toEqual([amounts, ["block"]]);
    }
  });

  test("offers a file by its id, to those who may have it, as often as it says", () => {
    const file = (members: object) => [
      ...new Set(issues({ kind: "download", block: { ...BLOCKS.download, ...members } })),
    ];
    for (const access of ["free", "tip", "subscriber", "link"])
      expect(file({ access })).toEqual([]);
    for (const uses_max of [null, 1, DOWNLOAD_USES_MAX]) expect(file({ uses_max })).toEqual([]);
    for (const members of [
      { access: "all" },
      { file_id: "" },
      { file_id: "a b" },
      { file_id: null },
      ...[0, -1, 1.5, "1", DOWNLOAD_USES_MAX + 1].map((uses_max) => ({ uses_max })),
    ]) {
      expect([members, file(members)]).toEqual([members, ["block"]]);
    }
  });

  test("S10: does not lead to what is no address of a link", () => {
    for (const url of ["javascript:alert(1)", "/relative", 7]) {
      expect([url, issues({ url })]).toEqual([url, ["url"]]);
    }
  });

  test("S10: has its address as the parser spells it", () => {
    const { links } = parsed({ links: [{ url: " HTTPS://Shop.Example/ا?q=1#a " }] });
    expect(links[0]?.url).toBe("https://shop.example/%D8%A7?q=1#a");
  });

  test("has times in whole unix seconds, the end after the beginning", () => {
    expect(issues({ ...SHOP, from: 1, until: 2 })).toEqual([]);
    expect(issues({ ...SHOP, from: 0, until: null })).toEqual([]);
    expect(issues({ ...SHOP, from: 2, until: 2 })).toEqual(["until"]);
    for (const from of [1.5, -1, 1e300, "1", 32_503_680_001]) {
      expect(new Set(issues({ ...SHOP, from }))).toEqual(new Set(["from"]));
    }
  });

  test("has a picture only as a card", () => {
    expect(issues({ ...SHOP, kind: "card", image: "a/b.webp" })).toEqual([]);
    expect(issues({ ...SHOP, image: "a/b.webp" })).toEqual(["image"]);
    for (const image of ["../b.webp", "a/b.svg", "https://a.example/b.png", "a//b.png"]) {
      expect(issues({ ...SHOP, kind: "card", image })).toEqual(["image"]);
    }
  });

  test("has no id twice, and not the contact's", () => {
    const twice = [
      { ...SHOP, link_id: "a" },
      { ...SHOP, link_id: "a" },
    ];
    expect(wrong({ links: twice })).toEqual(["links.1.link_id"]);
    expect(wrong({ links: [{ ...SHOP, link_id: "contact" }] })).toEqual(["links.0.link_id"]);
    expect(wrong({ links: [{ ...SHOP, link_id: "a b" }] })).toEqual(["links.0.link_id"]);
  });
});

describe("a contact", () => {
  test(`has ${CONTACT_ENTRIES_MAX} numbers and addresses at most, and every member is optional`, () => {
    expect(parsed({ contact: {} }).contact).toMatchObject({ name: "", phones: [], note: null });
    const phones = Array<string>(CONTACT_ENTRIES_MAX).fill("+966500000000");
    expect(wrong({ contact: { phones } })).toEqual([]);
    expect(wrong({ contact: { phones: [...phones, "1"] } })).toEqual(["contact.phones"]);
  });
});

describe("a look", () => {
  test("S11: has the values of its axes only, and an accent of six hex digits", () => {
    expect(wrong({ look: { accent: "#12abef" } })).toEqual([]);
    for (const accent of ["red", "#12ABEF", "#123", "#12abef;x", "url(x)"]) {
      expect(wrong({ look: { accent } })).toEqual(["look.accent"]);
    }
    expect(wrong({ look: { palette: "none" } })).toEqual(["look.palette"]);
    expect(wrong({ look: { css: "x" } })).toEqual(["look"]);
  });
});

test("a member that a page, link, contact, text or look does not have is refused", () => {
  expect(wrong({ css: "x" })).toEqual([""]);
  expect(wrong({ links: [{ ...SHOP, style: "x" }] })).toEqual(["links.0"]);
  expect(wrong({ contact: { website: "x" } })).toEqual(["contact"]);
  expect(wrong({ bio: { html: "x" } })).toEqual(["bio"]);
});

describe("a document of too many bytes", () => {
  const send = async (method: string, body: string, page?: PageJson) => {
    const me = await creator();
    const path = page === undefined ? "/api/me/pages" : `/api/me/pages/${page.page_id}`;
    const headers = { ...me.headers, "If-Match": "*", "Content-Type": "application/json" };
    return call(path, { method, headers, body });
  };
  const padded = (bytes: number) => {
    const body = JSON.stringify({ slug: "x", name: { ar: "ن" } });
    return body + " ".repeat(bytes - new TextEncoder().encode(body).length);
  };

  test(`is 413 past ${DOCUMENT_BYTES_MAX} bytes on the wire, on every route that takes one`, async () => {
    const me = await creator();
    const page = await me.make();
    const details = { max_bytes: DOCUMENT_BYTES_MAX };
    for (const [method, which] of [["POST"], ["PUT", page], ["PATCH", page]] as const) {
      const refused = await send(method, padded(DOCUMENT_BYTES_MAX + 1), which);
      expect(refused.status).toBe(413);
      expect(await errorOf(refused)).toMatchObject({ code: "PAYLOAD_TOO_LARGE", details });
    }
    const slug = me.slug();
    const full = padded(DOCUMENT_BYTES_MAX - slug.length + 1).replace('"x"', `"${slug}"`);
    expect((await send("POST", full)).status).toBe(201);
  });

  test("is 413 too where only parsing makes it so long, so that each page can be sent back", async () => {
    const me = await creator();
    const url = (letters: number) => `https://shop.example/${"ا".repeat(letters)}`;
    const links = (letters: number) =>
      Array.from({ length: LINKS_MAX }, () => ({ url: url(letters) }));
    const body = { slug: me.slug(), name: { ar: "ن" }, links: links(300) };
    const refused = await me.send("POST", "/api/me/pages", body);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const page = await me.make({ links: links(165) });
    expect(await me.put(page, page)).toEqual(page);
  });
});
