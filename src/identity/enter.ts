/** The beginning of a session, whatever way somebody came in by. */
import Bowser from "bowser";
import { addEvent } from "../accounts/account-events-store.ts";
import { newId } from "../http/new-id.ts";
import { type BoxContext, refused, setSessionCookie } from "./context.ts";
import { NOTICES } from "./notices.ts";
import { isPasskeyRefused } from "./passkeys-store.ts";
import { beginSession, type Device, listSessions, type Place } from "./sessions-store.ts";
import { hashOf, newToken } from "./tokens.ts";
import type { User } from "./users-store.ts";

/** The longest name of a browser or a city that is kept. */
const NAME_CHARS_MAX = 60;

/**
 * Runs these statements and begins a session of the user, all in one transaction, and sets its cookie. Throws 401 where
 * what the statements use was used before. A device from which the user was not signed in is told to the user.
 */
export async function enter(
  c: BoxContext,
  user: Pick<User, "id">,
  statements: readonly D1PreparedStatement[],
  now: number,
): Promise<void> {
  const { DB } = c.env;
  const cookie = newToken();
  const device = deviceOf(c.req.header("User-Agent") ?? "");
  const place = placeOf(c.req.raw);
  const sessions = await listSessions(DB, user.id, now);
  const isKnown =
    sessions.length === 0 ||
    sessions.some(
      (one) => one.device.browser === device.browser && one.device.system === device.system,
    );
  try {
    await DB.batch([
      ...statements,
      ...beginSession(DB, user.id, { hash: await hashOf(cookie), id: newId(), device, place }, now),
      ...(isKnown ? [] : [tell(DB, user.id, NOTICES.signed_in(device, place), now)]),
    ]);
  } catch (error) {
    if (isPasskeyRefused(error)) throw refused();
    throw error;
  }
  setSessionCookie(c, cookie);
}

/** A notification about the user's account. */
export function tell(
  db: D1Database,
  user_id: string,
  texts: { text: string; text_en: string },
  now: number,
): D1PreparedStatement {
  const created_at = new Date(now).toISOString();
  const data = { ...texts, ...{ user_id, id: newId(), url: "/account", created_at } };
  return addEvent(db, { type: "notification.created", data }, now);
}

export function deviceOf(user_agent: string): Device {
  const { browser, os } = Bowser.parse(user_agent || "-");
  return { browser: short(browser.name), system: short(os.name) };
}

function placeOf(request: Request): Place {
  const { cf } = request as Request<unknown, IncomingRequestCfProperties>;
  return { country: short(cf?.country), city: short(cf?.city) };
}

function short(text: string | undefined): string {
  return (text ?? "").slice(0, NAME_CHARS_MAX);
}
