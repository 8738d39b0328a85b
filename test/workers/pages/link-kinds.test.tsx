/** How each kind of link looks in the HTML of a page, and where links lead in words. */
import { domainToUnicode } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { destinationOf } from "../../../src/pages/document/destination.ts";
import { readableHost } from "../../../src/pages/document/readable-host.ts";
import { BioPage } from "../../../src/pages/render/bio-page.tsx";
import { type PlainPage, plainPage } from "../../plain-page.ts";
import { cases } from "../kit/cases.ts";

type Links = NonNullable<PlainPage["links"]>;

function render(links: Links, overrides: Partial<PlainPage> = {}): string {
  const page = plainPage({ page_id: "p1", locale: "en", name: "Mara", links, ...overrides });
  const [locale = "en"] = page.locales;
  const shown = { page, locale, now: 0, is_preview: false };
  return (<BioPage {...shown} origin="https://sila.example" />).toString();
}

/** The elements of a class, from their opening tag to the end of their line of siblings. */
function tags(html: string, name: string): string[] {
  return html.match(new RegExp(`<\\w+ class="(?:[\\w ]* )?${name}(?: [\\w ]*)?"[^>]*>`, "g")) ?? [];
}

const url = "https://shop.example/";

describe("a link", () => {
  test("goes through the redirect if it is a web address, and else directly, for the script to count", () => {
    const html = render([
      { link_id: "a", label: "A", url },
      { link_id: "b", label: "B", url: "mailto:a@example.com" },
      { link_id: "c", kind: "card", label: "C", url, image: "p/c.webp" },
      { link_id: "d", kind: "social", url },
      { link_id: "e", kind: "social", url: "tel:+447700900142" },
    ]);
    expect(html.match(/(?:href="\/r\/p1\/\w+|data-link="\w+)/g)).toEqual([
      'href="/r/p1/d',
      'data-link="e',
      'href="/r/p1/a',
      'data-link="b',
      'href="/r/p1/c',
    ]);
    expect(html).not.toContain('href="https://shop.example');
  });

  test("without a label shows its destination in the place of the label", () => {
    const html = render([{ link_id: "a", url }]);
    expect(html).toContain('<bdi class="label" dir="ltr">shop<wbr/>.example</bdi>');
    expect(tags(html, "destination")).toEqual([]);
  });

  test("without a label to a well-known site has the site's name as one, in the page's language", () => {
    const links = [{ link_id: "a", url: "https://www.instagram.com/x" }];
    for (const [locale, name] of [
      ["en", "Instagram"],
      ["ar", "إنستغرام"],
    ] as const) {
      const dir = locale === "ar" ? "rtl" : "ltr";
      expect(render(links, { locale })).toContain(
        `<span class="label"><bdi lang="${locale}" dir="${dir}">${name}</bdi></span><bdi class="destination" dir="ltr">instagram.com</bdi>`,
      );
    }
  });

  test("with a long label has all of it in the document, and in a tooltip", () => {
    const label = "ش".repeat(200);
    const html = render([
      { link_id: "a", label, url },
      { link_id: "b", label: "ش".repeat(100), url },
    ]);
    expect(html).toContain(
      `<span class="label" title="${label}"><bdi lang="en" dir="ltr">${label}</bdi></span>`,
    );
    expect(html.match(/title="ش+"/g)).toHaveLength(1);
  });

  test("that is highlighted has a class for it, whatever its look", () => {
    const html = render([
      { link_id: "a", label: "A", url, highlight: true },
      { link_id: "b", kind: "card", label: "B", url, image: "p/b.webp", highlight: true },
      { link_id: "c", label: "C", url },
    ]);
    expect(tags(html, "link").map((tag) => /class="([^"]*)"/.exec(tag)?.[1])).toEqual([
      "link highlight",
      "link card highlight",
      "link",
    ]);
  });

  test("of a well-known site has an icon of its own, and any other site the globe", () => {
    const sites = {
      instagram: ["www.instagram.com/x"],
      x: ["x.com/x", "twitter.com/x"],
      linkedin: ["sa.linkedin.com/in/x"],
      applemusic: ["music.apple.com/x"],
      podcasts: ["podcasts.apple.com/x"],
      amazon: ["www.amazon.sa/x", "amzn.to/x"],
      maps: ["maps.app.goo.gl/x", "www.google.com/maps/place/x"],
      // Only a host of the site itself is the site.
      web: [
        ...["notx.com/", "instagram.com.evil.example/", "evil.example/instagram.com"],
        ...["apple.com/music", "google.com/", "google.com/mapsof", "google.com.evil.example/maps"],
      ],
    };
    for (const [icon, addresses] of Object.entries(sites)) {
      const shown = addresses.map((address) => destinationOf(`https://${address}`).icon);
      expect(shown).toEqual(addresses.map(() => icon));
    }
    const others = ["mailto:a@example.com", "tel:+447700900142", "sms:+447700900142"];
    expect(others.map((address) => destinationOf(address).icon)).toEqual([
      "mail",
      "phone",
      "message",
    ]);
  });
});

