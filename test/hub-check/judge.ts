/** Judges an account hub by the rules of docs/contract.md section 8, from outside of it. */
import { RULES } from "./rules.ts";
import { Broken, type HubUnderTest, MANNERS, Trial } from "./trial.ts";

export interface Verdict {
  rule: string;
  /** `open`: it could not be judged, because another rule is broken. */
  outcome: "kept" | "broken" | "open";
  /** What was sent, what came and what it must be, or the other rule. Empty where the rule is kept. */
  reason: string;
}

/**
 * A verdict for each rule. It takes seconds; each request has a time-out, and a hub that never answers is left after the
 * first rules. The two users must be used by nothing else meanwhile.
 *
 * @throws {Unfit} where both sessions are of one user, or the first one has too few points
 */
export async function judgeHub(hub: HubUnderTest): Promise<Verdict[]> {
  const trial = new Trial(hub);
  const verdicts: Verdict[] = [];
  /** Each rule that is not kept, and the broken one that this is due to: itself or another. */
  const causes = new Map<string, string>();
  const breaches = new Map<string, string>();
  for (const { name, needs, check } of RULES) {
    const isOpen = (cause: string) => {
      causes.set(name, cause);
      verdicts.push({ rule: name, outcome: "open", reason: cause });
    };
    const [cause] = needs.flatMap((needed) => causes.get(needed) ?? []);
    if (cause !== undefined) {
      isOpen(cause);
      continue;
    }
    try {
      await check(trial);
      verdicts.push({ rule: name, outcome: "kept", reason: "" });
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      const reason = trial.withoutSecrets(error.message);
      if (error.manner === undefined) {
        causes.set(name, name);
        verdicts.push({ rule: name, outcome: "broken", reason });
      } else {
        isOpen(error.manner);
        if (!breaches.has(error.manner)) breaches.set(error.manner, reason);
      }
    }
  }
  for (const rule of MANNERS) {
    const reason = breaches.get(rule);
    verdicts.push({ rule, outcome: reason ? "broken" : "kept", reason: reason ?? "" });
  }
  return verdicts;
}
