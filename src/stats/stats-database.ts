import { MAIN, openStats, statsDatabases } from "../../objects/page/home/databases.ts";

type Env = Pick<Cloudflare.Env, "DB" | "PAGE">;

/** Throws if this deployment has no database of this name. */
export function statsOfPage(env: Pick<Env, "DB">, name: string): D1Database {
  return openStats(env.DB, statsDatabases(env), name);
}

/**
 * A page has two databases while it moves: each has a part of the same absolute numbers, and one of
 * them has all. Asks the object only where there is a choice. The caller has checked whose page it
 * is.
 */
export async function statsOfOwned(env: Env, page_id: string): Promise<D1Database[]> {
  if (statsDatabases(env).bound.size === 0) return [env.DB];
  const names: string[] = await env.PAGE.getByName(page_id).statsNames();
  return names.map((name) => statsOfPage(env, name));
}

/** Any of them may have rows of some page. */
export function allStats(env: Pick<Env, "DB">): string[] {
  return [MAIN, ...statsDatabases(env).bound.keys()];
}
