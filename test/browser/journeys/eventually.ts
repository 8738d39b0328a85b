import { expect, vi } from "vitest";
import { WAIT_MS } from "../wait.ts";

/** Milliseconds between two looks at a page that has to be loaded again for each. */
export const LOOK_AGAIN = { interval: 300 };

/**
 * Waits until what is read equals this. In place of `expect.poll`, which has to find the test that it belongs to
 * and cannot while several run at once.
 */
export async function eventually(
  read: () => unknown,
  expected: unknown,
  { interval = 50 }: { interval?: number } = {},
): Promise<void> {
  await vi.waitFor(async () => expect(await read()).toEqual(expected), {
    timeout: WAIT_MS,
    interval,
  });
}
