/** The monitor: samples that stay bounded, alerts that begin and end once, and what reports to it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { type FlushReport, FlushReports } from "../../../objects/flush/flush-reports.ts";
import { DATABASE_BYTES_MAX, type Measured } from "../../../objects/monitor/alert-rules.ts";
import type { AlertMail } from "../../../objects/monitor/deliver-alert.ts";
import type { Monitor } from "../../../objects/monitor/monitor.ts";
import { MonitorBook } from "../../../objects/monitor/monitor-book.ts";
import { REPORTS_PER_S, ReportPace } from "../../../objects/monitor/report-buffer.ts";
import { probed, SAMPLE_NAMES_MAX, type Sample } from "../../../objects/monitor/sample.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../objects/platform/clock.ts";
import { RequestCounts } from "../../../src/http/request-counts.ts";
import { asOf, STALE_MS, statusOf } from "../../../src/operate/status.ts";
import { randomSecret } from "../../secret.ts";
import { eventually } from "../kit/kit.ts";

const SECRET = `whsec_${randomSecret()}`;
const START = Date.UTC(2026, 0, 5);

interface Sent {
  id: string;
  type: string;
  alert: string;
}

/** A monitor in real storage with a clock of its own, and receivers that can fail. */
class World {
  now = START;
  /** How many of the next deliveries are lost, after the receiver got them. */
  lost = 0;
  webhooks: Sent[] = [];
  mails: AlertMail[] = [];
  alarm_at: number | null = null;
  /** Transactions so far. */
  writes = 0;
  #timers: { at: number; callback: () => void }[] = [];
  readonly #storage: DurableObjectStorage;
  book: MonitorBook;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.book = this.#wake();
  }

  /** Ends the object; the next one knows what is stored. */
  kill(): void {
    this.#timers = [];
    this.book = this.#wake();
  }

  #wake(): MonitorBook {
    const { sql, kv } = this.#storage;
    const key = Uint8Array.from(atob(SECRET.slice(6)), (char) => char.charCodeAt(0));
    return new MonitorBook({
      storage: {
        sql,
        kv,
        transactionSync: (work) => {
          this.writes += 1;
          return this.#storage.transactionSync(work);
        },
        sync: () => this.#storage.sync(),
        getAlarm: async () => this.alarm_at,
        setAlarm: async (at_ms) => {
          this.alarm_at = at_ms;
        },
        deleteAll: () => this.#storage.deleteAll(),
      },
      clock: {
        now: () => this.now,
        after: (ms, callback) => {
          this.#timers.push({ at: this.now + ms, callback });
          return () => {};
        },
      },
      random: () => 0,
      abort: () => {},
      settings: {
        webhook: { url: "https://alerts.example/", key },
        mail: { to: "ops@sila.example", from: "news@sila.example" },
      },
      fetch: async (_, { headers, body }) => {
        const signed = headers as Record<string, string>;
        // By the reference library.
        const expected = new Webhook(SECRET).sign(
          signed["webhook-id"] ?? "",
          new Date(Number(signed["webhook-timestamp"]) * 1_000),
          String(body),
        );
        expect(signed["webhook-signature"]).toBe(expected);
        const { type, data } = JSON.parse(String(body));
        this.webhooks.push({ id: signed["webhook-id"] ?? "", type, alert: data.alert });
        return { status: this.#isLost() ? 503 : 204, body: null };
      },
      sendMail: async (mail) => {
        this.mails.push(mail);
        if (this.#isLost()) throw new Error("the answer is lost");
      },
      failed: () => {},
    });
  }

  #isLost(): boolean {
    this.lost -= 1;
    return this.lost >= 0;
  }

  /** One run of the cron, a minute after the last one, and the alarms until the next. */
  async minute(more: Sample = {}, rest: Partial<Measured> = {}): Promise<void> {
    const sample = { ...probed("d1", { ok: true, latency_ms: 5 }), "max.db_bytes": 1, ...more };
    this.book.measured({ sample, mail_per_day: 100, ...rest });
    await this.pass(MINUTE_MS);
  }

  /** Time passes without the cron: what fires are the timers and the alarm. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    const due = this.#timers.filter(({ at }) => at <= until);
    this.#timers = this.#timers.filter(({ at }) => at > until);
    for (const { callback } of due) callback();
    for (let n = 0; n < 30 && this.alarm_at !== null && this.alarm_at <= until; n += 1) {
      this.now = Math.max(this.now, this.alarm_at);
      this.alarm_at = null;
      await this.book.onAlarm();
    }
    this.now = until;
  }

  async minutes(n: number, more: Sample = {}, rest: Partial<Measured> = {}): Promise<void> {
    for (let i = 0; i < n; i += 1) await this.minute(more, rest);
  }

  /** The distinct ids that the webhook's receiver has got, in their order, by what they say. */
  get heard(): string[] {
    const ids = new Map(this.webhooks.map(({ id, type, alert }) => [id, `${type} ${alert}`]));
    return [...ids.values()];
  }
}

