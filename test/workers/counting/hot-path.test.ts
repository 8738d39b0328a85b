/** What an event costs: object calls and written rows, which are billed. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { RateLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { requireConfig } from "../../../src/http/config.ts";
import { parseSender, senderName } from "../../../src/http/sender.ts";
import { stopClock } from "../kit/faults.ts";
import {
  beacon,
  call,
  eventOf,
  freshAddress,
  freshPage,
  freshSender,
  pageObject,
  recordAll,
} from "../kit/kit.ts";
import { rowsWritten } from "../kit/rows-written.ts";

describe("an event", () => {
  test.each([
    ["a beacon", (page_id: string) => beacon({ page_id, event_id: "x" })],
    ["a click beacon", (page_id: string) => beacon({ page_id, link_id: "mail" })],
    ["a redirect", (page_id: string) => call(`/r/${page_id}/shop`)],
    ["a pixel", (page_id: string) => call(`/p/${page_id}.gif`)],
  ])("%s is one limiter call, one page call and no more", async (_, send) => {
    const { page_id } = await freshPage();
    await beacon({ page_id });
    const check = vi.spyOn(RateLimiter.prototype, "checkAll");
    const record = vi.spyOn(PageObject.prototype, "recordBatch");
    const others = (["totals", "flush", "sweep", "remembers", "fetch"] as const).map((method) =>
      vi.spyOn(PageObject.prototype, method),
    );
    expect((await send(page_id)).status).toBeLessThan(400);
    expect(check).toHaveBeenCalledTimes(1);
    expect(record).toHaveBeenCalledTimes(1);
    for (const other of others) expect(other).not.toHaveBeenCalled();
  });

  test("a page render calls no object", async () => {
    const { slug } = await freshPage();
    const check = vi.spyOn(RateLimiter.prototype, "checkAll");
    const record = vi.spyOn(PageObject.prototype, "recordBatch");
    expect((await call(`/${slug}`)).status).toBe(200);
    expect(check).not.toHaveBeenCalled();
    expect(record).not.toHaveBeenCalled();
  });
});

describe("rows written by the limiter", () => {
  test("are one per admission, in addition to the alarm's once a window", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    const ip = freshAddress();
    const stub = env.LIMITER.getByName(
      await senderName(requireConfig(env, "counting").SENDER_KEY, parseSender(ip)),
    );
    const send = async (times: number) => {
      for (let i = 0; i < times; i += 1) await beacon({ page_id }, { ip });
    };
    expect(await rowsWritten(stub, () => send(1))).toBe(1 + 1);
    expect(await rowsWritten(stub, () => send(20))).toBe(20);
    expect(await rowsWritten(stub, () => send(39))).toBe(39);
    // Refused requests write nothing.
    expect(await rowsWritten(stub, () => send(1))).toBe(0);
    clock.advance(61_000);
    expect(await rowsWritten(stub, () => runDurableObjectAlarm(stub))).toBe(0);
  });

  test("are one for many concurrent admissions of a sender", async () => {
    const sender = freshSender();
    const stub = env.LIMITER.getByName(sender);
    const check = { sender, scope: "public", limit: 60 } as const;
    const rows = await rowsWritten(stub, () =>
      Promise.all(Array.from({ length: 30 }, () => stub.check(check))),
    );
    expect(rows).toBeLessThanOrEqual(1 + 30 / 2);
  });
});

describe("rows written by the page object", () => {
  test("are at most 4 for a single event that also sets the alarm, and 1 for the next", async () => {
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    await beacon({ page_id });
    await object.flush();
    await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
    await beacon({ page_id });
    await runDurableObjectAlarm(object);
    // An existing page without a set alarm: the cost of the journal and the alarm.
    expect(await rowsWritten(object, () => beacon({ page_id, event_id: "a" }))).toBeLessThanOrEqual(
      4,
    );
    expect(await rowsWritten(object, () => beacon({ page_id, event_id: "b" }))).toBe(1);
    expect(await rowsWritten(object, () => beacon({ page_id, event_id: "b" }))).toBe(0);
  });

  test("are at most 4 for a single event that also starts a day, and 23 once in a page's life", async () => {
    const clock = stopClock();
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    // The first event ever also writes the tables, their version and the page's links.
    expect(await rowsWritten(object, () => beacon({ page_id }))).toBeLessThanOrEqual(23);
    await runDurableObjectAlarm(object);
    clock.advance(24 * 3_600_000);
    expect(await rowsWritten(object, () => beacon({ page_id }))).toBe(4);
  });

  test("are at most 0.4 per event for 64 events at once, their ids, the checkpoint and the flush included", async () => {
    const { page_id } = await freshPage();
    const object = pageObject(page_id);
    await beacon({ page_id });
    await runDurableObjectAlarm(object);
    const links = ["", "shop", "video", "mail"];
    const events = Array.from({ length: 64 }, (_, i) =>
      eventOf(`e${i}`, {
        link_id: links[i % links.length] ?? "",
        visitor: `198.51.100.${i}\nbrowser`,
        origin: { utm_source: `s${i}` },
      }),
    );
    const rows = await rowsWritten(object, async () => {
      await recordAll(page_id, events);
      await runDurableObjectAlarm(object);
    });
    expect(rows / 64).toBeLessThanOrEqual(0.4);
  });
});
