import type { Context } from "hono";
import type { SignedIn } from "../accounts/require-session.ts";
import { callDependency } from "../http/dependency.ts";
import { BUILD } from "../views/build.ts";
import type { Frame } from "./dashboard-frame.tsx";

type Drawing = Parameters<Cloudflare.Env["WORKSHOP"]["drawPage"]>[2];

/** A page drawn by the workshop. Throws 503 where that fails or is of another build. */
export function drawnPage(
  { env }: Context<SignedIn>,
  { url, ...frame }: Frame,
  drawing: Drawing,
): Promise<string> {
  // An RPC carries no URL.
  const sent = { ...frame, address: url.href };
  return callDependency("draw_failed", () => env.WORKSHOP.drawPage(BUILD, sent, drawing));
}
