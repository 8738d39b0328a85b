/** 405 with `Allow`, and OPTIONS, for a path whose other methods are registered before it. */
import type { Handler } from "hono";
import { ApiError } from "./api-error.ts";
import type { AppEnv } from "./context.ts";

type Method = "GET" | "POST";

/** The `Allow` of a route with these methods. HEAD comes with GET. */
export function allowOf(...methods: Method[]): string {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...allowed, "OPTIONS"].join(", ");
}

/** `app.all(path, onlyMethods("GET"))` after `app.get(path, …)`. */
export function onlyMethods(...methods: Method[]): Handler<AppEnv> {
  const allow = allowOf(...methods);
  return (c) => {
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
    throw new ApiError("METHOD_NOT_ALLOWED", {
      headers: { Allow: allow },
      details: { allow: allow.split(", ") },
    });
  };
}
