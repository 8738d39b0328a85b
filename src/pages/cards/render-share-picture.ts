import { withTimeout } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { assetUrl } from "../../views/assets.ts";
import {
  edgeCacheControl,
  PAGE_FRESHNESS,
  STORE_TIMEOUT_MS,
  strongEtag,
  tagOf,
} from "../cache/freshness.ts";
import { sharePicturePath } from "../document/page-address.ts";
import { readableHost } from "../document/readable-host.ts";
import { pageAt } from "../render/shown-page.ts";
import { jpegCost } from "./jpeg-cost.ts";
import { photoOf } from "./render-vcard.ts";
import { readShareFonts } from "./share-fonts.ts";
import { sharedOf } from "./share-picture.ts";

/** The longest side of an avatar that is decoded: 4 MB of memory. JPEGs of uploads have 512. */
export const AVATAR_SIDE_PIXELS_MAX = 1_024;
/** A file of 180 kB could have thousands of scans, each of which costs as much as the picture. */
export const AVATAR_SCANS_MAX = 32;

/** A drawing takes 25 to 300 ms. Whoever shares the page waits no longer for it. */
const DRAWING_TIMEOUT_MS = 10_000;

/** The next try may draw the picture for which this one is a substitute. */
const SUBSTITUTE_FRESHNESS = edgeCacheControl({ max_age_s: 30, stale_if_error_s: 0 });

interface Picture {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** `<path>/share.png`: 308, 404 and 410 as for the page; else 200, if need be a substitute. */
export async function renderSharePicture(env: Cloudflare.Env, url: URL): Promise<Response> {
  const found = await pageAt(env.DB, url.pathname, sharePicturePath);
  if (found instanceof Response) return found;
  const { page, locale } = found;
  const photo = await photoOf(env.MEDIA, page);
  const avatar = photo === null ? null : Uint8Array.fromBase64(photo.base64);
  const drawn = avatar !== null && isDecodable(avatar) ? avatar : null;
  const shared = sharedOf(page, locale, readableHost(url.host), drawn !== null);
  let picture: Picture;
  let freshness = PAGE_FRESHNESS;
  try {
    const fonts = await readShareFonts(env.ASSETS, page.look.type, shared);
    const drawing = env.WORKSHOP.drawSharePicture(shared, fonts, drawn);
    const bytes = await withTimeout(drawing, DRAWING_TIMEOUT_MS);
    picture = { type: "image/png", bytes };
  } catch (error) {
    logError("share_picture_failed", { page_id: page.page_id }, error);
    freshness = SUBSTITUTE_FRESHNESS;
    picture =
      photo === null || avatar === null
        ? await logo(env.ASSETS)
        : { type: photo.type, bytes: avatar };
  }
  return new Response(picture.bytes, {
    headers: {
      ...freshness,
      "Content-Type": picture.type,
      "Content-Language": locale,
      "Cache-Control": "public, max-age=0",
      "Cache-Tag": tagOf(page.page_id),
      // Networks and messengers show it on pages of theirs.
      "Cross-Origin-Resource-Policy": "cross-origin",
      ETag: await strongEtag(picture.bytes),
    },
  });
}

/** A JPEG within our bounds of memory and time. Of WebP, PNG and AVIF, uploads have a JPEG (`card-photo.ts`). */
function isDecodable(bytes: Uint8Array): boolean {
  const cost = jpegCost(bytes);
  return (
    cost !== null &&
    Math.max(cost.width, cost.height) <= AVATAR_SIDE_PIXELS_MAX &&
    cost.scans <= AVATAR_SCANS_MAX
  );
}

async function logo(assets: Fetcher): Promise<Picture> {
  const read = async () => {
    const response = await assets.fetch(
      new URL(assetUrl("icon-512.png"), "https://assets.invalid"),
    );
    return new Uint8Array(await response.arrayBuffer());
  };
  return { type: "image/png", bytes: await withTimeout(read(), STORE_TIMEOUT_MS) };
}
