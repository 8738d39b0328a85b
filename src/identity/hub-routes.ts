/** The hub's side of docs/contract.md section 8. */
import { Hono } from "hono";
import type { Box } from "./box.ts";

export const hubRoutes = new Hono<{ Bindings: Box & { HUB_WEBHOOK_SECRET: string } }>();
