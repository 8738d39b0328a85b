import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { auth } from "./auth-route.ts";
import { identity } from "./identity-route.ts";
import { notifications } from "./notifications-route.ts";
import { wallet } from "./wallet-route.ts";
import { webhooks } from "./webhook-route.ts";

// Accounts in the box come last: they have whole branches of addresses.
export const accountRoutes = new Hono<AppEnv>()
  .route("/", auth)
  .route("/", wallet)
  .route("/", notifications)
  .route("/", webhooks)
  .route("/", identity);
