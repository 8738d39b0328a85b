/** The hub's side of docs/contract.md section 8. */
import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { OWN_SESSION_COOKIE } from "../../objects/platform/hub.ts";
import type { Box } from "./box.ts";
import { endSession, findSession } from "./sessions-store.ts";

export const hubRoutes = new Hono<{ Bindings: Box & { HUB_WEBHOOK_SECRET: string } }>();

hubRoutes.get("/health", (c) => c.json({ ok: true }));

hubRoutes.get("/api/session", async (c) => {
  const session = await findSession(c.env, getCookie(c, OWN_SESSION_COOKIE) ?? "", Date.now());
  if (session === null) return c.json({ error: "nobody is signed in" }, 401);
  const { id, name, email, plan, locale, is_operator } = session.user;
  return c.json({
    user: { id, name, email: email ?? "", plan, locale, is_operator },
    expires_at: new Date(session.expires_at).toISOString(),
  });
});

hubRoutes.post("/api/logout", async (c) => {
  await endSession(c.env, getCookie(c, OWN_SESSION_COOKIE) ?? "", Date.now());
  return c.body(null, 204);
});
