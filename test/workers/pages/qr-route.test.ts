/** A page's address for one place as a code, for the editor's share sheet. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { UTM_CHARS_MAX } from "../../../src/counting/limits.ts";
import { PLACES, shareAddress } from "../../../src/pages/document/share-address.ts";
import { signIn } from "../kit/hub-kit.ts";
import { call, freshPage, ORIGIN, pageObject } from "../kit/kit.ts";

const PHONE =
  "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36";

async function code(page_id: string, query = "") {
  const headers = { Cookie: await signIn("demo-pro") };
  const response = await call(`/dashboard/pages/${page_id}/qr.svg${query}`, { headers });
  return { response, text: await response.text() };
}

/** The address that the code names for screen readers; browser tests scan the code itself. */
function addressIn(svg: string): string | undefined {
  return /<title>(.*)<\/title>/.exec(svg)?.[1]?.replaceAll("&amp;", "&");
}

test("a code has the page's address with the source and the language that are asked for", async () => {
  const page = await freshPage({ owner_id: "demo-pro", locales: ["ar", "en"] });
  for (const source of PLACES) {
    const { response, text } = await code(page.page_id, `?source=${source}&lang=en`);
    expect(response.headers.get("Content-Type")).toBe("image/svg+xml");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(addressIn(text)).toBe(shareAddress(ORIGIN, page, "en", source));
    expect(addressIn(text)).toMatch(
      new RegExp(`/${page.slug}/en\\?utm_source=${source}&utm_medium=\\w+$`),
    );
  }
  const { text } = await code(page.page_id);
  expect(addressIn(text)).toBe(`${ORIGIN}/${page.slug}`);
});

test("a view without JavaScript has the source of the page's address, and no other site can name one", async () => {
  const page = await freshPage({ locales: ["ar"] });
  const pixel = (referer: string) =>
    call(`/p/${page.page_id}.gif`, { headers: { Referer: referer, "User-Agent": PHONE } });
  await pixel(shareAddress(ORIGIN, page, "ar", "snapchat"));
  await pixel(`${ORIGIN}/${page.slug}?utm_source=${"x".repeat(UTM_CHARS_MAX + 1)}`);
  await pixel("https://other.example/?utm_source=other");
  await pixel("not an address");
  await pageObject(page.page_id).flush();
  const found = await env.DB.prepare("SELECT breakdowns FROM days WHERE page_id = ?1")
    .bind(page.page_id)
    .first<string>("breakdowns");
  const { utm_source, utm_medium } = JSON.parse(found ?? "{}");
  expect(utm_source).toEqual({ snapchat: [1, 0], ["x".repeat(UTM_CHARS_MAX)]: [1, 0] });
  expect(utm_medium).toEqual({ social: [1, 0] });
});

test("an unknown source is 400, a language that the page lacks 404", async () => {
  const { page_id } = await freshPage({ owner_id: "demo-pro", locales: ["ar"] });
  expect((await code(page_id, "?source=myspace")).response.status).toBe(400);
  expect((await code(page_id, "?lang=fr")).response.status).toBe(400);
  expect((await code(page_id, "?lang=en")).response.status).toBe(404);
});
