import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { vcards } from "./cards/vcard-route.ts";
import { pages } from "./page-route.ts";

// Pages come last: a slug is any first segment.
export const pageRoutes = new Hono<AppEnv>().route("/", vcards).route("/", pages);
