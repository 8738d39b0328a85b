/**
 * Webhooks out on disks that lose power, and through days of a virtual clock: what has happened arrives at
 * least once, with one id for ever (docs/contract.md section 12, docs/faults.md F32).
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  DELIVERIES_KEPT,
  KEPT_MS,
  WAITING_MAX,
} from "../../../objects/blocks/webhooks/deliveries.ts";
import { ROTATION_MS } from "../../../objects/blocks/webhooks/endpoints.ts";
import {
  nextAttempt,
  restAfter,
  retryAfter,
} from "../../../objects/blocks/webhooks/retry-schedule.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../../objects/blocks/webhooks/webhook.ts";
import { OUTBOX_MAX } from "../../../objects/page/tables/webhook-outbox.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { atEachStep, START_MS } from "../machine.ts";
import { ANSWER, DOWN, isSigned, LATE, PAGE_ID, World } from "./webhooks-kit.ts";

const URL_A = "https://a.example/hooks";
const URL_B = "https://b.example/hooks";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

async function listen(url = URL_A, events: readonly WebhookEvent[] = WEBHOOK_EVENTS) {
  const endpoint = await world.change((webhooks) => webhooks.create({ url, events: [...events] }));
  if (endpoint === null) throw new Error("there are too many endpoints");
  return endpoint;
}

async function states(): Promise<string[]> {
  const webhooks = await world.sender.awake();
  return webhooks.deliveries(null, 10_000).map(({ state }) => state);
}

describe("power is lost", () => {
  /** The ids of what has happened; the link's has a random part. */
  const HAPPENED = ["tip_1", "subscriber_s1", "view_100"].map((id) => `evt_${PAGE_ID}_${id}`);

  /** One event of each kind, told again by clients that got no answer. */
  async function run(ends_at: readonly number[], loses_answers: boolean): Promise<World> {
    world = new World(ends_at);
    world.links = [{ link_id: "l1", url: "https://shop.example/" }];
    world.link = () => 404;
    let answers = 0;
    world.answer = () => {
      answers += 1;
      return loses_answers && answers <= 2 ? LATE : ANSWER;
    };
    // Asked for again until it is answered, it is one.
    while ((await listen().catch(() => null)) === null) {}
    expect((await world.sender.awake()).list().endpoints).toHaveLength(1);
    await world.pass(2 * SECOND_MS);
    for (let tries = 0; tries < 4; tries += 1) {
      await world.tip("tip_1");
      await world.subscriber("s1");
      await world.milestone(100);
    }
    await world.pass(8 * HOUR_MS);
    const [links, others] = [true, false].map((is_link) =>
      world.ids().filter((id) => id.includes("_link_") === is_link),
    );
    expect(others).toEqual([...HAPPENED].sort());
    expect(links, "one link is down, once").toHaveLength(1);
    const bodies = new Map(world.arrivals.map(({ id, body }) => [id, body]));
    for (const { id, body } of world.arrivals) {
      expect(body, "the same in every attempt").toBe(bodies.get(id));
    }
    expect(new Set(await states())).toEqual(new Set(["delivered"]));
    const [endpoint] = (await world.sender.awake()).list().endpoints;
    for (const arrival of world.arrivals) {
      expect(isSigned(arrival, endpoint?.secret ?? "")).toBe(true);
    }
    return world;
  }

  test.for([false, true])(
    "what has happened arrives, with one id, wherever an object ends; answers are lost: %s",
    { timeout: 120_000 },
    async (loses_answers) => {
      world.close();
      const steps = await atEachStep((ends_at) => run(ends_at, loses_answers), 11);
      expect(steps).toBeGreaterThan(20);
    },
  );
});

