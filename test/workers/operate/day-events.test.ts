/**
 * EVENTS_PER_DAY: at most so many events are counted in a UTC day, over all isolates; then beacons are refused, links
 * redirect, and the dashboard says so (docs/faults.md F41).
 */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import {
  type DayEvents,
  type Share,
  type ShareCall,
  shareOf,
} from "../../../objects/monitor/day-events.ts";
import { Monitor } from "../../../objects/monitor/monitor.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { systemClock } from "../../../objects/platform/ports.ts";
import { DayBudget, FAILED_PAUSE_MS } from "../../../src/counting/day-budget.ts";
import { measure } from "../../../src/operate/measure.ts";
import { generator, integer } from "../../random.ts";
import { stopClock } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, errorOf, expectErrors, freshPage, pageObject, sums } from "../kit/kit.ts";

const OWNER = "demo-pro";
/** Each test has a day of its own, in which this isolate and the monitor have counted nothing. */
let day = Math.floor(Date.now() / DAY_MS);
let clock: ReturnType<typeof stopClock>;

function limitTo(events: number | ""): void {
  Object.assign(env, { EVENTS_PER_DAY: String(events) });
}

beforeEach(() => {
  day += 2;
  clock = stopClock();
  clock.set(day * DAY_MS + 12 * HOUR_MS);
});

const outcomeOf = ({ status, headers }: Response) => [status, headers.get("X-Beacon-Outcome")];

describe("a service with EVENTS_PER_DAY", () => {
  test("counts as many in a UTC day, then refuses beacons, redirects clicks and answers pixels, until midnight", async () => {
    limitTo(3);
    const { page_id } = await freshPage();
    const click = () => call(`/r/${page_id}/shop`);
    const pixel = () => call(`/p/${page_id}.gif`);
    expect(outcomeOf(await beacon({ page_id }))).toEqual([202, "counted"]);
    expect(outcomeOf(await click())).toEqual([302, "counted"]);
    expect(outcomeOf(await pixel())).toEqual([200, "counted"]);

    // The first that is too many has to ask, the others know.
    for (const n of [1, 2]) {
      const redirected = await click();
      expect(outcomeOf(redirected), `${n}`).toEqual([302, null]);
      expect(redirected.headers.get("Location")).toBe("https://shop.example/");
      expect(outcomeOf(await pixel())).toEqual([200, null]);
      const refused = await beacon({ page_id, event_id: "later" });
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "43200"]);
      expect(await errorOf(refused)).toMatchObject({
        code: "RATE_LIMITED",
        details: { scope: "events_day", limit: 3, window_s: 86_400, retry_after_s: 43_200 },
      });
    }
    expect(await sums(page_id)).toMatchObject({ accepted: 3 });

    clock.advance(12 * HOUR_MS);
    expect(outcomeOf(await beacon({ page_id, event_id: "later" }))).toEqual([202, "counted"]);
    expect(await sums(page_id)).toMatchObject({ accepted: 4 });
  });

  test("costs no call of a limiter or page for a beacon that it refuses", async () => {
    limitTo(1);
    const { page_id } = await freshPage();
    await beacon({ page_id });
    await beacon({ page_id });
    const limiter = vi.spyOn(env.LIMITER, "getByName");
    const page = vi.spyOn(env.PAGE, "getByName");
    expect((await beacon({ page_id })).status).toBe(429);
    expect([limiter, page].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  test("takes an event that is sent again for one more, and counts it once", async () => {
    limitTo(3);
    const { page_id } = await freshPage();
    const answers: unknown[] = [];
    for (let n = 0; n < 4; n += 1)
      answers.push(outcomeOf(await beacon({ page_id, event_id: "x" })));
    expect(answers).toEqual([
      [202, "counted"],
      [202, "duplicate"],
      [202, "duplicate"],
      [429, null],
    ]);
  });

  test("tells creators since when and until when nothing is counted, in their page's zone", async () => {
    limitTo(1);
    const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "Asia/Riyadh" });
    const cookie = await signIn(OWNER);
    const dashboard = async (lang: string) => {
      const path = `/dashboard/${page_id}?lang=${lang}`;
      return (await call(path, { headers: { Cookie: cookie } })).text();
    };
    await beacon({ page_id });
    expect(await dashboard("en")).not.toContain("limit for the day");
    await beacon({ page_id });
    expect(await dashboard("en")).toMatch(/limit for the day: .* from 15:00 until 03:00/);
    expect(await dashboard("ar")).toContain("بلغت الخدمة حدّها اليومي");
    vi.spyOn(Monitor.prototype, "usedUpAt").mockRejectedValue(new Error("gone"));
    expectErrors();
    expect(await dashboard("en")).toContain("<main");
    clock.advance(12 * HOUR_MS);
    vi.restoreAllMocks();
    expect(await dashboard("en")).not.toContain("limit for the day");
  });

  test("tells operators how many it has counted, and that nothing more is", async () => {
    limitTo(2);
    Object.assign(env, { OPERATORS: OWNER });
    const { page_id } = await freshPage();
    const cookie = await signIn(OWNER);
    const row = async () => {
      await measure(env, async () => ({}));
      const page = await call("/admin?lang=en", { headers: { Cookie: cookie } });
      return /Events of the UTC day<\/dt><dd>([^<]*)/.exec(await page.text())?.[1];
    };
    await beacon({ page_id });
    expect(await row()).toBe("1 of 2");
    await beacon({ page_id });
    expect(await row()).toBe("2 of 2: nothing more is counted until 00:00 UTC");
  });

  test("asks nobody while the setting is off", async () => {
    const { page_id } = await freshPage();
    const share = vi.spyOn(Monitor.prototype, "share");
    expect((await beacon({ page_id })).status).toBe(202);
    expect(outcomeOf(await call(`/r/${page_id}/shop`))).toEqual([302, "counted"]);
    expect(share).not.toHaveBeenCalled();
  });

  test("F41: counts while the monitor fails, and asks it again after ten seconds", async () => {
    limitTo(1);
    const events = expectErrors();
    const { page_id } = await freshPage();
    const share = vi.spyOn(Monitor.prototype, "share").mockRejectedValue(new Error("gone"));
    for (let n = 0; n < 3; n += 1) expect((await beacon({ page_id })).status).toBe(202);
    expect(share).toHaveBeenCalledTimes(1);
    expect(events()).toEqual(["day_budget_failed"]);
    share.mockRestore();
    clock.advance(FAILED_PAUSE_MS);
    expect((await beacon({ page_id })).status).toBe(202);
    expect((await beacon({ page_id })).status).toBe(429);
    expect(await sums(page_id)).toMatchObject({ accepted: 4 });
    await pageObject(page_id).flush();
  });
});

