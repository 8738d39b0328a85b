/** Limits of accounts in the box. A name ends in its unit. */
import { DAY_MS, MINUTE_MS } from "../../objects/platform/clock.ts";

export const PLANS = ["free", "pro", "business"] as const;
export type Plan = (typeof PLANS)[number];

export const SESSION_IDLE_MS = 30 * DAY_MS;
/** The last use is noted once in this time, because each note is a write of D1. */
export const SESSION_NOTED_MS = DAY_MS;
export const DEVICE_KEPT_MS = 30 * DAY_MS;
/** Browsers keep no cookie longer. */
export const SESSION_COOKIE_MAX_AGE_S = (400 * DAY_MS) / 1_000;
/** Sessions of one user; the longest unused one ends. */
export const SESSIONS_MAX = 50;
export const LINK_MS = 7 * DAY_MS;
export const WAY_IN_MS = DAY_MS;
export const RECOVERY_CODES = 10;
export const USER_NAME_CHARS_MAX = 100;
export const PASSKEY_NAME_CHARS_MAX = 60;
/** Length of the first owner's code: too long to guess. */
export const SETUP_CODE_CHARS_MIN = 16;
export const SETUP_CODE_CHARS_MAX = 128;
export const UNDO_MS = 30 * MINUTE_MS;
export const USERS_LISTED = 50;
export const ACTS_LISTED = 50;
export const INVITATIONS_LISTED = 50;
/** Pages on a user's page: more than any plan has. */
export const OWN_PAGES_LISTED = 100;
/** Accounts that one search compares with a name; then it stops with a cursor. */
export const USERS_SEARCHED = 5_000;
/** Room for an email (RFC 5321). */
export const USERS_QUERY_CHARS_MAX = 320;
export const LINK_CODE_CHARS_MAX = 128;
/**
 * D1 can be restored to a time within 30 days (docs/operations.md), so what was used or removed is remembered
 * for longer.
 */
export const USED_MS = 35 * DAY_MS;

/** How long a challenge is valid: as long as a browser waits for its user. */
export const CHALLENGE_MS = 300_000;
export const CLOCK_SKEW_MS = 60_000;

/** Passkeys of a user; a challenge for another one lists them all. */
export const PASSKEYS_MAX = 20;

/** 1,023 bytes in base64url, the longest id of a credential (WebAuthn 5.1). */
export const CREDENTIAL_ID_CHARS_MAX = 1_364;
export const CLIENT_DATA_CHARS_MAX = 4_096;
/** An RSA key, and an attestation with certificates, which some authenticators send unasked. */
export const ATTESTATION_CHARS_MAX = 16_384;
/** 37 bytes and extensions. */
export const AUTHENTICATOR_DATA_CHARS_MAX = 2_048;
/** 683 characters for 512 bytes, of RSA with 4,096 bits. */
export const SIGNATURE_CHARS_MAX = 1_024;
/** 64 bytes in base64url (WebAuthn 5.4.3). */
export const USER_HANDLE_CHARS_MAX = 86;
export const TRANSPORTS_MAX = 10;
export const TRANSPORT_CHARS_MAX = 32;

/** Points of one gift, either way. A wallet's sum stays far below 2^53. */
export const GIFT_POINTS_MAX = 1_000_000_000;
export const GIFT_NOTE_CHARS_MAX = 200;

/** Validity of a code by mail, and how often it may be tried. */
export const MAIL_CODE_MS = 10 * MINUTE_MS;
export const MAIL_CODE_TRIES = 5;
/** Six digits with the spaces that people type. */
export const MAIL_CODE_CHARS_MAX = 20;
export const IDENTITIES_MAX = 20;
export const ISSUER_VISIT_MS = 10 * MINUTE_MS;
export const ISSUER_TIMEOUT_MS = 10_000;
/** An issuer's keys, or its description. */
export const ISSUER_ANSWER_BYTES_MAX = 65_536;
export const ISSUER_KEPT_MS = 60 * MINUTE_MS;
export const SUBJECT_CHARS_MAX = 255;

/** An authenticator's answer with its certificates. */
export const IDENTITY_BYTES_MAX = 65_536;
