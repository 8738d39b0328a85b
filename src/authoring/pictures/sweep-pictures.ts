import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../../http/limits.ts";
import { cardPhotoKey } from "../../pages/document/picture-keys.ts";
import { deleteEndedPictures, endUnusedPictures } from "./pictures-store.ts";

/** Pictures of one run. R2 deletes at most 1,000 keys at once, and each picture may have two. */
const PICTURES_PER_RUN = 500;

/**
 * One run: three calls, or one where nothing is to be deleted. Returns how many pictures were deleted.
 * What fails is logged, and the next run repeats it.
 *
 * @param now unix milliseconds
 */
export async function sweepPictures(
  { DB, MEDIA }: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  now: number,
): Promise<number> {
  const inTime = <T>(work: Promise<T>) => withTimeout(work, DEPENDENCY_TIMEOUT_MS);
  try {
    const keys = await inTime(endUnusedPictures(DB, PICTURES_PER_RUN, now));
    if (keys.length === 0) return 0;
    await inTime(MEDIA.delete(keys.flatMap((key) => [key, cardPhotoKey(key)])));
    await inTime(deleteEndedPictures(DB, keys));
    return keys.length;
  } catch (error) {
    logError("picture_sweep_failed", {}, error);
    return 0;
  }
}
