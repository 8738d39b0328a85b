/** What the clients of the blocks know. */
import type { Visitor } from "./blocks-page.ts";

export interface Notes {
  /** By key, which is also the message; `id` is that of the answer, null while there is none or for a refusal. */
  tips: Map<
    string,
    { user: Visitor; points: number; outcome: "sent" | "refused" | null; id: string | null }
  >;
  /** Tokens whose file arrived, with its SHA-256 in hex, and people who heard that it is used up. */
  files: Map<string, string>;
  used_up: number;
  /** Addresses whose sign-up was accepted, that got a mail, that tried to confirm, and that have. */
  accepted: Set<string>;
  mailed: Set<string>;
  confirming: Set<string>;
  confirmed: Set<string>;
  /** Suggestions answered, and refused because the quota was used up. */
  suggested: Map<Visitor, number>;
  over_quota: number;
  /** Calls at the endpoint of suggestions. */
  endpoint_calls: number;
  /** What never got an answer, and answers that nothing explains. */
  stuck: string[];
  unexpected: string[];
}

export function newNotes(): Notes {
  return {
    tips: new Map(),
    files: new Map(),
    used_up: 0,
    accepted: new Set(),
    mailed: new Set(),
    confirming: new Set(),
    confirmed: new Set(),
    suggested: new Map(),
    over_quota: 0,
    endpoint_calls: 0,
    stuck: [],
    unexpected: [],
  };
}
