import { WALLET_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchWallet } from "./hub.ts";
import { privateRoute } from "./private.ts";
import { authRequired, type SignedIn } from "./require-session.ts";

export const wallet = new Hono<SignedIn>();

wallet.use(WALLET_PATH, exactLimit);

/** 200 `{ok, wallet:{points, pending, lifetime, updated_at}}` (docs/contract.md section 8). */
wallet.get(WALLET_PATH, privateRoute, async (c) => {
  const points = await fetchWallet(c.env, c.get("session").cookie);
  // The hub ended the session after it was cached.
  if (points === null) throw authRequired(c.req.url);
  return c.json({ ok: true, wallet: points });
});
wallet.all(WALLET_PATH, onlyMethods("GET"));
