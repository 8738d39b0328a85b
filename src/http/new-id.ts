/** An id has 128 random bits, in 22 letters of `A-Z a-z 0-9 - _`. */
export function newId(): string {
  return crypto
    .getRandomValues(new Uint8Array(16))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}
