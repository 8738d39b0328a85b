/**
 * How many random inputs a parser meets: all of them in `npm run test:weekly`, a fifth of them in every other
 * run, which begins at a seed of the day. A failure names the seed, and `TEST_SEED` repeats it.
 */
import { env } from "cloudflare:workers";
import { randomSeed } from "../../random.ts";

const DAY_MS = 86_400_000;
const IS_LONG = env.TEST_WEEKLY !== "";

/** @param all in a weekly run */
export function cases(all: number, part = 1 / 5): number {
  return IS_LONG ? all : Math.ceil(all * part);
}

/** The same all day, so that a failed run can be repeated; a random one in a weekly run. */
export function seedOfTheDay(): number {
  if (env.TEST_SEED !== "") return Number(env.TEST_SEED);
  return IS_LONG ? randomSeed() : Math.floor(Date.now() / DAY_MS);
}
