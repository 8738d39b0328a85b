/**
 * A call that restores: JSON, signed with BACKUP_KEY. Runs in Node too, for the script that makes the
 * calls (`restore/restore.ts`).
 */
import { hex, utf8 } from "../http/bytes.ts";
import type { Secret } from "../http/secret.ts";

export const RESTORE_PATH = "/api/restore";
export const RESTORE_HEADER = "X-Sila-Restore";
/** How far the clocks of both may differ, in milliseconds. */
const TOLERANCE_MS = 300_000;
/** Of a call's body: 200 ids. */
export const RESTORE_BYTES_MAX = 65_536;
/** Pages of one call: each costs a call of its object. */
export const RESTORE_PAGES_MAX = 200;

const HEADER = /^(\d{13})\.([0-9a-f]{64})$/;
/** The secret has other uses. */
const USE = "sila-restore-call";

/** The header of a call with this body, made at this time in unix milliseconds. */
export function signCall(secret: Secret, body: string, now: number): string {
  return `${now}.${hex(secret.sign(`${USE}.${now}.${body}`))}`;
}

/** Whether this header is of this body and of a time close to now. */
export function verifyCall(secret: Secret, header: string, body: Uint8Array, now: number): boolean {
  const [, at = "", digits = ""] = HEADER.exec(header) ?? [];
  if (at === "" || Math.abs(now - Number(at)) > TOLERANCE_MS) return false;
  const signature = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return secret.verify(signature, new Uint8Array([...utf8(`${USE}.${at}.`), ...body]));
}
