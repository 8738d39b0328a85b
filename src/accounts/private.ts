/**
 * What stands before every handler that speaks for a signed-in user, after `exactLimit`: where the
 * request comes from, then whose it is.
 */
import { every } from "hono/combine";
import { csrf } from "./csrf.ts";
import { requireSession } from "./require-session.ts";

export const privateRoute = every(csrf, requireSession);
