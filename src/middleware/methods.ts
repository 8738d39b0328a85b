/** 405 with `Allow`, and OPTIONS, for a path whose other methods are registered before it. */
import type { Handler } from "hono";
import type { AppEnv } from "../context.ts";
import { ApiError } from "../errors.ts";

/** `app.all(path, onlyMethods("GET"))` after `app.get(path, …)`. HEAD comes with GET. */
export function onlyMethods(...methods: ("GET" | "POST")[]): Handler<AppEnv> {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...allowed, "OPTIONS"].join(", ");
  return (c) => {
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
    throw new ApiError("METHOD_NOT_ALLOWED", {
      headers: { Allow: allow },
      details: { allow: allow.split(", ") },
    });
  };
}
