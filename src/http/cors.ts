/** CORS for the routes that pages of any origin may call (docs/contract.md section 3). */
import { cors as honoCors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { allowOf } from "./methods.ts";

/** Seconds for which a browser may cache the answer to its preflight. */
const PREFLIGHT_MAX_AGE_S = 86_400;
/** Headers that a script may read. */
const EXPOSED_HEADERS = [
  "X-Beacon-Outcome",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
].join();

/** Any origin, without credentials. Answers preflights, so it must come before the limit. */
export function cors(method: "GET" | "POST") {
  const preflight = honoCors({
    origin: "*",
    allowMethods: [method],
    allowHeaders: ["Content-Type"],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
  return createMiddleware<AppEnv>((c, next) => {
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    if (c.req.method === "OPTIONS") {
      c.header("Allow", allowOf(method));
      return preflight(c, next);
    }
    // Before the route: Hono copies a finished answer when a header is set.
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Access-Control-Expose-Headers", EXPOSED_HEADERS);
    return next() as Promise<undefined>;
  });
}
