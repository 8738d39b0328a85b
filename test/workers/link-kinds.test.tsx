/** How each kind of link looks in the HTML of a page, and where links lead in words. */
import { domainToUnicode } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BioPage } from "../../src/pages/bio-page.tsx";
import { destinationOf } from "../../src/pages/destination.ts";
import { readableHost } from "../../src/pages/readable-host.ts";
import { type PlainPage, plainPage } from "../plain-page.ts";

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
    const icons = [
      "https://www.instagram.com/x",
      "https://wa.me/447700900142",
      "https://vm.tiktok.com/x",
      "https://x.com/x",
      "https://twitter.com/x",
      "https://youtu.be/x",
      "https://snapchat.com/add/x",
      "https://t.me/x",
      "https://m.facebook.com/x",
      "https://sa.linkedin.com/in/x",
      "https://open.spotify.com/x",
      "https://soundcloud.com/x",
      "https://github.com/x",
      "https://www.threads.com/@x",
      "https://pin.it/x",
      "mailto:a@example.com",
      "tel:+447700900142",
      "sms:+447700900142",
      // Only a host of the site itself is the site.
      "https://notx.com/",
      "https://instagram.com.evil.example/",
      "https://evil.example/instagram.com",
    ].map((address) => destinationOf(address).icon);
    expect(icons.join(" ")).toBe(
      "instagram whatsapp tiktok x x youtube snapchat telegram facebook linkedin spotify " +
        "soundcloud github threads pinterest mail phone message web web web",
    );
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
  });

  test("names sites in the language of the page", () => {
    const html = render([{ link_id: "b", kind: "social", url: "https://wa.me/1" }], {
      locale: "ar",
    });
    expect(tags(html, "social")[0]).toContain('aria-label="واتساب"');
  });

  test("is alone on a page without other links, which is no page without links", () => {
    const html = render([{ link_id: "b", kind: "social", url }]);
    expect(html).not.toContain("No links here yet");
    expect(tags(html, "links")).toEqual([]);
  });
});

describe("a heading and a text", () => {
  test("stand in the list where they belong, lead nowhere, and a text keeps its lines", () => {
    const html = render([
      { link_id: "h", kind: "heading", label: "Shops" },
      { link_id: "a", label: "A", url },
      { link_id: "t", kind: "text", label: "One\nTwo" },
    ]);
    expect(html).toMatch(/<li><h2 class="heading" dir="auto">Shops<\/h2><\/li><li><a class="link"/);
    expect(html).toContain('<li><p class="text" dir="auto">One\nTwo</p></li>');
    expect(html).not.toMatch(/\/r\/p1\/[ht]"/);
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
    expect(render([{ link_id: "a", label: "A", url }])).not.toContain("No links here");
  });
});

describe("a host", () => {
  const shownHost = (address: string) => readableHost(new URL(address).hostname);

  test("is shown in Unicode if each label is in Arabic or in Latin letters", () => {
    for (const host of [
      "قهوة.com",
      "متجر.السعودية",
      "کتاب.ir",
      "bücher.example",
      "ليلى-١.example",
    ]) {
      expect(shownHost(`https://www.${host}/`)).toBe(host);
    }
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
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.stringMatching(/^xn--[a-z0-9-]{1,40}$/), (label) => {
        const shown = readableHost(`${label}.example`);
        if (shown !== `${label}.example`) {
          expect(new URL(`https://${shown}`).hostname).toBe(`${label}.example`);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a phone number is shown in groups, and as its owner grouped it", () => {
  const place = (number: string) => destinationOf(`tel:${number}`).place;
  const shown = {
    "+966501234567": "+966 50 123 4567",
    "+97433123456": "+974 3312 3456",
    "+15551234567": "+1 555 123 4567",
    "+8613812345678": "+86 138 1234 5678",
    "0501234567": "050 123 4567",
    "12345": "12345",
    "+44 7700 900142": "+44 7700 900142",
    "+971501234567;ext=5": "+971 50 123 4567",
  };
  for (const [number, spaced] of Object.entries(shown)) expect(place(number)).toBe(spaced);
});
