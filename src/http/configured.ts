/** Closes routes while the deployment lacks their settings (docs/security.md S25). */
import { createMiddleware } from "hono/factory";
import { type Group, requireConfig } from "./config.ts";
import type { AppEnv } from "./context.ts";

/** 503 DEPENDENCY_DOWN without the settings of this group. */
export function configured(group: Group) {
  return createMiddleware<AppEnv>(async (c, next) => {
    requireConfig(c.env, group);
    await next();
  });
}
