/** Tells R2 of what was used, after D1 has decided that it is. */
import { logError } from "../../objects/platform/log.ts";
import type { Box } from "./box.ts";
import { noteEnded } from "./ended.ts";
import { setNoted, type UsedKind } from "./used-store.ts";

/** Where R2 fails, the use stands all the same: D1 knows of it, and `tidy` tells R2 in the next minute. */
export async function noteUse(
  { DB, MEDIA }: Box,
  kind: Exclude<UsedKind, "challenge">,
  hash: string,
  now: number,
): Promise<void> {
  try {
    await noteEnded(MEDIA, kind, hash, now);
    await setNoted(DB, kind, hash).run();
  } catch (error) {
    logError("identity_failed", { kind }, error);
  }
}
