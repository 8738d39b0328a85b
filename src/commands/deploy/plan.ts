/**
 * The account has the Workers Paid plan, or the free one: the platform tells it only by refusing a
 * limit of CPU time on the free one. What that plan lacks is left out there, and said.
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

/** These settings need the binding for mail. */
const OF_MAIL = ["MAIL_FROM", "ALERT_MAIL"];

export function unusedOnFree(vars: Record<string, string> = {}): string[] {
  return OF_MAIL.filter((name) => vars[name]);
}

/** Leaves out what the free plan refuses, and so MAIL_FROM, which needs the binding for mail. */
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
