import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { assets } from "./assets-route.ts";
import { site } from "./site-route.ts";

export const siteRoutes = new Hono<AppEnv>().route("/", site).route("/", assets);