describe("a card", () => {
  test("has its picture first, with its size, and loads all but the first picture late", () => {
    const html = render([
      { link_id: "a", kind: "card", label: "A", url, image: "p/a-1.webp" },
      { link_id: "b", kind: "card", label: "B", url, image: "p/b-1.webp" },
    ]);
    expect(html.match(/<a class="link card"[^>]*><img class="picture"/g)).toHaveLength(2);
    const pictures = tags(html, "picture");
    expect(pictures.map((tag) => /src="([^"]*)"/.exec(tag)?.[1])).toEqual([
      "/media/p/a-1.webp",
      "/media/p/b-1.webp",
    ]);
    for (const picture of pictures) expect(picture).toMatch(/alt="" width="960" height="540"/);
    expect(pictures.map((tag) => tag.includes('loading="lazy"'))).toEqual([false, true]);
  });

  test("says what its picture shows, in the language that it is written in", () => {
    const picture = (alt: { ar?: string; en?: string }) => {
      const html = render([
        { link_id: "a", kind: "card", label: "A", url, image: "p/a.webp", alt },
      ]);
      return tags(html, "picture")[0];
    };
    expect(picture({ ar: "إبريق أزرق", en: "A blue jug" })).toContain('alt="A blue jug" width');
    expect(picture({ ar: "«إبريق» \u202e<b>" })).toContain('alt="«إبريق» &lt;b&gt;" lang="ar"');
  });

  test("without a picture is an ordinary link", () => {
    const html = render([{ link_id: "a", kind: "card", label: "A", url }]);
    expect(tags(html, "card")).toEqual([]);
    expect(tags(html, "chip")).toHaveLength(1);
  });
});

describe("the row of icons", () => {
  test("stands above the list in the order of the links, each icon with a name", () => {
    const html = render([
      { link_id: "a", label: "A", url },
      { link_id: "b", kind: "social", url: "https://instagram.com/x" },
      { link_id: "c", kind: "social", label: "My channel", url: "https://youtube.com/x" },
      { link_id: "d", kind: "social", url: "https://unknown.example/" },
    ]);
    const icons = tags(html, "social");
    expect(icons.map((tag) => /aria-label="([^"]*)"/.exec(tag)?.[1])).toEqual([
      "Instagram",
      "My channel",
      "unknown.example",
    ]);
    expect(html.indexOf('class="socials"')).toBeLessThan(html.indexOf('class="links"'));
    expect(tags(html, "link")).toHaveLength(1);
    const arabic = render([{ link_id: "b", kind: "social", url: "https://wa.me/1" }], {
      locale: "ar",
    });
    expect(tags(arabic, "social")[0]).toContain('aria-label="واتساب"');
  });
});

