/**
 * Webhooks out where owners, receivers and what they need do what nobody expects (docs/contract.md section 12,
 * docs/faults.md F32).
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WEBHOOK_EVENTS } from "../../../objects/blocks/webhooks/webhook.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { ANSWER, DOWN, isSigned, World } from "./webhooks-kit.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

async function listen() {
  const webhooks = await world.sender.awake();
  const events = [...WEBHOOK_EVENTS];
  const endpoint = await world.change((webhooks) =>
    webhooks.create({ url: "https://a.example/hooks", events }),
  );
  if (endpoint === null) throw new Error("there are too many endpoints");
  return { webhooks, endpoint };
}

const typeOf = ({ body }: { body: string }) => JSON.parse(body).type;

describe("what an owner sends by hand", () => {
  test("goes before all that waits, so that its answer is seen while the endpoint fails", async () => {
    const { webhooks, endpoint } = await listen();
    world.answer = () => DOWN;
    for (let n = 0; n < 30; n += 1) await world.tip(`tip_${n}`);
    await world.pass(10 * SECOND_MS);
    const before = world.arrivals.length;
    await webhooks.sendTest(endpoint.id);
    await world.pass(SECOND_MS);
    expect(world.arrivals.slice(before).map(typeOf)).toEqual(["webhook.test"]);
    await webhooks.sendAgain(30);
    await world.pass(SECOND_MS);
    expect(world.arrivals.at(-1)?.id).toBe(webhooks.deliveries(null, 2)[1]?.event_id);
    expect(world.arrivals).toHaveLength(before + 2);
  });
});

test("an endpoint that rests is asked by one request at a time whether it is back", async () => {
  await listen();
  world.answer = () => DOWN;
  for (let n = 0; n < 30; n += 1) await world.tip(`tip_${n}`);
  await world.pass(10 * SECOND_MS);
  const begun = world.arrivals.length;
  await world.pass(3 * HOUR_MS);
  const asked = world.arrivals.slice(begun).map(({ at }) => at);
  expect(asked.length).toBeGreaterThan(5);
  expect(new Set(asked).size).toBe(asked.length);
  world.answer = () => ANSWER;
  await world.pass(HOUR_MS + MINUTE_MS);
  expect(world.ids(), "one success ends the rest").toHaveLength(30);
});

test("an answer that repeats a subscriber's address is not kept", async () => {
  const { webhooks } = await listen();
  world.answer = ({ body }) => ({ ...DOWN, answer: body });
  await world.subscriber("s1");
  await world.tip("tip_1");
  await world.pass(MINUTE_MS);
  const details = await Promise.all([1, 2].map((seq) => webhooks.delivery(seq)));
  const answers = details.map((detail) => detail?.attempts.map(({ answer }) => answer).join());
  expect(world.arrivals.some(({ body }) => body.includes("s1@example.com"))).toBe(true);
  expect(answers[0]).toMatch(/^,*$/);
  expect(answers[1]).toContain("tip_1");
});

test("a newsletter's object that never answers holds up no other event for long", async () => {
  await listen();
  world.newsletterHangs = true;
  await world.subscriber("s1");
  await world.tip("tip_1");
  const passing = world.pass(20 * SECOND_MS);
  expect(await world.endsInTime(passing), "the alarm comes to its end").toBe(true);
  expect(world.arrivals.map(typeOf)).toEqual(["tip.received"]);
  world.newsletterHangs = false;
  await world.pass(MINUTE_MS);
  expect(world.arrivals.map(typeOf)).toEqual(["tip.received", "subscriber.confirmed"]);
});

describe("the three days of a delivery", () => {
  const interruptions: Record<string, () => Promise<void>> = {
    "a suspension": async () => {
      world.status = "suspended";
      await world.pass(5 * DAY_MS);
      expect(world.arrivals, "nothing is sent meanwhile").toEqual([]);
      world.status = "published";
    },
    "a D1 that fails": async () => {
      world.d1Fails = true;
      await world.pass(MINUTE_MS);
      // Five days of such minutes.
      world.now_ms += 5 * DAY_MS;
      await world.pass(MINUTE_MS);
      expect(world.arrivals, "nothing is sent meanwhile").toEqual([]);
      world.d1Fails = false;
    },
  };

  test.for(Object.entries(interruptions))("do not pass during %s", async ([, interrupt]) => {
    const { webhooks } = await listen();
    world.answer = () => DOWN;
    world.status = "suspended";
    await world.tip("tip_1");
    await world.pass(MINUTE_MS);
    expect(world.arrivals).toEqual([]);
    world.status = "published";
    await interrupt();
    await world.pass(2 * HOUR_MS);
    expect(webhooks.list().endpoints).toMatchObject([{ state: "on", waiting: 1 }]);
    world.answer = () => ANSWER;
    await world.pass(DAY_MS);
    expect(webhooks.deliveries(null, 1)).toMatchObject([{ state: "delivered" }]);
  });

  test("end all the same, with the endpoint, if nothing arrives after the interruption", async () => {
    const { webhooks } = await listen();
    world.answer = () => DOWN;
    world.status = "suspended";
    await world.tip("tip_1");
    await world.pass(5 * DAY_MS);
    world.status = "published";
    await world.pass(3 * DAY_MS + HOUR_MS);
    expect(webhooks.deliveries(null, 1)).toMatchObject([{ state: "failed" }]);
    expect(webhooks.list().endpoints).toMatchObject([{ state: "failing" }]);
  });
});

test("an endpoint that is on is not added again, however late an answer was lost; one that is off is another", async () => {
  const { webhooks, endpoint } = await listen();
  await world.pass(DAY_MS);
  expect((await listen()).endpoint).toEqual(endpoint);
  const other = await webhooks.create({ url: endpoint.url, events: ["link.up"] });
  expect(other?.id).not.toBe(endpoint.id);
  await webhooks.change(endpoint.id, { enabled: false });
  expect((await listen()).endpoint.secret).not.toBe(endpoint.secret);
  expect(webhooks.list().endpoints).toHaveLength(3);
});

test("a new secret that is asked for twice within a minute is made once; later it is another", async () => {
  const { webhooks, endpoint } = await listen();
  const first = await webhooks.rotate(endpoint.id);
  await world.pass(30 * SECOND_MS);
  const repeated = await webhooks.rotate(endpoint.id);
  expect(repeated).toEqual(first);
  await webhooks.sendTest(endpoint.id);
  await world.pass(SECOND_MS);
  expect(world.arrivals.map((arrival) => isSigned(arrival, endpoint.secret))).toEqual([true]);
  await world.pass(MINUTE_MS);
  expect((await webhooks.rotate(endpoint.id))?.secret).not.toBe(first?.secret);
});
