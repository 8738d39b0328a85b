import type { Context } from "hono";
import type { Locale } from "../views/locale.ts";
import { requireConfig, type Settings } from "./config.ts";
import type { PagePolicy } from "./page-policy.ts";
import { RequestTimers } from "./request-timers.ts";
import { parseSender } from "./sender.ts";

export interface AppEnv {
  Bindings: Cloudflare.Env;
  Variables: {
    requestId: string;
    /** The route has set every header of its answer (`security-headers.ts`). */
    hasAllHeaders?: boolean;
    /** The language of an error page, where the route sets it instead of the reader's headers. */
    locale?: Locale;
    pageUrl?: string;
    /** Absent for the policy that most pages have. */
    policy?: PagePolicy;
    /** Cached by `senderOf`: a beacon needs it for its limit and for its visitor. */
    sender?: string;
    timers?: RequestTimers;
    isAdmittedByEdge?: boolean;
    counting?: Settings<"counting">;
  };
}

export type AppContext = Context<AppEnv>;

export interface Following {
  env: Cloudflare.Env;
  executionCtx: Pick<ExecutionContext, "waitUntil">;
}

export function senderOf(c: AppContext): string {
  const known = c.get("sender");
  if (known !== undefined) return known;
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  c.set("sender", sender);
  return sender;
}

/** The settings for counting, checked once. Throws 503 where one of them is refused. */
export function countingSettings(c: AppContext): Settings<"counting"> {
  const known = c.get("counting");
  if (known !== undefined) return known;
  const settings = requireConfig(c.env, "counting");
  c.set("counting", settings);
  return settings;
}

export function timersOf(c: AppContext): RequestTimers {
  const known = c.get("timers");
  if (known !== undefined) return known;
  const timers = new RequestTimers();
  c.set("timers", timers);
  return timers;
}
