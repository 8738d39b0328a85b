/** When the last complete backup was made: what the monitor and the operators' page know of backups. */
import { dateOf, readBackups } from "../backup/backups-store.ts";
import { makesBackups } from "../http/config.ts";

/** Among so many dates, the last complete backup is not too old to be told apart from none. */
const LOOKED_AT = 3;

/**
 * Unix milliseconds; null: none is complete yet; undefined: this deployment makes no backups, and no
 * alert misses them. Rejects if D1 does not answer.
 */
export async function lastBackupAt(env: Cloudflare.Env): Promise<number | null | undefined> {
  if (!makesBackups(env)) return undefined;
  const backups = await readBackups(env.DB, LOOKED_AT, dateOf(Date.now()));
  return backups.find(({ state }) => state === "complete")?.finished_at ?? null;
}
