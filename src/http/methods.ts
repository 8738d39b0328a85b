import type { Handler } from "hono";
import { ApiError } from "./api-error.ts";
import type { AppEnv } from "./context.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** GET includes HEAD. */
export function allowOf(...methods: Method[]): string {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...allowed, "OPTIONS"].join(", ");
}

/** Answers OPTIONS, else 405, behind a path's methods: `app.all(path, onlyMethods("GET"))`. */
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
