/**
 * The cookie `digits`: the reader's own choice of digits, where it is not the one usual in their
 * country; over https with `__Host-` before it (docs/security.md S7). Only signed-in pages set and
 * read it.
 */
import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { cookieValues } from "../http/cookies.ts";
import { NUMBERINGS, type Numbering } from "../views/numbering.ts";
import { usualNumbering } from "../views/numbering-of-country.ts";

export const DIGITS_COOKIE_DAYS = 365;

const NAME = "digits";
const MAX_AGE_S = (DIGITS_COOKIE_DAYS * DAY_MS) / SECOND_MS;

/** Falls back to the digits usual in the country of the request. */
export function readerNumbering({ req }: Context<SignedIn>): Numbering {
  const name = isSecure(req.url) ? `__Host-${NAME}` : NAME;
  const [value] = cookieValues(req.header("Cookie") ?? null, name, 1);
  return (
    NUMBERINGS.find((each) => each === value) ??
    usualNumbering((req.raw as Request<unknown, IncomingRequestCfProperties>).cf?.country)
  );
}

export function keepNumbering(c: Context<SignedIn>, numbering: Numbering): void {
  const attributes = { path: "/", maxAge: MAX_AGE_S, sameSite: "Lax", httpOnly: true } as const;
  const own = isSecure(c.req.url) ? ({ secure: true, prefix: "host" } as const) : {};
  setCookie(c, NAME, numbering, { ...attributes, ...own });
}

function isSecure(url: string): boolean {
  return new URL(url).protocol === "https:";
}