let worlds = 0;
function inWorld<T>(work: (world: World, storage: DurableObjectStorage) => Promise<T>): Promise<T> {
  worlds += 1;
  const stub = env.MONITOR.getByName(`world-${worlds}`);
  return runInDurableObject(stub, (_: Monitor, { storage }) => work(new World(storage), storage));
}

const DOWN = probed("d1", { ok: false, latency_ms: 2_000 });

/** What one run of the cron measures. */
type Minute = [more?: Sample, rest?: Partial<Measured>];

/** What a page reports whose flush is due since then; null: that it has succeeded. */
function late(page_id: string, due_at: number | null): FlushReport {
  const again_by = (due_at ?? START) + HOUR_MS;
  return { page_id, due_at, again_by, failures: 1, cause: "D1_ERROR of a@example.com" };
}

describe("an alert", () => {
  test("of a D1 that fails begins once and ends once, through kills and lost answers", async () => {
    await inWorld(async (world) => {
      await world.minutes(5);
      await world.minutes(2, DOWN);
      expect(world.heard).toEqual([]);
      // Both receivers got it, and no answer came back, several times over.
      world.lost = 5;
      for (let n = 0; n < 10; n += 1) {
        await world.minute(DOWN);
        world.kill();
      }
      world.lost = 3;
      for (let n = 0; n < 10; n += 1) {
        await world.minute();
        world.kill();
      }
      await world.minutes(10);
      expect(world.heard).toEqual(["alert.began probe_d1", "alert.ended probe_d1"]);
      expect(world.webhooks.length).toBeGreaterThan(2);
      const subjects = new Set(world.mails.map(({ subject }) => subject));
      expect(subjects.size).toBe(2);
      const ids = new Set(world.mails.map(({ headers }) => headers["X-Sila-Mail-Id"]));
      expect([...ids]).toEqual([...new Set(world.webhooks.map(({ id }) => id))]);
      // One that comes again is another one, with another id.
      await world.minutes(4, DOWN);
      expect(world.heard.at(2)).toBe("alert.began probe_d1");
      for (const { text } of world.mails) {
        expect(text).toMatch(/[\u0600-\u06ff]/);
        expect(text).toMatch(/Not answering: d1/);
      }
    });
  });

  test("is told in order: its end waits until its beginning was taken", async () => {
    await inWorld(async (world) => {
      world.lost = Number.POSITIVE_INFINITY;
      await world.minutes(4, DOWN);
      await world.minutes(6);
      expect(world.heard).toEqual(["alert.began probe_d1"]);
      world.lost = 0;
      await world.minutes(15);
      expect(world.heard).toEqual(["alert.began probe_d1", "alert.ended probe_d1"]);
    });
  });

  test("does not flap where a value is at its threshold, or a probe fails now and then", async () => {
    await inWorld(async (world) => {
      for (let n = 0; n < 30; n += 1) {
        await world.minute({ "max.mail": n % 2 === 0 ? 79 : 81, ...(n % 2 === 0 ? DOWN : {}) });
      }
      expect(world.heard).toEqual(["alert.began mail"]);
      await world.minutes(3, { "max.mail": 74 });
      expect(world.heard).toEqual(["alert.began mail", "alert.ended mail"]);
    });
  });

  const filled = (share: number): Minute => [{ "max.db_bytes": DATABASE_BYTES_MAX * share }];
  test.for<[kind: string, below: Minute, above: Minute]>([
    ["database", filled(0.8), filled(0.81)],
    ["errors", [{ "responses.5xx": 3 }], [{ "responses.5xx": 20 }]],
    ["errors", [{ "responses.2xx": 2_000, "responses.5xx": 50 }], [{ "responses.5xx": 2_000 }]],
    // Where none are sent, none can be too many.
    ["mail", [{ "max.mail": 90 }, { mail_per_day: 0 }], [{ "max.mail": 81 }]],
    [
      "events",
      [{ "max.events": 80 }, { events_per_day: 100 }],
      [{ "max.events": 81 }, { events_per_day: 100 }],
    ],
  ])("of %s begins above its threshold, and ends below", async ([kind, below, above]) => {
    await inWorld(async (world) => {
      await world.minutes(5, ...below);
      expect(world.heard).toEqual([]);
      await world.minutes(2, ...above);
      expect(world.heard).toEqual([`alert.began ${kind}`]);
      await world.minutes(7, { "max.mail": 1 });
      expect(world.heard).toEqual([`alert.began ${kind}`, `alert.ended ${kind}`]);
    });
  });

  test("of the flush delay follows the pages' own reports", async () => {
    await inWorld(async (world) => {
      const report = late("late", START - 2 * MINUTE_MS);
      world.book.flushed(report);
      await world.minutes(3);
      world.book.flushed(report);
      expect(world.heard).toEqual([]);
      await world.minutes(2);
      expect(world.heard).toEqual(["alert.began flush_delay"]);
      const seen = world.book.overview();
      expect([seen?.late, seen?.delay_ms]).toEqual([1, 7 * MINUTE_MS]);
      const cause = expect.not.stringContaining("a@example");
      expect(seen?.worst).toEqual([expect.objectContaining({ page_id: "late", cause })]);
      world.book.flushed(late("late", null));
      await world.minutes(4);
      expect(world.heard).toEqual(["alert.began flush_delay", "alert.ended flush_delay"]);
      expect(world.book.numbers()?.total["alarms.failed"]).toBe(3);
    });
  });

  test("that the cron has stopped comes from the alarm, once, and ends when it measures again", async () => {
    await inWorld(async (world) => {
      await world.minutes(3);
      await world.pass(8 * MINUTE_MS);
      expect(world.heard).toEqual([]);
      world.kill();
      for (let n = 0; n < 5; n += 1) {
        await world.pass(20 * MINUTE_MS);
        world.kill();
        world.book.counted({ sample: { "responses.2xx": 1 }, pages: {} });
      }
      expect(world.heard).toEqual(["alert.began cron"]);
      expect(world.mails[0]?.text).toMatch(/cron has stopped: it has not measured for 10 min/);
      // Nothing to do until it measures: the object sleeps.
      expect(world.alarm_at).toBe(null);
      await world.minutes(3);
      expect(world.heard).toEqual(["alert.began cron", "alert.ended cron"]);
      await world.pass(8 * MINUTE_MS);
      expect(world.webhooks.length).toBe(2);
    });
  });

  test("that the cron has never measured comes after half an hour", async () => {
    await inWorld(async (world) => {
      world.book.counted({ sample: { "responses.2xx": 1 }, pages: {} });
      await world.pass(29 * MINUTE_MS);
      expect(world.heard).toEqual([]);
      await world.pass(2 * MINUTE_MS);
      expect(world.heard).toEqual(["alert.began cron"]);
    });
  });

  test("that an older version began about backups ends, because there are none any more", async () => {
    await inWorld(async (world, { sql }) => {
      await world.minute();
      for (const kind of ["backup", "probe_backups"]) {
        sql.exec("INSERT INTO alerts VALUES (?1, ?1, ?2, NULL, 27)", kind, START);
      }
      await world.minutes(2);
      expect(world.heard.sort()).toEqual(["alert.ended backup", "alert.ended probe_backups"]);
      expect(statusOf(world.book.status(), world.now).incidents).toEqual([]);
    });
  });

  test("F20: that D1 was restored comes once, however often it is noticed, and ends after a day", async () => {
    await inWorld(async (world) => {
      await world.minutes(2);
      world.book.restored(42);
      await world.minute();
      world.book.restored(42);
      await world.minutes(3);
      expect(world.heard).toEqual(["alert.began restored"]);
      expect(world.mails.at(-1)?.text).toContain("42 min older");
      world.now += DAY_MS;
      await world.minute();
      expect(world.heard).toEqual(["alert.began restored", "alert.ended restored"]);
    });
  });

  test("that no receiver takes for a week is given up", async () => {
    await inWorld(async (world) => {
      world.lost = Number.POSITIVE_INFINITY;
      await world.minutes(4, DOWN);
      expect(world.book.overview()?.waiting).toBe(2);
      world.now += 8 * DAY_MS;
      await world.minutes(3, DOWN);
      expect(world.book.overview()?.waiting).toBe(0);
    });
  });
});

