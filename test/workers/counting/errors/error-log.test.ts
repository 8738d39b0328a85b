import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { GROUPS_MAX } from "../../../../objects/errors/error-groups.ts";
import { ErrorLog } from "../../../../objects/errors/error-log.ts";
import {
  type IfUnknown,
  otherGroup,
  type Report,
} from "../../../../objects/errors/error-report.ts";
import {
  FLUSH_GROUPS_MAX,
  forgetErrors,
  KEEP_MS,
} from "../../../../objects/errors/flush-errors.ts";
import { ErrorReport, toSample } from "../../../../src/counting/errors/error-report.ts";
import {
  ERROR_MESSAGE_CHARS_MAX,
  ERROR_STACK_CHARS_MAX,
  ERROR_URL_CHARS_MAX,
} from "../../../../src/counting/errors/limits.ts";
import { runCron } from "../../../../src/cron.ts";
import { utf8 } from "../../../../src/http/bytes.ts";
import { cases } from "../../kit/cases.ts";
import { breakD1, stopClock } from "../../kit/faults.ts";

const DAY_MS = 86_400_000;
/** Bytes of the longest value that D1 accepts. */
const D1_VALUE_BYTES_MAX = 2_000_000;
const d1: D1Database = Object.getPrototypeOf(env.DB);

let logs_made = 0;

/** A new error log for one test, and the common prefix of its fingerprints. */
function freshLog() {
  logs_made += 1;
  const name = `log-${logs_made}`;
  const prefix = logs_made.toString(16).padStart(4, "0");
  return {
    /** Fetched each time, because the stub of an aborted object cannot be used again. */
    get stub() {
      return env.ERROR_LOG.getByName(name);
    },
    fingerprint: (n: number) => prefix + n.toString(16).padStart(28, "0"),
    prefix,
  };
}

function report(fingerprint: string, message = "boom", if_unknown: IfUnknown = "create"): Report {
  const sample = { message, stack: "", severity: "error", page_id: "", url: "" } as const;
  return { fingerprint, sample, if_unknown };
}

/** Reports of `count` groups from number `from` on, one each. */
const flood = (fingerprint: (n: number) => string, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => report(fingerprint(from + i)));

interface ErrorRow {
  fingerprint: string;
  first_seen: number;
  last_seen: number;
  n: number;
  message: string;
}

/** D1's groups whose fingerprints have this prefix. */
async function rows(prefix: string): Promise<ErrorRow[]> {
  const { results } = await env.DB.prepare(
    `SELECT fingerprint, first_seen, last_seen, n, message FROM errors
     WHERE fingerprint LIKE ?1 || '%' ORDER BY fingerprint, first_seen`,
  )
    .bind(prefix)
    .all<ErrorRow>();
  return results;
}

async function sum(prefix: string): Promise<number> {
  return (await rows(prefix)).reduce((n, row) => n + row.n, 0);
}

type Log = ReturnType<typeof freshLog>["stub"];

/** Reports all of them at once, in one commit; returns the outcome of each. */
function reportAll(stub: Log, reports: readonly Report[]) {
  return runInDurableObject(stub, (log) =>
    Promise.all(reports.map((report) => log.report(report))),
  );
}

/** Evicts the object from memory, whatever it is doing. */
async function abort(stub: Log): Promise<void> {
  await runInDurableObject(stub, (_, state) => {
    state.abort("thrown out by a test");
  }).catch(() => undefined);
}

describe("a group of errors", () => {
  test("is one row with its exact number, when it was first and last seen, and its first sample", async () => {
    const clock = stopClock();
    const { stub, fingerprint, prefix } = freshLog();
    const first_seen = Date.now();
    await reportAll(stub, [report(fingerprint(1), "first"), report(fingerprint(1), "second")]);
    clock.advance(5_000);
    await reportAll(stub, [report(fingerprint(1), "third"), report(fingerprint(2))]);
    await stub.flush();
    const last_seen = first_seen + 5_000;
    expect(await rows(prefix)).toEqual([
      { fingerprint: fingerprint(1), first_seen, last_seen, n: 3, message: "first" },
      { fingerprint: fingerprint(2), first_seen: last_seen, last_seen, n: 1, message: "boom" },
    ]);
  });

  test("with thousands of equal reports costs its object a row a commit and D1 a few, and is exact", async () => {
    const { stub, fingerprint, prefix } = freshLog();
    const storm = Array.from({ length: 1_000 }, () => report(fingerprint(1)));
    await reportAll(stub, storm);
    const written = await runInDurableObject(stub, async (log, { storage }) => {
      const changes = () => Number(storage.sql.exec("SELECT total_changes() AS n").one().n);
      const before = changes();
      await Promise.all(storm.map((report) => log.report(report)));
      return changes() - before;
    });
    expect(written).toBe(1);
    const batch = vi.spyOn(d1, "batch");
    await runDurableObjectAlarm(stub);
    expect(await rows(prefix)).toMatchObject([{ n: 2_000 }]);
    const results = await Promise.all(batch.mock.results.map(({ value }) => value));
    const in_d1 = results.flat().reduce((n, { meta }) => n + meta.rows_written, 0);
    expect(in_d1).toBeLessThanOrEqual(2);
  });
});

