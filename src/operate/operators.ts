/**
 * Who may see /admin: users in OPERATORS; with accounts in the box also the first owner, and whom an operator
 * made one. For everybody else its routes answer as any path without a page (docs/security.md S36).
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

/** Typed for any context. */
const edge = every(edgeLimit);
const exact = every(exactLimit);

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

/** A refused setting admits nobody. */
function canBeOperators(env: Cloudflare.Env): boolean {
  const { operators, accounts } = readConfig(env);
  if (operators === null || accounts === null) return false;
  return operators.OPERATORS !== "" || hasOwnAccounts(env);
}

function isOperator(env: Cloudflare.Env, { user, is_operator }: Session): boolean {
  return is_operator || isNamedOperator(env, user.id);
}

/** Finds and stores an operator's session. If the hub fails, nobody is one. */
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
 * Runs the handler for operators, and the routes of pages for all others. What costs a question to
 * the hub is behind the edge's limit, the rest behind the exact one.
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
/** An API route, behind the exact limit: 404 for others, then 403 without the CSRF token. */
export const operatorRoute = every(onlyOperators, csrf);
