/** `GET /health`: is the Worker there? No I/O (CONTRACT section 7). */
import { Hono } from "hono";
import { version } from "../../package.json";
import type { AppEnv } from "../context.ts";
import { edgeLimit } from "../middleware/edge-limit.ts";
import { onlyMethods } from "../middleware/methods.ts";

export const health = new Hono<AppEnv>();

/** 200 `{"ok":true,"app":"sila","version":"3.x.y"}`. */
health.get("/health", edgeLimit, (c) => c.json({ ok: true, app: "sila", version }));
health.all("/health", onlyMethods("GET"));