const monitor = () => env.MONITOR.getByName(MONITOR);

/** An isolate with the real monitor behind it. */
class Isolate {
  readonly budget: DayBudget;
  readonly share: (call: ShareCall) => Promise<Share>;
  counted = 0;
  calls = 0;

  /** @param behind_ms how far its clock is behind */
  constructor(
    behind_ms = 0,
    share = async (asked: ShareCall): Promise<Share> => monitor().share(asked),
  ) {
    this.share = share;
    this.budget = new DayBudget({ ...systemClock, now: () => Date.now() - behind_ms });
  }

  async event(limit: number): Promise<boolean> {
    const isCounted = await this.budget.take(limit, {
      ask: async (asked) => {
        this.calls += 1;
        return this.share(asked);
      },
      waitUntil: () => {},
      shares: true,
    });
    if (isCounted) this.counted += 1;
    return isCounted;
  }
}

const sumOf = (isolates: readonly Isolate[]) => isolates.reduce((n, { counted }) => n + counted, 0);

describe("F41: the shares of a day's events", () => {
  test("are exactly the day's events for several isolates at once, by few calls", async () => {
    const isolates = Array.from({ length: 5 }, () => new Isolate());
    const limit = 1_000;
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(
        isolates.flatMap((each) => Array.from({ length: 10 }, () => each.event(limit))),
      );
    }
    expect(sumOf(isolates)).toBe(limit);
    expect(isolates.reduce((n, { calls }) => n + calls, 0)).toBeLessThan(limit / 4);
  });

  test("that a killed isolate had are lost, at most as many as it had counted", async () => {
    const limit = 2_000;
    const random = generator(7);
    const killed: Isolate[] = [];
    let isolate = new Isolate();
    let n = 0;
    while (await isolate.event(limit)) {
      n += 1;
      if (integer(20, random) > 0) continue;
      killed.push(isolate);
      isolate = new Isolate();
    }
    expect(killed.length).toBeGreaterThan(10);
    expect(n).toBeLessThanOrEqual(limit);
    expect(n).toBeGreaterThanOrEqual(limit / 2);
  });

  test("are stored before they are told: the monitor is killed between, and gives none twice", async () => {
    let kill = true;
    const isolate = new Isolate(0, async (asked) => {
      const share = await monitor().share(asked);
      if (!kill) return share;
      kill = false;
      await evictDurableObject(monitor());
      throw new Error("the answer is lost");
    });
    expectErrors();
    // Counted without a share.
    expect(await isolate.event(2)).toBe(true);
    clock.advance(FAILED_PAUSE_MS);
    expect(await isolate.event(2)).toBe(true);
    expect(await isolate.event(2)).toBe(false);
  });

  test("end at midnight by the monitor's clock, also in an isolate whose clock is hours behind", async () => {
    clock.set((day + 1) * DAY_MS - MINUTE_MS);
    const isolate = new Isolate(5 * HOUR_MS);
    expect([await isolate.event(1), await isolate.event(1)]).toEqual([true, false]);
    expect(isolate.budget.usedUpForMs()).toBe(MINUTE_MS);
    clock.advance(MINUTE_MS - SECOND_MS);
    expect(await isolate.event(1)).toBe(false);
    clock.advance(SECOND_MS);
    expect([await isolate.event(1), await isolate.event(1)]).toEqual([true, false]);
  });

  test("follow a limit that is lowered or raised in the middle of a day", async () => {
    const before = new Isolate();
    for (let n = 0; n < 10; n += 1) await before.event(100);
    // A deployment has isolates of its own.
    const lowered = new Isolate();
    expect(await lowered.event(5)).toBe(false);
    expect(await monitor().usedUpAt()).toBe(Date.now());
    const raised = new Isolate();
    expect(await raised.event(200)).toBe(true);
    expect(await monitor().usedUpAt()).toBeNull();
  });

  test("do not begin a day anew where the monitor's clock steps back over midnight", () => {
    const asked = { limit: 10, wanted: 10, ahead: 0 };
    const midnight = day * DAY_MS;
    const first = shareOf(undefined, asked, midnight + SECOND_MS);
    expect(first.share).toEqual({ n: 10, ends_in_ms: DAY_MS - SECOND_MS });
    const events: DayEvents = { day, given: 10, used_up_at: null };
    expect(first.events).toEqual(events);
    expect(shareOf(events, asked, midnight - SECOND_MS).share).toEqual({
      n: 0,
      ends_in_ms: DAY_MS + SECOND_MS,
    });
  });
});
