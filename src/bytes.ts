/** Bytes and text, for hashes. Runs in Node too, where the tests compute keys of their own. */

/** The UTF-8 of a text. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** Two lower-case hex digits a byte. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
