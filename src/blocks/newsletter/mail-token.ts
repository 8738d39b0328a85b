/**
 * Tokens in the links of mails (docs/security.md S28): `nl_`, the page's id, which names the object that knows the
 * token, a dot, and 256 random bits. No page id has a dot.
 */
const TOKEN = /^nl_([A-Za-z0-9_-]{1,64})\.[A-Za-z0-9_-]{43}$/;

export function pageOfToken(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}
