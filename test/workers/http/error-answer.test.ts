/** How an error is answered: as JSON or a page, the language of the page, and the challenge of a 401. */
import { describe, expect, test } from "vitest";
import { call } from "../kit/kit.ts";

/** The language of the error page for a visitor who is not signed in. */
async function language(path: string, accept_language?: string): Promise<string | undefined> {
  const response = await call(path, {
    headers: {
      Accept: "text/html",
      ...(accept_language === undefined ? {} : { "Accept-Language": accept_language }),
    },
  });
  return /<html lang="(\w+)"/.exec(await response.text())?.[1];
}

describe("an error page is in", () => {
  test.each([
    ["ar;q=0.1,en;q=0.9", "en"],
    ["en,ar", "en"],
    ["AR-SA;q=0.8, EN;q=0.7", "ar"],
    ["fr-FR,fr;q=0.9,en-GB;q=0.8", "en"],
    ["en;q=0", "ar"],
    ["english, enough", "ar"],
    [";;q=,,", "ar"],
    [undefined, "ar"],
  ])("the language that Accept-Language prefers: %s is %s", async (header, expected) => {
    expect(await language("/nobody", header)).toBe(expected);
  });

  test("the language of ?lang=, signed out too", async () => {
    expect(await language("/dashboard?lang=en", "ar")).toBe("en");
    expect(await language("/dashboard?lang=ar", "en")).toBe("ar");
    expect(await language("/dashboard?lang=fr", "en")).toBe("en");
  });
});

describe("an error is a page", () => {
  test.each([
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
    ["text/*", true],
    ["application/json;q=0.5, text/html", true],
    ["application/json, text/html;q=0.5", false],
    ["text/html;q=0", false],
    ["*/*", false],
    [";;q=,,", false],
  ])("where Accept prefers one: %s", async (Accept, is_page) => {
    const response = await call("/nobody", { headers: { Accept } });
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toMatch(is_page ? /^text\/html/ : /json/);
    // Caches keep a 404.
    expect(response.headers.get("Vary")).toBe("Accept, Accept-Language");
  });

  test("in the reader's language first, and the other one in its own direction", async () => {
    const headers = { Accept: "text/html", "Accept-Language": "en" };
    const page = await (await call("/nobody", { headers })).text();
    expect(page).toMatch(/<html lang="en" dir="ltr".*<p class="bio" lang="ar" dir="rtl">/s);
  });

  test("except under /api", async () => {
    const response = await call("/api/nothing", { headers: { Accept: "text/html" } });
    expect(response.headers.get("Content-Type")).toMatch(/json/);
  });
});

test("the link to sign in leads to sign-in, however long the address is", async () => {
  for (const address of [
    "/dashboard?x=1",
    `/dashboard?x=${"a".repeat(2_100)}`,
    `/dashboard/${"a".repeat(2_100)}`,
  ]) {
    const page = await (await call(address, { headers: { Accept: "text/html" } })).text();
    const link = /href="(\/api\/auth\/login[^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    expect((await call(link ?? "")).status).toBe(302);
  }
});

test("a 401 says how to authenticate (RFC 9110 section 11.6.1), as JSON and as a page", async () => {
  for (const path of ["/api/me/wallet", "/dashboard"]) {
    const response = await call(path, { headers: { Accept: "text/html" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe('Cookie realm="sila"');
  }
  const unsigned = await call("/api/webhooks/hub", { method: "POST", body: "{}" });
  expect(unsigned.status).toBe(401);
  expect(unsigned.headers.get("WWW-Authenticate")).toBe('StandardWebhooks realm="sila"');
});
