/** The router at several locations: the same modules loaded several times, each with its own memory. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Answer } from "../../limiters/traces.ts";
import { ORIGIN } from "./kit.ts";

type Router = typeof import("../../../src/index.ts").default;

export async function routersAt(locations: number): Promise<Router[]> {
  const routers: Router[] = [];
  for (let i = 0; i < locations; i += 1) {
    vi.resetModules();
    routers.push((await import("../../../src/index.ts")).default);
  }
  if (new Set(routers).size < locations) throw new Error("two locations share their memory");
  return routers;
}

/**
 * A request to a route of the public scope at one location, its decision read from status and header.
 * Calls `onAsk` when the router calls a limiter object instead of answering itself.
 */
export async function askRouter(router: Router, ip: string, onAsk: () => void): Promise<Answer> {
  const watched: typeof env.LIMITER = Object.create(env.LIMITER, {
    getByName: {
      value: (name: string) => {
        onAsk();
        return env.LIMITER.getByName(name);
      },
    },
  });
  const request = new Request(`${ORIGIN}/api/nothing-here`, {
    headers: { "CF-Connecting-IP": ip },
  });
  const ctx = createExecutionContext();
  const { status, headers } = await router.fetch(request, { ...env, LIMITER: watched }, ctx);
  await waitOnExecutionContext(ctx);
  if (status === 404) return { admitted: true, retry_after_s: null };
  if (status !== 429) throw new Error(`neither admitted nor refused: ${status}`);
  return { admitted: false, retry_after_s: Number(headers.get("Retry-After")) };
}