describe("an error log", () => {
  test("F1, F3, F4, F6, F10: acknowledged reports reach D1 once, through any faults", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const reports = fc.record({ group: fc.nat(3), times: fc.integer({ min: 1, max: 5 }) });
    const faults = fc.constantFrom("alarm", "flush", "abort", "refuse", "lose", "sweep");
    const step = fc.oneof({ weight: 6, arbitrary: reports }, { weight: 5, arbitrary: faults });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const log = freshLog();
        const { fingerprint, prefix } = log;
        const acknowledged = new Map<string, number>();
        for (const step of steps) {
          if (typeof step === "object") {
            const id = fingerprint(step.group);
            await reportAll(log.stub, Array(step.times).fill(report(id)));
            acknowledged.set(id, (acknowledged.get(id) ?? 0) + step.times);
            continue;
          }
          if (step === "abort") await abort(log.stub);
          else if (step === "alarm") await runDurableObjectAlarm(log.stub);
          else if (step === "sweep") await log.stub.sweep();
          else if (step === "flush") await log.stub.flush();
          else {
            const { mend } = breakD1(step === "refuse" ? "before" : "after");
            await Promise.resolve(log.stub.flush()).catch(() => undefined);
            mend();
          }
          // D1 never has more than the object, and never loses anything.
          for (const { fingerprint, n } of await rows(prefix)) {
            expect(n).toBeLessThanOrEqual(acknowledged.get(fingerprint) ?? 0);
          }
        }
        await log.stub.flush();
        const flushed = new Map((await rows(prefix)).map(({ fingerprint, n }) => [fingerprint, n]));
        expect(flushed).toEqual(acknowledged);
      }),
      { numRuns: cases(250, 1 / 25) },
    );
  });

  test("F4: retries while D1 refuses, and agrees with it afterwards", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { stub, fingerprint, prefix } = freshLog();
    const { mend, calls } = breakD1("before");
    await reportAll(stub, [report(fingerprint(1))]);
    for (let i = 1; i <= 3; i += 1) expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(calls()).toBe(3);
    mend();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await sum(prefix)).toBe(1);
  });

  test("F8: sets a lost alarm again at the sweep", async () => {
    const log = freshLog();
    expect(await log.stub.sweep()).toBe("healthy");
    await reportAll(log.stub, [report(log.fingerprint(1))]);
    expect(await log.stub.sweep()).toBe("healthy");
    await runInDurableObject(log.stub, (_, state) => state.storage.deleteAlarm());
    await abort(log.stub);
    expect(await log.stub.sweep()).toBe("rearmed");
    expect(await runDurableObjectAlarm(log.stub)).toBe(true);
  });

  test("F8: is swept every hour, which also deletes groups unseen for a month from D1", async () => {
    const clock = stopClock();
    clock.set(Date.UTC(2026, 0, 1, 12, 34));
    const { fingerprint } = freshLog();
    const stub = env.ERROR_LOG.getByName("0");
    await reportAll(stub, [report(fingerprint(1))]);
    await runDurableObjectAlarm(stub);
    const forgotten = async () => (await rows(fingerprint(1))).length === 0;
    const month_later = Date.now() + KEEP_MS + DAY_MS;
    await runCron(env, month_later);
    expect(await forgotten()).toBe(false);
    const sweep = vi.spyOn(ErrorLog.prototype, "sweep");
    await runCron(env, Date.UTC(2026, 1, 1, 13));
    expect(sweep).toHaveBeenCalledTimes(16);
    expect(await forgotten()).toBe(true);
  });

  test("F20: heals a D1 that was restored to an older point, at the next flush or sweep", async () => {
    for (const way of ["flush", "sweep"] as const) {
      const { stub, fingerprint, prefix } = freshLog();
      await reportAll(stub, flood(fingerprint, 1, 3));
      await stub.flush();
      await reportAll(stub, [report(fingerprint(2))]);
      await runDurableObjectAlarm(stub);
      // Its state between the two flushes.
      await env.DB.prepare("UPDATE errors SET n = 1 WHERE fingerprint LIKE ?1 || '%'")
        .bind(prefix)
        .run();
      if (way === "sweep") {
        expect(await stub.sweep()).toBe("rearmed");
        await runDurableObjectAlarm(stub);
      } else {
        await reportAll(stub, [report(fingerprint(2))]);
        await stub.flush();
      }
      expect((await rows(prefix)).map(({ n }) => n)).toEqual([1, way === "sweep" ? 2 : 3, 1]);
    }
  });

  test("also sends reports that arrived during a flush", async () => {
    const { stub, fingerprint, prefix } = freshLog();
    // The object itself, because code inside it cannot call it through its stub.
    const log = await runInDurableObject(stub, (log) => log);
    const real = d1.batch;
    const batch = vi.spyOn(d1, "batch").mockImplementationOnce(async function (
      this: D1Database,
      statements,
    ) {
      const results = await real.call(this, statements);
      await log.report(report(fingerprint(1)));
      return results;
    });
    await reportAll(stub, [report(fingerprint(1))]);
    await stub.flush();
    expect(await rows(prefix)).toMatchObject([{ n: 2 }]);
    expect(batch).toHaveBeenCalledTimes(2);
  });
});

