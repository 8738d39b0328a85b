/**
 * Groups error reports (docs/contract.md section 7): the fingerprint depends on the error and its
 * place in the code, and on nothing that changes with a deploy, a visitor or a page.
 */
import type { ErrorSample } from "../../../objects/errors/error-report.ts";
import { REDACTED } from "../../../objects/platform/redact.ts";
import { hex, utf8 } from "../../http/bytes.ts";

const FINGERPRINT_BYTES = 16;
/** Outer frames differ between reports of one error. */
const FRAMES_MAX = 5;
const ANY = "#";

/** 32 hex digits. Severity and address do not depend on the cause, so they are no part of it. */
export async function fingerprintOf({
  message,
  stack,
}: Pick<ErrorSample, "message" | "stack">): Promise<string> {
  const text = [normalize(message), ...framesOf(stack)].join("\n");
  const digest = await crypto.subtle.digest("SHA-256", utf8(text));
  return hex(new Uint8Array(digest, 0, FINGERPRINT_BYTES));
}

const BETWEEN_WORDS = /([\s"'`()<>]+)/;
const FILE = /:\/\/|\.(?:[cm]?js|css|wasm)(?=[?#:.,;]|$)/i;
/** A quoted text; with a digit in it, it is a key, an id or an index and no name. */
const QUOTED = /(["'`])([\w.:-]{1,64})\1/g;
const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const RUN = /[\w-]{6,}/g;
const NUMBER = /-?\p{Nd}+(?:[.,]\p{Nd}+)*/gu;

/** What differs between visitors and deploys gives way: addresses to file names, ids and numbers to marks. */
function normalize(message: string): string {
  return message
    .split(BETWEEN_WORDS)
    .map((word) => (FILE.test(word) ? fileOf(word) : word))
    .join("")
    .replaceAll(REDACTED, ANY)
    .replace(UUID, ANY)
    .replace(QUOTED, (all, _, quoted: string) => (/\d/.test(quoted) ? ANY : all))
    .replace(RUN, (run) => (isId(run) ? ANY : run))
    .replace(NUMBER, ANY)
    .replace(/\s+/g, " ")
    .trim();
}

/** An id is hex with a digit, or has digits in more than one place. */
function isId(run: string): boolean {
  const digits = run.match(/\d+/g)?.length ?? 0;
  return (digits > 1 && /[a-z]/i.test(run)) || (digits > 0 && /^(?:0x)?[0-9a-f]{8,}$/i.test(run));
}

/** The innermost frames as `function@file`. Other lines of a stack repeat the message. */
function framesOf(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    const frame = frameOf(line.trim());
    if (frame !== null) frames.push(frame);
    if (frames.length === FRAMES_MAX) break;
  }
  return frames;
}

/** The end of a frame in Firefox and Safari. Lines of a message seldom end like it. */
const POSITION_AT_END = /:\d{1,9}$|\[native code\]$/;
const ADDRESS_AT_START = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;

function frameOf(line: string): string | null {
  // Chrome: `at record (https://…/beacon.js:1:20)`, `at async https://…/beacon.js:1:20`.
  if (line.startsWith("at ")) {
    const call = line.slice("at ".length);
    const open = call.endsWith(")") ? call.indexOf(" (") : -1;
    return open < 0
      ? `@${locationOf(call)}`
      : `${functionOf(call.slice(0, open))}@${locationOf(call.slice(open + 2, -1))}`;
  }
  if (!POSITION_AT_END.test(line)) return null;
  // Safari has frames without a function, and an address may contain `@`.
  if (ADDRESS_AT_START.test(line)) return `@${locationOf(line)}`;
  // Firefox and Safari: `record@https://…/beacon.js:1:20`.
  const at = line.indexOf("@");
  return at < 0 ? null : `${functionOf(line.slice(0, at))}@${locationOf(line.slice(at + 1))}`;
}

/**
 * The words of a function's name. `async`, `new`, Firefox's `setTimeout handler*` and its marks of
 * nesting describe the call. Names of one or two letters are the minifier's and change with each
 * build.
 */
function functionOf(name: string): string {
  const called = name.slice(name.lastIndexOf("*") + 1).replace(/^(?:async|new) /, "");
  return (called.match(/[\p{L}_$]{3,}/gu) ?? []).join(".");
}

/** The file of a frame; for evaluated code, the file that called `eval`. */
function locationOf(text: string): string {
  const address = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>()]+/i.exec(text)?.[0];
  return fileOf(address ?? text);
}

/** The query differs between visitors, position and hash between deploys. */
function fileOf(address: string): string {
  const [path = ""] = address
    // A hash of digits alone: `redact.ts` removes it as a phone or card number.
    .replaceAll(REDACTED, "00000000")
    .replace(/[.,;:!]{1,4}$/, "")
    .replace(/(?::\d{1,9}){1,2}$/, "")
    .split(/[?#]/);
  const file = path.slice(path.lastIndexOf("/") + 1);
  const extension = EXTENSION.exec(file)?.[0] ?? "";
  const stem = file.slice(0, file.length - extension.length);
  return (withoutHash(stem) + extension).replace(NUMBER, ANY);
}

const EXTENSION = /(?:\.(?:chunk|bundle|min))?\.[a-z]{1,5}$/i;
/** Eight or more hex digits are a hash: no word has so many letters of a to f only. */
const HEX_HASH = /(?:^|[-.])(?:[0-9a-f]{8,64}|(?=[a-f]*\d)[0-9a-f]{6,7})$/i;
const OTHER_HASH = /[-.](?:\w{6,64}|[\w-]{8})$/;
/** A word, maybe with a number in it: `Settings`, `i18next`, `list-v12`. */
const WORD = /^[-.][A-Z]?[a-z_-]*\d*[a-z_-]*$/;
/** Bundlers make hashes of eight characters, which may have no digit. */
const SHORT_HASH_CHARS = 8;

/** `app` for `app-eb7371b7dc`, `app.abc123de` and `app-Ba3_x9-Q`; `''` for a hash alone. */
function withoutHash(stem: string): string {
  const hex_hash = HEX_HASH.exec(stem);
  if (hex_hash !== null) return stem.slice(0, hex_hash.index);
  const hash = OTHER_HASH.exec(stem)?.[0] ?? "";
  const random = !WORD.test(hash) && (/\d/.test(hash) || hash.length === 1 + SHORT_HASH_CHARS);
  return hash !== "" && random ? stem.slice(0, -hash.length) : stem;
}
