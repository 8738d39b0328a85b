/**
 * Exact limits of a user in any 24 hours, by plan (docs/contract.md section 6), for what costs more
 * than a request. The windows are in the user's limiter object, named by the keyed hash of the id.
 */
import type { Context } from "hono";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { requireConfig } from "../http/config.ts";
import { checkTogether } from "../http/exact-limit.ts";
import { senderName } from "../http/sender.ts";
import { tooMany } from "../http/too-many.ts";
import { DAY_LIMITS } from "./limits.ts";
import type { SignedIn } from "./require-session.ts";

const SCOPE = "user_day";

export type DayScope = keyof typeof DAY_LIMITS;

/** Charges all these limits or none. Throws 429 DAY_LIMIT with the one that refuses; 503. */
export async function chargeDay(
  c: Context<SignedIn>,
  units: { [scope in DayScope]?: number },
): Promise<void> {
  const { user } = c.get("session");
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const name = (what: string) => senderName(SENDER_KEY, `${what}\n${user.id}`);
  const parts = (Object.entries(units) as [DayScope, number][]).map(([scope, units]) => ({
    ...{ scope, units, sender: name(scope), limit: DAY_LIMITS[scope][user.plan] },
  }));
  const asked = parts.map(({ scope: _, ...part }) => part);
  const check = { scope: SCOPE, window_ms: DAY_MS, parts: asked };
  const verdict = await checkTogether(c.env, name(SCOPE), check);
  const refused = parts[verdict.refused];
  if (refused === undefined) return;
  const { scope, limit } = refused;
  throw tooMany({ scope, limit, window_s: DAY_MS / SECOND_MS }, verdict.reset_ms, "DAY_LIMIT");
}
