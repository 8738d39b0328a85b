/**
 * The cookie by which a browser is known as a page owner's, so that their own visits are classed `owner`
 * (CONTRACT section 2). It names pages and nobody: no session is looked up for an event. `classify.ts` reads it.
 */
import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { DAY_MS, SECOND_MS } from "../objects/clock.ts";
import { PAGES_REMEMBERED_MAX } from "./limits.ts";

const NAME = "owner_of";
/** As long as browsers keep any cookie. */
const MAX_AGE_S = (400 * DAY_MS) / SECOND_MS;

/** Remembers in the browser whose pages these are; the first 60 of them. */
export function rememberOwner(c: Context, page_ids: readonly string[]): void {
  const secure = new URL(c.req.url).protocol === "https:";
  setCookie(c, NAME, page_ids.slice(0, PAGES_REMEMBERED_MAX).join("."), {
    path: "/",
    maxAge: MAX_AGE_S,
    httpOnly: true,
    sameSite: "Lax",
    // Off https only in development, where no cookie can have the prefix.
    secure,
    ...(secure ? { prefix: "host" as const } : {}),
  });
}
