/** The reader of pages elsewhere, on pages in `pages` (`pages/SOURCE.md`) and on markup that a stranger may send. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromPage, type ReadPage } from "../../../../src/authoring/transfer/from-page.ts";
import { decodeHtml, withoutEntities } from "../../../../src/authoring/transfer/html-text.ts";
import { ImportRefused, REASONS } from "../../../../src/authoring/transfer/import-reasons.ts";
import { PAGE_ANCHORS_MAX } from "../../../../src/authoring/transfer/limits.ts";
import { isOfService } from "../../../../src/authoring/transfer/of-service.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { cases } from "../../kit/cases.ts";
import carrd from "./pages/carrd.html?raw";
import iconsByClass from "./pages/icons-by-class.html?raw";
import linktree2021 from "./pages/linktree-2021.html?raw";
import linktree2021Data from "./pages/linktree-2021.next-data.json?raw";
import linktree2025 from "./pages/linktree-2025.html?raw";
import littlelink from "./pages/littlelink.html?raw";
import jordan from "./pages/own-site-jordan.html?raw";
import twoLanguages from "./pages/own-site-two-languages.html?raw";

/** `kind label url` of each link. */
function links({ imported }: ReadPage): string[] {
  return imported.document.links.map(({ kind, label, url }) =>
    [kind, label.ar ?? label.en, url ?? ""].join(" ").trim(),
  );
}

async function linksOf(html: string, address: string | null = null): Promise<string[]> {
  return links(await fromPage(html, address === null ? null : new URL(address)));
}

function reasons({ imported }: ReadPage): string[] {
  return imported.refused.list.map(({ reason }) => reason.en);
}

describe("a page of a service", () => {
  test("Linktree's is read from its data: by position, without tracking, without its advertisers", async () => {
    const page = await fromPage(linktree2025, new URL("https://linktr.ee/salma.attar"));
    expect(links(page)).toEqual([
      "link Books https://books.example/salma",
      "link Menu https://ugc.production.linktr.ee/menu.pdf",
      "heading Shops",
      "link sport.example https://sport.example/athletes/48909755",
      "link Courses https://courses.example/u/salma?tag=salma-20",
      "social X https://x.com/salma_attar",
      "social Github https://github.com/salma-attar",
      "social Instagram https://instagram.com/salma.attar",
      "social Email address mailto:salma@example.com",
      "social Youtube https://www.youtube.com/channel/UCP74QZvZRnpvnoAX4IltVyQ",
    ]);
    expect([page.own_name, page.imported.slug]).toEqual(["salma.attar", "salma.attar"]);
    expect(page.imported.document.bio).toEqual({});
    expect(page.picture_addresses[0]).toBe("https://ugc.production.linktr.ee/salma.jpeg");
    expect(reasons(page)).toEqual([]);
  });

  test("Linktree's of 2021 has the same data, and its markup alone has titles and addresses too", async () => {
    const script = `<script id="__NEXT_DATA__" type="application/json">${linktree2021Data}</script>`;
    const page = await fromPage(script, null);
    expect(links(page)).toEqual([
      "heading Heading 1",
      "link Blog https://blog.kaiser.lol/",
      "link Kaiser LOL https://kaiser.lol/",
      "social Facebook https://facebook.com/myprofile",
      "social Twitter https://twitter.com/sometwitteruser",
      "social Instagram https://instagram.com/someinstagramuser",
      "social Email address mailto:someemail@somedomain.com",
    ]);
    expect([page.own_name, page.imported.document.bio]).toEqual(["My Title", { en: "My Bio" }]);
    const marked = await fromPage(linktree2021, null);
    expect(links(marked)).toEqual([
      "link Money Flowers https://www.gifts.example/category/flowers/",
      "link Fortune Cat https://www.gifts.example/category/home/",
    ]);
    expect(marked.own_name).toBe("Salma Gifts");
    expect(reasons(marked)).toEqual([REASONS.of_service.en]);
  });

  test("Linktree's without its data is read from its markup, without its footer", async () => {
    const [markup = ""] = linktree2025.split("<script id=");
    const page = await fromPage(markup, new URL("https://linktr.ee/salma.attar"));
    expect(links(page)).toEqual([
      "social X https://x.com/salma_attar",
      "social GitHub https://github.com/salma-attar",
      "link Books https://books.example/salma",
      "link sport.example https://sport.example/athletes/48909755",
      "social Instagram https://instagram.com/salma.attar",
    ]);
    expect(reasons(page)).toEqual([REASONS.of_service.en, REASONS.of_service.en]);
  });

  test("Carrd's has buttons, links and icons in its markup; menus and its own credits are no links", async () => {
    const page = await fromPage(carrd, null);
    expect(links(page)).toEqual([
      "link Book Lists https://bit.ly/salmabooks",
      "link Reading Club https://reading.example/",
      "link Donation Page https://gifts.example/salma/tip",
      "social TikTok https://www.tiktok.com/@salma",
      "social Discord https://discord.gg/jMdFegecuZ",
    ]);
    expect(page.own_name).toBe("Salma");
    expect(page.picture_addresses).toEqual([
      "https://salma.example/assets/images/share.jpg?v=bd058701",
    ]);
    expect(reasons(page)).toEqual([REASONS.of_service.en]);
  });

  test("LittleLink's titles have no word of their icons; a template that nobody filled in has no links", async () => {
    const at = new URL("https://salma.example/");
    const page = await fromPage(littlelink, at);
    expect(links(page)).toEqual(["link LittleLink https://littlelink.io/"]);
    const filled = littlelink.replaceAll('href="#"', 'href="https://shop.example/?n"');
    let n = 0;
    const different = filled.replaceAll("?n", () => {
      n += 1;
      return `?${n}`;
    });
    const all = await fromPage(different, at);
    expect(links(all)[0]).toBe("link LittleLink https://shop.example/?1");
    expect(links(all)[1]).toBe("link Amazon Wishlist https://shop.example/?2");
    expect(all.picture_addresses).toEqual(["https://salma.example/images/avatar.png"]);
    expect(all.own_name).toBe("LittleLink");
  });

  test("one of icons by class: their names stand in titles, and entities are decoded once", async () => {
    const page = await fromPage(iconsByClass, new URL("https://bio.example/salma"));
    expect(links(page)).toEqual([
      "link official website of salma d'amman https://www.salma.example/",
      "link Tea &amp; books https://shop.example/?a=1&b=2",
      "social Facebook https://facebook.com/salma",
      "link Clips https://clips.example/@salma",
    ]);
    expect(page.own_name).toBe("salma Profile");
    expect(page.picture_addresses[0]).toBe("https://bio.example/avatars/salma.png");
  });
});