describe("what is not taken is sent again", () => {
  test("by the schedule of Standard Webhooks for three days, then never more", async () => {
    await listen();
    world.answer = () => DOWN;
    await world.tip("tip_1");
    await world.pass(10 * DAY_MS);
    const [first = 0, ...more] = world.arrivals.map(({ at }) => at);
    const pauses = more.map((at, i) => at - (more[i - 1] ?? first));
    // Each is shortened by a tenth here: half of the jitter.
    const schedule = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
    const hours = [2, 5, 10, 12, 12, 12, 12].map((n) => n * HOUR_MS);
    const wanted = [...schedule, ...hours].map((ms) => 0.9 * ms);
    for (const [i, pause] of wanted.entries()) {
      expect(pauses[i], `pause ${i}`).toBeGreaterThanOrEqual(pause);
      expect(pauses[i], `pause ${i}`).toBeLessThan(pause + 35 * SECOND_MS);
    }
    const last = more.at(-1) ?? 0;
    expect(last - first).toBeGreaterThanOrEqual(3 * DAY_MS - 2 * SECOND_MS);
    expect(last - first).toBeLessThan(3 * DAY_MS + MINUTE_MS);
    expect(await states()).toEqual(["failed"]);
    expect(world.ids()).toHaveLength(1);
  });

  test("and an endpoint that takes nothing for three days is switched off; its owner is told", async () => {
    await listen();
    world.answer = () => DOWN;
    await world.tip("tip_1");
    await world.pass(DAY_MS);
    await world.tip("tip_2");
    await world.pass(2 * DAY_MS + HOUR_MS);
    const webhooks = await world.sender.awake();
    expect(webhooks.list().endpoints).toMatchObject([{ state: "failing", waiting: 0 }]);
    expect(await states()).toEqual(["failed", "failed"]);
    const before = world.arrivals.length;
    await world.tip("tip_3");
    await world.pass(DAY_MS);
    expect(world.arrivals).toHaveLength(before);
  });

  test("but one success in these days keeps it on", async () => {
    await listen();
    world.answer = ({ id }) => (id.endsWith("tip_1") ? DOWN : ANSWER);
    await world.tip("tip_1");
    await world.pass(DAY_MS);
    await world.tip("tip_2");
    await world.pass(3 * DAY_MS);
    const webhooks = await world.sender.awake();
    expect(webhooks.list().endpoints).toMatchObject([{ state: "on" }]);
    expect(await states()).toEqual(["delivered", "failed"]);
  });

  test("410 switches the endpoint off at once, and gives up what waits", async () => {
    await listen();
    world.answer = () => ({ ...DOWN, status: 410 });
    await world.tip("tip_1");
    await world.pass(MINUTE_MS);
    const webhooks = await world.sender.awake();
    expect(webhooks.list().endpoints).toMatchObject([{ state: "gone", waiting: 0 }]);
    expect(world.arrivals).toHaveLength(1);
  });

  test("Retry-After of 429 and 503 is respected for the whole endpoint, within bounds", async () => {
    await listen();
    world.answer = () => ({ ...DOWN, status: 503, retry_after: "3600" });
    await world.tip("tip_1");
    await world.pass(2 * SECOND_MS);
    await world.tip("tip_2");
    await world.pass(50 * MINUTE_MS);
    expect(world.arrivals).toHaveLength(1);
    world.answer = () => ANSWER;
    await world.pass(20 * MINUTE_MS);
    expect(world.ids()).toHaveLength(2);
  });

  test("by hand, with the same id, also after it was given up", async () => {
    await listen();
    world.answer = () => ({ ...DOWN, status: 404 });
    await world.tip("tip_1");
    await world.pass(MINUTE_MS);
    world.answer = () => ANSWER;
    const webhooks = await world.sender.awake();
    expect(await webhooks.sendAgain(1)).toBe(1);
    await world.pass(MINUTE_MS);
    expect(world.ids()).toHaveLength(1);
    expect(webhooks.deliveries(null, 10)).toMatchObject([{ state: "delivered" }]);
    const detail = await webhooks.delivery(1);
    expect(detail?.attempts.map(({ outcome }) => outcome)).toContain("delivered");
    expect(await webhooks.sendAgain(2)).toBeNull();
  });
});

describe("which events are wanted", () => {
  const stored = () => world.page.rows("SELECT seq FROM webhook_outbox").length;

  test("the page's object learns by the same change again, where the first did not reach it", async () => {
    const webhooks = await world.sender.awake();
    const endpoint = await webhooks.create({ url: URL_A, events: [...WEBHOOK_EVENTS] });
    await world.tip("tip_1");
    expect(await world.known()).toEqual([]);
    expect(await listen()).toEqual(endpoint);
    await world.tip("tip_2");
    await world.pass(MINUTE_MS);
    expect(world.ids()).toEqual([`evt_${PAGE_ID}_tip_2`]);
  });

  test("follows the last change, in whatever order they come", async () => {
    const { id } = await listen(URL_A, ["tip.received"]);
    const webhooks = await world.sender.awake();
    const events: WebhookEvent[] = ["milestone.reached"];
    await webhooks.change(id, { enabled: false });
    const first = webhooks.wanted();
    await webhooks.change(id, { enabled: true, events });
    const last = webhooks.wanted();
    await world.tell(last);
    await world.tell(first);
    expect(await world.known()).toEqual(events);
    await webhooks.change(id, { url: URL_B });
    expect(webhooks.wanted(), "an address wants nothing else").toEqual(last);
  });

  test("the answer to the next news says it, where an endpoint was switched off since", async () => {
    await listen();
    world.answer = () => ({ ...DOWN, status: 410 });
    await world.tip("tip_1");
    await world.pass(MINUTE_MS);
    await world.tip("tip_2");
    expect([await world.known(), stored()]).not.toEqual([[], 0]);
    await world.pass(MINUTE_MS);
    await world.tip("tip_3");
    expect([await world.known(), stored()]).toEqual([[], 0]);
    expect(world.arrivals).toHaveLength(1);
  });
});

