/** Newsletters on the real routes: sign-up, the mail, confirmation, the owner's list, leaving. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { SubscriberList } from "../../../objects/blocks/newsletter/subscription.ts";
import { RateLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { signFileToken } from "../../../src/blocks/newsletter/file-token.ts";
import { subscribersCsv } from "../../../src/blocks/newsletter/subscribers-csv.ts";
import { unsubscribeLinks } from "../../../src/blocks/newsletter/unsubscribe-link.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { mailsTo } from "../kit/hub-kit.ts";
import {
  call,
  errorOf,
  eventually,
  freshAddress,
  freshPage,
  ORIGIN,
  pageObject,
  spelledOtherwise,
} from "../kit/kit.ts";
import { bytesOf, follow, upload, visit } from "./files-kit.ts";
import { confirmed, freshEmail, linkOf, listOf, mailTo, newsletterPage } from "./newsletter-kit.ts";

describe("a subscription", () => {
  test("S28: begins with a mail, and counts once the button of its page is pressed", async () => {
    const made = await newsletterPage();
    const email = freshEmail();
    const response = await made.subscribe({ email, locale: "ar" });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ ok: true });
    const mail = await mailTo(made.page_id, email);
    expect(mail).toMatchObject({ from: { email: env.MAIL_FROM, name: "صلة" }, to: email });
    expect(mail.subject).toBe("أكّد اشتراكك في نشرة \u2068ليان\u2069");
    expect(mail.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail.headers["List-Unsubscribe"]).toMatch(
      new RegExp(`^<${ORIGIN}/newsletter/unsubscribe\\?token=nl_[\\w-]+\\.[\\w-]{43}>$`),
    );
    // A scanner opens every link.
    for (const to of ["confirm", "unsubscribe"] as const) {
      for (const method of ["GET", "HEAD"]) {
        const response = await call(linkOf(mail, to), { method });
        expect(response.status).toBe(200);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        expect(response.headers.get("X-Robots-Tag")).toBe("noindex");
        const form = `<form method="post" action="${linkOf(mail, to)}">`;
        if (method === "GET") expect(await response.text()).toContain(form);
      }
    }
    expect(await listOf(made)).toMatchObject({ subscribers: [], total: 0, pending: 1 });

    const path = linkOf(mail, "confirm");
    for (let n = 0; n < 2; n += 1) {
      expect((await call(path, { method: "POST" })).status).toBe(200);
    }
    const { subscribers, total, pending } = await listOf(made);
    const [link] = made.page.links;
    expect({ total, pending }).toEqual({ total: 1, pending: 0 });
    expect(subscribers).toMatchObject([
      { email, source: { link_id: link?.link_id, locale: "ar" } },
    ]);
    // A click of the block, once, and the live number.
    await eventually(async () => {
      const totals = await pageObject(made.page_id).peopleTotals();
      expect(totals.links).toEqual({ [link?.link_id ?? ""]: 1 });
    });
    const welcome = await mailTo(made.page_id, email, 2);
    expect(welcome.subject).toBe("اشتركت في نشرة \u2068ليان\u2069");
    expect((await call(linkOf(welcome, "unsubscribe"))).status).toBe(200);
    expect((await listOf(made)).total).toBe(1);
  });

  test("S29: is answered alike whatever is known of the address, and mailed once an hour", async () => {
    const made = await newsletterPage();
    const email = freshEmail();
    const answers = [];
    for (const spelling of [email, email.toUpperCase(), email]) {
      const response = await made.subscribe({ email: spelling });
      answers.push([response.status, await response.text()]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    await mailTo(made.page_id, email);
    await made.subscribe({ email });
    const other = freshEmail();
    await made.subscribe({ email: other });
    // The alarm that sent it has dealt with the requests before.
    await mailTo(made.page_id, other);
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await listOf(made)).pending).toBe(2);
  });

  test("S29: has links of the deployment's origin in its mails, whatever host the form was sent to", async () => {
    const { page_id } = await newsletterPage();
    const email = freshEmail();
    const body = JSON.stringify({ page_id, email });
    const response = await call("http://evil.example/api/newsletter", { method: "POST", body });
    expect(response.status).toBe(202);
    const { text, html, headers } = await mailTo(page_id, email);
    for (const part of [text, html, JSON.stringify(headers)]) {
      expect(part).toContain(`${ORIGIN}/newsletter/unsubscribe?token=nl_`);
      expect(part).not.toContain("evil");
    }
  });

  test("comes from a form too, whose answer is a page in its language", async () => {
    const made = await newsletterPage();
    const email = freshEmail();
    const send = (email: string) =>
      made.subscribe(
        {},
        {
          body: new URLSearchParams({ page_id: made.page_id, email, locale: "en" }).toString(),
          headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" },
        },
      );
    const asked = await send(email);
    expect(asked.status).toBe(202);
    expect(await asked.text()).toContain('<html lang="en"');
    expect((await mailTo(made.page_id, email)).subject).toBe(
      "Confirm your subscription to \u2068Layan\u2069",
    );
    // A language that the page does not show has no name yet.
    const shown = await made.owner.patch(made.page, { locales: ["ar"] });
    expect(shown.name).toEqual({ ar: "ليان", en: "Layan" });
    const later = freshEmail();
    const answer = await send(later);
    expect(await answer.text()).not.toContain("Layan");
    expect((await mailTo(made.page_id, later)).subject).toContain("ليان");
    const invalid = await send("no address");
    expect(invalid.status).toBe(400);
    expect(invalid.headers.get("Content-Type")).toContain("text/html");
  });

  test("is refused without an open newsletter, an address or a page", async () => {
    const made = await newsletterPage();
    const email = freshEmail();
    const none = await freshPage();
    expect((await made.subscribe({ page_id: none.page_id, email })).status).toBe(404);
    expect((await made.subscribe({ page_id: "nobodys", email })).status).toBe(404);
    expect((await made.subscribe({ link_id: "other", email })).status).toBe(404);
    const draft = await newsletterPage({ status: "draft" });
    expect((await draft.subscribe({ email })).status).toBe(404);
    const closed = await newsletterPage({
      links: [{ kind: "newsletter", label: { ar: "ن" }, block: {}, enabled: false }],
    });
    expect((await errorOf(await closed.subscribe({ email }))).code).toBe("LINK_NOT_FOUND");
    const wrong = await made.subscribe({ email: "a@b\r\nBcc: c@example.com" });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).not.toContain("Bcc");
    expect((await made.subscribe({}, { headers: { "Content-Type": "image/png" } })).status).toBe(
      415,
    );
    expect((await call("/api/newsletter")).status).toBe(405);
    expect((await listOf(made)).pending).toBe(0);
  });
});

test("30 sign-ups of one sender are taken in any day, whatever the address, and not one more", async () => {
  const clock = stopClock();
  const made = await newsletterPage();
  const ip = freshAddress();
  const email = freshEmail();
  const send = (email: string) =>
    call("/api/newsletter", {
      method: "POST",
      body: JSON.stringify({ page_id: made.page_id, email }),
      ip,
    });
  const began = Date.now();
  // What is no sign-up is not charged.
  expect((await send("nobody")).status).toBe(400);
  for (let n = 0; n < 30; n += 1) {
    // The limit of a minute is not what refuses.
    clock.set(began + n * 60_000);
    expect((await send(email)).status).toBe(202);
  }
  clock.set(began + 60 * 60_000);
  for (const to of [email, freshEmail()]) {
    const refused = await send(to);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "82800"]);
    expect((await errorOf(refused)).details).toMatchObject({
      ...{ scope: "newsletter_day", limit: 30, window_s: 86_400, retry_after_s: 82_800 },
    });
  }
  expect((await made.subscribe({ email })).status).toBe(202);
  clock.set(began + 86_400_000 - 1);
  expect((await send(email)).status).toBe(429);
  clock.set(began + 86_400_000);
  expect((await send(email)).status).toBe(202);
});

test("a sign-up is refused while the day's limit cannot be asked", async () => {
  const made = await newsletterPage();
  const broken = vi.spyOn(RateLimiter.prototype, "checkTogether");
  broken.mockRejectedValue(new Error("limiter down"));
  vi.spyOn(console, "error").mockImplementation(() => {});
  expect((await made.subscribe({ email: freshEmail() })).status).toBe(503);
  broken.mockRestore();
  expect((await listOf(made)).pending).toBe(0);
});

test("F25, S29: a suspended page sends no mail that waits, and sends it when it is published again", async () => {
  const clock = stopClock();
  // The platform fires alarms by its own clock. Ahead of it the alarm waits for the test.
  clock.advance(12 * HOUR_MS);
  const made = await newsletterPage();
  const email = freshEmail();
  const become = (status: string) =>
    env.DB.prepare("UPDATE pages SET status = ?2 WHERE page_id = ?1")
      .bind(made.page_id, status)
      .run();
  const alarm = async () => {
    expect(await runDurableObjectAlarm(env.SUBSCRIBERS.getByName(made.page_id))).toBe(true);
  };
  expect((await made.subscribe({ email })).status).toBe(202);
  await become("suspended");
  await alarm();
  clock.advance(HOUR_MS);
  await alarm();
  expect(await mailsTo(email)).toEqual([]);
  await become("published");
  clock.advance(HOUR_MS);
  await alarm();
  expect(await mailsTo(email)).toHaveLength(1);
});

describe("the list of subscribers", () => {
  test("has the newest first, part by part, and finds a part of an address", async () => {
    const made = await newsletterPage();
    const emails = [freshEmail(), freshEmail(), freshEmail()];
    for (const email of emails) await made.subscribe({ email });
    for (const email of emails) {
      await call(linkOf(await mailTo(made.page_id, email), "confirm"), { method: "POST" });
    }
    const first = await listOf(made, "?limit=2");
    const rest = await listOf(made, `?limit=2&cursor=${first.next_cursor}`);
    expect([...first.subscribers, ...rest.subscribers].map(({ email }) => email)).toEqual(
      emails.toReversed(),
    );
    expect(rest.next_cursor).toBeNull();
    const found = await listOf(made, `?q=${emails[1]?.slice(0, 18).toUpperCase()}`);
    expect(found.subscribers.map(({ email }) => email)).toEqual([emails[1]]);
    expect(found.total).toBe(3);
    expect((await made.owner.send("GET", `${made.path}?limit=101`)).status).toBe(400);
    expect((await made.owner.send("GET", `${made.path}?cursor=x`)).status).toBe(400);
  });

  test("is a table for spreadsheets, in which no address is a formula", async () => {
    const made = await newsletterPage();
    const email = await confirmed(made, `sara=1+1|${crypto.randomUUID().slice(0, 8)}@example.com`);
    expect((await made.subscribe({ email: `=1+1|${email}` })).status).toBe(400);
    const response = await made.owner.send("GET", `${made.path}.csv`);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toContain("attachment");
    const [head, row] = (await response.text()).split("\r\n");
    expect(head).toBe("email,confirmed_at,page,block,block_label,language,unsubscribe_url");
    expect(row?.startsWith(`${email},20`)).toBe(true);
    // A random id begins with a minus now and then, and is quoted then.
    const [id = ""] = made.page.links.map(({ link_id }) => link_id);
    const cells = [made.page.slug, id.startsWith("-") ? `"${id}"` : id];
    expect(row).toContain(`,${cells},My news,ar,${ORIGIN}/newsletter/unsubscribe?token=nu_`);
    const arabic = await (await made.owner.send("GET", `${made.path}.csv?lang=ar`)).text();
    expect(arabic.split("\r\n")[0]).toContain(",رابط إلغاء الاشتراك");
  });

  test("of several parts is one table, whose failure is not its end", async () => {
    const source = { link_id: "news", locale: "ar" } as const;
    const part = (email: string, next: string | null): SubscriberList => ({
      subscribers: [{ id: email, email, confirmed_at: "2026-01-01T00:00:00.000Z", source }],
      total: 3,
      pending: 0,
      next,
    });
    const table = (readAfter: (cursor: string) => Promise<SubscriberList>) =>
      new Response(
        subscribersCsv({ slug: "layan", links: [] }, "en", part("a@x", "1"), readAfter, () => null),
      ).text();
    const rows = (await table(async (at) => part(`${at}@x`, at === "1" ? "2" : null))).split(
      "\r\n",
    );
    expect(rows.map((row) => row.split(",")[0]).slice(1)).toEqual(["a@x", "1@x", "2@x", ""]);
    await expect(table(() => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  });

  test("loses the one whom the owner deletes", async () => {
    const made = await newsletterPage();
    await confirmed(made);
    const [subscriber] = (await listOf(made)).subscribers;
    const path = `${made.path}/${subscriber?.id}`;
    expect((await made.owner.send("DELETE", path)).status).toBe(200);
    expect((await made.owner.send("DELETE", path)).status).toBe(404);
    expect((await listOf(made)).total).toBe(0);
  });
});

test("S28: one POST unsubscribes, as mail programs send it, deletes the address and ends its links", async () => {
  const made = await newsletterPage();
  const email = await confirmed(made);
  const welcome = await mailTo(made.page_id, email, 2);
  const path = welcome.headers["List-Unsubscribe"]?.slice(1 + ORIGIN.length, -1) ?? "";
  for (let n = 0; n < 2; n += 1) {
    const response = await call(path, {
      method: "POST",
      body: "List-Unsubscribe=One-Click",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect(response.status).toBe(200);
  }
  expect(await listOf(made)).toMatchObject({ total: 0, pending: 0 });
  const late = await call(linkOf(welcome, "unsubscribe").replace("unsubscribe", "confirm"), {
    method: "POST",
  });
  expect(late.status).toBe(410);
});

describe("S28: the link of the table to unsubscribe", () => {
  /** Paths of the links, by address. */
  async function linksOf({ owner, path }: Awaited<ReturnType<typeof newsletterPage>>) {
    const [, ...rows] = (await (await owner.send("GET", `${path}.csv`)).text())
      .trim()
      .split("\r\n");
    return new Map(
      rows.map((row) => [
        row.split(",")[0] ?? "",
        row.split(",").at(-1)?.replace(ORIGIN, "") ?? "",
      ]),
    );
  }

  test("shows one button, and unsubscribes its subscriber alone by one POST, which may be repeated", async () => {
    const made = await newsletterPage();
    const [leaver, other] = [await confirmed(made), await confirmed(made)];
    const path = (await linksOf(made)).get(leaver) ?? "";
    expect(path).toMatch(/^\/newsletter\/unsubscribe\?token=nu_[\w-]+\.[\w-]+\.[\w-]{43}$/);
    for (const method of ["GET", "HEAD"]) {
      const asked = await call(path, { method });
      expect([asked.status, asked.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
      const html = await asked.text();
      if (method === "GET")
        expect(html.match(/<form [^>]*>/g)).toEqual([`<form method="post" action="${path}">`]);
    }
    expect((await listOf(made)).total).toBe(2);
    // What mails had for this subscriber is not needed.
    await runInDurableObject(env.SUBSCRIBERS.getByName(made.page_id), (_, { storage }) => {
      storage.sql.exec("DELETE FROM tokens");
    });
    for (let n = 0; n < 2; n += 1) {
      const left = await call(path, {
        method: "POST",
        body: "List-Unsubscribe=One-Click",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      });
      expect(left.status).toBe(200);
      const { subscribers } = await listOf(made);
      expect(subscribers.map(({ email }) => email)).toEqual([other]);
    }
    expect(await (await call(path)).text()).not.toContain("<form");
  });

  test("that is signed wrongly, or as another token is, is 404 and unsubscribes nobody", async () => {
    const [made, elsewhere] = [await newsletterPage(), await newsletterPage()];
    const [email, other] = [await confirmed(made), await confirmed(made)];
    const links = await linksOf(made);
    const [path, theirs] = [links.get(email) ?? "", links.get(other) ?? ""];
    const id = (url: string) => url.split(".")[1] ?? "";
    const for_files = signFileToken(env, made.page_id, id(path)).split(".")[1];
    for (const wrong of [
      path.replace(id(path), id(theirs)),
      path.replace(made.page_id, elsewhere.page_id),
      path.replace(/[^.]+$/, `${for_files}`),
      ...[path.slice(0, -1), `${path}A`, spelledOtherwise(path)],
      "/newsletter/unsubscribe?token=nu_",
    ]) {
      for (const method of ["GET", "POST"]) {
        const refused = await call(wrong, { method });
        expect([wrong, refused.status, (await errorOf(refused)).code]).toEqual([
          ...[wrong, 404, "NOT_FOUND"],
        ]);
      }
    }
    expect((await listOf(made)).total).toBe(2);
  });

  test("works however many of them one mail provider posts, and one link for sixty times a minute", async () => {
    const made = await newsletterPage();
    const email = await confirmed(made);
    const path = (await linksOf(made)).get(email) ?? "";
    const ip = freshAddress();
    const links = unsubscribeLinks(env, made.page_id);
    const others = Array.from({ length: 70 }, (_, n) => links(`other-${n}`)?.replace(ORIGIN, ""));
    for (const other of [...others, path]) {
      expect((await call(other ?? "", { method: "POST", ip })).status).toBe(200);
    }
    expect((await listOf(made)).total).toBe(0);
    const repeated: number[] = [];
    for (let n = 0; n < 130 && repeated.at(-1) !== 429; n += 1) {
      repeated.push((await call(path, { method: "POST", ip })).status);
    }
    expect(repeated.at(-1)).toBe(429);
    expect(repeated.length).toBeGreaterThan(50);
  });

  test("can neither confirm nor open files", async () => {
    const owner = await creator();
    const { file_id } = await upload(owner, bytesOf(100), { type: "application/pdf" });
    const made = await newsletterPage({
      links: [
        { kind: "newsletter", label: { ar: "نشرتي" }, block: {} },
        { kind: "download", label: { ar: "كتابي" }, block: { file_id, access: "subscriber" } },
      ],
    });
    const email = await confirmed(made);
    const path = (await linksOf(made)).get(email) ?? "";
    for (const method of ["GET", "POST"]) {
      const refused = await call(path.replace("unsubscribe", "confirm"), { method });
      expect(refused.status).toBe(410);
    }
    const token = path.split("token=")[1] ?? "";
    const { page_id, page } = made;
    const query = new URLSearchParams({
      ...{ page_id, link_id: page.links[1]?.link_id ?? "", subscriber: token },
    });
    const refused = await visit(`/api/download/${file_id}?${query}`);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "SUBSCRIPTION_REQUIRED"]);
  });

  test("is not there while the deployment has not said its origin", async () => {
    const made = await newsletterPage();
    const email = await confirmed(made);
    vi.spyOn(console, "error").mockImplementation(() => {});
    Object.assign(env, { SITE_ORIGIN: "" });
    expect((await linksOf(made)).get(email)).toBe("");
  });
});