describe("a flood of different errors", () => {
  test("fills an object at most: the rest counts, exactly, as one group", async () => {
    const { stub, fingerprint, prefix } = freshLog();
    await reportAll(stub, flood(fingerprint, 0, GROUPS_MAX));
    await reportAll(stub, flood(fingerprint, 1_000, 300));
    await reportAll(stub, flood(fingerprint, 0, 5));
    // Without room there is nothing to ask the limiter for.
    const late = report(fingerprint(1_000), "late", "skip");
    expect(await reportAll(stub, [late])).toEqual(["counted"]);
    await stub.flush();
    expect(await rows(prefix)).toHaveLength(GROUPS_MAX);
    expect(await sum(prefix)).toBe(GROUPS_MAX + 5);
    const other = await rows(otherGroup(fingerprint(0)));
    expect(other.at(-1)).toMatchObject({ n: 301, message: "(other)" });
  });

  test("makes room for a new error by removing one unseen for a day, and loses neither's count", async () => {
    const clock = stopClock();
    const { stub, fingerprint, prefix } = freshLog();
    await reportAll(stub, flood(fingerprint, 0, GROUPS_MAX));
    await stub.flush();
    clock.advance(DAY_MS);
    // Seen again in this commit, so it is not the one to be removed.
    await reportAll(stub, [report(fingerprint(1_000)), report(fingerprint(0))]);
    await stub.flush();
    await reportAll(stub, [report(fingerprint(1))]);
    await stub.flush();
    const of = async (n: number) => (await rows(fingerprint(n))).map((row) => row.n);
    // The object had removed the second to make room; now it is a second row next to its old one.
    expect([await of(0), await of(1), await of(1_000)]).toEqual([[2], [1, 1], [1]]);
    expect(await sum(prefix)).toBe(GROUPS_MAX + 3);
  });
});

describe("a report of an unknown fingerprint", () => {
  test("counts in its group if another report has founded it meanwhile", async () => {
    const { stub, fingerprint, prefix } = freshLog();
    await reportAll(stub, [report(fingerprint(1), "first")]);
    for (const if_unknown of ["skip", "create", "other"] as const) {
      const later = report(fingerprint(1), "later", if_unknown);
      expect(await reportAll(stub, [later])).toEqual(["counted"]);
    }
    const both = [report(fingerprint(2), "first"), report(fingerprint(2), "later", "skip")];
    expect(await reportAll(stub, both)).toEqual(["counted", "counted"]);
    await stub.flush();
    expect(await rows(prefix)).toMatchObject([
      { n: 4, message: "first" },
      { n: 2, message: "first" },
    ]);
  });
});

describe("a group unseen for a month", () => {
  test("is deleted from its object and from D1, with its sample", async () => {
    const clock = stopClock();
    const { stub, fingerprint, prefix } = freshLog();
    await reportAll(stub, [report(fingerprint(1))]);
    await runDurableObjectAlarm(stub);
    const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBe(Date.now() + KEEP_MS);
    clock.advance(KEEP_MS);
    await reportAll(stub, [report(fingerprint(2))]);
    await runDurableObjectAlarm(stub);
    const left = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec<{ fingerprint: string }>("SELECT fingerprint FROM samples").toArray(),
    );
    expect(left).toEqual([{ fingerprint: fingerprint(2) }]);
    clock.advance(DAY_MS);
    await forgetErrors(env.DB, Date.now());
    expect((await rows(prefix)).map((row) => row.fingerprint)).toEqual([fingerprint(2)]);
    expect(await stub.sweep()).toBe("healthy");
  });
});

test("the largest samples that can be sent reach D1, in flushes that it accepts", async () => {
  // Redaction makes up to five bytes of each character of a text, encoding twelve of an address's.
  const body = {
    message: "?!\u3000".repeat(ERROR_MESSAGE_CHARS_MAX / 3),
    stack: "?!\u3000".repeat(ERROR_STACK_CHARS_MAX / 3),
    url: "https://x.example/".padEnd(2 * (ERROR_URL_CHARS_MAX - 9), "😀"),
  };
  const sample = toSample(ErrorReport.parse(body));
  const { stub, fingerprint, prefix } = freshLog();
  const count = FLUSH_GROUPS_MAX + 1;
  const reports = flood(fingerprint, 0, count).map((one) => ({ ...one, sample }));
  const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  const bind = vi.spyOn(statement, "bind");
  await reportAll(stub, reports);
  await stub.flush();
  expect(await rows(prefix)).toHaveLength(count);
  const bytes = bind.mock.calls.flat().map((value) => utf8(String(value)).length);
  expect(Math.max(...bytes)).toBeGreaterThan(D1_VALUE_BYTES_MAX / 2);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(D1_VALUE_BYTES_MAX);
});
