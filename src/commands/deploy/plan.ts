/**
 * Whether the account has the Workers Paid plan. Nothing says so but one refusal: the platform takes no limit of CPU time
 * on the free plan. What that plan lacks is left out there, and said.
 */
import type { Configuration } from "./configuration.ts";
import { say } from "./step.ts";
import { WranglerFailed } from "./wrangler.ts";

export type Plan = "free" | "paid";

/** "CPU limits are not supported for the Free plan." Any other refusal is an error. */
const NO_CPU_LIMIT = 100328;

export function isOfFreePlan(error: unknown): boolean {
  return error instanceof WranglerFailed && error.code === NO_CPU_LIMIT;
}

/** Settings that need the binding for mail. */
const OF_MAIL = ["MAIL_FROM", "ALERT_MAIL"];

/** Those of them that are set. */
export function unusedOnFree(vars: Record<string, string> = {}): string[] {
  return OF_MAIL.filter((name) => vars[name]);
}

/** What the free plan takes of a configuration. The Worker refuses MAIL_FROM where it has no binding for mail. */
export function onFreePlan(service: Configuration): Configuration {
  const { limits, send_email, images, ...rest } = service;
  const off = Object.fromEntries(unusedOnFree(rest.vars).map((name) => [name, ""]));
  return { ...rest, vars: { ...rest.vars, ...off } };
}

export function sayPlan(plan: Plan, vars: Record<string, string> = {}): void {
  if (plan === "paid") {
    say("  The account has the Workers Paid plan: nothing is off.");
    return;
  }
  say("  The account is on the Workers Free plan. Off are");
  say("    mail: newsletters, codes by mail to sign in, alerts by mail");
  say("    photos on contact cards, but for pictures that are small JPEGs");
  say("  For these take the Workers Paid plan in the dashboard, and run the same command again.");
  for (const name of unusedOnFree(vars)) say(`! ${name} is set, and not used on the free plan.`);
}
