/**
 * The account hub, as this service uses it (docs/contract.md section 8): who somebody is, their points, and
 * the end of a session. An outside service, so every answer is bounded in time and size and taken
 * apart by an allow list, and nothing but the hub's own cookie is sent to it (docs/security.md S21).
 */
import * as z from "zod";
import { logError } from "../../objects/platform/log.ts";
import { ApiError } from "../http/api-error.ts";
import { parseJson, readStream } from "../http/body.ts";
import { requireConfig } from "../http/config.ts";
import { HUB_ANSWER_BYTES_MAX, HUB_TIMEOUT_MS } from "../http/limits.ts";
import { plainText } from "../views/plain-text.ts";

/** The hub's name for a user; pages are owned by it. */
export const UserId = z.string().regex(/^[\x21-\x7e]{1,128}$/);

/** What is told of a user, to the user alone. */
export const User = z.object({
  id: UserId,
  // The hub lets people call themselves as they like.
  name: z.string().max(200).overwrite(plainText),
  email: z.string().max(320),
  plan: z.enum(["free", "pro", "business"]),
  locale: z.enum(["ar", "en"]),
});
export type User = z.infer<typeof User>;

const HubTime = z.iso.datetime({ offset: true });

const HubSession = z.object({ user: User, expires_at: HubTime });

/** Points: what may be spent, what is still on its way, what was ever earned. */
export const Wallet = z.object({
  points: z.int().nonnegative(),
  pending: z.int().nonnegative(),
  lifetime: z.int().nonnegative(),
  updated_at: HubTime,
});
export type Wallet = z.infer<typeof Wallet>;

/** Whose session a cookie is, and until when in unix milliseconds; null for nobody's. */
export async function fetchHubSession(
  env: Cloudflare.Env,
  cookie: string,
): Promise<{ user: User; expires_at: number } | null> {
  const session = await ask(env, cookie, "GET", "/api/session", HubSession);
  return session && { user: session.user, expires_at: Date.parse(session.expires_at) };
}

/** The points of whoever is signed in, or null where nobody is any more. */
export function fetchWallet(env: Cloudflare.Env, cookie: string): Promise<Wallet | null> {
  return ask(env, cookie, "GET", "/api/wallet", Wallet);
}

/** Ends a session at the hub. One that is over already is no error. */
export async function endSession(env: Cloudflare.Env, cookie: string): Promise<void> {
  await ask(env, cookie, "POST", "/api/logout", z.null());
}

/**
 * Asks the hub. Null when it says 401. Throws 504 when it takes more than 5 s, and 502 when it cannot be
 * reached or answers with any other status, with too much, or with something else than the schema's shape.
 */
async function ask<S extends z.ZodType>(
  env: Cloudflare.Env,
  cookie: string,
  method: "GET" | "POST",
  path: string,
  schema: S,
): Promise<z.output<S> | null> {
  const { HUB_URL, HUB_SESSION_COOKIE } = requireConfig(env, "accounts");
  const signal = AbortSignal.timeout(HUB_TIMEOUT_MS);
  try {
    const response = await fetch(HUB_URL + path, {
      method,
      headers: { Accept: "application/json", Cookie: `${HUB_SESSION_COOKIE}=${cookie}` },
      // Where it leads is not the hub.
      redirect: "manual",
      signal,
    });
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
