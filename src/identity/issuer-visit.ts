/**
 * A visit to an issuer, in a signed cookie for ten minutes, which binds the answer to the browser that asked.
 */
import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import * as z from "zod/mini";
import { utf8 } from "../http/bytes.ts";
import { cookieValues } from "../http/cookies.ts";
import { SIGNATURE } from "../http/secret.ts";
import { LocaleName } from "../pages/document/page-document.ts";
import { base64url, fromBase64url } from "./base64url.ts";
import { Invitation } from "./bodies.ts";
import { type Asked, sessionKey } from "./context.ts";
import { ISSUER_VISIT_MS } from "./limits.ts";

const IssuerVisit = z.object({
  issuer: z.string(),
  secrets: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  /** A checked address of this site. */
  return_to: z.string(),
  locale: LocaleName,
  invitation: Invitation,
  /** The user who connects the account; null for a sign-in. */
  user_id: z.nullable(z.string()),
  /** Unix milliseconds. */
  ends_at: z.int(),
});
export type IssuerVisit = z.output<typeof IssuerVisit>;

const NAME = "sila_oidc";
const FORM = new RegExp(`^([\\w-]+)\\.(${SIGNATURE})$`);

type BoxLike = Asked & Pick<Context, "header">;

export function keepVisit(c: BoxLike, visit: Omit<IssuerVisit, "ends_at">, now: number): void {
  const ends_at = now + ISSUER_VISIT_MS;
  const text = base64url(utf8(JSON.stringify({ ...visit, ends_at })));
  const signature = base64url(sessionKey(c).sign(signedText(text)));
  const max_age_s = ISSUER_VISIT_MS / 1_000;
  setCookie(c as Context, nameOf(c), `${text}.${signature}`, {
    ...optionsOf(c),
    maxAge: max_age_s,
  });
}

/** The visit that this answer ends, once; null for none. A visit in another tab stays. */
export function takeVisit(
  c: BoxLike,
  { issuer, state }: { issuer: string; state: string | undefined },
  now: number,
): IssuerVisit | null {
  const [value = ""] = cookieValues(c.req.header("Cookie") ?? null, nameOf(c), 1);
  const [, text = "", signature = ""] = FORM.exec(value) ?? [];
  if (!sessionKey(c).verify(fromBase64url(signature), utf8(signedText(text)))) return null;
  const visit = IssuerVisit.parse(JSON.parse(new TextDecoder().decode(fromBase64url(text))));
  if (visit.issuer !== issuer || visit.secrets.state !== state || now >= visit.ends_at) return null;
  deleteCookie(c as Context, nameOf(c), optionsOf(c));
  return visit;
}

function signedText(text: string): string {
  return `issuer visit\n${text}`;
}

const isSecure = (c: Asked) => c.req.url.startsWith("https:");
const nameOf = (c: Asked) => (isSecure(c) ? `__Host-${NAME}` : NAME);

/** Lax: the issuer's site sends the browser back. */
function optionsOf(c: Asked) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(c) } as const;
}