test("an alert reaches the receiver that is set, signed with its secret", async () => {
  Object.assign(env, { ALERT_URL: "https://alerts.example/", ALERT_SECRET: SECRET });
  const send = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
  const monitor = env.MONITOR.getByName(crypto.randomUUID());
  await monitor.measured({ sample: { "events.adopted": 1 }, mail_per_day: 0 });
  // It is due at once, so it may have run already.
  await runDurableObjectAlarm(monitor);
  await eventually(() => expect(send).toHaveBeenCalledTimes(1));
  const [url, init] = send.mock.calls[0] ?? [];
  expect(url).toBe("https://alerts.example/");
  const headers = init?.headers as Record<string, string>;
  expect(new Webhook(SECRET).verify(String(init?.body), headers)).toMatchObject({
    type: "alert.began",
    data: { alert: "drift" },
  });
});

describe("samples", () => {
  test("are in minutes, hours, days and the sum of all, each once", async () => {
    await inWorld(async (world) => {
      for (let n = 0; n < 25 * 60; n += 1) {
        world.book.counted({ sample: { "responses.2xx": 2 }, pages: {} });
        world.book.measured({ sample: {}, mail_per_day: 0 });
        if (n % 100 === 0) world.kill();
        world.now += MINUTE_MS;
      }
      expect(world.book.numbers()?.total["responses.2xx"]).toBe(2 * 25 * 60);
      const { hours = [] } = world.book.overview() ?? {};
      expect(hours.slice(0, 25).map(({ sample }) => sample["responses.2xx"])).toEqual(
        Array(25).fill(120),
      );
      const days = world.book.status()?.days.map(({ sample }) => sample["responses.2xx"]);
      expect(days).toEqual([2 * 24 * 60, 2 * 60]);
    });
  });

  test("and all else stay bounded after 90 days, whatever is reported", {
    timeout: 120_000,
  }, async () => {
    await inWorld(async (world, { sql }) => {
      const names = Object.fromEntries(
        Array.from({ length: 400 }, (_, n) => [`code.NAME_${n}`, 1]),
      );
      // A sample of each hour stands for those of its minutes: as many hours and days, and the newest minutes.
      for (let hour = 0; hour < 92 * 24; hour += 1) {
        const page_ids = Array.from({ length: 20 }, (_, n) => `p-${hour}-${n}`);
        const pages = Object.fromEntries(page_ids.map((page_id) => [page_id, 1]));
        world.book.counted({ sample: hour % 24 === 0 ? names : {}, pages });
        const again_by = world.now + 100 * DAY_MS;
        world.book.flushed({ ...late(`p-${hour}`, world.now - 9 * DAY_MS), again_by });
        const sample = probed("d1", { ok: hour % 6 >= 3, latency_ms: 1 });
        for (let n = 0; n < (hour % 3 === 0 ? 3 : 1); n += 1) {
          world.book.measured({ sample, mail_per_day: 0 });
          world.now += MINUTE_MS;
        }
        world.now += HOUR_MS - (world.now % HOUR_MS);
      }
      for (let n = 0; n < 200; n += 1) {
        world.book.measured({ sample: {}, mail_per_day: 0 });
        world.now += MINUTE_MS;
      }
      const names_kept = Object.keys(world.book.numbers()?.total ?? {});
      expect(names_kept.length).toBeLessThanOrEqual(SAMPLE_NAMES_MAX);
      for (const [table, rows_max] of [
        ["samples", 2_880 + 2_161 + 91 + 1],
        ["busy", 500],
        ["alerts", 1_000],
        ["deliveries", 500],
        ["late", 10_000],
      ] as const) {
        const { n } = sql.exec(`SELECT COUNT(*) AS n FROM ${table}`).one();
        expect(Number(n), table).toBeLessThanOrEqual(rows_max);
      }
      expect(sql.databaseSize).toBeLessThan(16_000_000);
    });
  });
});

