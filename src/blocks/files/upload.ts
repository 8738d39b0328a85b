import { SECOND_MS, withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { ApiError, dependencyDown } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { fileKey, forgetParts, type StoredFile, type StoredPart } from "./files-store.ts";
import { FILE_PART_BYTES, FILE_PART_TIMEOUT_MS } from "./limits.ts";

/** Numbers of R2's errors. */
const R2_NO_SUCH_UPLOAD = 10024;
const R2_INVALID_PART = 10025;

export function partsOf({ size }: Pick<StoredFile, "size">): number {
  return Math.ceil(size / FILE_PART_BYTES);
}

export function partBytes({ size }: Pick<StoredFile, "size">, n: number): number {
  return Math.min(FILE_PART_BYTES, size - (n - 1) * FILE_PART_BYTES);
}

export function invalid(path: string, message: string, cause?: unknown): ApiError {
  const issues = [{ path, message }];
  return new ApiError("VALIDATION_FAILED", { details: { issues }, cause });
}

export function wrongLength(bytes: number, cause?: unknown): ApiError {
  return invalid("", `the part did not arrive, or does not have ${bytes} bytes`, cause);
}

/** R2's upload. Throws 404 where R2 failed to begin one for a reserved file: begin again. */
export function uploadOf(
  { MEDIA }: Pick<Cloudflare.Env, "MEDIA">,
  { file_id, upload_id }: StoredFile,
): R2MultipartUpload {
  if (upload_id === null) throw new ApiError("NOT_FOUND");
  return MEDIA.resumeMultipartUpload(fileKey(file_id), upload_id);
}

/** Throws 400 for a body of another length or that breaks off, 404 if R2 lacks the upload, 503. */
export async function storePart(
  request: Request,
  upload: R2MultipartUpload,
  { n, bytes }: { n: number; bytes: number },
): Promise<StoredPart> {
  if (request.body === null) throw wrongLength(bytes);
  // R2 takes only streams of a known length; this one fails for a body of another length.
  const { readable, writable } = new FixedLengthStream(bytes);
  const stop = new AbortController();
  // A failure of the body makes R2 fail too, and the other way round.
  const failures: unknown[] = [];
  let isBodyBroken = false;
  const note = (error: unknown) => {
    failures.push(error);
    throw error;
  };
  const piped = request.body.pipeTo(writable, { signal: stop.signal }).catch((error) => {
    isBodyBroken ||= failures.length === 0;
    return note(error);
  });
  const stored = upload.uploadPart(n, readable).catch(note);
  try {
    const [{ etag }] = await withTimeout(Promise.all([stored, piped]), FILE_PART_TIMEOUT_MS);
    return { n, etag };
  } catch (error) {
    stop.abort();
    // One of them may hang.
    const settled = Promise.allSettled([piped, stored]);
    await withTimeout(settled, SECOND_MS).catch(() => undefined);
    const isWrongLength = failures.some((failure) => /FixedLengthStream/.test(String(failure)));
    // R2 gave the upload up, or completed it: complete it, or begin again.
    if (failures.some((failure) => codeOf(failure) === R2_NO_SUCH_UPLOAD)) {
      throw new ApiError("NOT_FOUND", { cause: error });
    }
    if (isBodyBroken || isWrongLength || failures.length === 0) throw wrongLength(bytes, error);
    logError("file_failed", {}, error);
    throw dependencyDown(error);
  }
}

export async function complete(
  env: Pick<Cloudflare.Env, "DB" | "MEDIA">,
  file: StoredFile,
  parts: readonly StoredPart[],
): Promise<string> {
  const upload = uploadOf(env, file);
  return callDependency("file_failed", async () => {
    const sent = parts.map(({ n, etag }) => ({ partNumber: n, etag }));
    try {
      return (await upload.complete(sent)).httpEtag;
    } catch (error) {
      // The upload may be complete, and only the reply was lost.
      const etag = await etagOfComplete(env, file);
      if (etag !== null) return etag;
      // After any other failure R2 has the parts, and may still be completing.
      const code = codeOf(error);
      if (code === R2_INVALID_PART || code === R2_NO_SUCH_UPLOAD)
        await forgetParts(env.DB, file.file_id);
      throw error;
    }
  });
}

/** The file's ETag if R2 has all of it: R2 may have completed the upload after our time-out. */
export async function etagOfComplete(
  { MEDIA }: Pick<Cloudflare.Env, "MEDIA">,
  { file_id, size }: StoredFile,
): Promise<string | null> {
  const object = await MEDIA.head(fileKey(file_id));
  return object?.size === size ? object.httpEtag : null;
}

/** The number of R2's error, which ends its message: `…does not exist. (10024)`. */
function codeOf(error: unknown): number {
  return Number(/\((\d+)\)$/.exec(String(error))?.[1]);
}
