/**
 * A demo of the account hub, for tests, with the other neighbours beside it under the same address. It implements the
 * hub's side of docs/contract.md section 8 and imports nothing from the service.
 */
import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { Webhook } from "standardwebhooks";
import * as z from "zod";
import {
  body,
  fixedHeaders,
  neighbours,
  control as ofNeighbours,
  ownForm,
  page,
  programsOnly,
} from "../../neighbours/worker/app.tsx";
import { Refusal } from "../../neighbours/worker/page.tsx";
import { PLANS, type User } from "../../people.ts";
import { Fault, misbehave, setFault, takeCalls } from "./faults.ts";
import { SignInPage } from "./sign-in.tsx";
import type { HubStore } from "./store.ts";

export { HubStore } from "./store.ts";

type HubEnv = { Bindings: Env; Variables: { user: User; cookie: string } };

const MAX_AGE_S = 30 * 86_400;

const app = new Hono<HubEnv>();

function store(env: Env): DurableObjectStub<HubStore> {
  return env.STORE.getByName("hub");
}

app.use(fixedHeaders((c) => c.env.SERVICE_URL));

const signedIn = createMiddleware<HubEnv>(async (c, next) => {
  const cookie = getCookie(c, c.env.SESSION_COOKIE) ?? "";
  const session = await store(c.env).session(cookie);
  if (session === null) return c.json({ error: "nobody is signed in" }, 401);
  c.set("user", session.user);
  c.set("cookie", cookie);
  await next();
});

const control = new Hono<HubEnv>();
control.use(programsOnly);
control.route("/", ofNeighbours);
const UserId = z.object({ user_id: z.string() });
const NewUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  plan: z.enum(PLANS),
  locale: z.enum(["ar", "en"]),
  points: z.int().nonnegative(),
});

control.put("/fault", async (c) => {
  setFault(await body(c, Fault));
  return c.body(null, 204);
});
control.delete("/calls", (c) => c.json({ calls: takeCalls() }));
control.post("/users", async (c) => {
  const { points, ...user } = await body(c, NewUser);
  await store(c.env).addUser(user, points);
  return c.body(null, 204);
});
control.post("/sign-in", async (c) => {
  const { user_id, ttl_s } = await body(c, UserId.extend({ ttl_s: z.int().positive().optional() }));
  const begun = await store(c.env).signIn(user_id, ttl_s === undefined ? undefined : ttl_s * 1_000);
  return begun === null
    ? c.json({ error: "no such user" }, 404)
    : c.json({ cookie: begun.cookie }, 201);
});
control.post("/revoke", async (c) => {
  await store(c.env).revoke((await body(c, UserId)).user_id);
  return c.body(null, 204);
});
control.post("/plan", async (c) => {
  const { user_id, plan } = await body(c, UserId.extend({ plan: z.enum(PLANS) }));
  await store(c.env).changePlan(user_id, plan);
  return c.body(null, 204);
});
control.post("/notify", async (c) => {
  const notice = UserId.extend({
    text: z.string(),
    text_en: z.string(),
    url: z.string().nullable(),
  });
  const data = {
    ...(await body(c, notice)),
    id: crypto.randomUUID(),
    created_at: new Date().toISOString(),
  };
  await store(c.env).notify({ type: "notification.created", data });
  return c.json({ id: data.id }, 201);
});
control.post("/delete", async (c) => {
  await store(c.env).deleteUser((await body(c, UserId)).user_id);
  return c.body(null, 204);
});
control.get("/books", async (c) => c.json({ transfers: await store(c.env).books() }));
app.route("/control", control);

app.use(misbehave);

app.route("/", neighbours);

app.get("/health", (c) => c.json({ ok: true }));
app.get("/", (c) => c.redirect("/sign-in", 302));

app.get("/sign-in", async (c) => {
  const return_to = returnAddress(c, c.req.query("return_to"));
  if (return_to === null) return page(c, <Refusal />, 400);
  const [users, session] = await Promise.all([
    store(c.env).users(),
    store(c.env).session(getCookie(c, c.env.SESSION_COOKIE) ?? ""),
  ]);
  const user = session?.user ?? null;
  return page(c, <SignInPage users={users} user={user} return_to={return_to} />);
});

