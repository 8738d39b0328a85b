import { logError } from "../../objects/platform/log.ts";
import type { Box } from "./box.ts";
import { noteEnded } from "./ended.ts";
import { setNoted, type UsedKind } from "./used-store.ts";

/** Tells R2 of a use that D1 has decided. If R2 fails, `tidy` tells it in the next minute. */
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
