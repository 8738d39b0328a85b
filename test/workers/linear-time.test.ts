/** Every parser takes linear time, so that repeated text from strangers cannot hold up other requests. */
import { expect, test } from "vitest";
import { redact } from "../../objects/platform/redact.ts";
import { fingerprintOf } from "../../src/errors/fingerprint.ts";
import { cookieValues } from "../../src/http/cookies.ts";
import { canonicalSlug } from "../../src/http/ids.ts";
import { parseSender } from "../../src/http/sender.ts";
import { generator, pick, randomSeed } from "../random.ts";
import { FRAGMENTS } from "./hostile.ts";

/** Eight times the longest stack, in characters, to make quadratic time visible. */
const CHARS = 64_000;
/**
 * Longest time for so many characters, in milliseconds: 20 for each 8,000. That is six times what the
 * slowest parser takes; the quadratic ones found by this test took 600 and more.
 */
const TEXT_MS = 160;

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
    const filled = (start: string, unit: string, end = "") =>
      start + unit.repeat(CHARS / unit.length) + end;
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
      const shown = `seed ${seed}: ${JSON.stringify(`${text.slice(0, 40)} … ${text.slice(-20)}`)}`;
      expect(await bestOf(3, () => parse(text)), shown).toBeLessThan(TEXT_MS);
    }
  },
  60_000,
);

/**
 * Milliseconds of the fastest of some runs, because other work may slow one down; one fast run is enough.
 */
async function bestOf(runs: number, run: () => unknown): Promise<number> {
  let best_ms = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs && best_ms >= TEXT_MS; i += 1) {
    const started = performance.now();
    await run();
    best_ms = Math.min(best_ms, performance.now() - started);
  }
  return best_ms;
}
