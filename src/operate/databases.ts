import { statsDatabases } from "../../objects/page/home/databases.ts";

/** Databases that may have a page's tallies: its home's, and a second one while it moves. */
export function tallyDatabases(env: Cloudflare.Env): readonly D1Database[] {
  return [env.DB, ...statsDatabases(env).bound.values()];
}
