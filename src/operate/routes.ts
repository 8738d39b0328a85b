import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { operatorActions } from "./actions-route.ts";
import { dump } from "./dump/dump-route.ts";
import { health } from "./health-route.ts";
import { metrics } from "./metrics-route.ts";
import { operate } from "./operate-route.ts";
import { status } from "./status-route.tsx";

export const operatorRoutes = new Hono<AppEnv>()
  .route("/", health)
  .route("/", status)
  .route("/", metrics)
  .route("/", operate)
  .route("/", operatorActions)
  .route("/", dump);
