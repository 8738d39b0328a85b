import { createMiddleware } from "hono/factory";
import { type Group, requireConfig } from "./config.ts";
import type { AppEnv } from "./context.ts";

/** Answers 503 DEPENDENCY_DOWN while a setting of this group is missing (docs/security.md S25). */
export function configured(group: Group) {
  return createMiddleware<AppEnv>(async (c, next) => {
    requireConfig(c.env, group);
    await next();
  });
}
