/**
 * Who may see /admin: the users whom the variable OPERATORS names, and of accounts in the box the first owner and whom
 * an operator made one. To everybody else its routes do not exist: they get the same answers as for any other path without a page (docs/security.md S36).
 */
import type { Context, MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { csrf } from "../accounts/csrf.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { findSession, type Session, sessionCookie } from "../accounts/session.ts";
import { ApiError } from "../http/api-error.ts";
import { hasOwnAccounts, isNamedOperator, readConfig } from "../http/config.ts";
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

/** While the setting is refused nobody is one. */
function canBeOperators(env: Cloudflare.Env): boolean {
  const { operators, accounts } = readConfig(env);
  if (operators === null || accounts === null) return false;
  return operators.OPERATORS !== "" || hasOwnAccounts(env);
}

function isOperator(env: Cloudflare.Env, { user, is_operator }: Session): boolean {
  return is_operator || isNamedOperator(env, user.id);
}

/** Finds the session of an operator, and stores it. A hub that fails makes nobody one. */
async function isSignedIn(c: Context<SignedIn>): Promise<boolean> {
  const { env } = c;
  if (!canBeOperators(env)) return false;
  const cookie = sessionCookie(env, c.req.raw);
  const session = cookie === null ? null : await findSession(c, cookie).catch(() => null);
  if (session === null || !isOperator(env, session)) return false;
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
    if (!canBeOperators(c.env) || !c.req.header("Cookie")) return next();
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
