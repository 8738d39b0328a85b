/** Which digits a reader of Arabic gets: those of their country, or their own choice. */
import { describe, expect, test } from "vitest";
import { usualNumbering } from "../../../src/views/numbering-of-country.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call, freshPage } from "../kit/kit.ts";

/** Every pair of letters that `Intl` knows as a country or region. */
function regions(): string[] {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined);
}

describe("the digits that are usual in a country", () => {
  test("are those of CLDR for every region", () => {
    expect(regions().length).toBeGreaterThan(240);
    for (const region of regions()) {
      const { numberingSystem } = new Intl.NumberFormat(`ar-${region}`).resolvedOptions();
      expect([region, usualNumbering(region)]).toEqual([region, numberingSystem]);
    }
  });

  test("are those of Egypt where the country is unknown", () => {
    expect(new Intl.Locale("ar").maximize().region).toBe("EG");
    expect(usualNumbering()).toBe("arab");
  });
});

describe("a signed-in page", () => {
  async function open(query: string, country: string | null, cookies = "") {
    const Cookie = [await signIn("demo-free"), cookies].filter(Boolean).join("; ");
    const cf = country === null ? {} : { cf: { country } };
    const response = await call(`/dashboard${query}`, {
      headers: { Cookie, Accept: "text/html" },
      ...(cf as RequestInit),
    });
    const html = await response.text();
    return { response, html, locale: /data-locale="([^"]+)"/.exec(html)?.[1] };
  }

  test("has the digits of the reader's country, and no cookie for them", async () => {
    await freshPage({ owner_id: "demo-free" });
    for (const [country, locale, month] of [
      [null, "ar-u-nu-arab", "آخر ٣٠ يومًا"],
      ["SA", "ar-u-nu-arab", "آخر ٣٠ يومًا"],
      ["AE", "ar-u-nu-latn", "آخر 30 يومًا"],
    ] as const) {
      const page = await open("", country);
      expect([country, page.locale]).toEqual([country, locale]);
      expect(page.html).toContain(month);
      expect(page.response.headers.getSetCookie().join()).not.toContain("digits=");
    }
  });

  test("S7: has the digits that the reader chose, and keeps the choice in a cookie", async () => {
    await freshPage({ owner_id: "demo-free" });
    const { response, html, locale } = await open("?digits=latn", "SA");
    expect(locale).toBe("ar-u-nu-latn");
    // The links of the page do not choose again.
    expect(html).toContain("?digits=arab");
    expect(html).not.toContain("digits=latn");
    const cookie = response.headers
      .getSetCookie()
      .find((each) => each.startsWith("__Host-digits="));
    expect(cookie).toBe(
      "__Host-digits=latn; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax",
    );
    expect((await open("", "SA", "__Host-digits=latn")).locale).toBe("ar-u-nu-latn");
    // Another host of the domain could set it.
    expect((await open("", "SA", "digits=latn")).locale).toBe("ar-u-nu-arab");
    expect((await open("?digits=arab", "AE", "__Host-digits=latn")).locale).toBe("ar-u-nu-arab");
    for (const nonsense of ["thai", "", "latn%20"]) {
      expect((await open("", "SA", `__Host-digits=${nonsense}`)).locale).toBe("ar-u-nu-arab");
    }
    expect((await open("?digits=thai", "SA")).response.status).toBe(400);
  });

  test("has Latin digits in English, and offers no others", async () => {
    await freshPage({ owner_id: "demo-free" });
    const { html, locale } = await open("?lang=en", "SA", "__Host-digits=arab");
    expect(locale).toBe("en");
    expect(html).not.toMatch(/digits=|[٠-٩]/);
    expect(html).toContain("30 days");
  });
});
