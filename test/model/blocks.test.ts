/**
 * Tips, downloads, newsletter and quotas under a scheduler that decides when power fails, calls and answers are
 * lost, alarms run twice, D1 hangs or lacks the page (docs/faults.md F20), and the hub and the mail service answer late or never. Afterwards the hub's
 * books, the mailbox, the objects and D1 are compared as sets.
 */
import { describe, expect, test } from "vitest";
import { firstBlockViolation } from "./blocks/run.ts";
import { parts } from "./parts.ts";

const TIMEOUT_MS = 240_000;

describe("blocks of a page", () => {
  test.each(parts())(
    "each tip is sent on both sides or on none, each use and confirmation counts once, no quota is exceeded: $from to $to",
    { timeout: TIMEOUT_MS },
    async (part) => {
      expect(await firstBlockViolation(part)).toBeNull();
    },
  );
});
