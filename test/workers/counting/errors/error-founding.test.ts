/**
 * F29: a sender creates at most five groups of errors in any hour. Its further reports are counted
 * exactly and displace no groups of other senders.
 */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ErrorLog } from "../../../../objects/errors/error-log.ts";
import { ERROR_LOGS } from "../../../../objects/errors/error-report.ts";
import { RateLimiter } from "../../../../objects/limiter/rate-limiter.ts";
import { ERROR_GROUPS_PER_HOUR } from "../../../../src/counting/errors/limits.ts";
import { LIMITS_PER_MINUTE } from "../../../../src/http/limits.ts";
import { stopClock } from "../../kit/faults.ts";
import { call, errorOf, freshAddress } from "../../kit/kit.ts";

const HOUR_MS = 3_600_000;

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
});

let errors_made = 0;

/** A message that was not reported yet; all of one `kind` have the same beginning. */
function freshError(kind: string): string {
  errors_made += 1;
  const letters = [...errors_made.toString(26)].map((digit) =>
    String.fromCharCode("a".charCodeAt(0) + Number.parseInt(digit, 26)),
  );
  return `${kind} ${letters.join("")}`;
}

function send(message: string, ip: string): Promise<Response> {
  return call("/api/log/error", { method: "POST", body: JSON.stringify({ message }), ip });
}

/** Sends so many different errors in sequence; each must be accepted. */
async function flood(kind: string, count: number, ip: string): Promise<void> {
  for (let i = 0; i < count; i += 1) expect((await send(freshError(kind), ip)).status).toBe(202);
}

interface Row {
  fingerprint: string;
  n: number;
  message: string;
}

/** From D1 after a flush of all error logs: the groups of this kind, and the sum of all others. */
async function inD1(kind: string) {
  for (const name of ERROR_LOGS) await env.ERROR_LOG.getByName(name).flush();
  const { results } = await env.DB.prepare("SELECT fingerprint, n, message FROM errors").all<Row>();
  const other = results.filter(({ fingerprint }) => fingerprint.endsWith("-other"));
  return {
    groups: results.filter(({ message }) => message.startsWith(kind)),
    other: other.reduce((sum, { n }) => sum + n, 0),
  };
}

/** The limiter's checks for new groups, without those for requests. */
function foundingChecks(spy: { mock: { calls: Parameters<RateLimiter["checkAll"]>[] } }) {
  return spy.mock.calls.filter(([{ scope }]) => scope === "error_group");
}

describe("one sender", () => {
  test("founds five groups by 30 made-up errors in a minute; the rest counts as other", async () => {
    const ip = freshAddress();
    const before = await inD1("made up");
    await flood("made up", LIMITS_PER_MINUTE.error, ip);
    expect((await send(freshError("made up"), ip)).status).toBe(429);
    const { groups, other } = await inD1("made up");
    expect(groups.map(({ n }) => n)).toEqual([1, 1, 1, 1, 1]);
    expect(other - before.other).toBe(LIMITS_PER_MINUTE.error - 5);

    // An error of another sender still gets its group and its sample.
    expect((await send("a real error", freshAddress())).status).toBe(202);
    expect((await inD1("a real error")).groups).toMatchObject([{ n: 1, message: "a real error" }]);
  });

  test("founds five more after an hour, and none a millisecond earlier", async () => {
    expect(ERROR_GROUPS_PER_HOUR).toBe(5);
    const ip = freshAddress();
    await flood("hourly", 6, ip);
    expect((await inD1("hourly")).groups).toHaveLength(5);
    clock.advance(HOUR_MS - 1);
    await flood("hourly", 1, ip);
    expect((await inD1("hourly")).groups).toHaveLength(5);
    clock.advance(1);
    await flood("hourly", 6, ip);
    expect((await inD1("hourly")).groups).toHaveLength(10);
  });
});

describe("a known group", () => {
  test("counts for every sender, without a limiter call for groups", async () => {
    const known = freshError("known");
    await send(known, freshAddress());
    const ip = freshAddress();
    await flood("beyond the limit", 6, ip);
    const check = vi.spyOn(RateLimiter.prototype, "checkAll");
    const report = vi.spyOn(ErrorLog.prototype, "report");
    for (let i = 0; i < 10; i += 1) expect((await send(known, ip)).status).toBe(202);
    expect(foundingChecks(check)).toEqual([]);
    expect(report).toHaveBeenCalledTimes(10);
    expect((await inD1("known")).groups).toMatchObject([{ n: 11, message: known }]);
  });
});

describe("F18: when the limiter fails", () => {
  test("an unknown error counts as other, and the failure is logged", async () => {
    const before = await inD1("unlimited");
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { checkAll: check } = RateLimiter.prototype;
    vi.spyOn(RateLimiter.prototype, "checkAll").mockImplementation(function (
      this: RateLimiter,
      request,
    ) {
      if (request.scope === "error_group") throw new Error("limiter down");
      return check.call(this, request);
    });
    await flood("unlimited", 1, freshAddress());
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: "limiter_failed", scope: "error_group" },
    ]);
    const { groups, other } = await inD1("unlimited");
    expect(groups).toEqual([]);
    expect(other - before.other).toBe(1);
  });
});

describe("F17: a report whose second call fails", () => {
  test("has counted nothing, and counts once when it is sent again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const ip = freshAddress();
    const message = freshError("half way");
    const before = await inD1("half way");
    const { report } = ErrorLog.prototype;
    const failing = vi.spyOn(ErrorLog.prototype, "report").mockImplementation(function (
      this: ErrorLog,
      sent,
    ) {
      if (sent.if_unknown !== "skip") throw new Error("disk is full");
      return report.call(this, sent);
    });
    const refused = await send(message, ip);
    expect(refused.status).toBe(503);
    expect((await errorOf(refused)).code).toBe("DEPENDENCY_DOWN");
    failing.mockRestore();
    expect(await inD1("half way")).toEqual({ groups: [], other: before.other });
    expect((await send(message, ip)).status).toBe(202);
    const after = await inD1("half way");
    expect(after).toMatchObject({ groups: [{ n: 1, message }], other: before.other });
  });
});
