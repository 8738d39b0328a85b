/** Webhooks out: a creator's own server hears of each event, signed (docs/contract.md section 12; F32). */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JOURNAL_KEPT_MAX } from "../../objects/tables/page-tables.ts";
import type { Delivery, DeliveryDetail, Endpoint } from "../../objects/webhooks/webhook.ts";
import { WEBHOOK_EVENTS } from "../../objects/webhooks/webhook.ts";
import type { WebhookSender } from "../../objects/webhooks/webhook-sender.ts";
import { runCron } from "../../src/cron.ts";
import { WEBHOOK_SENDS_PER_HOUR } from "../../src/http/limits.ts";
import { creator, type PageJson } from "./authoring-kit.ts";
import { stopClock } from "./faults.ts";
import { type ArrivedHook, hookSecret, hooksOf, hubFault, mendHub } from "./hub-kit.ts";
import { call, errorOf, eventually, pageObject, recordAll } from "./kit.ts";
import { confirmed, linkOf, mailTo, newsletterPage } from "./newsletter-kit.ts";

const RECEIVER = "https://receiver.example/hooks";
const MINUTE_MS = 60_000;

type Creator = Awaited<ReturnType<typeof creator>>;
let owner: Creator;

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  owner = await creator("demo-business");
});
afterEach(async () => {
  await mendHub();
});

const pathOf = (page_id: string) => `/api/me/pages/${page_id}/webhooks`;

/** Adds an endpoint; the receiver gets its secret. */
async function listen(
  page_id: string,
  events: readonly string[] = WEBHOOK_EVENTS,
  url = RECEIVER,
): Promise<Endpoint> {
  const response = await owner.send("POST", pathOf(page_id), { url, events });
  expect(response.status).toBe(201);
  const { webhook } = await response.json<{ webhook: Endpoint }>();
  await hookSecret(webhook.secret);
  return webhook;
}

/** What arrived of this kind, when it has; each was signed. */
function arrived(
  page_id: string,
  type: string,
  n = 1,
): Promise<(ArrivedHook & { data: Record<string, unknown> })[]> {
  return eventually(async () => {
    const hooks = (await hooksOf(page_id)).filter(({ body }) => JSON.parse(body).type === type);
    expect(hooks).toHaveLength(n);
    expect(hooks.every(({ is_verified }) => is_verified === 1)).toBe(true);
    return hooks.map((hook) => ({ ...hook, data: JSON.parse(hook.body).data }));
  });
}

async function deliveriesOf(page_id: string): Promise<Delivery[]> {
  const response = await owner.send("GET", `/api/me/pages/${page_id}/webhook-deliveries`);
  expect(response.status).toBe(200);
  return (await response.json<{ deliveries: Delivery[] }>()).deliveries;
}

async function detailOf(page_id: string, id: number): Promise<DeliveryDetail> {
  const response = await owner.send("GET", `/api/me/pages/${page_id}/webhook-deliveries/${id}`);
  expect(response.status).toBe(200);
  return (await response.json<{ delivery: DeliveryDetail }>()).delivery;
}

const JAR = { kind: "tip", label: { ar: "إكرامية" }, block: { amounts: [5, 10] } };

async function tipTo({ page_id }: PageJson, message = ""): Promise<string> {
  const tipper = await creator("demo-pro");
  const response = await tipper.send(
    "POST",
    "/api/tip",
    { page_id, points: 1, message },
    { "Idempotency-Key": `key-${crypto.randomUUID()}` },
  );
  expect(response.status).toBe(201);
  return (await response.json<{ tip: { id: string } }>()).tip.id;
}

function humans(n: number) {
  return Array.from({ length: n }, () => ({
    key: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
    link_id: "",
    class: "human" as const,
    visitor: null,
    origin: null,
  }));
}

