/** F25, S29: mails of a newsletter whose page is taken down between the request and the mail, on the real routes. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOUR_MS } from "../../objects/platform/clock.ts";
import { stopClock } from "./faults.ts";
import { mailsTo } from "./hub-kit.ts";
import { call } from "./kit.ts";
import { freshEmail, linkOf, newsletterPage } from "./newsletter-kit.ts";

/**
 * The platform fires alarms by its own clock. Ahead of it the alarm waits for the test, so that nothing
 * depends on how fast the hub is.
 */
const AHEAD_MS = 12 * HOUR_MS;

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
  clock.advance(AHEAD_MS);
});
afterEach(() => {
  clock.restart();
});

type Made = Awaited<ReturnType<typeof newsletterPage>>;

async function byHub(type: "page.suspended" | "page.reinstated", { page }: Made): Promise<void> {
  const id = `msg_${crypto.randomUUID()}`;
  const data = { user_id: "demo-business", page_id: page.page_id };
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  const response = await call("/api/webhooks/hub", {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
      "webhook-signature": new Webhook(env.HUB_WEBHOOK_SECRET).sign(id, new Date(), body),
    },
  });
  expect(response.status).toBe(200);
}

/** Fires the alarm of the newsletter's object, which deals with requests and sends mails. */
async function alarm({ page_id }: Made): Promise<void> {
  expect(await runDurableObjectAlarm(env.SUBSCRIBERS.getByName(page_id))).toBe(true);
}

test("F25, S29: a page that the hub suspends sends no mail that waits, and sends it when it is published again", async () => {
  const made = await newsletterPage();
  const email = freshEmail();
  expect((await made.subscribe({ email })).status).toBe(202);
  await byHub("page.suspended", made);
  await alarm(made);
  clock.advance(HOUR_MS);
  await alarm(made);
  expect(await mailsTo(email)).toEqual([]);

  await byHub("page.reinstated", made);
  clock.advance(HOUR_MS);
  await alarm(made);
  const [mail] = await mailsTo(email);
  if (mail === undefined) throw new Error("no mail has come");

  // Who confirms meanwhile subscribes; the mail that says so waits.
  await byHub("page.suspended", made);
  expect((await call(linkOf(mail, "confirm"), { method: "POST" })).status).toBe(200);
  await alarm(made);
  expect(await mailsTo(email)).toHaveLength(1);
  await byHub("page.reinstated", made);
  clock.advance(HOUR_MS);
  await alarm(made);
  expect(await mailsTo(email)).toHaveLength(2);
});
