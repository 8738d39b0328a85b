import type { Context } from "hono";
import * as z from "zod/mini";
import type { User } from "../accounts/hub-answers.ts";
import { countUnread } from "../accounts/notifications-store.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { csrfToken } from "../accounts/session.ts";
import { hasOwnAccounts } from "../http/config.ts";
import { callDependency } from "../http/dependency.ts";
import { canonicalZone, Zone } from "../http/time-zone.ts";
import { validate } from "../http/validate.ts";
import { LOCALES } from "../views/locale.ts";
import { NUMBERINGS, readerLocale } from "../views/numbering.ts";
import type { Frame } from "./dashboard-frame.tsx";
import { keepNumbering, readerNumbering } from "./digits-cookie.ts";

/**
 * `?lang=ar` instead of the account's language, for links of this address. `?digits=latn` is kept
 * in a cookie: a preference that no other site gains anything by setting, so a GET may set it.
 */
const FrameQuery = z.object({
  lang: z.optional(z.enum(LOCALES)),
  digits: z.optional(z.enum(NUMBERINGS)),
  tz: z.optional(Zone),
});

/**
 * A page that must be there while D1 fails asks for no unread notifications. Also sets the language
 * of an error page. Throws 400 for a language, digits or a zone that do not exist, and 503 where D1
 * fails.
 */
export async function frameOf(
  c: Context<SignedIn>,
  { asks_unread = true }: { asks_unread?: boolean } = {},
): Promise<Frame> {
  const { user, cookie } = c.get("session");
  return frameFor(c, {
    ...{ user, csrf_token: csrfToken(c.env, cookie), has_own_accounts: hasOwnAccounts(c.env) },
    asks_unread,
  });
}

export async function frameFor(
  c: Context<SignedIn>,
  {
    user,
    csrf_token,
    has_own_accounts,
    asks_unread,
  }: Pick<Frame, "csrf_token" | "has_own_accounts"> & {
    user: Pick<User, "id" | "name" | "locale">;
    asks_unread: boolean;
  },
): Promise<Frame> {
  c.set("locale", user.locale);
  const { lang = user.locale, digits, tz } = validate(FrameQuery, c.req.query());
  c.set("locale", lang);
  if (digits !== undefined) keepNumbering(c, digits);
  const url = new URL(c.req.url);
  url.searchParams.delete("digits");
  const unread = asks_unread
    ? await callDependency("notifications_failed", () => countUnread(c.env.DB, user.id))
    : 0;
  return {
    locale: readerLocale(lang, digits ?? readerNumbering(c)),
    user_name: user.name,
    now_ms: Date.now(),
    csrf_token,
    has_own_accounts,
    unread,
    tz: tz ?? zoneOf(c),
    url,
  };
}

/** Cloudflare knows the place of the request. */
function zoneOf({ req }: Context<SignedIn>): string {
  const { cf } = req.raw as Request<unknown, IncomingRequestCfProperties>;
  return (cf?.timezone && canonicalZone(cf.timezone)) || "UTC";
}
