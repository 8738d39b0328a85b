/** Bytes and text, for hashes. Runs in Node too, where the tests compute keys of their own. */

/** The UTF-8 of a text. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** What every byte reads in hex: looked up, because each request hashes twice. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two lower-case hex digits a byte. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}