app.post("/sign-in", ownForm, async (c) => {
  const form = await c.req.parseBody();
  const return_to = returnAddress(c, form.return_to);
  const begun = await store(c.env).signIn(String(form.account));
  if (return_to === null || begun === null) return page(c, <Refusal />, 400);
  setCookie(c, c.env.SESSION_COOKIE, begun.cookie, { ...cookieOptions(c), maxAge: MAX_AGE_S });
  return c.redirect(return_to, 303);
});

app.post("/sign-out", ownForm, async (c) => {
  const form = await c.req.parseBody();
  const return_to = returnAddress(c, form.return_to);
  const cookie = getCookie(c, c.env.SESSION_COOKIE) ?? "";
  const session = await store(c.env).session(cookie);
  if (return_to === null) return page(c, <Refusal />, 400);
  if (session !== null && form.everywhere !== undefined) await store(c.env).revoke(session.user.id);
  else if (session !== null) await store(c.env).signOut(cookie, session.user.id);
  deleteCookie(c, c.env.SESSION_COOKIE, cookieOptions(c));
  return c.redirect(`/sign-in?return_to=${encodeURIComponent(return_to)}`, 303);
});

app.get("/api/session", signedIn, async (c) => c.json(await store(c.env).session(c.get("cookie"))));
app.get("/api/wallet", signedIn, async (c) => c.json(await store(c.env).wallet(c.get("user").id)));

app.post("/api/wallet/transfers", signedIn, async (c) => {
  const key = c.req.header("Idempotency-Key") ?? "";
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    return c.json({ error: "Idempotency-Key is required" }, 400);
  const wanted = z
    .object({ to: z.string(), points: z.int().positive(), notify: z.boolean().optional() })
    .safeParse(await c.req.json().catch(() => null));
  if (!wanted.success) return c.json({ error: "to and points are required" }, 400);
  const { to, points, notify } = wanted.data;
  const made = await store(c.env).transfer(c.get("user").id, key, to, points, notify);
  if ("id" in made) return c.json({ id: made.id, status: "completed" }, 201);
  const status = {
    "not enough points": 402,
    "no such user": 404,
    "key was used": 409,
    "key is closed": 410,
  } as const;
  return c.json({ error: made.refused }, status[made.refused]);
});

// Signed like a webhook, because the service has no cookie when it recovers.
app.post("/api/wallet/transfers/close", async (c) => {
  const text = await c.req.text();
  try {
    new Webhook(c.env.WEBHOOK_SECRET).verify(text, Object.fromEntries(c.req.raw.headers));
  } catch {
    return c.json({ error: "the signature is wrong" }, 401);
  }
  const { user_id, key } = z
    .object({ user_id: z.string(), key: z.string() })
    .parse(JSON.parse(text));
  const id = await store(c.env).closeTransfer(user_id, key);
  return c.json(id === null ? { status: "void" } : { status: "completed", id });
});

app.post("/api/logout", async (c) => {
  await store(c.env).signOut(getCookie(c, c.env.SESSION_COOKIE) ?? "");
  deleteCookie(c, c.env.SESSION_COOKIE, cookieOptions(c));
  return c.body(null, 204);
});

function cookieOptions(c: Context<HubEnv>) {
  const secure = new URL(c.req.url).protocol === "https:";
  return { path: "/", httpOnly: true, sameSite: "Lax", secure } as const;
}

/** The wanted address if it is the service's, its home page by default; otherwise null. */
function returnAddress(c: Context<HubEnv>, wanted: unknown): string | null {
  if (wanted === undefined) return `${c.env.SERVICE_URL}/`;
  const url = URL.parse(String(wanted));
  const ours = url?.origin === c.env.SERVICE_URL && /^https?:$/.test(url.protocol);
  return ours ? url.href : null;
}

export default app;
