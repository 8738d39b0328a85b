/**
 * Who is signed in. Sessions belong to the hub (docs/contract.md section 8); its word about one is remembered in
 * KV, under a keyed hash of the cookie, for a minute at most.
 *
 * KV is slow to forget, up to a minute in other places of the world, and a revocation must hold at once.
 * So what is remembered counts only while D1 knows of no later change to the account: one read of a key
 * in place of a question to the hub. Where D1 or KV do not answer, the hub is asked.
 */
import * as z from "zod";
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { hex } from "../http/bytes.ts";
import { requireConfig } from "../http/config.ts";
import type { AppContext } from "../http/context.ts";
import { cookieValues } from "../http/cookies.ts";
import {
  SESSION_CACHE_MS,
  SESSION_COOKIE_CHARS_MAX,
  SESSION_STORE_TIMEOUT_MS,
} from "../http/limits.ts";
import { type AccountTimes, readAccountTimes } from "./accounts-store.ts";
import { fetchHubSession, User } from "./hub.ts";

/** The parts of a request's context that looking for its session takes. */
type Asking = Pick<AppContext, "env" | "executionCtx">;

/** A session that the hub vouched for. */
export interface Session {
  user: User;
  /** The hub's cookie, for what the hub is asked in the user's name. */
  cookie: string;
}

/** What KV holds of a session. */
const Remembered = z.object({
  user: User,
  /** When the hub was asked, by D1's clock. */
  asked_at: z.int(),
  /** Until when this may be taken for true, by the Worker's clock. */
  until: z.int(),
});
type Remembered = z.infer<typeof Remembered>;

/** KV keeps nothing for less than this, in seconds; how long it counts is in the value. */
const KV_TTL_S = 60;

const COOKIE_VALUE = new RegExp(
  `^[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]{1,${SESSION_COOKIE_CHARS_MAX}}$`,
);

/** The value of the hub's cookie, or null where there is none that could be one (RFC 6265 section 4.1.1). */
export function sessionCookie(env: Cloudflare.Env, { headers }: Request): string | null {
  const { HUB_SESSION_COOKIE } = requireConfig(env, "accounts");
  const [value] = cookieValues(headers.get("Cookie"), HUB_SESSION_COOKIE, 1);
  return value !== undefined && COOKIE_VALUE.test(value) ? value : null;
}

/**
 * Whose session the cookie is, or null for nobody's. Throws 502 and 504 where the hub must be asked and
 * does not say: never "signed in".
 */
export async function findSession(c: Asking, cookie: string): Promise<Session | null> {
  const name = await kvName(c.env, cookie);
  const remembered = await recall(c, name);
  if (remembered !== null) return { user: remembered.user, cookie };
  const began_at = Date.now();
  const session = await fetchHubSession(c.env, cookie);
  if (session === null || session.expires_at <= Date.now()) return null;
  await remember(c, name, session, began_at);
  return { user: session.user, cookie };
}

/** The token that proves a request comes from a page of ours that knows the session (docs/security.md S5). */
export async function csrfToken(env: Cloudflare.Env, cookie: string): Promise<string> {
  return hex(await requireConfig(env, "accounts").SESSION_KEY.sign(`csrf\n${cookie}`));
}

async function kvName(env: Cloudflare.Env, cookie: string): Promise<string> {
  const { SESSION_KEY } = requireConfig(env, "accounts");
  return `session/${hex(await SESSION_KEY.sign(`session\n${cookie}`))}`;
}

/** What is remembered and still counts. */
async function recall(c: Asking, name: string): Promise<Remembered | null> {
  // Another version of this code may have written it.
  const { success, data } = Remembered.safeParse(await orNull(() => c.env.KV.get(name, "json")));
  if (!success || data.until <= Date.now()) return null;
  const times = await timesOf(c, data.user.id);
  return times !== null && times.changed_at < data.asked_at ? data : null;
}

/** Remembers what the hub said to a question of `began_at`. */
async function remember(
  c: Asking,
  name: string,
  { user, expires_at }: { user: User; expires_at: number },
  began_at: number,
): Promise<void> {
  const times = await timesOf(c, user.id);
  if (times === null) return;
  const now = Date.now();
  // Durations are the same on all machines, and this one was longer than the true one.
  const asked_at = times.now - Math.max(0, now - began_at);
  const until = Math.min(began_at + SESSION_CACHE_MS, expires_at);
  const value: Remembered = { user, asked_at, until };
  const kept = c.env.KV.put(name, JSON.stringify(value), { expirationTtl: KV_TTL_S });
  c.executionCtx.waitUntil(orNull(() => kept));
}

function timesOf(c: Asking, user_id: string): Promise<AccountTimes | null> {
  return orNull(() => readAccountTimes(c.env.DB, user_id));
}

/** Without KV or D1 the hub is asked each time: slower, and no less safe. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(work(), SESSION_STORE_TIMEOUT_MS);
  } catch (error) {
    logError("session_store_failed", {}, error);
    return null;
  }
}
