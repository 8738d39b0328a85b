/**
 * Our limiter's arithmetic and three other libraries' limiters, with the same sixteen traces, judged by
 * the same rule. The tables are in docs/proof.md; `UPDATE_TABLES=1` rewrites them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { drive, SEED } from "./drive.ts";
import { LIMITERS, type Limiter } from "./others.ts";
import { type Report, report, tables } from "./table.ts";
import { LIMITS, LOCATIONS, START_MS, THREE_LOCATIONS, TRACES, type Trace } from "./traces.ts";

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