describe("a page of one's own", () => {
  test("has the texts that stand on it; parameters of those who shared it are removed", async () => {
    const page = await fromPage(jordan, new URL("https://salma.example/links.html"));
    expect(links(page)).toEqual([
      "link Write to me mailto:salma@example.com",
      "social WhatsApp https://wa.me/791234567",
      "social Facebook https://www.facebook.com/salma.attar.545",
      "link My pictures https://instagram.com/salma.attar",
    ]);
  });

  test("with each link in two languages has each once, and icons by their services' names", async () => {
    const page = await fromPage(twoLanguages, null);
    expect(links(page)).toEqual([
      "link وظائف المبادرة https://jobs.example/trainer",
      "link Internships https://forms.example/viewform?usp=send_form",
      "social فيسبوك https://www.facebook.com/profile.php?id=100069",
      "social واتساب https://wa.me/96170000000",
    ]);
    expect(page.own_name).toBe("المبادرة");
  });

  test("keeps links within its site, but not those to its account pages and itself", async () => {
    const html =
      '<a href="/">Salma</a><a href="about">About me</a><a href="/privacy.html">x</a><a href="/login">Sign in</a>';
    expect(await linksOf(html, "https://salma.example/")).toEqual([
      "link About me https://salma.example/about",
    ]);
    expect(await linksOf(html, "https://many.example/salma")).toEqual([]);
  });
});

