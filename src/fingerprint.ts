/**
 * Which error reports are alike (CONTRACT section 7). The fingerprint says what failed and where in the
 * code, and nothing that changes with a deploy, a visitor or a page.
 */
import type { ErrorSample } from "../objects/error-report.ts";
import { hex, utf8 } from "./bytes.ts";

/** Bytes of a fingerprint. */
const FINGERPRINT_BYTES = 16;
/** Frames that count: the innermost ones; how the code got there differs too much. */
const FRAMES_MAX = 5;

/** 32 hex digits, the same for reports that are alike. Severity and address say nothing of the cause. */
export async function fingerprintOf({
  message,
  stack,
}: Pick<ErrorSample, "message" | "stack">): Promise<string> {
  const text = [normalize(message), ...framesOf(stack)].join("\n");
  const digest = await crypto.subtle.digest("SHA-256", utf8(text));
  return hex(new Uint8Array(digest, 0, FINGERPRINT_BYTES));
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>()]+/gi;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const HEX_RUN = /\b(?:0x)?[0-9a-f]{8,}\b/gi;
const NUMBER = /\d+/g;

/** What stays of a message: addresses become their file, ids and numbers a mark. */
function normalize(message: string): string {
  return message
    .replace(ADDRESS, fileOf)
    .replace(UUID, "<id>")
    .replace(HEX_RUN, (run) => (/\d/.test(run) ? "<id>" : run))
    .replace(NUMBER, "<n>")
    .replace(/\s+/g, " ")
    .trim();
}

/** The innermost frames as `function@file`; whatever else a stack says is the message again. */
function framesOf(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    const frame = frameOf(line.trim());
    if (frame !== null) frames.push(frame);
    if (frames.length === FRAMES_MAX) break;
  }
  return frames;
}

function frameOf(line: string): string | null {
  // Chrome: `at record (https://…/beacon.js:1:20)`, `at async https://…/beacon.js:1:20`.
  if (line.startsWith("at ")) {
    const call = line.slice("at ".length).replace(/^async /, "");
    const open = call.endsWith(")") ? call.indexOf(" (") : -1;
    return open < 0
      ? `@${fileOf(call)}`
      : `${functionOf(call.slice(0, open))}@${fileOf(call.slice(open + 2, -1))}`;
  }
  // Firefox and Safari: `record@https://…/beacon.js:1:20`.
  const at = line.lastIndexOf("@");
  return at < 0 ? null : `${functionOf(line.slice(0, at))}@${fileOf(line.slice(at + 1))}`;
}

/** Firefox's `record/<` and Safari's `async record` are inside or the same as `record`. */
function functionOf(name: string): string {
  return name
    .replace(/^async\*?\s*/, "")
    .replace(/(?<![/<])[/<]+$/, "")
    .replace(NUMBER, "<n>");
}

/**
 * A build's hash in a file's name: `-eb7371b7dc`, `.abc123de`, `-BaX_y9Zk`. One of digits alone, or a
 * long one, has been redacted like anybody's number.
 */
const BUILD_HASH = /[-.](\[redacted\]|[\w-]{6,32})(?=\.[a-z]{1,5}$)/i;

/** The name of the file that an address points into, without query, position and the build's hash. */
function fileOf(address: string): string {
  const [path = ""] = address.replace(/(?::\d+){1,2}$/, "").split(/[?#]/);
  const file = path.slice(path.lastIndexOf("/") + 1);
  return file
    .replace(BUILD_HASH, (suffix, hash: string) => (looksRandom(hash) ? "" : suffix))
    .replace(NUMBER, "<n>");
}

/** Words have no digits, and capitals only where a word begins. */
function looksRandom(text: string): boolean {
  return /[\d[]/.test(text) || /[A-Z]{2}/.test(text);
}
