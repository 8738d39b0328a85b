import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { stats } from "./stats-route.ts";

export const statsRoutes = new Hono<AppEnv>().route("/", stats);