describe("reports", () => {
  test("of thousands of isolates and pages are a few writes within ten seconds, with all that was counted", async () => {
    await inWorld(async (world) => {
      for (let n = 0; n < 5_000; n += 1) {
        world.book.counted({ sample: { "responses.2xx": 2 }, pages: { [`p${n % 40}`]: 3 } });
        world.book.flushed(late(`p${n % 1_500}`, START - MINUTE_MS));
      }
      expect(world.writes).toBe(0);
      await world.pass(10_000);
      expect(world.writes).toBeLessThanOrEqual(2);
      world.kill();
      const total = { "responses.2xx": 10_000, "alarms.failed": 5_000 };
      expect(world.book.numbers()).toMatchObject({ total, late: 1_500 });
      expect(world.book.busiest()).toHaveLength(40);
      expect(world.book.busiest()[0]?.n).toBe(375);
    });
  });

  test("of any number of isolates come in a bounded number a second, and of few every ten", () => {
    /** The reports of each second, while every isolate answers requests all the time. */
    function reportsOf(isolates: number, seconds: number, is_up: (s: number) => boolean): number[] {
      const pace = new ReportPace();
      const all = Array.from({ length: isolates }, () => new RequestCounts());
      return Array.from({ length: seconds }, (_, s) => {
        const now = START + s * 1_000;
        const telling = all.filter((counts) => counts.take(now) !== null);
        for (const counts of is_up(s) ? telling : []) counts.taken(pace.next(now));
        return telling.length;
      });
    }
    const mean = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
    expect(mean(reportsOf(10, 100, () => true))).toBe(1);
    const many = reportsOf(5_000, 400, () => true);
    expect(mean(many.slice(60))).toBeLessThanOrEqual(1.1 * REPORTS_PER_S);
    expect(mean(many.slice(60))).toBeGreaterThan(REPORTS_PER_S / 4);
    // A monitor that does not answer is asked ever less, and then as often as before.
    const down = reportsOf(200, 900, (s) => s < 20 || s > 600);
    expect(mean(down.slice(300, 600))).toBeLessThanOrEqual(200 / 110);
    expect(mean(down.slice(780))).toBeGreaterThan(15);
  });
});

