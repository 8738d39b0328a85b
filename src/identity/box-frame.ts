import type { Context } from "hono";
import type { SignedIn } from "../accounts/require-session.ts";
import { csrfTokenBy } from "../accounts/session.ts";
import type { Frame } from "../dashboard/dashboard-frame.tsx";
import { frameFor } from "../dashboard/frame-of.ts";
import { sessionKey } from "./context.ts";
import type { SignedInBox } from "./signed-in.ts";

/** Throws 400 for an unknown language, digits or zone, and 503 where D1 fails. */
export function boxFrame(
  c: Context<SignedInBox>,
  { asks_unread = true }: { asks_unread?: boolean } = {},
): Promise<Frame> {
  const { user } = c.get("session");
  const csrf_token = csrfTokenBy(sessionKey(c), c.get("cookie"));
  // `frameFor` uses only what both Workers have: the request, the answer's headers and DB.
  const asked = c as unknown as Context<SignedIn>;
  return frameFor(asked, { user, csrf_token, has_own_accounts: true, asks_unread });
}
