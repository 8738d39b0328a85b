/** Controls the demo hub, which runs in a Worker of its own. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished } from "vitest";
import { call } from "./kit.ts";

type Fault = "hang" | "wrong" | "huge" | "redirect" | "error" | "down" | "lost";

interface HubUser {
  id: string;
  name: string;
  email: string;
  plan: string;
  locale: string;
}

/** Where a test has switched the hub off, the demo's mailbox is there all the same. */
const { HUB_URL } = env;

async function control<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await env.HUB.fetch(`${HUB_URL}/control${path}`, {
    method,
    headers: { "X-Hub-Control": "1", "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the hub refused ${method} ${path}: ${text}`);
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Signs a user in; returns the `Cookie` header. */
export async function signIn(user_id: string, ttl_s?: number): Promise<string> {
  const { cookie } = await control<{ cookie: string }>("POST", "/sign-in", { user_id, ttl_s });
  return `${env.HUB_SESSION_COOKIE}=${cookie}`;
}

/** Sets a fault for this path, or for all with `*`, until `mendHub` or the end of the test. */
export function hubFault(path: string, fault: Fault): Promise<void> {
  onTestFinished(mendHub);
  return control("PUT", "/fault", { path, fault });
}

export function mendHub(): Promise<void> {
  return control("PUT", "/fault", { path: "*", fault: null });
}

/** What the demo model answers to the next requests, one text each; nothing: what it would. */
export function modelSays(...answers: string[]): Promise<void> {
  return control("PUT", "/model", { answers });
}

export async function hubCalls(): Promise<
  { method: string; path: string; headers: Record<string, string> }[]
> {
  const { calls } = await control<{ calls: Awaited<ReturnType<typeof hubCalls>> }>(
    "DELETE",
    "/calls",
  );
  return calls;
}

export async function hubBooks(): Promise<
  { user_id: string; key: string; id: string; recipient: string; points: number }[]
> {
  const { transfers } = await control<{ transfers: Awaited<ReturnType<typeof hubBooks>> }>(
    "GET",
    "/books",
  );
  return transfers;
}

export function revoke(user_id: string): Promise<void> {
  return control("POST", "/revoke", { user_id });
}

export function changePlan(user_id: string, plan: "free" | "pro" | "business"): Promise<void> {
  return control("POST", "/plan", { user_id, plan });
}

export async function userOf(user_id: string): Promise<HubUser> {
  const response = await askHub("/api/session", { Cookie: await signIn(user_id) });
  return (await response.json<{ user: HubUser }>()).user;
}

export function askHub(
  path: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return env.HUB.fetch(env.HUB_URL + path, { redirect: "manual", ...init, headers });
}

/** A webhook of the hub, which takes effect; signed by the npm package `standardwebhooks`. */
export async function hubSays(type: string, data: Record<string, unknown>): Promise<void> {
  // Read once: over the edge of a second the header and the signature would differ.
  const now = new Date();
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data });
  const id = crypto.randomUUID();
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(env.HUB_WEBHOOK_SECRET ?? "").sign(id, now, body),
  };
  const response = await call("/api/webhooks/hub", { method: "POST", body, headers });
  expect([type, response.status]).toEqual([type, 200]);
}

export interface SentMail {
  id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** The newest mails to an address, newest first. */
export async function mailsTo(to: string): Promise<SentMail[]> {
  return (await control<{ mails: SentMail[] }>("POST", "/mails", { to })).mails;
}

/** A webhook that arrived at the demo's receiver, `https://<any host>/hooks`. */
export interface ArrivedHook {
  /** The event's, the same for each attempt. */
  id: string;
  /** 1 where it was signed with a secret that the receiver knows. */
  is_verified: number;
  body: string;
}

export function hookSecret(secret: string): Promise<void> {
  return control("POST", "/hooks", { secret });
}

/** The webhooks about a page, oldest first. */
export async function hooksOf(page_id: string): Promise<ArrivedHook[]> {
  const { hooks } = await control<{ hooks: ArrivedHook[] }>("GET", "/hooks");
  return hooks.filter(({ body }) => JSON.parse(body).data.page_id === page_id).reverse();
}
