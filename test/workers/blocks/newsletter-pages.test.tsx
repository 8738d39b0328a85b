/** The block of a newsletter, and the pages on which people subscribe, confirm and leave, as HTML. */
import { describe, expect, test } from "vitest";
import { newsletterPage } from "../../../src/blocks/newsletter/newsletter-page.tsx";
import type { NewsletterState } from "../../../src/blocks/newsletter/newsletter-texts.ts";
import { BioPage } from "../../../src/pages/render/bio-page.tsx";
import type { Locale } from "../../../src/views/locale.ts";
import { plainPage } from "../../plain-page.ts";

const STATES: readonly NewsletterState[] = [
  "asked",
  "invalid",
  "confirm",
  "confirmed",
  "gone",
  "unsubscribe",
  "unsubscribed",
];

function bio(locale: Locale, is_preview: boolean, label: Partial<Record<Locale, string>> = {}) {
  const page = plainPage({
    page_id: "p1",
    locales: ["ar", "en"],
    name: "ليان",
    links: [{ link_id: "news", kind: "newsletter", label, block: {} }],
  });
  const shown = { page, locale, now: 0, is_preview };
  return (<BioPage {...shown} origin="https://sila.example" />).toString();
}

describe("the block of a newsletter", () => {
  test("is a form that needs no script, and says in which language the visitor reads", () => {
    const html = bio("en", false, { ar: "رسالة كل خميس" });
    expect(html).toMatch(/<form class="block"[^>]* method="post" action="\/api\/newsletter">/);
    for (const [name, value] of Object.entries({ page_id: "p1", link_id: "news", locale: "en" })) {
      expect(html).toContain(`<input type="hidden" name="${name}" value="${value}"/>`);
    }
    expect(html).toMatch(/<label [^>]*for="newsletter-news-email">Your email address<\/label>/);
    expect(html).toMatch(
      /<input [^>]*id="newsletter-news-email" type="email" name="email" required/,
    );
    expect(html).toContain('<h2 id="newsletter-news" lang="ar" dir="rtl">رسالة كل خميس</h2>');
  });

  test("without a label is called a newsletter in the visitor's language", () => {
    expect(bio("ar", false)).toContain(
      '<h2 id="newsletter-news" lang="ar" dir="rtl">النشرة البريدية</h2>',
    );
    expect(bio("en", false)).toContain(
      '<h2 id="newsletter-news" lang="en" dir="ltr">Newsletter</h2>',
    );
  });

  test("can be neither filled in nor sent in the preview", () => {
    const html = bio("ar", true);
    expect(html).toMatch(/<form class="block"[^>]* inert/);
    expect(html).not.toContain("/api/newsletter");
  });
});

describe("a page of a newsletter", () => {
  const page = { name: "ليان <b>الحوراني</b>", path: "/layan" };

  test.each(STATES)("says %s in both languages, and tells nobody its address", (state) => {
    const [ar, en] = (["ar", "en"] as const).map((locale) =>
      newsletterPage({ locale, state, page }),
    );
    expect(ar).toContain('<html lang="ar" dir="rtl"');
    expect(en).toContain('<html lang="en" dir="ltr"');
    expect(ar).not.toEqual(en);
    for (const html of [ar, en]) {
      expect(html).toContain('<meta name="referrer" content="no-referrer"/>');
      expect(html).toContain('<meta name="robots" content="noindex"/>');
      expect(html).toContain('href="/layan"');
      expect(html).not.toContain("<b>");
    }
  });

  test("leads home where its page is no longer public", () => {
    expect(newsletterPage({ locale: "en", state: "gone", page: null })).toContain(
      '<a class="contact" href="/">Go to the home page</a>',
    );
  });

  test("has a button where it asks, which posts to the address of the link", () => {
    const action = "/newsletter/confirm?token=p.t";
    const html = newsletterPage({ locale: "en", state: "confirm", page, action });
    expect(html).toContain(`<form method="post" action="${action}">`);
    expect(html).toContain(">Confirm the subscription</button>");
    const leaving = newsletterPage({ locale: "ar", state: "unsubscribe", page, action });
    expect(leaving).toContain(">إلغاء الاشتراك</button>");
    expect(newsletterPage({ locale: "en", state: "asked", page })).not.toContain("<form");
  });
});
