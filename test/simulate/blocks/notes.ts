import type { Visitor } from "./blocks-page.ts";

interface Tip {
  user: Visitor;
  points: number;
  outcome: "sent" | "refused" | null;
  /** That of the answer; null while there is none, and for a refusal. */
  id: string | null;
}

export class Notes {
  /** By key, which is also the message. */
  readonly tips = new Map<string, Tip>();
  /** Tokens whose file arrived, with its SHA-256 in hex, and people who heard that it is used up. */
  readonly files = new Map<string, string>();
  used_up = 0;
  /** Addresses whose sign-up was accepted, that got a mail, that tried to confirm, and that have. */
  readonly accepted = new Set<string>();
  readonly mailed = new Set<string>();
  readonly confirming = new Set<string>();
  readonly confirmed = new Set<string>();
  /** Suggestions answered, and refused because the quota was used up. */
  readonly suggested = new Map<Visitor, number>();
  over_quota = 0;
  endpoint_calls = 0;
  /** What never got an answer, and answers that nothing explains. */
  readonly stuck: string[] = [];
  readonly unexpected: string[] = [];
}
