/**
 * Sessions. They belong to the hub (docs/contract.md section 8); its answers are cached in KV under
 * a keyed hash of the cookie, for a minute at most.
 *
 * A delete in KV takes up to a minute to reach other locations, but a revocation must take effect
 * at once. So a cached session is valid only while D1 has no later change of the account, which
 * costs one read by key. Where D1 or KV fails, the hub is asked.
 */
import type { Context } from "hono";
import { deleteCookie } from "hono/cookie";
import * as z from "zod/mini";
import { withTimeout } from "../../objects/platform/clock.ts";
import { OWN_SESSION_COOKIE } from "../../objects/platform/hub.ts";
import { logError } from "../../objects/platform/log.ts";
import { hex } from "../http/bytes.ts";
import { hasOwnAccounts, requireConfig } from "../http/config.ts";
import type { AppContext } from "../http/context.ts";
import { cookieValues } from "../http/cookies.ts";
import type { Secret } from "../http/secret.ts";
import { type AccountTimes, readAccountTimes } from "./accounts-store.ts";
import { fetchHubSession } from "./hub.ts";
import { User } from "./hub-answers.ts";
import { SESSION_CACHE_MS, SESSION_COOKIE_CHARS_MAX, SESSION_STORE_TIMEOUT_MS } from "./limits.ts";

type SessionContext = Pick<AppContext, "env" | "executionCtx">;

export interface Session {
  user: User;
  /** Set for operators of accounts in the box; the setting OPERATORS names others. */
  is_operator: boolean;
  cookie: string;
}

const CachedSession = z.object({
  user: User,
  is_operator: z.boolean(),
  /** When the hub was asked, by D1's clock. */
  asked_at: z.int(),
  /** End of validity, by the Worker's clock. */
  until: z.int(),
});
type CachedSession = z.infer<typeof CachedSession>;

/** KV's shortest lifetime; `until` may be earlier. */
const KV_TTL_S = 60;

const COOKIE_VALUE = new RegExp(
  `^[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]{1,${SESSION_COOKIE_CHARS_MAX}}$`,
);

/** No other host of the domain can set a cookie with `__Host-`. */
export function ownSessionCookie(url: string): string {
  return url.startsWith("https:") ? `__Host-${OWN_SESSION_COOKIE}` : OWN_SESSION_COOKIE;
}

/** Uses the attributes of `setSessionCookie`: browsers keep two cookies of one name if these differ. */
export function deleteOwnSessionCookie(c: Context): void {
  const name = ownSessionCookie(c.req.url);
  const secure = name.startsWith("__Host-");
  deleteCookie(c, name, { path: "/", httpOnly: true, sameSite: "Lax", secure });
}

/** Null for a missing or malformed cookie (RFC 6265 section 4.1.1). */
export function sessionCookie(env: Cloudflare.Env, { headers, url }: Request): string | null {
  const { HUB_SESSION_COOKIE } = requireConfig(env, "accounts");
  const name = hasOwnAccounts(env) ? ownSessionCookie(url) : HUB_SESSION_COOKIE;
  const [value] = cookieValues(headers.get("Cookie"), name, 1);
  return value !== undefined && COOKIE_VALUE.test(value) ? value : null;
}

/** Throws 502 or 504 where the hub must be asked and fails: an invalid cached session is no use. */
export async function findSession(c: SessionContext, cookie: string): Promise<Session | null> {
  const name = kvName(c.env, cookie);
  const cached = await readCache(c, name);
  if (cached !== null) return { user: cached.user, is_operator: cached.is_operator, cookie };
  const began_at = Date.now();
  const session = await fetchHubSession(c.env, cookie);
  if (session === null || session.expires_at <= Date.now()) return null;
  await cache(c, name, session, began_at);
  return { user: session.user, is_operator: session.is_operator, cookie };
}

export function csrfToken(env: Cloudflare.Env, cookie: string): string {
  return csrfTokenBy(requireConfig(env, "accounts").SESSION_KEY, cookie);
}

export function csrfTokenBy(session_key: Secret, cookie: string): string {
  return hex(session_key.sign(`csrf\n${cookie}`));
}

function kvName(env: Cloudflare.Env, cookie: string): string {
  const { SESSION_KEY } = requireConfig(env, "accounts");
  return `session/${hex(SESSION_KEY.sign(`session\n${cookie}`))}`;
}

async function readCache(c: SessionContext, name: string): Promise<CachedSession | null> {
  // Validated, because another version of this code may have written it.
  const { success, data } = CachedSession.safeParse(await orNull(() => c.env.KV.get(name, "json")));
  if (!success || data.until <= Date.now()) return null;
  const times = await timesOf(c, data.user.id);
  return times !== null && times.changed_at < data.asked_at ? data : null;
}

async function cache(
  c: SessionContext,
  name: string,
  { user, is_operator, expires_at }: Omit<Session, "cookie"> & { expires_at: number },
  began_at: number,
): Promise<void> {
  const times = await timesOf(c, user.id);
  if (times === null) return;
  const now = Date.now();
  // D1's time of the request, or a little earlier: clocks of machines differ, durations do not.
  const asked_at = times.now - Math.max(0, now - began_at);
  const until = Math.min(began_at + SESSION_CACHE_MS, expires_at);
  const value: CachedSession = { user, is_operator, asked_at, until };
  const kept = c.env.KV.put(name, JSON.stringify(value), { expirationTtl: KV_TTL_S });
  c.executionCtx.waitUntil(orNull(() => kept));
}

function timesOf(c: SessionContext, user_id: string): Promise<AccountTimes | null> {
  return orNull(() => readAccountTimes(c.env.DB, user_id));
}

/** The hub can still be asked, so a failure of KV or D1 is only logged. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(work(), SESSION_STORE_TIMEOUT_MS);
  } catch (error) {
    logError("session_store_failed", {}, error);
    return null;
  }
}
