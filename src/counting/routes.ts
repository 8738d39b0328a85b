import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { beacon } from "./beacon-route.ts";
import { errorLog } from "./errors/error-log-route.ts";
import { redirect } from "./redirect-route.ts";

export const countingRoutes = new Hono<AppEnv>()
  .route("/", beacon)
  .route("/", redirect)
  .route("/", errorLog);