test("a subscriber, and nobody else, gets the files for subscribers from the welcome mail", async () => {
  const owner = await creator();
  const { file_id } = await upload(owner, bytesOf(100), { type: "application/pdf" });
  const made = await newsletterPage({
    links: [
      { kind: "newsletter", label: { ar: "نشرتي" }, block: {} },
      { kind: "download", label: { ar: "كتابي" }, block: { file_id, access: "subscriber" } },
    ],
  });
  const email = await confirmed(made);
  const welcome = await mailTo(made.page_id, email, 2);
  const page = await (await call(linkOf(welcome, "confirm"))).text();
  expect(page).toContain("كتابي");
  const path = /href="(\/api\/download\/[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await visit(await follow(path))).status).toBe(200);
  // S28: who is given the address of the file cannot unsubscribe its subscriber.
  const mail_token = new URL(linkOf(welcome, "confirm"), ORIGIN).searchParams.get("token") ?? "";
  const file_token = new URL(path, ORIGIN).searchParams.get("subscriber") ?? "";
  expect(file_token).toMatch(/^sf_/);
  expect(path).not.toContain(mail_token);
  await call(`/newsletter/unsubscribe?token=${file_token}`, { method: "POST" });
  expect((await listOf(made)).total).toBe(1);
  const without = path.replace(/&subscriber=[^&]+/, "");
  const flipped =
    file_token.slice(0, -2) + (file_token.at(-2) === "A" ? "B" : "A") + file_token.at(-1);
  for (const wrong of [
    "",
    mail_token,
    flipped,
    spelledOtherwise(file_token),
    `${file_token}A`,
    `sf_x.${"a".repeat(43)}`,
    `nl_${made.page_id}.${"a".repeat(43)}`,
  ]) {
    const refused = await visit(`${without}&subscriber=${wrong}`);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "SUBSCRIPTION_REQUIRED"]);
  }
  await call(linkOf(welcome, "unsubscribe"), { method: "POST" });
  expect((await visit(path)).status).toBe(403);
});