describe("the report of an object", () => {
  function reports() {
    const kv = new Map<string, unknown>();
    const sent: Omit<FlushReport, "page_id">[] = [];
    const made = () =>
      new FlushReports(
        {
          get: <T>(key: string) => kv.get(key) as T | undefined,
          put: (key, value) => void kv.set(key, value),
          delete: (key) => kv.delete(key),
          list: () => [],
        },
        async (report) => {
          sent.push(report);
          throw new Error("the monitor is down");
        },
      );
    return { made, sent };
  }

  test("comes after a minute, when the delay has doubled, and once when it is over", () => {
    const { made, sent } = reports();
    for (let s = 0; s <= 900; s += 45) made().failed(START, new Error("no D1"), START + s * 1_000);
    made().succeeded();
    made().succeeded();
    // At 90, 180, 360 and 720 s; the failures in between are in the next report.
    expect(sent.map(({ failures }) => failures)).toEqual([3, 2, 4, 8, 4]);
    expect(sent.map(({ due_at }) => due_at)).toEqual([...Array(4).fill(START), null]);
  });

  test("comes again in time while D1 is full, so that the page is not taken to be well", async () => {
    await inWorld(async (world) => {
      const { made, sent } = reports();
      const due_at = world.now;
      for (let minute = 1; minute <= 240; minute += 1) {
        // The longest pause after a refusal is ten minutes.
        if (minute % 10 === 0 || minute === 1) {
          const full = new Error("D1_ERROR: Exceeded maximum DB size.");
          made().failed(due_at, full, world.now + MINUTE_MS);
        }
        await world.minute();
        for (const report of sent.splice(0)) world.book.flushed({ page_id: "p", ...report });
        expect(world.book.numbers()?.late).toBe(1);
      }
      // One that says no more, because its report was lost, is taken to be well within half an hour.
      await world.minutes(30);
      expect(world.book.numbers()?.late).toBe(0);
      expect(world.heard).toEqual(["alert.began flush_delay", "alert.ended flush_delay"]);
    });
  });
});