describe("markup", () => {
  test.each([
    [
      "a link that is not closed ends where the next one begins",
      "<a href=//a.example>one<a href=//b.example>two",
      ["link one https://a.example/", "link two https://b.example/"],
    ],
    [
      "words of two elements are two words",
      "<a href=//a.example><h3>Tea</h3><p>and <b>bo</b>oks</p></a>",
      ["link Tea and books https://a.example/"],
    ],
    [
      "a script in a link is no text of it",
      "<a href=//a.example>one<script>var a = '</a>'</script><style>a{}</style></a>",
      ["link one https://a.example/"],
    ],
    [
      "links in templates and scripts are none",
      "<template><a href=//a.example>x</a></template><script>'<a href=//b.example>'</script><a href=//c.example>c</a>",
      ["link c https://c.example/"],
    ],
    [
      "a comment is none",
      "<!-- <a href=//a.example>x</a> --><a href=//c.example>c</a>",
      ["link c https://c.example/"],
    ],
    [
      "addresses have entities and spaces",
      "<a href=' https://a.example/?x=1&amp;y=&#50; '>one</a>",
      ["link one https://a.example/?x=1&y=2"],
    ],
    [
      "an address of a script is none",
      "<a href='java&#10;script:alert(1)'>x</a><a href='JAVASCRIPT:x'>y</a><a href='data:text/html,x'>z</a>",
      [],
    ],
    [
      "a drawing's link is none",
      "<svg><a href=//a.example>x</a></svg><a href=//c.example>c</a>",
      ["link c https://c.example/"],
    ],
    [
      "`<base>` is where relative addresses begin",
      "<base href='https://b.example/x/'><a href=shop>Shop</a>",
      ["link Shop https://b.example/x/shop"],
    ],
    [
      "the same address twice is one link, by its text",
      "<a href=//a.example><img></a><a href=//a.example>one</a>",
      ["link one https://a.example/"],
    ],
  ])("%s", async (_, html, expected) => {
    expect(await linksOf(html)).toEqual(expected);
  });

  test("a text that arrives in pieces is decoded when it is whole", async () => {
    const texts = "x".repeat(70_000);
    const html = `<p>${texts}</p><a href=//a.example>Tom &amp; J&eacute;rry &#1587;</a>`;
    expect(await linksOf(html)).toEqual(["link Tom & Jérry س https://a.example/"]);
    expect(withoutEntities("&amp;lt; &copy=1 &#x41;&#0;&#1114112; &nosuch; &")).toBe(
      "&lt; &copy=1 A\ufffd\ufffd &nosuch; &",
    );
  });

  test("more open elements than the reader has memory for cannot be read", async () => {
    await expect(fromPage("<div>".repeat(20_000), null)).rejects.toMatchObject({
      reason: REASONS.unreadable_page,
    });
    await expect(fromPage("<div>".repeat(1_000), null)).resolves.toBeDefined();
  });

  test("texts that take long in a bad search are read in linear time", async () => {
    const long = "_".repeat(4_000);
    const anchor = `<a href="https://a.example/${"privacy".repeat(280)}!"><img alt="${long}x"></a>`;
    const page = await fromPage(anchor.repeat(PAGE_ANCHORS_MAX), new URL("https://a.example/"));
    expect(page.imported.document.links).toHaveLength(0);
  });

  test("so many links are read and no more; a page has 200", async () => {
    const anchors = Array.from(
      { length: PAGE_ANCHORS_MAX + 1 },
      (_, i) => `<a href="https://a.example/${i}">${i}</a>`,
    );
    const page = await fromPage(anchors.join(""), null);
    expect(page.imported.document.links).toHaveLength(200);
    expect(page.imported.refused.n).toBe(PAGE_ANCHORS_MAX - 200);
  });

  test("whatever the markup is, the answer is a page or a refusal, and each link is safe", async () => {
    const piece = fc.oneof(
      fc.constantFrom("<a href=", "<a href='https://a.example/", "'>", "</a>", "<svg/>", "<svg>"),
      fc.constantFrom(
        "<template>",
        "</template>",
        "<title>",
        "<h1>",
        "<script type=application/json>",
      ),
      fc.constantFrom(
        '{"links":[{"title":"a","url":"https://b.example"}]}',
        "</script>",
        "<!--",
        "-->",
      ),
      fc.constantFrom(
        "javascript:alert(1)",
        "&#x6a;avascript:",
        "<base href='javascript:'>",
        "\u0000",
      ),
      fc.string({ unit: "binary", maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const page = await fromPage(pieces.join(""), null).catch((error: unknown) => error);
        if (page instanceof Error) return expect(page).toBeInstanceOf(ImportRefused);
        for (const { url } of (page as ReadPage).imported.document.links) {
          expect(url ?? "https:").toMatch(/^(?:https?|mailto|tel|sms):/);
        }
      }),
      { numRuns: cases(500) },
    );
  });
});

test("a page of Next.js whose list of links has no address is read by its markup", async () => {
  const data = { props: { pageProps: { links: [{ title: "Menu" }] } } };
  const script = `<script id="__NEXT_DATA__">${JSON.stringify(data)}</script>`;
  expect(await linksOf(`${script}<a href=//c.example>c</a>`)).toEqual([
    "link c https://c.example/",
  ]);
});

