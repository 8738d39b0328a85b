/** Webhooks out: a creator's own server hears of each event, signed (docs/contract.md section 12; F32). */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type {
  Delivery,
  DeliveryDetail,
  Endpoint,
} from "../../../objects/blocks/webhooks/webhook.ts";
import { WEBHOOK_EVENTS } from "../../../objects/blocks/webhooks/webhook.ts";
import type { WebhookSender } from "../../../objects/blocks/webhooks/webhook-sender.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { JOURNAL_KEPT_MAX } from "../../../objects/page/tables/page-tables.ts";
import { WEBHOOK_SENDS_PER_HOUR } from "../../../src/blocks/webhooks/limits.ts";
import { runCron } from "../../../src/cron.ts";
import { senderName } from "../../../src/http/sender.ts";
import { creator, type PageJson } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { type ArrivedHook, hookSecret, hooksOf, hubFault, mendHub } from "../kit/hub-kit.ts";
import { call, errorOf, eventually, pageObject, recordAll, SENDER_KEY } from "../kit/kit.ts";
import { confirmed, linkOf, mailTo, newsletterPage } from "./newsletter-kit.ts";

const RECEIVER = "https://receiver.example/hooks";
const MINUTE_MS = 60_000;

type Creator = Awaited<ReturnType<typeof creator>>;
let owner: Creator;

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  owner = await creator("demo-business");
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

async function endpointsOf(page_id: string): Promise<Endpoint[]> {
  const response = await owner.send("GET", pathOf(page_id));
  return (await response.json<{ webhooks: Endpoint[] }>()).webhooks;
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
      { label: { ar: "آخر" }, url: "https://shop.example/page.css" },
      { label: { ar: "خاص" }, url: "http://192.168.0.1/" },
    ],
  });
  const { page_id } = page;
  await listen(page_id, ["link.down", "link.up"]);
  const clock = stopClock();
  const object = env.WEBHOOKS.getByName(page_id);
  /** Goes from alarm to alarm, until something was told; answers how long that took. */
  const passUntil = async (told: number): Promise<number> => {
    const began = Date.now();
    while ((await deliveriesOf(page_id)).length < told) {
      await runInDurableObject(object, async (sender: WebhookSender, { storage }) => {
        clock.set(Math.max(Date.now(), (await storage.getAlarm()) ?? Number.NaN));
        await sender.alarm();
      });
    }
    return Date.now() - began;
  };
  await hubFault("/hooks", "down");
  expect(await passUntil(1)).toBeGreaterThanOrEqual(30 * MINUTE_MS);
  await mendHub();
  await passUntil(2);
  const [up, down] = await deliveriesOf(page_id);
  expect([up?.type, down?.type]).toEqual(["link.up", "link.down"]);
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
  const mail = await mailTo(made.page_id, email, 2);
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

