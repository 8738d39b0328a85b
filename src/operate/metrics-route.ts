import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { secretIn } from "../../objects/platform/secrets.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { readConfig } from "../http/config.ts";
import { callDependency } from "../http/dependency.ts";
import { Hono } from "../http/hono.ts";
import { METRICS_TYPE, openMetrics } from "./metrics.ts";
import { forOperators, limited } from "./operators.ts";

const PATH = "/admin/metrics";
const BEARER = /^Bearer ([!-~]{1,512})$/i;

export const metrics = new Hono<SignedIn>();

/**
 * The monitor's numbers for programs (docs/operations.md "What operators see"). 200
 * application/openmetrics-text, for an operator's session, or with `Authorization: Bearer` and the
 * secret METRICS_TOKEN, which needs no operators; for all others the path does not exist. 429, 503.
 */
metrics.get(PATH, async (c, next) => {
  const given = BEARER.exec(c.req.header("Authorization") ?? "")?.[1];
  if (given === undefined || !isToken(c.env, given)) return forOperators(answer)(c, next);
  return limited(c, () => answer(c));
});

async function answer(c: Context<SignedIn>): Promise<Response> {
  const numbers = await callDependency("monitor_failed", () =>
    Promise.resolve(c.env.MONITOR.getByName(MONITOR).numbers()),
  );
  return c.body(openMetrics(numbers), 200, { "Content-Type": METRICS_TYPE });
}

/** Compares hashes, so that neither time nor length tells how much of a guess is right. */
function isToken(env: Cloudflare.Env, given: string): boolean {
  const token = secretIn(env, "METRICS_TOKEN");
  // An empty or malformed secret admits nobody.
  if (!token || readConfig(env).metrics === null) return false;
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