describe("data in scripts", () => {
  const script = (data: unknown) =>
    `<script type="application/json">${JSON.stringify(data)}</script>`;

  test("the list that has the page's own addresses is taken, never other people's", async () => {
    const own = [
      { title: "Shop", url: "https://shop.example" },
      { title: "Blog", url: "https://blog.example/" },
    ];
    const others = Array.from({ length: 5 }, (_, i) => ({
      title: "Ad",
      url: `https://ad.example/${i}`,
    }));
    const html = script({ a: { sponsors: others, cards: others }, b: { items: own } });
    expect(await linksOf(`${html}<a href="https://shop.example/">Shop</a>`)).toEqual([
      "link Shop https://shop.example/",
      "link Blog https://blog.example/",
    ]);
  });

  test("a page without links in its markup has those of the longest list", async () => {
    const items = [
      { name: "Shop", href: "https://shop.example/?utm_source=x" },
      { name: "", href: "https://a.example" },
    ];
    expect(await linksOf(script({ content: [{ items }] }))).toEqual([
      "link Shop https://shop.example/",
    ]);
    expect(await linksOf(script({ featureFlags: items }))).toEqual([]);
    expect(await linksOf(script("{").replace('"{"', "{"))).toEqual([]);
  });

  test("nested deeper than is looked at, or with too many values, it is left out", async () => {
    const deep = Array.from({ length: 30 }).reduce<unknown>(
      (inner) => [inner],
      [{ title: "Shop", url: "https://shop.example/" }],
    );
    expect(await linksOf(script(deep))).toEqual([]);
    const html = `<a href=//c.example>c</a><script type="application/json">${"[".repeat(300_000)}</script>`;
    expect(await linksOf(html)).toEqual(["link c https://c.example/"]);
  });

  test("JSON-LD says the name, the text and the icons of a person", async () => {
    const person = {
      "@type": "Person",
      name: "@سلمى",
      description: "شاي",
      image: ["https://a.example/p.jpg"],
    };
    const sameAs = [
      "https://instagram.com/salma?igsh=1",
      "https://x.com/salma",
      "https://own.example/",
    ];
    const data = { "@type": "ProfilePage", mainEntity: { ...person, sameAs } };
    const page = await fromPage(
      `<script type="application/ld+json">${JSON.stringify(data)}</script><a href="https://x.com/salma">X page</a>`,
      null,
    );
    expect(page.own_name).toBe("سلمى");
    expect(page.imported.document.bio).toEqual({ ar: "شاي" });
    expect(page.picture_addresses).toEqual(["https://a.example/p.jpg"]);
    expect(links(page)).toEqual([
      "link X page https://x.com/salma",
      "social إنستغرام https://instagram.com/salma",
    ]);
  });
});

describe("bytes", () => {
  const windows1256 = (html: string) => {
    const table = new TextDecoder("windows-1256").decode(
      Uint8Array.from({ length: 256 }, (_, i) => i),
    );
    return Uint8Array.from(html, (letter) => table.indexOf(letter));
  };
  const OLD =
    "<meta http-equiv=Content-Type content='text/html; charset=windows-1256'><a href=//a.example>مرحبا</a>";

  test("old Arabic pages name their encoding in the header or in the first 1,024 bytes", async () => {
    expect(decodeHtml(windows1256(OLD))).toBe(OLD);
    const unnamed = "<a href=//a.example>مرحبا</a>";
    expect(decodeHtml(windows1256(unnamed), "windows-1256")).toBe(unnamed);
    const late = `${" ".repeat(1_024)}${OLD}`;
    expect(() => decodeHtml(windows1256(late))).toThrow(ImportRefused);
    expect(() => decodeHtml(windows1256(unnamed))).toThrow(ImportRefused);
    expect(() => decodeHtml(utf8(unnamed), "no-such-label")).toThrow(ImportRefused);
  });

  test("UTF-8 is read with and without its mark, also where it is cut within a letter", () => {
    expect(decodeHtml(utf8("\ufeffم"))).toBe("م");
    const cut = utf8("مرحبا").subarray(0, 9);
    expect(decodeHtml(cut, null, true)).toBe("مرحب");
    expect(() => decodeHtml(cut, null, false)).toThrow(ImportRefused);
  });
});

test.each([
  ["https://linktr.ee/privacy", "", "https://linktr.ee/salma", true],
  ["https://help.linktr.ee/x", "", "https://linktr.ee/salma", true],
  ["https://carrd.co/", "", "https://salma.carrd.co/", true],
  ["https://shop.salma.example/", "", "https://salma.example/", false],
  ["https://salma.example/shop", "", "https://www.salma.example/", false],
  ["https://salma.example/signup", "", "https://salma.example/", true],
  ["https://list.example/", "Sign up", "https://linktr.ee/salma", false],
  ["https://list.example/", "سياسة الخصوصية", null, true],
  ["mailto:salma@linktr.ee", "Privacy", "https://linktr.ee/salma", false],
])("%s (%s) on %s is the service's own: %s", (link, text, page, expected) => {
  expect(isOfService(new URL(link), text, page === null ? null : new URL(page))).toBe(expected);
});
