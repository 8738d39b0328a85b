/**
 * A call that dumps or loads, signed with BACKUP_KEY: the step is JSON in a header, so that the body is free for
 * what is loaded. Runs in Node too, for the command that makes the calls (`dump/dump.ts`).
 */
import { hex, utf8 } from "../../http/bytes.ts";
import type { Secret } from "../../http/secret.ts";

export const DUMP_PATH = "/api/dump";
/** The step as JSON in ASCII. */
export const CALL_HEADER = "X-Sila-Dump";
export const SIGNATURE_HEADER = "X-Sila-Dump-Signature";
/** Milliseconds by which both clocks may differ. */
const TOLERANCE_MS = 300_000;
const SIGNATURE = /^(\d{13})\.([0-9a-f]{64})$/;
/** The secret has other uses. */
const USE = "sila-dump-call";

/**
 * Signs a call made at this time in unix milliseconds. What it loads is named by its hash. The host is signed too, so
 * that no other host can pass the call on: a moved deployment has the same key.
 */
export function signCall(secret: Secret, host: string, call: string, now: number): string {
  return `${now}.${hex(secret.sign(`${USE}.${now}.${host}.${call}`))}`;
}

export function verifyCall(
  secret: Secret,
  signature: string,
  host: string,
  call: string,
  now: number,
): boolean {
  const [, at = "", digits = ""] = SIGNATURE.exec(signature) ?? [];
  if (at === "" || Math.abs(now - Number(at)) > TOLERANCE_MS) return false;
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return secret.verify(bytes, utf8(`${USE}.${at}.${host}.${call}`));
}