describe("an endpoint hears of", () => {
  test("a tip, with its message and its sender's name", async () => {
    const page = await owner.make({ status: "published", links: [JAR] });
    await listen(page.page_id);
    const tip_id = await tipTo(page, "شكرًا <b>");
    const [hook] = await arrived(page.page_id, "tip.received");
    expect(hook?.id).toBe(`evt_${page.page_id}_${tip_id}`);
    expect(hook?.data).toMatchObject({ tip_id, points: 1, message: "شكرًا <b>" });
    expect(hook?.body).not.toContain("from_id");
    expect(await deliveriesOf(page.page_id)).toMatchObject([{ state: "delivered", tries: 1 }]);
  });

  test("a confirmed subscriber with their address, and not of one who has not confirmed", async () => {
    const made = await newsletterPage();
    await listen(made.page_id);
    const email = await confirmed(made);
    const [hook] = await arrived(made.page_id, "subscriber.confirmed");
    expect(hook?.data).toMatchObject({ email, locale: "ar" });
    expect(hook?.id).toBe(`evt_${made.page_id}_subscriber_${hook?.data.subscriber_id}`);
  });

  test("a milestone, once", async () => {
    const page = await owner.make({ status: "published" });
    const { page_id } = page;
    await listen(page_id);
    for (const n of [100, JOURNAL_KEPT_MAX]) {
      await recordAll(page_id, humans(n));
      await pageObject(page_id).flush();
      await runDurableObjectAlarm(pageObject(page_id));
    }
    const [hook] = await arrived(page_id, "milestone.reached");
    expect(hook?.id).toBe(`evt_${page_id}_view_100`);
    expect(hook?.data).toMatchObject({ counted: "view", n: 100 });
  });

  test("nothing that it has not chosen, and pages without endpoints store nothing of it", async () => {
    const page = await owner.make({ status: "published", links: [JAR] });
    await listen(page.page_id, ["link.down"]);
    const silent = await owner.make({ status: "published", links: [JAR] });
    for (const { page_id } of [page, silent]) {
      await tipTo({ ...page, page_id });
      await runDurableObjectAlarm(pageObject(page_id));
      const stored = await runInDurableObject(pageObject(page_id), (_, { storage }) => [
        ...storage.sql.exec("SELECT name FROM sqlite_schema WHERE name = 'webhook_outbox'"),
        ...storage.kv.list({ prefix: "webhook_outbox" }),
      ]);
      expect(stored).toEqual([]);
    }
    expect(await deliveriesOf(page.page_id)).toEqual([]);
    const none = await runInDurableObject(
      env.WEBHOOKS.getByName(silent.page_id),
      (_, { storage }) => [...storage.kv.list()],
    );
    expect(none).toEqual([]);
  });
});

