/** S29: what somebody can do to a mailbox, and to the mails of others, with the forms of many pages. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { MAILBOX_PER_DAY, MAILBOX_PER_HOUR } from "../../../objects/mail/mail-budget.ts";
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { stopClock } from "../kit/faults.ts";
import { mailsTo, type SentMail } from "../kit/hub-kit.ts";
import { call, errorOf, freshPage } from "../kit/kit.ts";
import { freshEmail, linkOf, newsletterPage } from "./newsletter-kit.ts";

describe("an IPv6 /48", () => {
  /** An address in a /64 of this /48. */
  const addressIn = (network: string, n: number) => `${network}:${n.toString(16)}::1`;
  /** A /48 that no other test has. */
  const freshNetwork = () =>
    `2001:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}`;

  async function signUps() {
    const { page_id } = await newsletterPage();
    const send = (ip: string, email = freshEmail()) =>
      call("/api/newsletter", { method: "POST", body: JSON.stringify({ page_id, email }), ip });
    const taken = async (network: string, count: number, from = 0) => {
      const ips = Array.from({ length: count }, (_, n) => addressIn(network, from + n));
      const answers = await Promise.all(ips.map((ip) => send(ip)));
      return answers.filter(({ status }) => status === 202).length;
    };
    return { page_id, send, taken };
  }

  test("signs up 120 times a day from all its senders, and another network still may", async () => {
    const clock = stopClock();
    const { send, taken } = await signUps();
    const network = freshNetwork();
    // Each from a /64 of its own, and none near the limit of a sender.
    expect(await taken(network, 200)).toBe(120);
    clock.advance(1_000);
    const refused = await send(addressIn(network, 1_000));
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "86399"]);
    expect((await errorOf(refused)).details).toMatchObject({
      ...{ scope: "newsletter_day", limit: 120, window_s: 86_400, retry_after_s: 86_399 },
    });
    expect(await taken(freshNetwork(), 1)).toBe(1);
    clock.advance(86_399_000);
    expect(await taken(network, 1, 1_000)).toBe(1);
  });

  test("has what a refused sender did not take: a sign-up counts for both or for none", async () => {
    const clock = stopClock();
    const { send, taken } = await signUps();
    const network = freshNetwork();
    const sender = addressIn(network, 1_000);
    const statuses: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      statuses.push((await send(sender)).status);
      // The limit of a minute is not what refuses.
      clock.advance(10_000);
    }
    expect(statuses).toEqual([...Array(30).fill(202), ...Array(30).fill(429)]);
    expect(await taken(network, 100)).toBe(90);
    clock.advance(86_400_000 - 600_000);
    // The sender's first sign-up has left both windows. The network refused the others.
    expect((await send(sender)).status).toBe(202);
  });
});

describe("a mailbox", () => {
  let clock: ReturnType<typeof stopClock>;

  beforeEach(() => {
    clock = stopClock();
    // The platform fires alarms by its own clock. Ahead of it they wait for the test.
    clock.advance(12 * HOUR_MS);
  });

  const alarm = (page_id: string) => runDurableObjectAlarm(env.SUBSCRIBERS.getByName(page_id));

  /** Of a page of its own somebody asks for mails to this address. */
  async function askedPage(email: string): Promise<string> {
    const { page_id } = await freshPage();
    const request = { email, link_id: "news", locale: "en", class: "human", origin: null } as const;
    const from = { site: "https://sila.example", page_name: "Layan" };
    await env.SUBSCRIBERS.getByName(page_id).request({ ...request, ...from });
    return page_id;
  }

  test("in three spellings on two pages gets one mail of each page in an hour, and the answers are alike", async () => {
    const name = `s.ara${crypto.randomUUID().slice(0, 8)}`;
    const spellings = [
      `${name}@gmail.com`,
      `${name}+news@GMAIL.com`,
      `${name.replace(".", "")}@googlemail.com`,
    ];
    const pages = [await newsletterPage(), await newsletterPage()];
    const answers = new Set<string>();
    for (const page of pages) {
      for (const email of spellings) {
        const response = await page.subscribe({ email });
        answers.add(`${response.status} ${await response.text()}`);
      }
    }
    expect([...answers]).toEqual([`202 {"ok":true}`]);
    const arrived = async () => {
      for (const { page_id } of pages) await alarm(page_id);
      const all = spellings.map((email) => email.replace("GMAIL", "gmail"));
      return (await Promise.all(all.map(mailsTo))).flat().length;
    };
    expect(await arrived()).toBe(2);
    clock.advance(HOUR_MS - 1);
    expect(await arrived()).toBe(2);
    clock.advance(1);
    expect(await arrived()).toBe(4);
    clock.advance(HOUR_MS);
    expect(await arrived()).toBe(6);
  });

  test(`gets ${MAILBOX_PER_HOUR} mails of all pages in any hour and ${MAILBOX_PER_DAY} in any day, and the others later or not at all`, async () => {
    const email = freshEmail();
    const pages = await Promise.all(
      Array.from({ length: MAILBOX_PER_DAY + 5 }, (_, n) =>
        askedPage(email.replace("@", `+${n}@`)),
      ),
    );
    const arrived = async () => {
      for (const page_id of pages) await alarm(page_id);
      const all = pages.map((_, n) => mailsTo(email.replace("@", `+${n}@`)));
      return (await Promise.all(all)).flat().length;
    };
    const counts = [await arrived()];
    for (let hour = 0; hour < 3; hour += 1) {
      clock.advance(HOUR_MS - 1);
      counts.push(await arrived());
      clock.advance(1);
      counts.push(await arrived());
    }
    expect(counts).toEqual([4, 4, 8, 8, 10, 10, 10]);
    // A mail is given up a day after it was asked for, which is when the first ones leave the day's window.
    clock.advance(21 * HOUR_MS);
    expect(await arrived()).toBe(MAILBOX_PER_DAY);
    const page_id = await askedPage(email);
    await alarm(page_id);
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test("whose limit refuses does not make other readers of the page wait", async () => {
    const email = freshEmail();
    for (let n = 0; n < MAILBOX_PER_HOUR; n += 1) await alarm(await askedPage(email));
    const page = await newsletterPage();
    const other = freshEmail();
    for (const to of [email, other]) expect((await page.subscribe({ email: to })).status).toBe(202);
    await alarm(page.page_id);
    expect(await mailsTo(other)).toHaveLength(1);
    expect(await mailsTo(email)).toHaveLength(MAILBOX_PER_HOUR);
  });

  test("gets nothing while the key that names its limiter object is missing, and its mail an hour later", async () => {
    const { SENDER_KEY } = env;
    const email = freshEmail();
    env.SENDER_KEY = "";
    const page_id = await askedPage(email);
    await alarm(page_id);
    expect(await mailsTo(email)).toEqual([]);
    env.SENDER_KEY = SENDER_KEY;
    await evictDurableObject(env.SUBSCRIBERS.getByName(page_id));
    clock.advance(HOUR_MS);
    await alarm(page_id);
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test("of a reader who subscribes to two creators gets both confirmations and both welcomes at once", async () => {
    const email = freshEmail();
    for (const page of [await newsletterPage(), await newsletterPage()]) {
      await page.subscribe({ email });
      await alarm(page.page_id);
      const mail = (await mailsTo(email)).find(({ text }) => text.includes(`nl_${page.page_id}.`));
      expect((await call(linkOf(mail as SentMail, "confirm"), { method: "POST" })).status).toBe(
        200,
      );
      await alarm(page.page_id);
    }
    expect(await mailsTo(email)).toHaveLength(4);
  });
});
