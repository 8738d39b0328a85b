/**
 * Who may see /admin: the users of the hub that the variable OPERATORS names. To everybody else its
 * routes do not exist: they get the same answers as for any other path without a page (docs/security.md S36).
 */
import type { Context, MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { csrf } from "../accounts/csrf.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { findSession, sessionCookie } from "../accounts/session.ts";
import { ApiError } from "../http/api-error.ts";
import { isOperator, readConfig } from "../http/config.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { exactLimit } from "../http/exact-limit.ts";

/** As middleware of any context. */
const edge = every(edgeLimit);
const exact = every(exactLimit);

/** Runs work for one request behind the exact limit. */
export async function limited(
  c: Context<SignedIn>,
  work: () => Promise<Response>,
): Promise<Response | undefined> {
  let response: Response | undefined;
  await exact(c, async () => {
    response = await work();
  });
  return response;
}

/** Finds the session of an operator, and stores it. A hub that fails makes nobody one. */
async function isSignedIn(c: Context<SignedIn>): Promise<boolean> {
  const { env } = c;
  if ((readConfig(env).operators?.OPERATORS ?? "") === "" || readConfig(env).accounts === null) {
    return false;
  }
  const cookie = sessionCookie(env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie).catch(() => null);
  if (session === null || !isOperator(env, session.user.id)) return false;
  c.set("session", session);
  return true;
}

/**
 * For a page: runs the handler for operators, and the routes of pages for all others. What costs a
 * question to the hub is behind the edge's limit, the rest behind the exact one.
 */
export function forOperators(
  handler: (c: Context<SignedIn>) => Promise<Response>,
): MiddlewareHandler<SignedIn> {
  return async (c, next) => {
    const is_possible = (readConfig(c.env).operators?.OPERATORS ?? "") !== "";
    if (!is_possible || !c.req.header("Cookie")) return next();
    let response: Response | undefined;
    let is_operator = false;
    await edge(c, async () => {
      is_operator = await isSignedIn(c);
      if (is_operator) response = await limited(c, () => handler(c));
    });
    return is_operator ? response : next();
  };
}

const onlyOperators = createMiddleware<SignedIn>(async (c, next) => {
  if (!(await isSignedIn(c))) throw new ApiError("NOT_FOUND");
  await next();
});
/** For an API route, behind the exact limit: 404 for others, then 403 without the CSRF token. */
export const operatorRoute = every(onlyOperators, csrf);