test("a link that does not answer for half an hour is told once, and that it is back, once", async () => {
  const page = await owner.make({
    status: "published",
    links: [
      { label: { ar: "رابط" }, url: "https://shop.example/hooks" },
      { label: { ar: "آخر" }, url: "https://shop.example/hub.css" },
      { label: { ar: "خاص" }, url: "http://192.168.0.1/" },
    ],
  });
  const { page_id } = page;
  await listen(page_id, ["link.down", "link.up"]);
  const clock = stopClock();
  const object = env.WEBHOOKS.getByName(page_id);
  /** Passes the time in steps, so that the alarm finds all that is due. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 5) {
      clock.advance(5 * MINUTE_MS);
      await runInDurableObject(object, (sender: WebhookSender) => sender.alarm());
    }
  };
  await pass(20);
  await hubFault("/hooks", "down");
  let told = await deliveriesOf(page_id);
  let minutes = 0;
  for (; told.length === 0 && minutes < 8 * 60; minutes += 5) {
    await pass(5);
    told = await deliveriesOf(page_id);
  }
  expect(told).toMatchObject([{ type: "link.down" }]);
  expect(minutes).toBeGreaterThanOrEqual(30);
  await mendHub();
  await pass(6 * 60 + 30);
  const [up, down] = await deliveriesOf(page_id);
  expect(up).toMatchObject({ type: "link.up", state: "delivered" });
  expect(down).toMatchObject({ type: "link.down", state: "delivered" });
  const { payload } = await detailOf(page_id, down?.id ?? 0);
  expect(JSON.parse(payload ?? "").data).toMatchObject({
    link_id: page.links[0]?.link_id,
    url: "https://shop.example/hooks",
    status: 503,
  });
  clock.restart();
});

test("the address of a subscriber who has left is sent no more, and shown no more", async () => {
  const made = await newsletterPage();
  await listen(made.page_id);
  await hubFault("/hooks", "down");
  const email = await confirmed(made);
  await eventually(async () => expect(await deliveriesOf(made.page_id)).toHaveLength(1));
  const mail = await mailTo(email, 2);
  const left = await call(linkOf(mail, "unsubscribe"), { method: "POST" });
  expect(left.status).toBe(200);
  await mendHub();
  const [waiting] = await deliveriesOf(made.page_id);
  const id = waiting?.id ?? 0;
  const again = `/api/me/pages/${made.page_id}/webhook-deliveries/${id}/send`;
  expect((await owner.send("POST", again)).status).toBe(202);
  await eventually(async () => {
    const { attempts, payload, state } = await detailOf(made.page_id, id);
    expect({ outcome: attempts[0]?.outcome, payload, state }).toEqual({
      outcome: "left",
      payload: null,
      state: "failed",
    });
  });
  expect(await hooksOf(made.page_id)).toEqual([]);
  const stored = await runInDurableObject(env.WEBHOOKS.getByName(made.page_id), (_, { storage }) =>
    JSON.stringify([
      ...storage.sql.exec("SELECT * FROM deliveries"),
      ...storage.sql.exec("SELECT * FROM attempts"),
    ]),
  );
  expect(stored).not.toContain(email);
});

describe("the owner", () => {
  test("has three endpoints at most, each with a secret of its own", async () => {
    const { page_id } = await owner.make();
    const urls = ["?1", "?2", "?3"].map((query) => RECEIVER + query);
    const made = await Promise.all(urls.map((url) => listen(page_id, WEBHOOK_EVENTS, url)));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(3);
    const fourth = await owner.send("POST", pathOf(page_id), {
      url: RECEIVER,
      events: ["link.up"],
    });
    expect([fourth.status, (await errorOf(fourth)).code]).toEqual([403, "PLAN_LIMIT"]);
    expect((await owner.send("DELETE", `${pathOf(page_id)}/${made[0]?.id}`)).status).toBe(200);
    const listed = await owner.send("GET", pathOf(page_id));
    const { webhooks } = await listed.json<{ webhooks: Endpoint[] }>();
    expect(new Set(webhooks.map(({ id }) => id))).toEqual(new Set([made[1]?.id, made[2]?.id]));
  });

  test("changes the secret, and the one before signs too for a day", async () => {
    const { page_id } = await owner.make();
    const before = await listen(page_id);
    const rotated = await owner.send("POST", `${pathOf(page_id)}/${before.id}/secret`);
    const { webhook } = await rotated.json<{ webhook: Endpoint }>();
    expect(webhook.secret).not.toBe(before.secret);
    const test = () => owner.send("POST", `${pathOf(page_id)}/${before.id}/test`);
    // The receiver knows the old secret alone.
    expect((await test()).status).toBe(202);
    await arrived(page_id, "webhook.test");
    await runInDurableObject(env.WEBHOOKS.getByName(page_id), (_, { storage }) => {
      storage.sql.exec("UPDATE endpoints SET old_until = ?1", Date.now() - 1);
    });
    expect((await test()).status).toBe(202);
    await eventually(async () => {
      const hooks = await hooksOf(page_id);
      expect(hooks.map(({ is_verified }) => is_verified)).toEqual([1, 0]);
    });
  });

  test("switches an endpoint off and on; what is off gets no test", async () => {
    const { page_id } = await owner.make();
    const { id } = await listen(page_id);
    const path = `${pathOf(page_id)}/${id}`;
    expect((await owner.send("PATCH", path, { enabled: false })).status).toBe(200);
    const refused = await owner.send("POST", `${path}/test`);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([409, "WEBHOOK_OFF"]);
    expect((await owner.send("PATCH", path, { enabled: true })).status).toBe(200);
    expect((await owner.send("POST", `${path}/test`)).status).toBe(202);
    await arrived(page_id, "webhook.test");
  });

  test("sends by hand so often in an hour, exactly, and a repetition has the same id", async () => {
    const sender = await creator("demo-free");
    const { page_id } = await sender.make();
    const made = await sender.send("POST", pathOf(page_id), { url: RECEIVER, events: ["link.up"] });
    const { webhook } = await made.json<{ webhook: Endpoint }>();
    const tested = await sender.send("POST", `${pathOf(page_id)}/${webhook.id}/test`);
    const { delivery_id } = await tested.json<{ delivery_id: number }>();
    const again = `/api/me/pages/${page_id}/webhook-deliveries/${delivery_id}/send`;
    for (let n = 1; n < WEBHOOK_SENDS_PER_HOUR; n += 1) {
      expect((await sender.send("POST", again)).status).toBe(202);
    }
    const refused = await sender.send("POST", again);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([429, "RATE_LIMITED"]);
    await eventually(async () => expect((await hooksOf(page_id)).length).toBeGreaterThan(1));
    expect(new Set((await hooksOf(page_id)).map(({ id }) => id)).size).toBe(1);
  });

  test.each([
    "http://receiver.example/",
    "https://user:pass@receiver.example/",
    "https://receiver.example:22/",
    "https://10.0.0.1/",
    "https://2130706434/",
    "https://[::ffff:10.0.0.1]/",
    "https://router.local/",
    "https://receiver/",
    "https://sila.example/hooks",
    "ftp://receiver.example/",
    "not an address",
  ])("S27: cannot have events sent to %s", async (url) => {
    const { page_id } = await owner.make();
    const response = await owner.send("POST", pathOf(page_id), { url, events: ["link.up"] });
    expect([response.status, (await errorOf(response)).code]).toEqual([400, "VALIDATION_FAILED"]);
  });
});

test("a suspended page sends nothing, and goes on where it stopped", async () => {
  const { page_id } = await owner.make({ status: "published" });
  const { id } = await listen(page_id);
  const set = (status: string) =>
    env.DB.prepare("UPDATE pages SET status = ?2 WHERE page_id = ?1").bind(page_id, status).run();
  await set("suspended");
  const clock = stopClock();
  await owner.send("POST", `${pathOf(page_id)}/${id}/test`);
  clock.advance(5 * MINUTE_MS);
  await runDurableObjectAlarm(env.WEBHOOKS.getByName(page_id));
  expect(await deliveriesOf(page_id)).toMatchObject([{ state: "waiting", tries: 0 }]);
  await set("published");
  clock.advance(20 * MINUTE_MS);
  await runDurableObjectAlarm(env.WEBHOOKS.getByName(page_id));
  expect(await deliveriesOf(page_id)).toMatchObject([{ state: "delivered" }]);
  clock.restart();
});

test("an endpoint that is gone is switched off, and its owner learns it", async () => {
  const { page_id } = await owner.make({ status: "published", name: { ar: "صفحة" } });
  // The hub answers 410 to a second close of a transfer; any other 410 would do.
  await listen(page_id, WEBHOOK_EVENTS, "https://receiver.example/gone");
  const [{ id } = { id: "" }] = (
    await (
      await owner.send("GET", pathOf(page_id))
    ).json<{
      webhooks: Endpoint[];
    }>()
  ).webhooks;
  await owner.send("POST", `${pathOf(page_id)}/${id}/test`);
  await eventually(async () => {
    const listed = await owner.send("GET", pathOf(page_id));
    const { webhooks } = await listed.json<{ webhooks: Endpoint[] }>();
    expect(webhooks).toMatchObject([{ state: "gone" }]);
    await runDurableObjectAlarm(env.WEBHOOKS.getByName(page_id));
    const told = await owner.send("GET", "/api/me/notifications");
    const { notifications } = await told.json<{ notifications: Record<string, string>[] }>();
    const mine = notifications.filter(({ url }) => url === `/dashboard/pages/${page_id}/webhooks`);
    expect(mine).toMatchObject([{ kind: "webhook" }]);
    expect(mine[0]?.text_en).toContain("receiver.example");
    expect(mine[0]?.text_en).toContain("410 Gone");
  });
  // Its page's object writes nothing for it any more.
  await eventually(async () => {
    const known = await runInDurableObject(pageObject(page_id), (_, { storage }) =>
      storage.kv.get<{ types: string[] }>("webhooks"),
    );
    expect(known?.types).toEqual([]);
  });
});

test("with its page end its endpoints, its deliveries and its notices (F25)", async () => {
  const { page_id, version } = await owner.make({ status: "published" });
  const { id } = await listen(page_id);
  await owner.send("POST", `${pathOf(page_id)}/${id}/test`);
  await arrived(page_id, "webhook.test");
  await env.DB.prepare("INSERT INTO disabled_webhooks VALUES (?1, 'n', 'h', 'gone', 0)")
    .bind(page_id)
    .run();
  await owner.remove({ page_id, version });
  await env.DB.prepare("UPDATE pages SET ends_at = 1 WHERE page_id = ?1").bind(page_id).run();
  await runCron(env, 1);
  const object = env.WEBHOOKS.getByName(page_id);
  expect(await object.list()).toEqual({ endpoints: [], dropped: 0 });
  const stored = await runInDurableObject(object, async (_, { storage }) => ({
    keys: [...storage.kv.list()].map(([key]) => key),
    alarm: await storage.getAlarm(),
  }));
  expect(stored).toEqual({ keys: ["ended"], alarm: null });
  // What is still on its way is ignored.
  await object.take({
    news: [{ seq: 1, id: "view_100", type: "milestone.reached", at: 0, data: {} }],
    dropped: 0,
  });
  expect(await object.create({ url: RECEIVER, events: ["link.up"] })).toBeNull();
  expect(await object.deliveries(null, 10)).toEqual([]);
  const { results } = await env.DB.prepare("SELECT * FROM disabled_webhooks WHERE page_id = ?1")
    .bind(page_id)
    .all();
  expect(results).toEqual([]);
});

test("the end of a page that was cut off is finished by its repetition, and nothing begins after it", async () => {
  const { page_id } = await owner.make({ status: "published" });
  const notices = () =>
    env.DB.prepare("SELECT id FROM disabled_webhooks WHERE page_id = ?1").bind(page_id).all();
  await env.DB.prepare("INSERT INTO disabled_webhooks VALUES (?1, 'n', 'h', 'gone', 0)")
    .bind(page_id)
    .run();
  // As if the object had ended when all was deleted, before it noted that.
  const object = env.WEBHOOKS.getByName(page_id);
  await object.end();
  expect((await notices()).results).toEqual([]);
  expect(await object.create({ url: RECEIVER, events: ["link.up"] })).toBeNull();
});
