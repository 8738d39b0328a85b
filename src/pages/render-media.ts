/** Pictures from R2. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { ABSENCE_FRESHNESS, IMMUTABLE_FRESHNESS, STORE_TIMEOUT_MS } from "./freshness.ts";

/** Raster types only: an SVG is a document that can hold scripts. */
export const MEDIA_TYPES: ReadonlySet<string> = new Set([
  "image/webp",
  "image/png",
  "image/jpeg",
  "image/avif",
]);

/** `/media/<key>`: 200, or 404. The key has the hash of the content in it. */
export async function renderMedia(env: Cloudflare.Env, { pathname }: URL): Promise<Response> {
  const object = await withTimeout(
    env.MEDIA.get(pathname.slice("/media/".length)),
    STORE_TIMEOUT_MS,
  );
  const type = object?.httpMetadata?.contentType ?? "";
  if (object === null || !MEDIA_TYPES.has(type)) {
    return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
  }
  return new Response(object.body, {
    headers: {
      ...IMMUTABLE_FRESHNESS,
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
      ETag: object.httpEtag,
    },
  });
}
