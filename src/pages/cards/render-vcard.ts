import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { hex, utf8 } from "../../http/bytes.ts";
import { decodeSegment } from "../../http/path-segment.ts";
import {
  edgeCacheControl,
  PAGE_FRESHNESS,
  STORE_TIMEOUT_MS,
  strongEtag,
  tagOf,
} from "../cache/freshness.ts";
import { type CardVersion, cardPath } from "../document/card-address.ts";
import { defaultLocale, textIn } from "../document/page-words.ts";
import type { Page } from "../document/pages-store.ts";
import { cardPhotoKey, picturePrefix } from "../document/picture-keys.ts";
import { MEDIA_TYPES } from "../render/render-media.ts";
import { findShownPage, moved, notFound, suspended } from "../render/shown-page.ts";
import { type Photo, writeCard } from "./vcard.ts";

/** A card with it in base64, folded, has 250 kB; iCloud accepts 256 kB. */
export const PHOTO_BYTES_MAX = 180_000;

/** The type that every address book shows. */
const JPEG: ReadonlySet<string> = new Set(["image/jpeg"]);

/** The card is useful without its photo. */
const PHOTO_TIMEOUT_MS = 2_000;

/** Short, because the next rendering may include the photo that R2 did not give. */
const PHOTOLESS_FRESHNESS = edgeCacheControl({
  max_age_s: 30,
  stale_if_error_s: 86_400,
});

/**
 * `/vcard/<canonical slug>.vcf`, in 3.0 with `?v=3` and else in 4.0: 200; 308 if the page has given
 * the slug up, 404 if it has no contact or does not exist, 410 if it is suspended.
 */
export async function renderVcard(env: Cloudflare.Env, url: URL): Promise<Response> {
  const { pathname, origin, searchParams } = url;
  const slug = decodeSegment(pathname.slice("/vcard/".length, -".vcf".length)) ?? "";
  const page = await withTimeout(findShownPage(env.DB, slug, Date.now()), STORE_TIMEOUT_MS);
  if (page === null) return notFound(slug);
  const locale = defaultLocale(page);
  if (page.status === "suspended") return suspended(page, locale);
  if (page.contact === null) return notFound(slug);
  if (page.slug !== slug) return moved(page, cardPath(page.slug, "4.0"));
  const version: CardVersion = searchParams.get("v") === "3" ? "3.0" : "4.0";
  const photo = await photoOf(env.MEDIA, page);
  const card = utf8(
    writeCard(version, {
      contact: page.contact,
      page_name: textIn(page.name, locale),
      page_url: `${origin}/${encodeURIComponent(slug)}`,
      uid: await uidOf(page.page_id),
      updated_at: page.updated_at,
      photo,
    }),
  );
  return new Response(card, {
    headers: {
      ...(photo === null && page.avatar !== null ? PHOTOLESS_FRESHNESS : PAGE_FRESHNESS),
      "Content-Type": "text/vcard; charset=utf-8",
      "Content-Disposition": attachment(slug),
      "Content-Language": locale,
      "Cache-Control": "public, max-age=0",
      "Cache-Tag": tagOf(page.page_id),
      "X-Robots-Tag": "noindex",
      ETag: await strongEtag(card),
    },
  });
}

/** Null also for a photo that is too large or of another type, and if R2 fails. */
export async function photoOf(bucket: R2Bucket, { page_id, avatar }: Page): Promise<Photo | null> {
  if (avatar === null) return null;
  // Uploads have a JPEG. Pictures from before uploads existed go into the card as they are.
  const types = avatar.startsWith(picturePrefix(page_id)) ? JPEG : MEDIA_TYPES;
  const read = async () =>
    (await readPhoto(bucket, cardPhotoKey(avatar), JPEG)) ?? readPhoto(bucket, avatar, types);
  try {
    return await withTimeout(read(), PHOTO_TIMEOUT_MS);
  } catch (error) {
    logError("photo_failed", { page_id }, error);
    return null;
  }
}

async function readPhoto(
  bucket: R2Bucket,
  key: string,
  types: ReadonlySet<string>,
): Promise<Photo | null> {
  const object = await bucket.get(key);
  if (object === null) return null;
  const type = object.httpMetadata?.contentType ?? "";
  if (object.size > PHOTO_BYTES_MAX || !types.has(type)) {
    await object.body.cancel();
    return null;
  }
  return { type, base64: new Uint8Array(await object.arrayBuffer()).toBase64() };
}

/** Random: another service that hashes the same ids gets other UUIDs. */
const NAMESPACE = Uint8Array.fromHex("bfe9551e9dbb4778821627d8ca971d4a");

/** A UUID of the page's id, version 5 (RFC 9562 section 5.5). It does not change with the slug. */
async function uidOf(page_id: string): Promise<string> {
  const name = new Uint8Array([...NAMESPACE, ...utf8(page_id)]);
  const uuid = new Uint8Array(await crypto.subtle.digest("SHA-1", name), 0, 16);
  uuid.set([((uuid[6] ?? 0) & 0x0f) | 0x50], 6);
  uuid.set([((uuid[8] ?? 0) & 0x3f) | 0x80], 8);
  return `urn:uuid:${hex(uuid).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}

/** The file is named by the slug, which needs no escapes. Clients prefer `filename*` (RFC 8187). */
function attachment(slug: string): string {
  const ascii = /^[\x20-\x7e]+$/.test(slug) ? slug : "contact";
  return `attachment; filename="${ascii}.vcf"; filename*=UTF-8''${encodeURIComponent(slug)}.vcf`;
}