describe("what an isolate counts", () => {
  test("is handed over at most every ten seconds, each number once", () => {
    const counts = new RequestCounts();
    const total: Sample = {};
    let reports = 0;
    for (let ms = START; ms < START + 60_000; ms += 100) {
      counts.answered(ms % 200 === 0 ? 200 : 503);
      counts.refused("public");
      counts.counted("page");
      const taken = counts.take(ms);
      if (taken === null) continue;
      reports += 1;
      counts.taken(10_000);
      for (const [name, n] of Object.entries(taken.sample)) total[name] = (total[name] ?? 0) + n;
    }
    expect(reports).toBe(6);
    const left = counts.take(START + DAY_MS)?.sample ?? {};
    const all = ["responses.2xx", "responses.5xx", "refused.public"];
    const sums = all.map((name) => (total[name] ?? 0) + (left[name] ?? 0));
    expect(sums).toEqual([300, 300, 600]);
  });

  test("has no more pages than fit, and goes on after a step back of the clock", () => {
    const counts = new RequestCounts();
    counts.take(START);
    for (let n = 0; n < 2_000; n += 1) counts.counted(`p${n}`);
    for (let n = 100; n < 120; n += 1) counts.counted(`p${n}`);
    const { pages = {} } = counts.take(START - DAY_MS) ?? {};
    expect(pages).toEqual(
      Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${100 + n}`, 2])),
    );
  });
});

describe("the public status", () => {
  test("is unknown without samples, and for days without them: never well by default", () => {
    const empty = statusOf(null, START);
    expect(empty.state).toBe("unknown");
    expect(empty.components.every(({ state }) => state === "unknown")).toBe(true);
    expect(new Set(empty.components.flatMap(({ days }) => days))).toEqual(new Set([null]));
  });

  test("of a day of which less than half was measured is bad or unknown, but not well", async () => {
    await inWorld(async (world) => {
      const today = () => statusOf(world.book.status(), world.now).components[2]?.days.at(-1);
      const yesterday = () => statusOf(world.book.status(), world.now).components[2]?.days.at(-2);
      await world.minutes(11 * 60);
      expect(today()).toBe(1);
      await world.pass(12 * HOUR_MS);
      expect(today()).toBe(null);
      await world.minutes(61);
      expect([yesterday(), today()]).toEqual([1, 1]);
      await world.pass(20 * HOUR_MS);
      await world.minute(DOWN);
      expect(today()).toBeCloseTo(1 - 1 / 2);
    });
  });

  test("S36: says which part is down, since when, and nothing of what is inside", async () => {
    await inWorld(async (world) => {
      const all = {
        ...probed("r2", { ok: true, latency_ms: 1 }),
        ...probed("objects", { ok: true, latency_ms: 1 }),
        ...probed("config", { ok: true, latency_ms: 0 }),
      };
      await world.minutes(4, all);
      const well = statusOf(world.book.status(), world.now);
      // Sign-in was not measured.
      expect(well.components.map(({ state }) => state)).toEqual(["up", "up", "up", "unknown"]);
      await world.minute({ ...all, ...DOWN });
      expect(statusOf(world.book.status(), world.now).components[0]?.state).toBe("unstable");
      await world.minutes(3, { ...all, ...DOWN });
      const down = statusOf(world.book.status(), world.now);
      expect(down.components.map(({ state }) => state)).toEqual(["down", "up", "down", "unknown"]);
      expect(down.incidents).toEqual([
        { components: ["pages", "dashboard"], began_at: expect.any(String), ended_at: null },
      ]);
      expect(down.components[0]?.days.at(-1)).toBe(0.5);
      expect(JSON.stringify(down)).not.toMatch(/d1|r2|probe/);
      await world.minutes(4, all);
      const after = statusOf(world.book.status(), world.now);
      expect(after.components[0]?.state).toBe("up");
      expect(after.incidents[0]?.ended_at).not.toBe(null);
      // A status that a cache kept, and samples that stopped, say nothing about now.
      const stale_at = Date.parse(after.measured_at ?? "") + STALE_MS;
      expect(asOf(after, stale_at - 1)).toBe(after);
      expect(asOf(after, stale_at)).toMatchObject({
        state: "unknown",
        components: after.components.map(() => ({ state: "unknown" })),
      });
      world.now += HOUR_MS;
      expect(statusOf(world.book.status(), world.now).state).toBe("unknown");
    });
  });
});
