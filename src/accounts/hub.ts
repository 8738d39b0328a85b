/**
 * Client of the account hub (docs/contract.md section 8). Its answers are bounded in time and size
 * and validated, and it is sent nothing but its own cookie (docs/security.md S21).
 */
import * as z from "zod/mini";
import { fetchHub } from "../../objects/platform/hub.ts";
import { logError } from "../../objects/platform/log.ts";
import { ApiError } from "../http/api-error.ts";
import { parseJson, readStream } from "../http/body.ts";
import { hasOwnAccounts, requireConfig } from "../http/config.ts";
import { HubSession, type User, Wallet } from "./hub-answers.ts";
import { HUB_ANSWER_BYTES_MAX, HUB_TIMEOUT_MS } from "./limits.ts";

/** The user of a session and its end in unix milliseconds; null for an unknown session. */
export async function fetchHubSession(
  env: Cloudflare.Env,
  cookie: string,
): Promise<{ user: User; is_operator: boolean; expires_at: number } | null> {
  const session = await callHub(env, cookie, "GET", "/api/session", HubSession);
  if (session === null) return null;
  const { is_operator, ...user } = session.user;
  return {
    user,
    is_operator: is_operator && hasOwnAccounts(env),
    expires_at: Date.parse(session.expires_at),
  };
}

/** Null for an expired session. */
export function fetchWallet(env: Cloudflare.Env, cookie: string): Promise<Wallet | null> {
  return callHub(env, cookie, "GET", "/api/wallet", Wallet);
}

/** An expired session is no error: it has ended, as was asked. */
export async function endSession(env: Cloudflare.Env, cookie: string): Promise<void> {
  await callHub(env, cookie, "POST", "/api/logout", z.null());
}

/**
 * Null for the hub's 401. Throws 504 after 5 s, and 502 where the hub cannot be reached or its
 * answer has another status, is too large, or does not match the schema.
 */
async function callHub<S extends z.ZodMiniType>(
  env: Cloudflare.Env,
  cookie: string,
  method: "GET" | "POST",
  path: string,
  schema: S,
): Promise<z.output<S> | null> {
  requireConfig(env, "accounts");
  const signal = AbortSignal.timeout(HUB_TIMEOUT_MS);
  try {
    const response = await fetchHub(env, path, { method, cookie, signal });
    if (![200, 204].includes(response.status)) {
      await response.body?.cancel();
      if (response.status === 401) return null;
      throw new Error(`the hub answered ${response.status} to ${path}`);
    }
    const body = await readStream(response.body, HUB_ANSWER_BYTES_MAX, HUB_TIMEOUT_MS);
    if (body === null) throw new Error(`the hub answered too much to ${path}`);
    return schema.parse(response.status === 204 ? null : parseJson(body));
  } catch (cause) {
    logError("hub_failed", { path }, cause);
    throw new ApiError(signal.aborted ? "UPSTREAM_TIMEOUT" : "UPSTREAM_ERROR", { cause });
  }
}
