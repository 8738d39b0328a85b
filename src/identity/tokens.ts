/** Random secrets: sessions, codes and links. Only their hashes are stored. */
import { newId } from "../http/new-id.ts";

const TOKEN_BYTES = 32;

/** 256 random bits in base64url: nobody can guess them, so a fast hash suffices. */
export function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

export function newUserId(): string {
  return `u_${newId()}`;
}

/** SHA-256 in hex. */
export async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return new Uint8Array(digest).toHex();
}
