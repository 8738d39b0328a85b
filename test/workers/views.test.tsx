import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Contact, Page } from "../../src/stores/pages.ts";
import { BioPage } from "../../src/views/bio-page.tsx";
import { contactAddress } from "../../src/views/contact-address.ts";
import { initials, oneLine, plainText } from "../../src/views/plain-text.ts";
import { DEMO_PAGES } from "../demo/data.ts";

const NOBODY: Contact = {
  name: "",
  organisation: null,
  title: null,
  phones: [],
  emails: [],
  address: null,
  note: null,
};

function render(overrides: Partial<Page>): string {
  const [demo] = DEMO_PAGES;
  if (demo === undefined) throw new Error("no demo page");
  return (<BioPage page={{ ...demo, ...overrides }} origin="https://sila.example" />).toString();
}

describe("S12: creators' words in a page", () => {
  test("cannot become markup, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const poison = `<img src=x onerror=alert(1)>"'&${text}</script>`;
        const html = render({
          name: poison,
          bio: poison,
          links: [{ link_id: "l", label: poison, url: "https://a.example/" }],
        });
        expect(html).not.toContain("<img src=x");
        expect(html.match(/<\/script>/g)).toHaveLength(1);
      }),
    );
  });

  test("lose their control and bidi control characters, and keep everything else", () => {
    expect(plainText("\u202eليلى\u2069 \u0000Layla\u200f\tx\n")).toBe("ليلى Layla\tx");
    expect(render({ name: "a\u202eb" })).not.toContain("\u202e");
  });

  test("are cut between words where a line must be short", () => {
    expect(oneLine("one two three", 9)).toBe("one two…");
    expect(oneLine("short", 9)).toBe("short");
  });

  test("shrink to initials that can stand alone", () => {
    expect([
      initials("ليلى حداد"),
      initials("Mara Quill"),
      initials("cher"),
      initials("✨"),
    ]).toEqual(["ل", "MQ", "C", ""]);
  });
});

describe("S10, S11: links in a page", () => {
  test("are checked again when rendered: a stored address that is not allowed is left out", () => {
    const html = render({
      links: [
        { link_id: "bad", label: "bad", url: "javascript:alert(1)" },
        { link_id: "good", label: "good", url: "https://good.example/" },
      ],
    });
    expect(html).not.toContain("javascript:");
    expect(html).not.toContain("/bad");
    expect(html).toContain("/good");
  });

  test("tell the other side nothing: noopener, noreferrer, nofollow, ugc", () => {
    const anchors = render({}).match(/<a class="(?:link|contact)"[^>]*>/g) ?? [];
    expect(anchors).toHaveLength(5);
    for (const anchor of anchors)
      expect(anchor).toContain('rel="noopener noreferrer nofollow ugc"');
  });
});

describe("the contact button", () => {
  test("opens the first e-mail that makes an address, or else the first phone", () => {
    expect(contactAddress({ ...NOBODY, emails: ["a@b.example"], phones: ["1"] })).toBe(
      "mailto:a@b.example",
    );
    expect(contactAddress({ ...NOBODY, phones: ["+٩٦٦ (٥٠) ١٢٣"] })).toBe("tel:+96650123");
    expect(contactAddress(NOBODY)).toBeNull();
  });

  test("adds no header of a creator's to the mail", () => {
    expect(contactAddress({ ...NOBODY, emails: ["a@b.example?bcc=c@d.example"] })).not.toContain(
      "?",
    );
  });
});
