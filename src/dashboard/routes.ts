import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { notificationsPage } from "./notifications-route.ts";
import { dashboard } from "./stats/dashboard-route.tsx";

// A page's id is any segment, `notifications` too.
export const dashboardRoutes = new Hono<AppEnv>()
  .route("/", notificationsPage)
  .route("/", dashboard);
