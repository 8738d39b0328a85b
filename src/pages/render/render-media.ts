/** Pictures from R2, of pages that are not suspended and have not ended. */
import { withTimeout } from "../../../objects/platform/clock.ts";
import { IMMUTABLE } from "../../http/fixed-headers.ts";
import {
  ABSENCE_FRESHNESS,
  edgeCacheControl,
  STORE_TIMEOUT_MS,
  tagOf,
} from "../cache/freshness.ts";
import { type PageState, stateOfPage } from "../document/pages-store.ts";

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

/** A draft has pictures too: its owner sees them in the editor. */
const STATUS: Readonly<Record<PageState, 200 | 404 | 410>> = {
  open: 200,
  suspended: 410,
  ending: 404,
  absent: 404,
};

/**
 * `/media/<key>`: 200, 404, or 410 where the page of the picture is suspended. The key has the hash
 * of the content in it. A picture that was uploaded for a page is purged with the page, so that
 * nothing of a page that ended or was suspended is served.
 */
export async function renderMedia(env: Cloudflare.Env, { pathname }: URL): Promise<Response> {
  const key = pathname.slice("/media/".length);
  const page_id = /^pictures\/([^/]+)\//.exec(key)?.[1];
  const tag = page_id === undefined ? {} : { "Cache-Tag": tagOf(page_id) };
  const absent = (status: 404 | 410) =>
    new Response(null, { status, headers: { ...ABSENCE_FRESHNESS, ...tag } });
  if (page_id !== undefined) {
    const status = STATUS[await withTimeout(stateOfPage(env.DB, page_id), STORE_TIMEOUT_MS)];
    if (status !== 200) return absent(status);
  }
  const object = await withTimeout(env.MEDIA.get(key), STORE_TIMEOUT_MS);
  const type = object?.httpMetadata?.contentType ?? "";
  if (object === null || !MEDIA_TYPES.has(type)) {
    await object?.body.cancel();
    return absent(404);
  }
  return new Response(object.body, {
    headers: {
      ...MEDIA_FRESHNESS,
      ...tag,
      "Content-Type": type,
      "Cache-Control": IMMUTABLE,
      ETag: object.httpEtag,
    },
  });
}
