/**
 * The account hub (docs/contract.md section 8): at its address, or, if the service has accounts of
 * its own, over the binding of the identity Worker, which answers the same routes.
 */
import { createHmac } from "node:crypto";
import { secretIn } from "./secrets.ts";

export interface Identity {
  hub(request: Request, secret: string): Promise<Response>;
}

export interface HubSettings {
  HUB_URL: string;
  HUB_SESSION_COOKIE: string;
  HUB_WEBHOOK_SECRET?: string;
  SESSION_KEY?: string;
  SILA_KEY?: string;
  IDENTITY: Identity;
}

/** The cookie of our own sessions; over https its name has `__Host-` before it. */
export const OWN_SESSION_COOKIE = "sila_session";

interface HubRequest {
  method: "GET" | "POST";
  cookie?: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

/** Rejects if the hub cannot be reached, or `signal` ends the wait. */
export function fetchHub(
  settings: HubSettings,
  path: string,
  { method, cookie, headers = {}, body, signal }: HubRequest,
): Promise<Response> {
  const isOwn = settings.HUB_URL === "";
  const name = isOwn ? OWN_SESSION_COOKIE : settings.HUB_SESSION_COOKIE;
  const init = {
    method,
    headers: {
      ...headers,
      Accept: "application/json",
      ...(cookie !== undefined && { Cookie: `${name}=${cookie}` }),
    },
    ...(body !== undefined && { body }),
    // Neither cookie nor signature may follow a redirect to another host.
    redirect: "manual" as const,
  };
  if (!isOwn) return fetch(settings.HUB_URL + path, { ...init, signal });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  const request = new Request(`https://identity.invalid${path}`, init);
  return Promise.race([settings.IDENTITY.hub(request, hubSecret(settings)), aborted]);
}

/** Signs what comes without a cookie: the hub's secret, or one of our own. */
export function hubSecret(settings: HubSettings): string {
  if (settings.HUB_WEBHOOK_SECRET) return settings.HUB_WEBHOOK_SECRET;
  const key = secretIn(settings, "SESSION_KEY") ?? "";
  return `whsec_${createHmac("sha256", key).update("identity").digest("base64")}`;
}
