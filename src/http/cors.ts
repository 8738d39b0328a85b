/** CORS for the routes that pages of any origin may call (docs/contract.md section 3). */
import { cors as honoCors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { allowOf } from "./methods.ts";

const PREFLIGHT_MAX_AGE_S = 86_400;
const EXPOSED_HEADERS = [
  "X-Beacon-Outcome",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
].join();

export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED_HEADERS,
};

/** Admits any origin, without credentials. Answers preflights, so it must come before the limit. */
export function cors(method: "GET" | "POST") {
  const preflight = honoCors({
    origin: "*",
    allowMethods: [method],
    allowHeaders: ["Content-Type"],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
  return createMiddleware<AppEnv>(async (c, next) => {
    if (c.req.method === "OPTIONS") {
      c.header("Cross-Origin-Resource-Policy", "cross-origin");
      c.header("Allow", allowOf(method));
      return preflight(c, next);
    }
    await next();
    if (c.get("hasAllHeaders")) return;
    for (const [name, value] of Object.entries(CORS_HEADERS)) c.res.headers.set(name, value);
  });
}
