/** What the router asks of a tipper's object, and its answers (docs/contract.md section 11). */
import type { Conversion } from "../../events/conversion.ts";

export interface TipOrder extends Pick<Conversion, "link_id" | "class" | "origin"> {
  key: string;
  /** A hash of what the client asked for: the same key with another hash is a conflict. */
  hash: string;
  page_id: string;
  owner_id: string;
  points: number;
  message: string;
  from_id: string;
  from_name: string;
}

export interface SentTip {
  id: string;
  page_id: string;
  link_id: string;
  points: number;
  message: string;
  /** Unix milliseconds. */
  at: number;
}

export interface RecentTip {
  points: number;
  is_sent: boolean;
}

/**
 * `refused`: not enough points. `conflict`: the key was used for another tip. `signed_out`: the hub
 * does not know the session. `unknown` and `late`: the hub failed or was too slow; the same key
 * learns the outcome.
 */
export type TipAnswer =
  | { outcome: "sent"; tip: SentTip }
  | { outcome: "refused" | "conflict" | "signed_out" | "unknown" | "late" };

export interface TipCursor {
  at: number;
  id: string;
}
