/** The pages of a newsletter's mails, and the list of its subscribers, against the newsletter's object. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signIn, takeMails } from "./hub-kit.ts";
import { call, eventually, freshPage, ORIGIN } from "./kit.ts";

const OWNER = "demo-pro";

const newsletterOf = (page_id: string) => env.SUBSCRIBERS.getByName(page_id);

/** A page with a newsletter. */
const pageWithBlock = () =>
  freshPage({
    owner_id: OWNER,
    links: [{ link_id: "news", kind: "newsletter", label: "كل خميس", block: {} }],
  });

/** Asks to subscribe, and returns the path of the link in the mail. */
async function asked(page_id: string, email: string): Promise<string> {
  await newsletterOf(page_id).request({
    email,
    link_id: "news",
    locale: "en",
    site: ORIGIN,
    page_name: "Layla",
    class: "human",
    origin: null,
  });
  return linkOfMail(page_id, email);
}

/** The path of the link in the newest mail to this address. The object's own alarm may send it too. */
function linkOfMail(page_id: string, email: string): Promise<string> {
  return eventually(async () => {
    await runDurableObjectAlarm(newsletterOf(page_id));
    const mail = (await takeMails()).findLast(({ to }) => to === email);
    const link = /https:\/\/sila\.example(\/newsletter\/confirm\?\S+)/.exec(mail?.text ?? "")?.[1];
    if (link === undefined) throw new Error("no mail yet");
    return link;
  });
}

async function numbersOf(page_id: string) {
  const { total, pending } = await newsletterOf(page_id).list({ limit: 10, after: null, q: null });
  return { total, pending };
}

async function subscribed(page_id: string, email: string): Promise<string> {
  const path = await asked(page_id, email);
  expect((await call(path, { method: "POST" })).status).toBe(200);
  return path;
}

async function open(user_id: string, page_id: string, query = "?lang=en&tz=UTC") {
  const response = await call(`/dashboard/${page_id}/subscribers${query}`, {
    headers: { Cookie: await signIn(user_id), Accept: "text/html" },
  });
  return { status: response.status, html: await response.text() };
}

describe("the link of a mail", () => {
  test("asks for a press of its button, in the language of the form", async () => {
    const { page_id } = await pageWithBlock();
    const path = await asked(page_id, "amal@example.com");
    const asking = await (await call(path)).text();
    expect(asking).toContain(`<form method="post" action="${path}">`);
    expect(asking).toContain('<html lang="en"');
    const response = await call(path, { method: "POST" });
    expect(await response.text()).toContain("You are subscribed");
    expect(await (await call(path)).text()).toContain("You are subscribed");
  });

  test("of the confirmation also leads from the subscription to its end", async () => {
    const { page_id } = await pageWithBlock();
    const confirm = await subscribed(page_id, "chadi@example.com");
    const leave = confirm.replace("/confirm", "/unsubscribe");
    expect(await (await call(confirm)).text()).toContain(`href="${leave}"`);
    await call(leave, { method: "POST" });
    expect(await numbersOf(page_id)).toEqual({ total: 0, pending: 0 });
  });

  test("that nobody knows is over, in the reader's language, and leaving by it is no error", async () => {
    const { page_id } = await pageWithBlock();
    const { page_id: other_id } = await pageWithBlock();
    const known = await subscribed(other_id, "dana@example.com");
    const moved = known.replace(encodeURIComponent(other_id), page_id);
    const unknown = ["", "?token=", "?token=x", `?token=nl_${page_id}.${"a".repeat(43)}`];
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
    expect(await numbersOf(other_id)).toEqual({ total: 1, pending: 0 });
    expect((await call("/newsletter/confirm", { method: "PUT" })).status).toBe(405);
  });
});

describe("the list of subscribers", () => {
  test("names those who confirmed, with time and place, in the reader's language", async () => {
    const { page_id } = await pageWithBlock();
    expect((await open(OWNER, page_id)).html).toContain("Nobody has subscribed yet");
    await subscribed(page_id, "elias@example.com");
    await asked(page_id, "farah@example.com");
    const { html } = await open(OWNER, page_id);
    expect(html).toContain('data-subscribers="1">1 subscriber<');
    expect(html).toContain("1 has not confirmed yet");
    expect(html).toContain("elias@example.com");
    expect(html).not.toContain("farah@example.com");
    expect(html).toContain("<bdi>كل خميس</bdi> · in English");
    expect(html).toContain(`href="/api/me/pages/${page_id}/subscribers.csv?lang=en"`);
    const arabic = await open(OWNER, page_id, "?lang=ar");
    expect(arabic.html).toContain("مشترك واحد");
    expect(arabic.html).toContain("وواحد لم يؤكد اشتراكه بعد");
  });

  test("is searched by a part of the address, which is shown as text", async () => {
    const { page_id } = await pageWithBlock();
    await subscribed(page_id, "ghada@example.com");
    await subscribed(page_id, "hadi@example.org");
    const found = await open(OWNER, page_id, "?lang=en&q=EXAMPLE.ORG");
    expect(found.html).toContain("hadi@example.org");
    expect(found.html).not.toContain("ghada@");
    const none = await open(OWNER, page_id, "?lang=en&q=%3Cb%3E");
    expect(none.html).toContain("No subscriber has this in their address.");
    expect(none.html).not.toContain("<b>");
  });

  test("refuses what is no cursor, and too long a part of an address", async () => {
    const { page_id } = await pageWithBlock();
    expect((await open(OWNER, page_id, "?cursor=%3Cb%3E")).status).toBe(400);
    expect((await open(OWNER, page_id, `?q=${"a".repeat(255)}`)).status).toBe(400);
  });
});
