/** The pages of a newsletter's mails, and the page of its subscribers for their owner. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { call } from "../kit/kit.ts";
import { confirmed, freshEmail, linkOf, listOf, mailTo, newsletterPage } from "./newsletter-kit.ts";

type Made = Awaited<ReturnType<typeof newsletterPage>>;

/** The path of the link in the first mail to a new subscriber, who has confirmed by it. */
async function confirmedBy(made: Made): Promise<string> {
  const email = freshEmail();
  await made.subscribe({ email, locale: "en" });
  const path = linkOf(await mailTo(made.page_id, email), "confirm");
  const response = await call(path, { method: "POST" });
  expect(await response.text()).toContain("You are subscribed");
  return path;
}

async function open({ owner, page_id }: Made, query = "?lang=en&tz=UTC") {
  const path = `/dashboard/${page_id}/subscribers${query}`;
  const response = await owner.send("GET", path, undefined, { Accept: "text/html" });
  return { status: response.status, html: await response.text() };
}

describe("the link of a mail", () => {
  test("of the confirmation also leads from the subscription to its end", async () => {
    const made = await newsletterPage();
    const confirm = await confirmedBy(made);
    const leave = confirm.replace("/confirm", "/unsubscribe");
    const subscribed = await (await call(confirm)).text();
    expect(subscribed).toContain("You are subscribed");
    expect(subscribed).toContain(`href="${leave}"`);
    await call(leave, { method: "POST" });
    expect(await listOf(made)).toMatchObject({ total: 0, pending: 0 });
  });

  test("that nobody knows is over, in the reader's language, and leaving by it is no error", async () => {
    const [{ page_id }, other] = [await newsletterPage(), await newsletterPage()];
    const known = await confirmedBy(other);
    const moved = known.replace(encodeURIComponent(other.page_id), page_id);
    const unknown = ["", "?token=x", `?token=nl_${page_id}.${"a".repeat(43)}`];
    const paths = [...unknown.map((query) => `/newsletter/confirm${query}`), moved];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const response = await call(path, { method, headers: { "Accept-Language": "ar" } });
        expect([path, response.status]).toEqual([path, 410]);
        expect(await response.text()).toContain("لم يعد هذا الرابط صالحًا");
      }
      const leaving = await call(path.replace("confirm", "unsubscribe"), { method: "POST" });
      expect(leaving.status).toBe(200);
    }
    expect(await listOf(other)).toMatchObject({ total: 1, pending: 0 });
    expect((await call("/newsletter/confirm", { method: "PUT" })).status).toBe(405);
  });
});

describe("the list of subscribers", () => {
  test("names those who confirmed, with time and place, in the reader's language", async () => {
    const made = await newsletterPage();
    expect((await open(made)).html).toContain("Nobody has subscribed yet");
    const [email, pending] = [await confirmed(made), freshEmail()];
    await made.subscribe({ email: pending });
    await mailTo(made.page_id, pending);
    const { html } = await open(made);
    expect(html).toContain('data-subscribers="1">1 subscriber<');
    expect(html).toContain("1 has not confirmed yet");
    expect(html).toContain(email);
    expect(html).not.toContain(pending);
    expect(html).toContain("<bdi>My news</bdi> · in Arabic");
    expect(html).toContain(`href="/api/me/pages/${made.page_id}/subscribers.csv?lang=en"`);
    expect(html).toContain("Each row of the file has the subscriber’s own link to unsubscribe.");
    const arabic = await open(made, "?lang=ar");
    expect(arabic.html).toContain("مشترك واحد");
    expect(arabic.html).toContain("وواحد لم يؤكد اشتراكه بعد");
    // Without an origin of the deployment the table has no links.
    Object.assign(env, { SITE_ORIGIN: "" });
    vi.spyOn(console, "error").mockImplementation(() => {});
    expect((await open(made)).html).not.toContain("link to unsubscribe");
  });

  test("is searched by a part of the address, which is shown as text", async () => {
    const made = await newsletterPage();
    const one = await confirmed(made);
    const other = await confirmed(made, freshEmail().replace("example.com", "example.org"));
    const found = await open(made, "?lang=en&q=EXAMPLE.ORG");
    expect(found.html).toContain(other);
    expect(found.html).not.toContain(one);
    const none = await open(made, "?lang=en&q=%3Cb%3E");
    expect(none.html).toContain("No subscriber has this in their address.");
    expect(none.html).not.toContain("<b>");
  });

  test("refuses what is no cursor, and too long a part of an address", async () => {
    const made = await newsletterPage();
    expect((await open(made, "?cursor=%3Cb%3E")).status).toBe(400);
    expect((await open(made, `?q=${"a".repeat(255)}`)).status).toBe(400);
  });
});
