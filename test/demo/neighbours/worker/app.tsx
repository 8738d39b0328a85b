/**
 * What stands beside the service in `npm start` and in tests, and would be other people's servers in production: a
 * mailbox, a receiver of webhooks, and a model. It imports nothing from the service.
 */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Child } from "hono/jsx";
import * as z from "zod";
import { HOOKS_LISTED } from "./hooks.ts";
import { HooksPage } from "./hooks-page.tsx";
import { Mail } from "./mailbox.ts";
import { MailboxPage, MailPage } from "./mailbox-page.tsx";
import { Answers, complete, setAnswers } from "./model.ts";
import { Refusal, STYLE } from "./page.tsx";
import type { NeighbourStore } from "./store.ts";

export interface NeighbourEnv {
  Bindings: { STORE: DurableObjectNamespace<NeighbourStore> };
}

function store({ STORE }: NeighbourEnv["Bindings"]): DurableObjectStub<NeighbourStore> {
  return STORE.getByName("hub");
}

/** @param form_action other addresses to which forms may redirect: browsers check `form-action` then too */
export const fixedHeaders = (form_action: (c: Context) => string) =>
  createMiddleware(async (c, next) => {
    await next();
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    c.header(
      "Content-Security-Policy",
      `default-src 'none'; style-src 'self'; form-action 'self' ${form_action(c)}; base-uri 'none'; frame-ancestors 'none'`,
    );
  });

export const ownForm = createMiddleware(async (c, next) => {
  const site = c.req.header("Sec-Fetch-Site");
  const origin = c.req.header("Origin");
  const ours =
    site === "same-origin" || (site === undefined && origin === new URL(c.req.url).origin);
  if (!ours) return page(c, <Refusal />, 403);
  await next();
});

/** For programs alone: the header forces a CORS preflight, which is never allowed. */
export const programsOnly = createMiddleware(async (c, next) => {
  if (c.req.header("X-Hub-Control") === undefined) return c.json({ error: "not for you" }, 403);
  await next();
});

/** A whole document. Without its first line browsers use quirks mode. */
export function page(c: Context, document: Child, status: 200 | 400 | 403 = 200) {
  return c.html(`<!DOCTYPE html>${document}`, status);
}

export const body = async <S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> =>
  schema.parse(await c.req.json());

export const control = new Hono<NeighbourEnv>();
control.use(programsOnly);
/** What the model says next about something, instead of what it would: `{about: "Layan", answers: ["not JSON", …]}`. */
control.put("/model", async (c) => {
  setAnswers(await body(c, Answers));
  return c.body(null, 204);
});
control.post("/mails", async (c) => {
  const { to } = await body(c, z.object({ to: z.string() }));
  return c.json({ mails: await store(c.env).mails(to) });
});
control.post("/hooks", async (c) => {
  await store(c.env).addHookSecret((await body(c, z.object({ secret: z.string() }))).secret);
  return c.body(null, 204);
});
control.get("/hooks", async (c) => c.json({ hooks: await store(c.env).hooks(5_000) }));

export const neighbours = new Hono<NeighbourEnv>();

neighbours.get("/page.css", (c) =>
  c.body(STYLE, 200, { "Content-Type": "text/css; charset=utf-8" }),
);

neighbours.post("/v1/chat/completions", async (c) =>
  complete(await c.req.json().catch(() => null)),
);

// Only the service's binding `MAIL` calls it.
neighbours.post("/api/mails", programsOnly, async (c) =>
  c.json({ id: await store(c.env).addMail(await body(c, Mail)) }, 201),
);
neighbours.get("/mailbox", async (c) => {
  const address = c.req.query("to") || null;
  return page(c, <MailboxPage mails={await store(c.env).mails(address)} address={address} />);
});
neighbours.get("/mailbox/:id", async (c) => {
  const mail = await store(c.env).mail(c.req.param("id"));
  return mail === null ? c.notFound() : page(c, <MailPage mail={mail} />);
});

// A creator's own server, as far as the service knows.
neighbours.post("/hooks", async (c) => {
  const headers = Object.fromEntries(c.req.raw.headers);
  const is_verified = await store(c.env).addHook(headers, await c.req.text());
  return c.json({ is_verified });
});
// Receivers that are not nice, for tests.
neighbours.post("/hostile", (c) => {
  const answer = "<script>document.title = 'owned'</script>\u202e<b>bold";
  return c.html(answer + "x".repeat(1_000_000), 500);
});
neighbours.post("/gone", (c) => c.text("closed for good", 410));
neighbours.get("/hooks", async (c) =>
  page(c, <HooksPage hooks={await store(c.env).hooks(HOOKS_LISTED)} />),
);
neighbours.post("/hooks/secret", ownForm, async (c) => {
  const { secret } = await c.req.parseBody();
  await store(c.env).addHookSecret(String(secret).trim());
  return c.redirect("/hooks", 303);
});
