import { chargeDay } from "../../accounts/day-limit.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readStream } from "../../http/body.ts";
import { callDependency } from "../../http/dependency.ts";
import { PICTURES_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { findPage } from "../../pages/document/pages-store.ts";
import { PICTURE_BODY_TIMEOUT_MS, PICTURE_BYTES_MAX } from "./limits.ts";
import { readPicture } from "./picture-header.ts";
import { storePicture } from "./store-picture.ts";

export const pictures = new Hono<SignedIn>();
pictures.use(PICTURES_PATH, exactLimit);

/**
 * Stores the picture in the body for an avatar or a card of the page (docs/contract.md section 10). The content decides
 * its type; Content-Type is ignored (docs/security.md S26).
 *
 * 201, or 200 where the page has the same picture: `{ok, picture: {key, type, width, height, bytes, url}}`, width and
 * height in pixels as shown. 400 for more than 4,096 pixels a side or a page with 1,000 pictures, 401, 403
 * CSRF_REQUIRED, 404 for a page of another owner, 410 PAGE_SUSPENDED, 413 over 5 MB, 415 for anything but a still JPEG,
 * PNG or WebP, 429 also past the pictures of a day, 502, 503, 504.
 */
pictures.put(PICTURES_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency("picture_failed", () => findPage(c.env.DB, owner_id, page_id));
  if (page === null || page.ends_at !== null) throw new ApiError("PAGE_NOT_FOUND");
  if (page.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  const picture = readPicture(await readBody(c.req.raw));
  const charge = () => chargeDay(c, { pictures_day: 1 });
  const storing = { page_id, is_photo: true, charge };
  const { stored, is_new } = await storePicture(c.env, storing, picture, Date.now());
  const { key, type, width, height, bytes } = stored;
  const url = new URL(`/media/${key}`, c.req.url).href;
  const answer = { ok: true, picture: { key, type, width, height, bytes, url } };
  return c.json(answer, is_new ? 201 : 200);
});
pictures.all(PICTURES_PATH, onlyMethods("PUT"));

/** Throws 413 past 5 MB, whatever Content-Length says, and 400 for a body that ends early. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes: PICTURE_BYTES_MAX } });
  if (Number(request.headers.get("Content-Length")) > PICTURE_BYTES_MAX) throw tooLarge();
  let bytes: Uint8Array<ArrayBuffer> | null;
  try {
    bytes = await readStream(request.body, PICTURE_BYTES_MAX, PICTURE_BODY_TIMEOUT_MS);
  } catch (cause) {
    const issues = [{ path: "", message: "the picture did not arrive" }];
    throw new ApiError("VALIDATION_FAILED", { details: { issues }, cause });
  }
  if (bytes === null) throw tooLarge();
  return bytes;
}
