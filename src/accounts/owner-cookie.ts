/**
 * The cookie `owner_of`: visits to these pages by a browser that sends it are classed `owner`
 * (docs/contract.md section 2). So an event needs no look-up of a session, and the cookie contains
 * no user.
 *
 * Its value is `<expiry>.<page_id>.<page_id>….<signature>`: unix seconds, the ids, and HMAC-SHA256
 * by SESSION_KEY over the cookie's name and everything before the signature, in hex
 * (docs/security.md S24). With 60 ids of 64 characters the Set-Cookie line has 4,048 of the 4,096
 * bytes that browsers accept.
 */
import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { hex, utf8 } from "../http/bytes.ts";
import { requireConfig } from "../http/config.ts";
import type { AppEnv } from "../http/context.ts";
import { cookieValues, OWNER_COOKIE } from "../http/cookies.ts";
import type { Secret } from "../http/secret.ts";
import { OWNER_COOKIE_DAYS, OWNER_COOKIE_PAGES_MAX, OWNER_COOKIES_READ_MAX } from "./limits.ts";

const MAX_AGE_S = (OWNER_COOKIE_DAYS * DAY_MS) / SECOND_MS;
const SIGNED = /^((\d{1,12})((?:\.[A-Za-z0-9_-]{1,64})+))\.([0-9a-f]{64})$/;

/**
 * Browsers accept `__Host-` only from this host over https, so no other host of the domain can set
 * one. Over http, in development, they would reject the prefix.
 */
export function ownerCookieName(url: string): string {
  return isSecure(url) ? `__Host-${OWNER_COOKIE}` : OWNER_COOKIE;
}

/** @param expires_s unix seconds */
export function ownerCookieValue(
  session_key: Secret,
  name: string,
  page_ids: readonly string[],
  expires_s: number,
): string {
  const payload = [expires_s, ...page_ids].join(".");
  return `${payload}.${signatureOf(session_key, name, payload)}`;
}

/** Deletes the cookie without pages. */
export async function setOwnerCookie<E extends AppEnv>(
  c: Context<E>,
  page_ids: readonly string[],
): Promise<void> {
  if (page_ids.length === 0) return deleteOwnerCookie(c);
  const value = ownerCookieValue(
    requireConfig(c.env, "accounts").SESSION_KEY,
    ownerCookieName(c.req.url),
    page_ids.slice(0, OWNER_COOKIE_PAGES_MAX),
    Math.floor(Date.now() / SECOND_MS) + MAX_AGE_S,
  );
  setCookie(c, OWNER_COOKIE, value, { ...attributesOf(c.req.url), maxAge: MAX_AGE_S });
}

export function deleteOwnerCookie(c: Context): void {
  deleteCookie(c, OWNER_COOKIE, attributesOf(c.req.url));
}

export function hasOwnerCookie(
  env: Cloudflare.Env,
  request: Request,
  page_id: string,
  now_ms: number,
): boolean {
  const cookies = request.headers.get("Cookie");
  if (!cookies?.includes(OWNER_COOKIE)) return false;
  const name = ownerCookieName(request.url);
  for (const value of cookieValues(cookies, name, OWNER_COOKIES_READ_MAX)) {
    const [, payload, expires_s, page_ids, signature] = SIGNED.exec(value) ?? [];
    if (payload === undefined || signature === undefined) continue;
    // The signature comes last: only it is expensive to check.
    const names_page = page_ids?.split(".").includes(page_id) ?? false;
    if (!names_page || Number(expires_s) * SECOND_MS <= now_ms) continue;
    const { SESSION_KEY } = requireConfig(env, "counting");
    const right = utf8(signatureOf(SESSION_KEY, name, payload));
    if (crypto.subtle.timingSafeEqual(utf8(signature), right)) return true;
  }
  return false;
}

/**
 * The name is signed: SESSION_KEY has other uses, and a cookie of http must not work over https.
 */
function signatureOf(session_key: Secret, name: string, payload: string): string {
  return hex(session_key.sign(`${name}\n${payload}`));
}

/** Browsers keep two cookies of one name if their attributes differ. */
function attributesOf(url: string) {
  const attributes = { path: "/", httpOnly: true, sameSite: "Lax" } as const;
  return isSecure(url) ? ({ ...attributes, secure: true, prefix: "host" } as const) : attributes;
}

function isSecure(url: string): boolean {
  return new URL(url).protocol === "https:";
}
