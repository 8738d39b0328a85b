import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LINK_KINDS } from "../../../src/pages/document/page-document.ts";
import { BioPage } from "../../../src/pages/render/bio-page.tsx";
import { initials, plainText, truncated } from "../../../src/views/plain-text.ts";
import { DEMO_PAGES } from "../../demo/data.ts";
import { type PlainPage, plainPage } from "../../plain-page.ts";

function render(overrides: Partial<PlainPage>): string {
  const [demo] = DEMO_PAGES;
  if (demo === undefined) throw new Error("no demo page");
  const page = plainPage({ ...demo, ...overrides });
  const [locale = "ar"] = page.locales;
  const shown = { page, locale, now: 0, is_preview: false };
  return (<BioPage {...shown} origin="https://sila.example" />).toString();
}

describe("S12: creators' words in a page", () => {
  test("never become markup", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const poison = `<img src=x onerror=alert(1)>"'&${text}</script>`;
        const html = render({
          name: poison,
          bio: poison,
          contact: { name: poison },
          links: LINK_KINDS.map((kind) => ({
            link_id: kind,
            kind,
            label: poison,
            url: kind === "heading" || kind === "text" ? null : "https://a.example/",
            image: kind === "card" ? `p/${text}"><script>.webp` : null,
          })),
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

  test("are cut between words where space is limited", () => {
    expect(truncated("one two three", 9)).toBe("one two…");
    expect(truncated("short", 9)).toBe("short");
  });

  test("shrink to initials that can stand alone", () => {
    expect([
      initials("ليلى حداد"),
      initials("Mara Quill"),
      initials("cher"),
      initials("👩‍🎨 ✨"),
      initials(" "),
    ]).toEqual(["ل", "MQ", "C", "👩‍🎨", ""]);
  });
});

describe("S10, S11: links in a page", () => {
  test("are checked again when rendered: a stored address that is not allowed is left out", () => {
    const html = render({
      links: [
        { link_id: "bad", label: "bad", url: "javascript:alert(1)" },
        { link_id: "bad-2", kind: "social", url: "javascript:alert(1)" },
        { link_id: "bad-3", kind: "card", url: "data:text/html,x", image: "p/a.webp" },
        { link_id: "good", label: "good", url: "https://good.example/" },
      ],
    });
    expect(html).not.toContain("javascript:");
    expect(html).not.toContain("data:");
    expect(html).not.toContain("/bad");
    expect(html).toContain("/good");
  });

  test("send nothing to the other site: noopener, noreferrer, nofollow, ugc", () => {
    const anchors = render({}).match(/<a class="(?:link|contact)"[^>]*>/g) ?? [];
    expect(anchors).toHaveLength(5);
    for (const anchor of anchors)
      expect(anchor).toContain('rel="noopener noreferrer nofollow ugc"');
  });
});

describe("the contact button", () => {
  const button = /<a class="contact"[^>]*>.*?<\/a>/;

  test("leads to the redirect, which counts it once", () => {
    const [html] = button.exec(render({ page_id: "p1" })) ?? [];
    expect(html).toContain('href="/r/p1/contact"');
    expect(html).not.toContain("data-link");
    expect(html).toContain("حفظ جهة الاتصال");
    expect(button.exec(render({ locales: ["en"] }))?.[0]).toContain("Save contact");
  });

  test("is on every page with a contact, and on no other", () => {
    const nobody = { organisation: null, title: null, address: null, note: null };
    expect(render({ contact: { ...nobody, name: "", phones: [], emails: [] } })).toMatch(button);
    expect(render({ contact: null })).not.toMatch(button);
  });

  test("has a reserved link id: a creator's link with that id is left out", () => {
    const links = [{ link_id: "contact", label: "mine", url: "https://a.example/" }];
    expect(render({ contact: null, links })).not.toContain("/r/demo/contact");
    expect(render({ links }).match(/\/r\/demo\/contact/g)).toHaveLength(1);
  });
});
