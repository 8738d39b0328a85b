/** What the cron takes of a free account's day while nobody visits, as docs/scale.md "A free account" says it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../objects/platform/clock.ts";
import { runCron } from "../../../src/cron.ts";
import { FREE, type FreeLimit } from "../../scale/limits.ts";
import { creator } from "../authoring/authoring-kit.ts";
import { stopClock } from "../kit/faults.ts";
import { count, eventually, freshPage, pageObject } from "../kit/kit.ts";

/** More than the samples of the monitor need until each minute is like the one before. */
const MINUTES_BEFORE = 3;
const MINUTES = 10;
const MINUTES_A_DAY = 1_440;
const PAGES = 10;
/** Of a page: what fell due in these minutes alone. */
const DUE_MEANWHILE = 50;

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Bill = Record<Exclude<FreeLimit, "requests">, number>;

/** What is billed while `work` runs. */
async function billOf(work: () => Promise<void>): Promise<Bill> {
  const bill: Bill = {
    ...{ object_calls: 0, object_rows: 0, d1_rows: 0, d1_rows_read: 0, kv_writes: 0, r2_writes: 0 },
  };
  const watch = (on: object, names: readonly string[], billed: (result: unknown) => void) =>
    names.map((name) => {
      const real = Reflect.get(on, name) as Method;
      const counted = function (this: unknown, ...given: unknown[]) {
        const result = real.apply(this, given);
        if (!(result instanceof Promise)) billed(result);
        if (!(result instanceof Promise)) return result;
        return result.then((answer) => {
          billed(answer);
          return answer;
        });
      };
      return vi.spyOn(on as Record<string, Method>, name).mockImplementation(counted);
    });
  const one = (name: keyof Bill) => () => {
    bill[name] += 1;
  };
  const of = (value: object): object => Object.getPrototypeOf(value);
  const storage = await runInDurableObject(
    env.MONITOR.getByName(MONITOR),
    (_, state) => state.storage,
  );
  const statement = of(env.DB.prepare("SELECT 1"));
  const d1 = (results: unknown) => {
    for (const { meta } of [results].flat() as D1Result[]) {
      bill.d1_rows += meta.rows_written;
      bill.d1_rows_read += meta.rows_read;
    }
  };
  const spies = [
    // It tells no rows itself.
    vi.spyOn(statement as D1PreparedStatement, "first").mockImplementation(async function (
      this: D1PreparedStatement,
      column?: string,
    ) {
      const [row] = (await this.all()).results as Record<string, unknown>[];
      return row === undefined ? null : column === undefined ? row : row[column];
    } as never),
    ...watch(statement, ["all", "run"], d1),
    ...watch(of(env.DB), ["batch"], d1),
    ...watch(of(storage.sql), ["exec"], (cursor) => {
      bill.object_rows += (cursor as SqlStorageCursor<never>).rowsWritten;
    }),
    ...watch(of(storage.kv), ["put", "delete"], one("object_rows")),
    ...watch(of(storage), ["setAlarm"], one("object_rows")),
    ...watch(of(env.KV), ["put", "delete", "list"], one("kv_writes")),
    ...watch(of(env.MEDIA), ["put", "list"], one("r2_writes")),
    // Each stub of the cron is called once.
    ...[env.PAGE, env.LIMITER, env.MONITOR].flatMap((each) =>
      watch(each, ["getByName"], one("object_calls")),
    ),
  ];
  await work();
  for (const spy of spies) spy.mockRestore();
  return bill;
}

test("the cron takes of each limit of a day what docs/scale.md says, and writes nothing to KV", async () => {
  const clock = stopClock();
  // What an hour or a day ends with is no minute like the others.
  clock.set(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 12 * HOUR_MS + MINUTE_MS);
  const minutes = async (n: number) => {
    for (let minute = 1; minute <= n; minute += 1) {
      clock.advance(MINUTE_MS);
      // Not on the hour.
      await runCron(env, Date.UTC(2026, 0, 1, 0, minute));
    }
  };
  await minutes(MINUTES_BEFORE);
  const alone = await billOf(() => minutes(MINUTES));
  for (let page = 0; page < PAGES; page += 1) {
    const { page_id } = await freshPage();
    await count(page_id, 1);
    await pageObject(page_id).flush();
  }
  await minutes(MINUTES_BEFORE);
  const filled = await billOf(() => minutes(MINUTES));
  const names = Object.keys(alone) as (keyof Bill)[];
  const a_day = names.map((name) => {
    const per_page = (filled[name] - alone[name]) / PAGES;
    const [idle, idle_page] = [alone[name], per_page].map((n) => (n / MINUTES) * MINUTES_A_DAY);
    return { name, idle, idle_page };
  });
  for (const { name, idle = 0, idle_page = 0 } of a_day) {
    const said = FREE[name];
    expect(idle, name).toBeLessThanOrEqual(said.idle);
    expect(idle, name).toBeGreaterThanOrEqual(said.idle / 2);
    expect(idle_page, name).toBeLessThanOrEqual(said.idle_page + DUE_MEANWHILE);
    expect(idle_page, name).toBeGreaterThanOrEqual(said.idle_page / 2 - DUE_MEANWHILE);
  }
});

test("a save of the editor takes at most what docs/operations.md says", async () => {
  const me = await creator();
  let page = await me.make({ status: "published" });
  page = await me.patch(page, { name: { ar: "ا" } });
  const bill = await billOf(async () => {
    const told = vi.spyOn(PageObject.prototype, "changed");
    await me.patch(page, { name: { ar: "ب" } });
    await eventually(() => expect(told.mock.settledResults).toHaveLength(1));
  });
  expect(bill.object_rows).toBeLessThanOrEqual(5);
  expect(bill.object_rows).toBeGreaterThanOrEqual(1);
  expect(bill.d1_rows).toBeLessThanOrEqual(12);
  expect(bill.d1_rows).toBeGreaterThanOrEqual(6);
  expect(bill.kv_writes).toBe(0);
});
