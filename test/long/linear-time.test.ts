/** Every parser takes linear time, so that repeated text from strangers cannot hold up other requests. */
import { expect, test } from "vitest";
import { redact } from "../../objects/platform/redact.ts";
import { fingerprintOf } from "../../src/counting/errors/fingerprint.ts";
import { cookieValues } from "../../src/http/cookies.ts";
import { canonicalSlug } from "../../src/http/ids.ts";
import { parseSender } from "../../src/http/sender.ts";
import { FRAGMENTS } from "../fragments.ts";
import { generator, pick, randomSeed } from "../random.ts";

/** Eight times the longest stack, in characters, and a quarter of that. */
const CHARS = 64_000;
const FEWER_CHARS = CHARS / 4;
/** For four times as many characters a quadratic parser takes sixteen times as long. */
const RATIO_MAX = 10;
/**
 * A parser that takes less is quick enough: a linear one takes 10 ms, a quadratic one seconds. A machine that shares
 * its processor makes single runs three times as long, and ratios of short ones say nothing.
 */
const QUICK_MS = 100;
/** Of a parser that seems not to be linear. */
const ROUNDS_MAX = 12;

/** Repeated beginnings of a pattern without its end. */
const BEGINNINGS = [
  ...["a@", "a@a.", "@a", "a%40", "eyJ-", "eyJa.", "a.", ":1", "?a", "::1.", "a:", "-a1."],
  ...["@a.a ", "1.1.1.1", "ab://@", "ab://a?", "/<", "aaaaaaa-", "\u0301\u0316"],
];

const PARSERS: Record<string, (text: string) => unknown> = {
  redact,
  "a fingerprint": (text) => fingerprintOf({ message: text, stack: text }),
  "a slug": canonicalSlug,
  "a sender": parseSender,
  "a cookie": (text) => cookieValues(`${text}; a=b`, "a", 1),
};

test.each(Object.entries(PARSERS))(
  "%s takes linear time for any repeated text",
  async (_, parse) => {
    const seed = randomSeed();
    const random = generator(seed);
    const filled =
      (start: string, unit: string, end = "") =>
      (chars: number) =>
        start + unit.repeat(chars / unit.length) + end;
    const some = () => pick(["", "", "x", ...FRAGMENTS], random);
    const texts = [
      ...[...FRAGMENTS, ...BEGINNINGS].flatMap((unit) => [
        filled("", unit),
        filled("x", unit, "x"),
      ]),
      ...[
        filled("", "/", "x@y"),
        filled("at ", "<", "x (y)"),
        filled("?", ")", "x"),
        filled("bearer", " "),
        filled("a", " ", "b"),
      ],
      ...Array.from({ length: 300 }, () =>
        filled(some(), some() + pick(FRAGMENTS, random), some()),
      ),
    ];
    for (const text of texts) {
      const begin = JSON.stringify(text(FEWER_CHARS).slice(0, 40));
      const ratio = await ratioOf(
        () => parse(text(CHARS)),
        () => parse(text(FEWER_CHARS)),
      );
      expect(ratio, `seed ${seed}: ${begin}`).toBeLessThan(RATIO_MAX);
    }
  },
  60_000,
);

/**
 * How much longer the first takes than the second, by the fastest of some runs of each, by turns. Zero for what is
 * quick enough.
 */
async function ratioOf(many: () => unknown, few: () => unknown): Promise<number> {
  let many_ms = Number.POSITIVE_INFINITY;
  let few_ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    many_ms = Math.min(many_ms, await processorTimeOf(many));
    if (many_ms < QUICK_MS) return 0;
    few_ms = Math.min(few_ms, await processorTimeOf(few));
    if (round > 0 && many_ms / few_ms < RATIO_MAX) break;
  }
  return many_ms / few_ms;
}

/** Milliseconds of this thread, which other work on the machine does not lengthen. */
async function processorTimeOf(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