describe("a heading and a text", () => {
  test("stand in the list where they belong, lead nowhere, and a text keeps its lines", () => {
    const html = render([
      { link_id: "h", kind: "heading", label: "Shops" },
      { link_id: "a", label: "A", url },
      { link_id: "t", kind: "text", label: "One\nTwo" },
    ]);
    expect(html).toMatch(
      /<li><h2 class="heading" lang="en" dir="ltr">Shops<\/h2><\/li><li><a class="link"/,
    );
    expect(html).toContain('<li><p class="text" lang="en" dir="ltr">One\nTwo</p></li>');
    expect(html).not.toMatch(/\/r\/p1\/[ht]"/);
  });

  test("a long text has a switch for its end; a short one and a bio of a few lines have none", () => {
    const long = "one two three ".repeat(60).trim();
    const html = render([{ link_id: "t", kind: "text", label: long }]);
    expect(html).toContain(
      `<div class="long"><details><summary><span>Show more</span><span>Show less</span></summary></details><p class="text" lang="en" dir="ltr">${long}</p></div>`,
    );
    expect(render([], { bio: "line\n".repeat(20) })).toContain('<div class="long"><details>');
    expect(render([], { bio: "A bio of one line." })).not.toContain("<details>");
  });

  test("without words are left out", () => {
    const html = render([
      { link_id: "h", kind: "heading" },
      { link_id: "t", kind: "text", label: " " },
    ]);
    expect(html).not.toMatch(/<h2|<li>/);
  });
});

describe("a page without links", () => {
  test("says so, in its language", () => {
    expect(render([])).toContain("No links here yet. See you soon.");
    expect(render([], { locale: "ar" })).toContain("لا روابط هنا بعد. نراكم قريبًا.");
    expect(render([{ link_id: "a", label: "A", url, enabled: false }])).toContain("No links here");
    const icons_alone = render([{ link_id: "b", kind: "social", url }]);
    expect(icons_alone).not.toContain("No links here");
    expect(tags(icons_alone, "links")).toEqual([]);
    expect(render([])).not.toContain('class="socials"');
  });
});

describe("a host", () => {
  const shownHost = (address: string) => readableHost(new URL(address).hostname);

  test("is shown in Unicode if each label is in Arabic or in Latin letters", () => {
    const hosts = ["قهوة.com", "متجر.السعودية", "کتاب.ir", "bücher.example", "ليلى-١.example"];
    expect(hosts.map((host) => shownHost(`https://www.${host}/`))).toEqual(hosts);
  });

  test("in other or mixed scripts, or with marks, stays in Punycode, which nobody mistakes", () => {
    for (const host of ["аррӏе.com", "pаypal.com", "例え.jp", "قَهوة.com", "ελ.example"]) {
      expect(shownHost(`https://${host}/`)).toMatch(/^xn--[a-z0-9-]+\.\w+$/);
    }
    expect(readableHost("xn--zzzzzzzz.com")).toBe("xn--zzzzzzzz.com");
    expect(readableHost("xn--.com")).toBe("xn--.com");
  });

  test("always leads to the host that it stands for, as Node decodes it too", () => {
    const letter = fc.constantFrom(..."abzéüçñابتقيۀ٣7-");
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 20 }), (label) => {
        const hostname = URL.parse(`https://${label}.example`)?.hostname;
        if (hostname === undefined) return;
        const shown = readableHost(hostname);
        expect(URL.parse(`https://${shown}`)?.hostname).toBe(hostname);
        if (shown !== hostname) expect(shown).toBe(domainToUnicode(hostname));
      }),
      { numRuns: cases(1_000) },
    );
    fc.assert(
      fc.property(fc.stringMatching(/^xn--[a-z0-9-]{1,40}$/), (label) => {
        const shown = readableHost(`${label}.example`);
        if (shown !== `${label}.example`) {
          expect(new URL(`https://${shown}`).hostname).toBe(`${label}.example`);
        }
      }),
      { numRuns: cases(1_000) },
    );
  });
});

test("a phone number is shown in groups, and as its owner grouped it", () => {
  // As typed without the spaces.
  for (const grouped of [
    ...["+966 50 123 4567", "+974 3312 3456", "+86 138 1234 5678", "050 123 4567", "12345"],
    ...["+20 100 123 4567", "+20 2 2345 6789", "+212 6 12 34 56 78", "+33 6 12 34 56 78"],
    ...["+962 7 9012 3456", "+961 71 123 456", "+961 3 123 456"],
  ]) {
    expect(destinationOf(`tel:${grouped.replaceAll(" ", "")}`).place).toBe(grouped);
  }
  expect(destinationOf("tel:+44 7700 900142").place).toBe("+44 7700 900142");
  expect(destinationOf("tel:+971501234567;ext=5").place).toBe("+971 50 123 4567");
});
