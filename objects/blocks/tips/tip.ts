/** What the router asks of a tipper's object, and its answers. docs/contract.md section 11. */
import type { Conversion } from "../../events/conversion.ts";

/** A tip that a user wants to send. */
export interface TipOrder extends Pick<Conversion, "link_id" | "class" | "origin"> {
  /** The client's Idempotency-Key. */
  key: string;
  /** Of what the client asked for: the same key with another hash is a conflict. */
  hash: string;
  page_id: string;
  owner_id: string;
  points: number;
  /** `''` without one. */
  message: string;
  from_id: string;
  from_name: string;
}

/** A tip that has arrived. */
export interface SentTip {
  id: string;
  page_id: string;
  link_id: string;
  points: number;
  message: string;
  /** Unix milliseconds. */
  at: number;
}

/** A tip of a short while ago that has arrived, or of which that is not known yet. */
export interface RecentTip {
  points: number;
  is_sent: boolean;
}

/**
 * `refused`: not enough points. `conflict`: the key was used for another tip. `signed_out`: the hub
 * does not know the session. `unknown` and `late`: the hub failed or was too slow, and the outcome is
 * not known yet; the same key learns it.
 */
export type TipAnswer =
  | { outcome: "sent"; tip: SentTip }
  | { outcome: "refused" | "conflict" | "signed_out" | "unknown" | "late" };

/** A list continues after the tip of this time and id. */
export interface TipCursor {
  at: number;
  id: string;
}
