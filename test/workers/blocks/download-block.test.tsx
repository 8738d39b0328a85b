/** The download block on a page, and downloads on the dashboard. */
import { describe, expect, test } from "vitest";
import type { BlockByKind } from "../../../src/pages/document/page-document.ts";
import { BioPage } from "../../../src/pages/render/bio-page.tsx";
import { formatBytes } from "../../../src/views/numbers.ts";
import { plainPage } from "../../plain-page.ts";

type Download = BlockByKind["download"];

function render(
  block: Partial<Download>,
  { locale = "en", is_preview = false, label = "" }: Partial<Shown> = {},
): string {
  const page = plainPage({
    page_id: "p1",
    locale,
    name: "Mara",
    links: [
      {
        link_id: "d1",
        kind: "download",
        label,
        block: { file_id: "f1", access: "free", uses_max: null, ...block },
      },
    ],
  });
  const shown = { page, locale, now: 0, is_preview };
  return (<BioPage {...shown} origin="https://sila.example" />).toString();
}

interface Shown {
  locale: "ar" | "en";
  is_preview: boolean;
  label: string;
}

const LINK = 'href="/api/download/f1?page_id=p1&amp;link_id=d1"';

describe("a download block", () => {
  test("leads everyone, or whoever has tipped, to the file", () => {
    expect(render({})).toContain(LINK);
    expect(render({ access: "tip" })).toContain(LINK);
  });

  test("leads nobody anywhere where a token is needed, which only a mail or a creator gives", () => {
    for (const access of ["subscriber", "link"] as const) {
      expect(render({ access })).not.toContain("/api/download");
    }
  });

  test("is shown in the preview, and leads nowhere there", () => {
    const html = render({}, { is_preview: true, label: "My book" });
    expect(html).toContain("My book");
    expect(html).not.toContain("/api/download");
  });

  test("says in both languages who may have the file, and how often, with its plural form", () => {
    const words = {
      en: ["Download the file", "Free download · one download only"],
      ar: ["تنزيل الملف", "تنزيل مجاني · تنزيل واحد فقط"],
    };
    for (const locale of ["en", "ar"] as const) {
      const html = render({ uses_max: 1 }, { locale });
      for (const text of words[locale]) expect(html).toContain(text);
    }
    expect(render({ uses_max: 100 })).toContain("100 downloads only");
    expect(render({ uses_max: 3 }, { locale: "ar" })).toContain("٣ تنزيلات فقط");
    expect(render({ uses_max: 100 }, { locale: "ar" })).toContain("١٠٠ تنزيل فقط");
    const notes = (["free", "tip", "subscriber", "link"] as const).map(
      (access) => /class="note">([^<]+)</.exec(render({ access }))?.[1],
    );
    expect(new Set(notes).size).toBe(4);
  });

  test("S12: a label never becomes markup", () => {
    expect(render({}, { label: '<img src=x onerror="alert(1)">' })).not.toContain("<img src=x");
  });
});

test("bytes have the unit in which they are short, in the reader's digits", () => {
  const sizes = [1, 19, 999_499, 7_240_000, 4_999_000_000];
  const texts = ["1 byte", "19 bytes", "999 kB", "7.2 MB", "5 GB"];
  expect(sizes.map((n) => formatBytes("en", n))).toEqual(texts);
  expect(formatBytes("ar-u-nu-arab", 7_240_000)).toContain("٧٫٢");
});
