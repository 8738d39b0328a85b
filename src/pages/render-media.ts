/** Pictures from R2. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { IMMUTABLE } from "../http/fixed-headers.ts";
import { ABSENCE_FRESHNESS, edgeCacheControl, STORE_TIMEOUT_MS, tagOf } from "./freshness.ts";

/** Raster types only: an SVG is a document that can hold scripts. */
export const MEDIA_TYPES: ReadonlySet<string> = new Set([
  "image/webp",
  "image/png",
  "image/jpeg",
  "image/avif",
]);

/**
 * The content of a key never changes, but the picture may be deleted: no edge serves it for longer
 * than a day after that. Browsers may keep it.
 */
const MEDIA_FRESHNESS = edgeCacheControl({
  max_age_s: 86_400,
  stale_if_error_s: 86_400,
});

/**
 * `/media/<key>`: 200, or 404. The key has the hash of the content in it. A picture that was uploaded for
 * a page is purged with the page, so that nothing of a page that ended is served.
 */
export async function renderMedia(env: Cloudflare.Env, { pathname }: URL): Promise<Response> {
  const key = pathname.slice("/media/".length);
  const object = await withTimeout(env.MEDIA.get(key), STORE_TIMEOUT_MS);
  const type = object?.httpMetadata?.contentType ?? "";
  if (object === null || !MEDIA_TYPES.has(type)) {
    await object?.body.cancel();
    return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
  }
  const page_id = /^pictures\/([^/]+)\//.exec(key)?.[1];
  return new Response(object.body, {
    headers: {
      ...MEDIA_FRESHNESS,
      ...(page_id === undefined ? {} : { "Cache-Tag": tagOf(page_id) }),
      "Content-Type": type,
      "Cache-Control": IMMUTABLE,
      ETag: object.httpEtag,
    },
  });
}
