/**
 * Personal data is removed from logs and samples, at any position in the text (S16, S17).
 * `error-report.test.ts` has each field of a sample.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "../../../../objects/platform/redact.ts";
import { SECRETS } from "../../http/secret-arbitrary.ts";
import { cases } from "../../kit/cases.ts";

/** Text around it in messages and in stacks. */
const before = fc.constantFrom(
  ...["", " ", "\n", '"', "'", "`", "(", "[", "{", "<", "=", ": ", ", ", "; ", "\u201c", "«", "→ "],
);
const after = fc.constantFrom(
  ...[" ", "\n", '"', "'", "`", ")", "]", "}", ">", ", ", ". ", ".", ";", "! "],
  ...["\u201d", "»", "…", "؟", "،"],
);
const WORDS = ["TypeError:", "cannot", "at f", "(native)", "12:30:01", "لا", "يمكن", "\n", "{}"];
const text = fc
  .oneof(
    fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(" ")),
    fc.array(fc.nat(0x10_ffff), { maxLength: 20 }).map((codes) => String.fromCodePoint(...codes)),
  )
  .map((words) => `${words} `);

test.each(Object.entries(SECRETS))("S16, S17: %s does not survive in a text", (_, secrets) => {
  const embedded = fc
    .tuple(text, before, secrets, after, text)
    .map(([start, left, { written, parts }, right, end]) => ({
      message: `${start}${left}${written}${right}${end}`,
      parts,
    }));
  fc.assert(
    fc.property(embedded, ({ message, parts }) => {
      const kept = redact(message);
      for (const part of parts) expect(kept).not.toContain(part);
    }),
    { numRuns: cases(5_000) },
  );
});

test.for([
  ['to "Anna \\"Secret\\" Smith"@sila.example', "to [redacted]"],
  ['{"to":"\\"Anna Smith\\"@sila.example"}', '{"to":[redacted]"}'],
  ["to anna@[192.0.2.7]", "to [redacted]"],
  ["to anna@[IPv6:2001:db8::7]", "to [redacted]"],
  ["forEach@[native code]", "forEach@[native code]"],
])(
  "S17: a mailbox is one with quotes in its name or an address for its host: %s",
  ([text, kept]) => {
    expect(redact(text as string)).toBe(kept);
  },
);

test("the file and place of a script of ours stay in a stack, though its hash is all digits", () => {
  const frames = [
    "at f (https://sila.example/assets/beacon-b325087255.js:1:2183)",
    "at https://sila.example/assets/dashboard-0501234567.js:1:2",
    "at https://sila.example/assets/editor-ar-FYIOKNNY.js:1:2",
  ].join("\n");
  expect(redact(frames)).toBe(frames);
  expect(
    redact("https://a:b@sila.example/assets/beacon-b325087255.js?token=secret 0501234567"),
  ).toBe("https://sila.example/assets/beacon-b325087255.js?[redacted] [redacted]");
  expect(redact("/assets/0501234567.js /a-0501234567.js")).not.toContain("501234567");
  for (const of_a_query of [
    "https://sila.example/p?next=/assets/beacon-b325087255.js&session=hidden",
    "/p?next=/assets/beacon-b325087255.js&session=hidden",
    "secret=/assets/beacon-b325087255.js-hidden",
  ]) {
    expect(redact(of_a_query)).not.toContain("hidden");
  }
});

test("S16: nothing stays of a userinfo in which a secret stands beside its name", () => {
  expect(redact("at https://Anna-pwd=secret@sila.example/x")).toBe("at https://sila.example/x");
  expect(redact("at https://Anna-basic%20abc@sila.example/x")).toBe("at https://sila.example/x");
});
