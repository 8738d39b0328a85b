/**
 * Hostile texts: damaged valid ones, and the kinds of junk that have broken parsers before. Random, and
 * reproducible by the seed in the failure's message.
 */
import { FRAGMENTS } from "../../fragments.ts";
import { generator, integer, pick, type Random } from "../../random.ts";
import { cases, seedOfTheDay } from "./cases.ts";

export const INPUTS = cases(100_000, 1 / 10);
/** One in so many inputs is huge; its size in characters. */
const HUGE_EVERY = 1_000;
const HUGE_CHARS = 20_000;

/** 1 to 4 edits of a text: parts are deleted, doubled or replaced, and foreign ones inserted. */
function damaged(text: string, random: Random): string {
  let edited = text;
  for (let edits = integer(4, random); edits >= 0; edits -= 1) {
    const from = integer(edited.length + 1, random);
    const to = Math.min(edited.length, from + 1 + integer(random() < 0.8 ? 3 : 40, random));
    const piece = edited.slice(from, to);
    const put = pick(
      ["", piece + piece, pick(FRAGMENTS, random), piece + pick(FRAGMENTS, random), any(random)],
      random,
    );
    edited = edited.slice(0, from) + put + edited.slice(to);
  }
  return edited;
}

/** One UTF-16 unit, also a lone surrogate. */
function any(random: Random): string {
  return String.fromCharCode(integer(random() < 0.5 ? 0x100 : 0x1_0000, random));
}

function several(unit: (random: Random) => string, random: Random): string {
  return Array.from({ length: integer(40, random) }, () => unit(random)).join("");
}

export function hostile(samples: readonly [string, ...string[]], random: Random): string {
  const kind = random();
  if (kind < 1 / HUGE_EVERY) return pick(FRAGMENTS, random).repeat(integer(HUGE_CHARS, random));
  if (kind < 0.7) return damaged(pick(samples, random), random);
  if (kind < 0.8) return several(any, random);
  if (kind < 0.95) return several((r) => pick(FRAGMENTS, r), random);
  return pick(FRAGMENTS, random).repeat(integer(60, random)) + pick(samples, random);
}

/** A copy of the bytes with a few changed, so that most are not valid UTF-8. */
export function damagedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  for (let edits = integer(3, random); edits >= 0; edits -= 1) {
    copy[integer(copy.length, random)] = integer(256, random);
  }
  return copy;
}

/**
 * `parse` throws where a parser did what it must not, and else says which way it went. Answers how often each
 * way was gone, so that a test sees that it tested what is taken and what is refused. A failure names seed and
 * text.
 */
export async function fuzz(
  samples: readonly [string, ...string[]],
  parse: (text: string, random: Random) => string | Promise<string>,
): Promise<Record<string, number>> {
  const seed = seedOfTheDay();
  const random = generator(seed);
  const ways: Record<string, number> = {};
  for (let n = 0; n < INPUTS; n += 1) {
    const text = hostile(samples, random);
    try {
      const way = await parse(text, random);
      ways[way] = (ways[way] ?? 0) + 1;
    } catch (cause) {
      const shown = JSON.stringify(text).slice(0, 2_000);
      throw new Error(`TEST_SEED=${seed}, text ${n}: ${shown}: ${cause}`, { cause });
    }
  }
  return ways;
}
