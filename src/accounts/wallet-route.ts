/** The points of whoever is signed in, as the hub tells them (docs/contract.md section 8). */
import { Hono } from "hono";
import { exactLimit } from "../http/exact-limit.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchWallet } from "./hub.ts";
import { privateRoute } from "./private.ts";
import { authRequired, type SignedIn } from "./require-session.ts";

const PATH = "/api/me/wallet";

export const wallet = new Hono<SignedIn>();

wallet.use(PATH, exactLimit);

/** 200 `{ok, wallet:{points, pending, lifetime, updated_at}}`; 401, 429, 502, 504. */
wallet.get(PATH, privateRoute, async (c) => {
  const points = await fetchWallet(c.env, c.get("session").cookie);
  // Over since we were told of it.
  if (points === null) throw authRequired(c.req.url);
  return c.json({ ok: true, wallet: points });
});
wallet.all(PATH, onlyMethods("GET"));
