import { afterAll, beforeAll, describe } from "vitest";
import { HAS_CHROMIUM, startWorld, type World } from "./browser-kit.ts";

/** Milliseconds. For hooks that build, seed and serve while other test files run. */
export const START_TIMEOUT_MS = 120_000;
/**
 * Milliseconds. The longest journeys take 20 s alone and six times that beside four others on a machine of half the
 * speed. What hangs ends after `WAIT_MS`, the limit of each wait.
 */
export const TEST_TIMEOUT_MS = 300_000;

type Tests = (world: World) => void;

interface Options {
  timeout?: number;
  concurrent?: boolean;
}

/**
 * Tests that share a world of their own: the Worker with the demo pages, a browser, and the outside world. They
 * are skipped where there is no Chromium. The arguments are those of vitest's `describe`.
 *
 * The world starts after the tests are declared and before the first of them: hooks and tests may read its
 * members, and nothing else may.
 */
export function inBrowser(name: string, ...rest: [Tests] | [Options, Tests]): void {
  const [options, tests] = rest.length === 1 ? [{}, rest[0]] : rest;
  describe.skipIf(!HAS_CHROMIUM)(name, { timeout: TEST_TIMEOUT_MS, ...options }, () => {
    const world = {} as World;
    let close: World["close"] | undefined;
    beforeAll(async () => {
      Object.assign(world, await startWorld());
      close = world.close;
    }, START_TIMEOUT_MS);
    afterAll(() => close?.(), START_TIMEOUT_MS);
    tests(world);
  });
}

/** Journeys of people: each has a context, an account and pages of its own, so all run at once in one world. */
export function journeys(name: string, tests: Tests): void {
  inBrowser(name, { concurrent: true }, tests);
}
