/**
 * Six digits by mail, which prove that somebody reads an address. They are safe although short:
 *
 * - A code works only with the ticket of the browser that asked for it, so a code that somebody saw or was told is
 *   useless in another browser, and a guesser has five tries for each mailed code.
 * - The service mails at most five codes in an hour and 20 in a day to a mailbox (`src/accounts/account-mails.ts`).
 * - D1 has an HMAC, so nobody who reads it can try all codes.
 */
import { timingSafeEqual } from "node:crypto";
import type { AccountMail } from "../accounts/account-mails.ts";
import { hex, utf8 } from "../http/bytes.ts";
import type { Locale } from "../views/locale.ts";
import type { Proof } from "./bodies.ts";
import { type Asked, refused, sessionKey } from "./context.ts";
import { originOf } from "./enter.ts";
import { MAIL_CODE_MS } from "./limits.ts";
import { addMailCode, deleteMailCode, giveTryBack, tryMailCode } from "./mail-codes-store.ts";
import { codeMail } from "./mails.ts";
import { hashOf, newToken } from "./tokens.ts";
import { use } from "./used-store.ts";

/**
 * Makes a code, and a mail with it; the same work without a mail. Returns its ticket.
 *
 * @param user_id the user who adds the address; null where the code signs in
 */
export async function sendCode(
  c: Asked,
  { email, user_id, locale }: { email: string; user_id: string | null; locale: Locale },
  whose: AccountMail["whose"],
  now: number,
): Promise<string> {
  const { DB, mails } = c.env;
  const ticket = newToken();
  const hash = await hashOf(ticket);
  const code = newCode();
  const mac = macOf(c, hash, code);
  await addMailCode(DB, {
    ticket: hash,
    mac,
    email,
    user_id,
    expires_at: now + MAIL_CODE_MS,
  }).run();
  mails.push(codeMail(c, { to: email, locale, code, whose }, originOf(c)));
  return ticket;
}

interface Proven {
  email: string;
  used: (by: string) => D1PreparedStatement[];
  keep: () => Promise<unknown>;
}

/**
 * The address that the code proves. Throws 401 SIGN_IN_REFUSED.
 *
 * @param user_id as when the code was made
 */
export async function proveEmail(
  c: Asked,
  { ticket, code }: Proof,
  user_id: string | null,
  now: number,
): Promise<Proven> {
  const { DB } = c.env;
  const hash = await hashOf(ticket);
  const found = await tryMailCode(DB, hash, now);
  if (found === null || found.user_id !== user_id) throw refused();
  if (!timingSafeEqual(utf8(found.mac), utf8(macOf(c, hash, code)))) throw refused();
  return {
    email: found.email,
    used: (by) => [
      use(DB, "challenge", `mail ${hash}`, by, found.expires_at),
      deleteMailCode(DB, hash),
    ],
    keep: () => giveTryBack(DB, hash).run(),
  };
}

/** Of 2^32 numbers, some codes have one more than others: 1 in 4,294. */
function newCode(): string {
  const [n = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(n % 1_000_000).padStart(6, "0");
}

function macOf(c: Asked, ticket_hash: string, code: string): string {
  return hex(sessionKey(c).sign(`mail code\n${ticket_hash}\n${code}`));
}
