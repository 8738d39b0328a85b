import { createMiddleware } from "hono/factory";
import { version } from "../../package.json";
import { ApiError } from "../http/api-error.ts";
import { readConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { DEEP_HEALTH_PATH, HEALTH_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchCached } from "../pages/cache/page-cache.ts";
import { Checks } from "./checks.ts";

const RETRY_AFTER_S = 30;

export const health = new Hono<AppEnv>();

/** 200 `{"ok":true,"app":"sila","version":"3.x.y"}`, without I/O (docs/contract.md section 7). */
health.get(HEALTH_PATH, edgeLimit, (c) => c.json({ ok: true, app: "sila", version }));
health.all(HEALTH_PATH, onlyMethods("GET"));

/**
 * The exact limit, unless one of its settings is missing, which this route must be able to report. The
 * cost is bounded without it too: a result is reused for 5 s (docs/security.md S19).
 */
const limitWherePossible = createMiddleware<AppEnv>((c, next) =>
  readConfig(c.env).counting === null ? next() : exactLimit(c, next),
);

/**
 * 200 `{"ok":true,"status":"pass","app","version","checks":{"d1":{"ok","latency_ms"},"kv","r2","hub","config"}}`
 * when all answer, else 503 DEPENDENCY_DOWN with `details.checks` and `Retry-After`; 429. The result is up to 5
 * s old.
 */
health.get(DEEP_HEALTH_PATH, limitWherePossible, async (c) => {
  const response = await fetchCached(c, DEEP_HEALTH_PATH);
  // No checks if the rendering failed, or is cached from a version with other checks.
  const checks = response.status === 200 ? Checks.safeParse(await response.json()).data : undefined;
  if (checks === undefined || Object.values(checks).some(({ ok }) => !ok)) {
    throw new ApiError("DEPENDENCY_DOWN", {
      details: checks === undefined ? {} : { checks },
      headers: { "Retry-After": String(RETRY_AFTER_S) },
    });
  }
  return c.json({ ok: true, status: "pass", app: "sila", version, checks });
});
health.all(DEEP_HEALTH_PATH, onlyMethods("GET"));
