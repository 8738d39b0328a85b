import { every } from "hono/combine";
import { csrf } from "./csrf.ts";
import { requireSession } from "./require-session.ts";

export const privateRoute = every(csrf, requireSession);
