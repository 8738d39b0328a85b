import Bowser from "bowser";
import { addEvent } from "../accounts/account-events-store.ts";
import { ACCOUNT_PAGE } from "../http/endpoints.ts";
import { newId } from "../http/new-id.ts";
import { type Asked, type BoxContext, refused, setSessionCookie } from "./context.ts";
import { endedAt } from "./ended.ts";
import { noticeMail } from "./mails.ts";
import { NOTICES, type Notice } from "./notices.ts";
import { beginSession, type Device, isDeviceOf, type Place } from "./sessions-store.ts";
import { hashOf, newToken } from "./tokens.ts";
import { isUseRefused } from "./used-store.ts";
import { setSuspended, type User } from "./users-store.ts";

const NAME_CHARS_MAX = 60;

/**
 * Begins a session of the user and sets its cookie; one transaction with these statements. Throws 401 where they use
 * what was used before, or D1 has forgotten that the user is suspended. Notifies the user of a new device.
 *
 * @param is_new whether the account begins here: then nobody needs a notification
 */
export async function enter(
  c: BoxContext,
  user: Addressee,
  statements: readonly D1PreparedStatement[],
  now: number,
  is_new = false,
): Promise<void> {
  const { DB, MEDIA } = c.env;
  const cookie = newToken();
  const { device, place } = originOf(c);
  const [isKnown, suspended_at] = is_new
    ? [true, null]
    : await Promise.all([isDeviceOf(DB, user.id, device), endedAt(MEDIA, "suspended", user.id)]);
  if (suspended_at !== null) {
    // So operators see it, and can undo it.
    await setSuspended(DB, user.id, suspended_at).run();
    throw refused();
  }
  try {
    await DB.batch([
      ...statements,
      ...beginSession(DB, user.id, { hash: await hashOf(cookie), id: newId(), device, place }, now),
      ...(isKnown ? [] : [tell(c, user, NOTICES.signed_in(device, place), now)]),
    ]);
  } catch (error) {
    if (isUseRefused(error)) throw refused();
    throw error;
  }
  setSessionCookie(c, cookie);
}

export function tell(c: Asked, user: Addressee, notice: Notice, now: number): D1PreparedStatement {
  const { DB, has_mail, mails } = c.env;
  if (has_mail && user.email !== null) mails.push(noticeMail(c, user.email, user.locale, notice));
  const created_at = new Date(now).toISOString();
  const data = { ...notice, ...{ user_id: user.id, id: newId(), url: ACCOUNT_PAGE, created_at } };
  return addEvent(DB, { type: "notification.created", data }, now);
}

type Addressee = Pick<User, "id" | "email" | "locale">;

export function originOf(c: Asked): { device: Device; place: Place } {
  return { device: deviceOf(c.req.header("User-Agent") ?? ""), place: placeOf(c.req.raw) };
}

/** Other programs name themselves: in a mail, anybody could say anything to a user. */
const BROWSERS: ReadonlySet<unknown> = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS: ReadonlySet<unknown> = new Set(Object.values(Bowser.OS_MAP));

export function deviceOf(user_agent: string): Device {
  const { browser, os } = Bowser.parse(user_agent || "-");
  return {
    browser: BROWSERS.has(browser.name) ? short(browser.name) : "",
    system: SYSTEMS.has(os.name) ? short(os.name) : "",
  };
}

function placeOf(request: Request): Place {
  const { cf } = request as Request<unknown, IncomingRequestCfProperties>;
  return { country: short(cf?.country), city: short(cf?.city) };
}

function short(text: string | undefined): string {
  return (text ?? "").slice(0, NAME_CHARS_MAX);
}
