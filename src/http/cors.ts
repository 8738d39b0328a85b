/** What any page may call: the beacon, the pixel, the error log (docs/contract.md section 3, CORS). */
import { cors as honoCors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { allowOf } from "./methods.ts";

/** Seconds a browser may remember the answer to its preflight. */
const PREFLIGHT_MAX_AGE_S = 86_400;
/** What a script may read of the answer. */
const EXPOSED_HEADERS = [
  "X-Beacon-Outcome",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
].join();

/** Without credentials, whatever the origin; answers preflights. To stand before the limit. */
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
    // Set before there is an answer: to change a finished one, Hono makes it anew.
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Access-Control-Expose-Headers", EXPOSED_HEADERS);
    return next() as Promise<undefined>;
  });
}
