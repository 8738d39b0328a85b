import type { Context } from "hono";
import { ApiError } from "../http/api-error.ts";
import { Id } from "../http/ids.ts";
import type { SignedIn } from "./require-session.ts";

/** The signed-in user and the `:page_id` of the path. Throws 404 for a malformed id. */
export function ownerAndPage(c: Context<SignedIn>): { owner_id: string; page_id: string } {
  const page_id = Id.safeParse(c.req.param("page_id"));
  if (!page_id.success) throw new ApiError("PAGE_NOT_FOUND");
  return { owner_id: c.get("session").user.id, page_id: page_id.data };
}
