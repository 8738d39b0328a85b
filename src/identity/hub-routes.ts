/** The hub's side of docs/contract.md section 8, for a service without a hub, which alone can call it. */
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { OWN_SESSION_COOKIE } from "../../objects/platform/hub.ts";
import { logError } from "../../objects/platform/log.ts";
import type { AccountEvent } from "../accounts/account-events-store.ts";
import { WEBHOOK_BYTES_MAX } from "../accounts/limits.ts";
import { verifyWebhook } from "../accounts/standard-webhooks.ts";
import { ApiError, ERRORS } from "../http/api-error.ts";
import { parseJson, readBytes } from "../http/body.ts";
import { Hono } from "../http/hono.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../http/limits.ts";
import { Secret } from "../http/secret.ts";
import { validate } from "../http/validate.ts";
import { counted } from "../views/numbers.ts";
import { closeTransfer, makeTransfer, readWallet } from "./books-store.ts";
import type { Box } from "./box.ts";
import { endSession, findSession, type Session } from "./sessions-store.ts";

interface HubEnv {
  /** The secret (`whsec_` and base64) signs the close of a transfer. */
  Bindings: Box & { HUB_WEBHOOK_SECRET: string };
  Variables: { cookie: string; session: Session };
}

const Key = z
  .string()
  .check(z.regex(new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`)));
const OrderBody = z.object({
  to: z.string(),
  points: z.int().check(z.positive()),
  notify: z._default(z.boolean(), true),
});
const CloseBody = z.object({ user_id: z.string(), key: Key });

const REFUSED = {
  "not enough points": 402,
  "no such user": 404,
  "key was used": 409,
  "key is closed": 410,
} as const;

/** Errors are `{"error": <text>}` with the status of section 8, 400 for a malformed request, or 503. */
export const hubRoutes = new Hono<HubEnv>();

const signedIn = createMiddleware<HubEnv>(async (c, next) => {
  const cookie = getCookie(c, OWN_SESSION_COOKIE) ?? "";
  const session = cookie === "" ? null : await findSession(c.env, cookie, Date.now());
  if (session === null) return nobody(c);
  c.set("cookie", cookie);
  c.set("session", session);
  await next();
});

hubRoutes.onError((error, c) => {
  if (error instanceof ApiError) return c.json({ error: error.code }, ERRORS[error.code].status);
  logError("identity_failed", { path: c.req.path }, error);
  return c.json({ error: "it failed" }, 503);
});
hubRoutes.notFound((c) => c.json({ error: "no such route" }, 404));

hubRoutes.get("/health", (c) => c.json({ ok: true }));

hubRoutes.get("/api/session", signedIn, (c) => {
  const { user, expires_at } = c.get("session");
  const { id, name, email, plan, locale, is_operator } = user;
  return c.json({
    user: { id, name, email: email ?? "", plan, locale, is_operator },
    expires_at: new Date(expires_at).toISOString(),
  });
});

hubRoutes.get("/api/wallet", signedIn, async (c) => {
  const wallet = await readWallet(c.env.DB, c.get("session").user.id);
  // The user was deleted since the session was read.
  if (wallet === null) return nobody(c);
  const { points, lifetime, updated_at } = wallet;
  const updated = new Date(updated_at).toISOString();
  return c.json({ points, pending: 0, lifetime, updated_at: updated });
});

hubRoutes.post("/api/wallet/transfers", signedIn, async (c) => {
  const { user } = c.get("session");
  const key = validate(Key, c.req.header("Idempotency-Key"));
  const { to, points, notify } = validate(OrderBody, parseJson(await bytesOf(c)));
  const now = Date.now();
  const received = (id: string) => receivedEvent({ id, to, points, from: user.name, at: now });
  const order = { user_id: user.id, key, to, points };
  const made = await makeTransfer(c.env.DB, order, notify ? received : null, now);
  if ("refused" in made) return c.json({ error: made.refused }, REFUSED[made.refused]);
  return c.json({ id: made.id, status: "completed" }, 201);
});

hubRoutes.post("/api/wallet/transfers/close", async (c) => {
  const body = await bytesOf(c);
  const now = Date.now();
  await verifyWebhook(secretOf(c.env), c.req.raw.headers, body, now);
  const { user_id, key } = validate(CloseBody, parseJson(body));
  const id = await closeTransfer(c.env.DB, user_id, key, now);
  return c.json(id === null ? { status: "void" } : { status: "completed", id });
});

hubRoutes.post("/api/logout", signedIn, async (c) => {
  await endSession(c.env, c.get("cookie"), Date.now());
  return c.body(null, 204);
});

function nobody(c: Context<HubEnv>) {
  return c.json({ error: "nobody is signed in" }, 401);
}

function bytesOf(c: Context<HubEnv>): Promise<Uint8Array<ArrayBuffer>> {
  return readBytes(c.req.raw, WEBHOOK_BYTES_MAX);
}

function secretOf({ HUB_WEBHOOK_SECRET }: HubEnv["Bindings"]): Secret {
  const secret = Secret.parseBase64(HUB_WEBHOOK_SECRET.replace(/^whsec_/, ""));
  if (typeof secret === "string") throw new Error(`HUB_WEBHOOK_SECRET ${secret}`);
  return secret;
}

function receivedEvent(transfer: {
  id: string;
  to: string;
  points: number;
  from: string;
  at: number;
}): AccountEvent {
  const { id, to, points, at } = transfer;
  // A bidi isolate, so that a name in the other script does not move the words around it.
  const from = `\u2068${transfer.from}\u2069`;
  return {
    type: "notification.created",
    data: {
      user_id: to,
      id,
      text: `وصل إليك من ${from}: ${counted("ar-u-nu-arab", "point", points)}`,
      text_en: `You received ${counted("en", "point", points)} from ${from}`,
      url: null,
      created_at: new Date(at).toISOString(),
    },
  };
}
