import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import type * as z from "zod/mini";
import { returnAddress } from "../accounts/return-address.ts";
import { ownSessionCookie } from "../accounts/session.ts";
import { ApiError } from "../http/api-error.ts";
import { readJson } from "../http/body.ts";
import type { AppEnv } from "../http/context.ts";
import { Secret } from "../http/secret.ts";
import type { Box, Served, Settings } from "./box.ts";
import { IDENTITY_BYTES_MAX, SESSION_COOKIE_MAX_AGE_S } from "./limits.ts";
import type { RelyingParty } from "./passkeys.ts";

export interface BoxEnv {
  Bindings: Box & Settings & Pick<Served, "mails">;
  Variables: AppEnv["Variables"];
}

export type BoxContext = Context<BoxEnv>;

/** A context with more variables fits too. */
export type Asked = Pick<BoxContext, "env" | "req">;

/** Throws 400, 413 or 415. */
export function bodyOf<S extends z.ZodMiniType>(c: Asked, schema: S): Promise<z.output<S>> {
  return readJson(c.req.raw, schema, IDENTITY_BYTES_MAX);
}

/** Passkeys belong to the host that people see: the service's own where it is set. */
export function relyingParty(c: Asked): RelyingParty {
  const { origin, hostname } = new URL(c.env.SITE_ORIGIN || c.req.url);
  return { id: hostname, origin, name: "Sila" };
}

export function sessionKey(c: Asked): Secret {
  const key = Secret.parse(c.env.SESSION_KEY);
  if (typeof key === "string") throw new Error(`SESSION_KEY ${key}`);
  return key;
}

/** One error for everything that makes no session, so that nobody learns which account exists. */
export function refused(): ApiError {
  return new ApiError("SIGN_IN_REFUSED");
}

/** Throws 400 for an address of another site. */
export function returnOf(c: Asked, return_to: string): string {
  const address = returnAddress(return_to, new URL(c.req.url).origin);
  if (address !== null) return address;
  const issues = [{ path: "return_to", message: "must be an address of this site" }];
  throw new ApiError("VALIDATION_FAILED", { details: { issues } });
}

/** Throws 404 for a text that is no id. */
export function idIn(schema: z.ZodMiniType<string>, text: string): string {
  const { data } = schema.safeParse(text);
  if (data === undefined) throw new ApiError("NOT_FOUND");
  return data;
}

export function setSessionCookie(c: BoxContext, cookie: string): void {
  const name = ownSessionCookie(c.req.url);
  const secure = name.startsWith("__Host-");
  setCookie(c, name, cookie, {
    ...{ path: "/", httpOnly: true, sameSite: "Lax", secure },
    maxAge: SESSION_COOKIE_MAX_AGE_S,
  });
}
