import { statsDatabases } from "../../objects/page/home/databases.ts";

/** The databases that may have tallies of a page: the one of its home, and while it moves a second one. */
export function tallyDatabases(env: Cloudflare.Env): readonly D1Database[] {
  return [env.DB, ...statsDatabases(env).bound.values()];
}
