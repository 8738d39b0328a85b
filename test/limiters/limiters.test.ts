/**
 * Our limiter's arithmetic and three other libraries' limiters, with the same sixteen traces, judged by
 * the same rule. The tables are in docs/proof.md; `UPDATE_TABLES=1` rewrites them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { drive, SEED } from "./drive.ts";
import { type Decision, judge, promises } from "./oracle.ts";
import { LIMITERS, type Limiter, OURS } from "./others.ts";
import { type Report, report, tables } from "./table.ts";
import {
  LIMITS,
  LOCATIONS,
  START_MS,
  THREE_LOCATIONS,
  TRACES,
  type Trace,
  WINDOW_MS,
} from "./traces.ts";

const PROOF = fileURLToPath(new URL("../../docs/proof.md", import.meta.url));
const BLOCK = /(?<=<!-- limiters:start -->\n)[\s\S]*?(?=\n<!-- limiters:end -->)/;

/** Runs one trace through one limiter with a clock of its own; the locations share `memories`. */
async function run(limiter: Limiter, trace: Trace, limit: number, memories = 1): Promise<Report> {
  const running = await Promise.all(Array.from({ length: memories }, () => limiter.make(limit)));
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    now: START_MS,
  });
  let passed_ms = 0;
  try {
    const decisions = await drive(trace, limit, {
      pass(at_ms, clock_ms) {
        vi.advanceTimersByTime(at_ms - passed_ms);
        passed_ms = at_ms;
        // Timers follow true time, whatever steps the clock makes.
        if (Date.now() !== START_MS + clock_ms) vi.setSystemTime(START_MS + clock_ms);
      },
      evict: async () => {},
      async ask({ requests, location }) {
        const answers = [];
        // One after another, as a server does; no virtual time passes between them.
        for (let i = 0; i < requests; i += 1) {
          const answer = await running[location % memories]?.ask();
          if (answer !== undefined) answers.push(answer);
        }
        return answers;
      },
    });
    return report(decisions, limiter, trace, limit);
  } finally {
    vi.useRealTimers();
    for (const { close } of running) close?.();
  }
}

describe(`limiters side by side, seed ${SEED}`, () => {
  const reports: Report[] = [];

  beforeAll(async () => {
    for (const limiter of LIMITERS) {
      for (const trace of TRACES) {
        for (const limit of LIMITS) reports.push(await run(limiter, trace, limit));
      }
    }
  }, 60_000);

  for (const trace of TRACES) test(`ours in ${trace.name}: ${trace.rule}`, () => exact(trace));

  function exact(trace: Trace): void {
    const ours = reports.filter((one) => one.limiter === OURS && one.trace === trace);
    expect(ours.map(({ limit }) => limit)).toEqual(LIMITS);
    for (const { limit, judgement, kept, demand } of ours) {
      expect({ ...judgement, ...kept }).toEqual({
        false_admits: 0,
        false_refusals: 0,
        retry_early: 0,
        retry_late: 0,
        peak: limit,
        broken: 0,
        overlong: 0,
      });
      // A trace with fewer requests would prove nothing; only the steady one has no more.
      if (trace.name === "steady at the limit") expect(demand).toBe(limit);
      else expect(demand).toBeGreaterThan(limit);
    }
  }

  // docs/proof.md quotes this number.
  test("counting in memory, three locations without a shared store admit 169 of 60", async () => {
    for (const limiter of LIMITERS.filter(({ inMemory }) => inMemory)) {
      const { judgement } = await run(limiter, THREE_LOCATIONS, 60, LOCATIONS);
      expect(judgement.peak).toBe(169);
    }
  });

  test("docs/proof.md shows these numbers", async () => {
    const current = tables(reports);
    if (process.env.UPDATE_TABLES) {
      const proof = await readFile(PROOF, "utf8");
      await writeFile(
        PROOF,
        proof.replace(BLOCK, () => current),
      );
    }
    expect(
      (await readFile(PROOF, "utf8")).match(BLOCK)?.[0].trim(),
      "the tables of docs/proof.md are stale: run this test with UPDATE_TABLES=1",
    ).toBe(current);
  });
});

describe("the oracle", () => {
  const trace: Trace = { ...THREE_LOCATIONS, slack_ms: 0, judged_by: "at_ms" };
  const right = { limit: 3, window_ms: WINDOW_MS, retry_ms: 0 };
  const nothing = { false_admits: 0, false_refusals: 0, retry_early: 0, retry_late: 0, peak: 3 };

  /** A broken limiter of 3, with a request every 10 ms around the edges of its windows. */
  function judged(wrong: Partial<typeof right>) {
    const { limit, window_ms, retry_ms } = { ...right, ...wrong };
    const decisions: Decision[] = [];
    const admitted: number[] = [];
    for (const from of [0, WINDOW_MS - 2, 2 * WINDOW_MS - 4]) {
      for (let at_ms = from; at_ms < from + 8; at_ms += 1) {
        const due = (admitted.at(-limit) ?? Number.NEGATIVE_INFINITY) + window_ms;
        const ok = at_ms >= due;
        if (ok) admitted.push(at_ms);
        const retry_after_s = ok ? null : Math.ceil((due - at_ms) / 1_000) + retry_ms / 1_000;
        decisions.push({ at_ms, clock_ms: at_ms, admitted: ok, retry_after_s });
      }
    }
    return { judgement: judge(decisions, 3, trace), kept: promises(decisions) };
  }

  test("finds no error in a correct limiter", () => {
    expect(judged({})).toEqual({ judgement: nothing, kept: { broken: 0, overlong: 0 } });
  });

  test("finds a window that is 1 ms too short or too long", () => {
    expect(judged({ window_ms: WINDOW_MS - 1 }).judgement.false_admits).toBeGreaterThan(0);
    expect(judged({ window_ms: WINDOW_MS - 1 }).judgement.peak).toBe(4);
    expect(judged({ window_ms: WINDOW_MS + 1 }).judgement.false_refusals).toBeGreaterThan(0);
  });

  test("finds one request too many and one too few", () => {
    expect(judged({ limit: 4 }).judgement.false_admits).toBeGreaterThan(0);
    expect(judged({ limit: 4 }).judgement.peak).toBe(4);
    expect(judged({ limit: 2 }).judgement).toMatchObject({ false_admits: 0, peak: 2 });
    expect(judged({ limit: 2 }).judgement.false_refusals).toBeGreaterThan(0);
  });

  test("finds a Retry-After that names too early a time, and one more than 1 s too late", () => {
    const early = judged({ retry_ms: -1_000 });
    expect(early.judgement.retry_early).toBeGreaterThan(0);
    expect(early.kept.broken).toBeGreaterThan(0);
    const late = judged({ retry_ms: 1_000 });
    expect(late.judgement.retry_late).toBeGreaterThan(0);
    expect(late.kept.overlong).toBeGreaterThan(0);
  });
});