test("a slow endpoint does not hold up another, and gets two requests at once", async () => {
  await listen(URL_A);
  await listen(URL_B);
  let hanging = 0;
  world.answer = ({ url }) => {
    if (url === URL_B) return ANSWER;
    hanging += 1;
    return new Promise(() => {});
  };
  for (let n = 0; n < 20; n += 1) await world.tip(`tip_${n}`);
  const { outbox } = await world.page.awake();
  world.now_ms += 2 * SECOND_MS;
  await outbox.deliver();
  await expect
    .poll(() => world.arrivals.filter(({ url }) => url === URL_B).length, { timeout: 10_000 })
    .toBe(20);
  expect(hanging).toBe(2);
});

describe("a flood", () => {
  test("is bounded before the endpoint, and what is dropped is counted", async () => {
    await listen();
    world.answer = () => DOWN;
    const batch = (from: number) =>
      Array.from({ length: 100 }, (_, i) => ({
        seq: from + i + 1,
        id: `tip_${from + i}`,
        type: "tip.received" as const,
        at: START_MS,
        data: {},
      }));
    const webhooks = await world.sender.awake();
    for (let from = 0; from < 10_000; from += 100) {
      await webhooks.take({ news: batch(from), dropped: 0 });
      // Repeated, as after an answer that was lost.
      await webhooks.take({ news: batch(from), dropped: 0 });
    }
    const [endpoint] = webhooks.list().endpoints;
    expect(endpoint?.waiting).toBe(WAITING_MAX);
    expect(endpoint?.dropped).toBe(10_000 - WAITING_MAX);
    expect(await states()).toHaveLength(WAITING_MAX);
  });

  test("is bounded in the page's object while the other does not answer", async () => {
    await listen();
    for (let n = 0; n < OUTBOX_MAX + 50; n += 1) {
      await world.page.call(async ({ outbox, storage }) => {
        const at = world.now_ms;
        const tip = { from_id: "u", from_name: "Mara", points: 1, message: "", at };
        const base = { link_id: "jar", class: "human" as const, origin: null };
        storage.transactionSync(() => outbox.converted([{ ...base, id: `tip_${n}`, tip }], at));
      });
    }
    await world.pass(DAY_MS);
    const { dropped, endpoints } = (await world.sender.awake()).list();
    expect(dropped).toBe(50);
    expect(world.ids().length + (endpoints[0]?.dropped ?? 0)).toBe(OUTBOX_MAX);
  });

  test("of settled deliveries leaves the newest, and none after 30 days", async () => {
    await listen();
    const webhooks = await world.sender.awake();
    const COUNT = DELIVERIES_KEPT + 500;
    for (let n = 0; n < COUNT; n += 1) {
      const news = {
        seq: n + 1,
        id: `tip_${n}`,
        type: "tip.received" as const,
        at: START_MS,
        data: {},
      };
      await webhooks.take({ news: [news], dropped: 0 });
      if (n % 500 === 0) await world.pass(MINUTE_MS);
    }
    await world.pass(2 * HOUR_MS);
    expect(world.ids()).toHaveLength(COUNT);
    expect((await states()).length).toBeLessThanOrEqual(DELIVERIES_KEPT);
    await world.pass(KEPT_MS + DAY_MS);
    expect(await states()).toEqual([]);
  }, 60_000);
});

test("for a day after a new secret there are two signatures, then one", async () => {
  const { id, secret } = await listen();
  const webhooks = await world.sender.awake();
  const rotated = await webhooks.rotate(id);
  await world.tip("tip_1");
  await world.pass(MINUTE_MS);
  await world.pass(ROTATION_MS);
  await world.tip("tip_2");
  await world.pass(MINUTE_MS);
  const [during, after] = world.arrivals;
  if (during === undefined || after === undefined) throw new Error("something did not arrive");
  expect([secret, rotated?.secret ?? ""].map((one) => isSigned(during, one))).toEqual([true, true]);
  expect([secret, rotated?.secret ?? ""].map((one) => isSigned(after, one))).toEqual([false, true]);
});