describe("while the page's object cannot be reached", () => {
  const knownTo = (page_id: string) =>
    runInDurableObject(pageObject(page_id), (_, { storage }) => storage.kv.get("webhooks"));
  const isLost = () =>
    vi.spyOn(PageObject.prototype, "webhooksAre").mockRejectedValue(new Error("unreachable"));

  test("a change is 503, and asked for again it is made once and known there", async () => {
    const { page_id } = await owner.make();
    const input = { url: RECEIVER, events: ["tip.received"] };
    const telling = isLost();
    const refused = await owner.send("POST", pathOf(page_id), input);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([503, "DEPENDENCY_DOWN"]);
    const [made] = await endpointsOf(page_id);
    telling.mockRestore();
    const again = await owner.send("POST", pathOf(page_id), input);
    expect(again.status).toBe(201);
    expect((await again.json<{ webhook: Endpoint }>()).webhook).toEqual(made);
    expect(await knownTo(page_id)).toEqual({ types: ["tip.received"], version: 1 });
    isLost();
    expect((await owner.send("DELETE", `${pathOf(page_id)}/${made?.id}`)).status).toBe(503);
    vi.mocked(PageObject.prototype.webhooksAre).mockRestore();
    expect((await owner.send("DELETE", `${pathOf(page_id)}/${made?.id}`)).status).toBe(404);
    expect(await knownTo(page_id)).toEqual({ types: [], version: 2 });
  });

  test("the list is answered, and brings there what a change could not, as the page of the dashboard does", async () => {
    const { page_id } = await owner.make();
    const { id } = await listen(page_id, ["tip.received"]);
    const looks = [pathOf(page_id), `/dashboard/pages/${page_id}/webhooks`];
    for (const [i, path] of looks.entries()) {
      const telling = isLost();
      const change = { enabled: i === 1 };
      const refused = await owner.send("PATCH", `${pathOf(page_id)}/${id}`, change);
      expect(refused.status).toBe(503);
      expect((await owner.send("GET", path)).status).toBe(200);
      telling.mockRestore();
      expect((await owner.send("GET", path)).status).toBe(200);
      const types = i === 1 ? ["tip.received"] : [];
      await eventually(async () => {
        expect(await knownTo(page_id)).toEqual({ types, version: i + 2 });
      });
    }
  });
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
    const left = (await endpointsOf(page_id)).map(({ id }) => id);
    expect(new Set(left)).toEqual(new Set([made[1]?.id, made[2]?.id]));
  });

  test("changes the secret, and the one before signs too", async () => {
    const { page_id } = await owner.make();
    const before = await listen(page_id);
    const rotated = await owner.send("POST", `${pathOf(page_id)}/${before.id}/secret`);
    const { webhook } = await rotated.json<{ webhook: Endpoint }>();
    expect(webhook.secret).not.toBe(before.secret);
    const sent = await owner.send("POST", `${pathOf(page_id)}/${before.id}/test`);
    expect(sent.status).toBe(202);
    // The receiver knows the old secret alone.
    await arrived(page_id, "webhook.test");
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
    const name = senderName(SENDER_KEY, "webhook\ndemo-free");
    const used = { sender: name, scope: "webhook", limit: WEBHOOK_SENDS_PER_HOUR };
    for (let n = 2; n < WEBHOOK_SENDS_PER_HOUR; n += 1) {
      await env.LIMITER.getByName(name).check({ ...used, window_ms: 60 * MINUTE_MS });
    }
    const tested = await sender.send("POST", `${pathOf(page_id)}/${webhook.id}/test`);
    const { delivery_id } = await tested.json<{ delivery_id: number }>();
    const again = `/api/me/pages/${page_id}/webhook-deliveries/${delivery_id}/send`;
    expect((await sender.send("POST", again)).status).toBe(202);
    const refused = await sender.send("POST", again);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([429, "RATE_LIMITED"]);
    await eventually(async () => {
      const ids = (await hooksOf(page_id)).map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    });
  });

  test("S27: cannot have events sent to an address that may not be called, nor to this service", async () => {
    const { page_id } = await owner.make();
    const { id } = await listen(page_id);
    for (const url of ["https://10.0.0.1/", "https://sila.example/hooks", "not an address"]) {
      for (const response of [
        await owner.send("POST", pathOf(page_id), { url, events: ["link.up"] }),
        await owner.send("PATCH", `${pathOf(page_id)}/${id}`, { url }),
      ]) {
        const { code } = await errorOf(response);
        expect([url, response.status, code]).toEqual([url, 400, "VALIDATION_FAILED"]);
      }
    }
  });
});

test("an endpoint that is gone is switched off, and its owner learns it", async () => {
  const { page_id } = await owner.make({ status: "published", name: { ar: "صفحة" } });
  // The hub answers 410 to a second close of a transfer; any other 410 would do.
  const { id } = await listen(page_id, WEBHOOK_EVENTS, "https://receiver.example/gone");
  await owner.send("POST", `${pathOf(page_id)}/${id}/test`);
  await eventually(async () => {
    expect(await endpointsOf(page_id)).toMatchObject([{ state: "gone" }]);
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
    await endpointsOf(page_id);
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
  expect(await object.wanted()).toEqual({ types: [], version: 0 });
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
