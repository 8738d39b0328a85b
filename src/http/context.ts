/** The type of a request's context. */
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
    /** Whether the route has set every header of its answer (`security-headers.ts`). */
    hasAllHeaders?: boolean;
    /** The language of an error page, where the route sets it instead of the reader's headers. */
    locale?: Locale;
    /** The page on which its reader can go on after an error, where there is one. */
    pageUrl?: string;
    /** The policy of an HTML answer, where it is not that of every page. */
    policy?: PagePolicy;
    /** Cached by `senderOf`: a beacon needs it for its limit and for its visitor. */
    sender?: string;
    /** Made by `timersOf`. */
    timers?: RequestTimers;
    /** The edge's limit has admitted this request; it is charged once. */
    isAdmittedByEdge?: boolean;
    /** Checked by `countingSettings`. */
    counting?: Settings<"counting">;
  };
}

export type AppContext = Context<AppEnv>;

/** What work that goes on after an answer needs. */
export interface Following {
  env: Cloudflare.Env;
  executionCtx: Pick<ExecutionContext, "waitUntil">;
}

/** The sender of this request, parsed once. */
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

/** The time-outs of this request. */
export function timersOf(c: AppContext): RequestTimers {
  const known = c.get("timers");
  if (known !== undefined) return known;
  const timers = new RequestTimers();
  c.set("timers", timers);
  return timers;
}