test("a clock that was set back makes nothing wait for longer than its schedule", async () => {
  await listen();
  world.answer = () => DOWN;
  await world.tip("tip_1");
  await world.pass(MINUTE_MS);
  world.now_ms -= 30 * DAY_MS;
  world.answer = () => ANSWER;
  // The platform fires an alarm by its own clock.
  await (await world.sender.awake()).onAlarm();
  await world.pass(13 * HOUR_MS);
  expect(await states()).toEqual(["delivered"]);
});

describe("a link", () => {
  beforeEach(async () => {
    world.links = [{ link_id: "l1", url: "https://shop.example/" }];
    await listen(URL_A, ["link.down", "link.up"]);
  });
  const types = () => world.arrivals.map(({ body }) => JSON.parse(body).type);

  test.for([404, 500, "unreachable"] as const)(
    "is down after half an hour of %s, told once",
    async (answer) => {
      world.link = () => answer;
      await world.pass(25 * MINUTE_MS);
      expect(types()).toEqual([]);
      await world.pass(3 * DAY_MS);
      expect(types()).toEqual(["link.down"]);
      world.link = () => 200;
      await world.pass(DAY_MS);
      expect(types()).toEqual(["link.down", "link.up"]);
    },
  );

  test.for([200, 301, 403, 429, null] as const)("is not down by %s", async (answer) => {
    world.link = () => answer;
    await world.pass(3 * DAY_MS);
    expect(types()).toEqual([]);
  });

  test("that fails now and then is not down", async () => {
    let looks = 0;
    world.link = () => {
      looks += 1;
      return looks % 3 === 0 ? 200 : 500;
    };
    await world.pass(3 * DAY_MS);
    expect(types()).toEqual([]);
  });

  test("is looked at four times a day, and no more once it has left the page or nobody listens", async () => {
    let looks = 0;
    world.link = () => {
      looks += 1;
      return 200;
    };
    await world.pass(DAY_MS);
    expect(looks).toBeGreaterThan(2);
    expect(looks).toBeLessThan(7);
    world.links = [];
    await world.pass(7 * HOUR_MS);
    const before = looks;
    await world.pass(2 * DAY_MS);
    expect(looks).toBe(before);
    world.links = [{ link_id: "l2", url: "https://other.example/" }];
    await world.pass(DAY_MS);
    expect(looks).toBeGreaterThan(before);
    const webhooks = await world.sender.awake();
    const [endpoint] = webhooks.list().endpoints;
    await webhooks.change(endpoint?.id ?? "", { events: ["tip.received"] });
    const then = looks;
    await world.pass(2 * DAY_MS);
    expect(looks).toBe(then);
    expect(world.sender.disk.alarm).toBeNull();
  });
});

describe("the schedule", () => {
  const failed = { now: 0, tries: 1, until: 3 * DAY_MS, retry_after_ms: 0, random: 0 };

  test("is shortened by a fifth at most, and the last attempt is after three days", () => {
    expect(nextAttempt(failed)).toBe(5 * SECOND_MS);
    expect(nextAttempt({ ...failed, random: 0.999_999 })).toBeGreaterThanOrEqual(4 * SECOND_MS);
    expect(nextAttempt({ ...failed, now: 3 * DAY_MS - 1, tries: 9 })).toBe(3 * DAY_MS);
    expect(nextAttempt({ ...failed, now: 3 * DAY_MS })).toBeNull();
  });

  test.for([
    [null, 0],
    ["120", 120_000],
    ["-5", 0],
    ["999999999", 12 * HOUR_MS],
    ["Thu, 01 Jan 1970 00:10:00 GMT", 600_000],
    ["soon", 0],
  ] as const)("reads Retry-After %s", ([header, ms]) => {
    expect(retryAfter(header, 0)).toBe(ms);
  });

  test("an endpoint rests from its fifth failure on, an hour at most", () => {
    expect([1, 4, 5, 6, 30].map((failures) => restAfter(failures, 0))).toEqual([
      0,
      0,
      MINUTE_MS,
      2 * MINUTE_MS,
      HOUR_MS,
    ]);
    expect(restAfter(1, 2 * HOUR_MS)).toBe(2 * HOUR_MS);
  });
});
