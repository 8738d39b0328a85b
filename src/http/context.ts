/** The type of a request's context. */
import type { Context } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import type { Locale } from "../views/locale.ts";
import type { PagePolicy } from "./page-policy.ts";
import { parseSender } from "./sender.ts";

export interface AppEnv {
  Bindings: Cloudflare.Env;
  Variables: RequestIdVariables & {
    /** The language of an error page, where the route sets it instead of the reader's headers. */
    locale?: Locale;
    /** The policy of an HTML answer, where it is not that of every page. */
    policy?: PagePolicy;
    /** Cached by `senderOf`: a beacon needs it for its limit and for its visitor. */
    sender?: string;
  };
}

export type AppContext = Context<AppEnv>;

/** The sender of this request, parsed once. */
export function senderOf(c: AppContext): string {
  const known = c.get("sender");
  if (known !== undefined) return known;
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  c.set("sender", sender);
  return sender;
}
