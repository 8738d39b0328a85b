import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { PASSKEY_SCRIPT_TEXTS } from "../identity/script-texts.ts";
import { readerLocale } from "../views/numbering.ts";
import { inForm } from "../views/numbers.ts";
import { call } from "./call.ts";
import { type OwnAnswer, retryAfter } from "./own-answer.ts";

export const language = document.documentElement.lang === "en" ? "en" : "ar";
export const texts = PASSKEY_SCRIPT_TEXTS[language];

/**
 * A challenge is valid for five minutes (src/identity). One that the reader turned away was not
 * used: kept for the next try, a sign-in that is begun four times is no sender of many requests.
 */
const CHALLENGE_KEPT_MS = 4 * 60_000;

export type Outcome =
  | (OwnAnswer & { ok: true })
  /** Null where no answer of the service arrived. */
  | { ok: false; answer: OwnAnswer | null }
  | { ok: false; problem: string };

type Kept = { key: string; until: number; options: unknown };

let kept: Kept | null = null;

export function whyImpossible(): string | null {
  if (browserSupportsWebAuthn()) return null;
  return window.isSecureContext ? texts.unsupported : texts.insecure;
}

export function authenticate(path: string, fields: Fields): Promise<Outcome> {
  return between(path, {}, fields, texts.not_signed_in, (optionsJSON) =>
    startAuthentication({ optionsJSON: optionsJSON as never }),
  );
}

export function register(path: string, fields: Fields, more: Fields): Promise<Outcome> {
  return between(path, fields, { ...fields, ...more }, texts.not_made, (optionsJSON) =>
    startRegistration({ optionsJSON: optionsJSON as never }),
  );
}

type Fields = Readonly<Record<string, string>>;

/** @param turned_away is said where the reader closed the browser's dialog */
async function between(
  path: string,
  asked: Fields,
  sent: Fields,
  turned_away: string,
  ask: (options: unknown) => Promise<unknown>,
): Promise<Outcome> {
  const body = JSON.stringify(asked);
  const key = path + body;
  if (kept?.key !== key || kept.until < Date.now()) {
    const answer = await call(`${path}/options`, "POST", body);
    if (!answer?.ok) return { ok: false, answer };
    kept = { key, until: Date.now() + CHALLENGE_KEPT_MS, options: answer.body.options };
  }
  let response: unknown;
  try {
    response = await ask(kept.options);
  } catch (error) {
    return { ok: false, problem: problemOf(error, turned_away) };
  }
  kept = null;
  const answer = await call(path, "POST", JSON.stringify({ ...sent, response }));
  return answer?.ok ? answer : { ok: false, answer };
}

function problemOf(error: unknown, turned_away: string): string {
  switch (Object(error).name) {
    // Also where the dialog was open for too long: browsers do not tell these apart.
    case "NotAllowedError":
    case "AbortError":
      return turned_away;
    case "InvalidStateError":
      return texts.already;
    default:
      return texts.device_failed;
  }
}

/** Words by code, for answers whose own text is for programs. */
export type Refusals = Readonly<Record<string, string>>;

export const REFUSALS = {
  "sign-in": { SIGN_IN_REFUSED: texts.unknown },
  setup: { SETUP_REFUSED: texts.bad_setup_code, SIGN_IN_REFUSED: texts.not_accepted },
  "sign-up": { INVITATION_REQUIRED: texts.bad_invitation, SIGN_IN_REFUSED: texts.not_accepted },
  recover: { SIGN_IN_REFUSED: texts.bad_code },
  add: { SIGN_IN_REFUSED: texts.not_accepted },
  mail: { INVITATION_REQUIRED: texts.bad_invitation, SIGN_IN_REFUSED: texts.bad_mail_code },
  issuer: {},
} satisfies Readonly<Record<string, Refusals>>;

export function saidOf(outcome: Outcome & { ok: false }, refusals: Refusals): string {
  if ("problem" in outcome) return outcome.problem;
  const { answer } = outcome;
  if (answer === null || answer.ok) return texts.no_answer;
  const { status, headers, body } = answer;
  const wait_s = status === 429 ? retryAfter(headers) : null;
  if (wait_s !== null) return inForm(readerLocale(language, "arab"), texts.wait, wait_s);
  return refusals[body.code] ?? (language === "en" ? body.message_en : body.error);
}
