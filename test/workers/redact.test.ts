/** Personal data is removed from logs and samples, at any position in the text (S16, S17). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "../../objects/platform/redact.ts";
import { ErrorReport, toSample } from "../../src/errors/error-report.ts";
import { cases } from "./cases.ts";
import { SECRETS } from "./secret-arbitrary.ts";

const RUNS = cases(5_000);

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

/** An address with the secret in one of its parts. */
function addressWith(written: string): string {
  if (written.startsWith("/")) return `https://sila.example${written}`;
  if (written.includes("://")) return written;
  // Letters of other scripts are percent-encoded in a path, which is not decoded.
  return /[^ -~]/.test(written) ? "" : `https://sila.example/x/${written}/y`;
}

describe.each(Object.entries(SECRETS))("S16, S17: %s", (_, secrets) => {
  const embedded = fc
    .tuple(text, before, secrets, after, text)
    .map(([start, left, { written, parts }, right, end]) => ({
      message: `${start}${left}${written}${right}${end}`,
      parts,
    }));

  test("does not survive in a log line", () => {
    fc.assert(
      fc.property(embedded, ({ message, parts }) => {
        const kept = redact(message);
        for (const part of parts) expect(kept).not.toContain(part);
      }),
      { numRuns: RUNS },
    );
  });

  test("does not survive in any field of an error report's sample", () => {
    fc.assert(
      fc.property(embedded, embedded, secrets, (message, stack, url) => {
        const sample = toSample(
          ErrorReport.parse({
            message: message.message,
            stack: stack.message,
            url: addressWith(url.written),
          }),
        );
        const kept = Object.values(sample).join("\n");
        for (const part of [message, stack, url].flatMap(({ parts }) => parts)) {
          expect(kept).not.toContain(part);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
