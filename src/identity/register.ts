import type { Locale } from "../views/locale.ts";
import { type Act, addAct } from "./acts-store.ts";
import { challengeEnd, makeChallenge } from "./challenges.ts";
import { type BoxContext, refused, relyingParty, sessionKey } from "./context.ts";
import { deviceOf, enter } from "./enter.ts";
import { PASSKEY_NAME_CHARS_MAX, type Plan } from "./limits.ts";
import {
  challengeOf,
  registrationOptions,
  verifyRegistration,
  type WebAuthnRegistration,
} from "./passkeys.ts";
import { addPasskey } from "./passkeys-store.ts";
import { use } from "./used-store.ts";
import { addUser } from "./users-store.ts";

export function newUserOptions(c: BoxContext, purpose: string, name: string, now: number) {
  const challenge = makeChallenge(sessionKey(c), purpose, now);
  const user = { id: userIdOf(c, challenge), name };
  return registrationOptions(relyingParty(c), challenge, { user, known: [] });
}

/**
 * Makes an account with its first passkey and signs it in, in one transaction with `more`. Returns the user's id.
 * Throws 401 for a wrong passkey, or what was used before.
 */
export async function register(
  c: BoxContext,
  purpose: string,
  {
    response,
    act,
    ...user
  }: {
    response: WebAuthnRegistration;
    act: Act;
    name: string;
    locale: Locale;
    plan: Plan;
    is_operator: boolean;
  },
  more: (user_id: string) => D1PreparedStatement[],
  now: number,
): Promise<string> {
  const { DB } = c.env;
  const challenge = challengeOf(response);
  const challenge_end = challengeEnd(sessionKey(c), purpose, challenge, now);
  if (challenge_end === null) throw refused();
  const passkey = await verifyRegistration(relyingParty(c), challenge, response);
  if (passkey === null) throw refused();
  const id = userIdOf(c, challenge);
  const { provider, ...key } = passkey;
  const passkey_name = newPasskeyName(c, provider);
  await enter(
    c,
    { id, email: null, locale: user.locale },
    [
      use(DB, "challenge", challenge, id, challenge_end),
      ...more(id),
      addUser(DB, { id, email: null, ...user }, now),
      addPasskey(DB, { ...key, user_id: id, name: passkey_name, created_at: now }),
      addAct(DB, act, { id, name: user.name }, { id, name: user.name }, now),
    ],
    now,
    true,
  );
  return id;
}

/** Most providers stay unknown; then the passkey is named by the device. */
export function newPasskeyName(c: Pick<BoxContext, "req">, provider: string | null): string {
  const { browser, system } = deviceOf(c.req.header("User-Agent") ?? "");
  const device = [browser, system].filter(Boolean).join(" · ");
  return (provider ?? device).slice(0, PASSKEY_NAME_CHARS_MAX) || "Passkey";
}

/** Derived, so that nobody can choose it. */
function userIdOf(c: BoxContext, challenge: string): string {
  const bytes = sessionKey(c).sign(`user\n${challenge}`).subarray(0, 16);
  return `u_${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}
