/** Times are ISO 8601 in UTC. */
import type { SentTip } from "../../../objects/blocks/tips/tip.ts";

export interface TipJson extends Omit<SentTip, "at"> {
  at: string;
  status: "sent";
}

export function tipJson({ at, ...tip }: SentTip): TipJson {
  return { ...tip, at: new Date(at).toISOString(), status: "sent" };
}
