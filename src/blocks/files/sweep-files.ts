import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../../http/limits.ts";
import { deleteEndedFiles, endStaleFiles, fileKey } from "./files-store.ts";

/** Files of one run; aborting an upload takes a call of R2. */
const FILES_PER_RUN = 50;

/**
 * Returns how many files were deleted. What fails is logged and repeated by the next run.
 *
 * @param now unix milliseconds
 */
export async function sweepFiles(
  { DB, MEDIA }: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  now: number,
): Promise<number> {
  const inTime = <T>(work: Promise<T>) => withTimeout(work, DEPENDENCY_TIMEOUT_MS);
  try {
    const files = await inTime(endStaleFiles(DB, FILES_PER_RUN, now));
    if (files.length === 0) return 0;
    // First, so that no pending request can complete an upload after the delete.
    await inTime(Promise.all(files.map((file) => abortUpload(MEDIA, file))));
    await inTime(MEDIA.delete(files.map(({ file_id }) => fileKey(file_id))));
    await inTime(
      deleteEndedFiles(
        DB,
        files.map(({ file_id }) => file_id),
      ),
    );
    return files.length;
  } catch (error) {
    logError("file_sweep_failed", {}, error);
    return 0;
  }
}

/** Resolves also for a complete or aborted upload. R2 ends any other after 7 days. */
async function abortUpload(
  media: R2Bucket,
  { file_id, upload_id }: { file_id: string; upload_id: string | null },
): Promise<void> {
  if (upload_id === null) return;
  await media
    .resumeMultipartUpload(fileKey(file_id), upload_id)
    .abort()
    .catch(() => undefined);
}
