/**
 * Downloads (docs/contract.md section 11).
 *
 *   block's link ─▶ may this person? ─▶ 302 with a token of their own ─▶ use it ─▶ the file from R2
 *   creator's link (voucher) ─────────▶ 302 with a token of their own ─┘
 *
 * With a token, one person's ranges and resumptions are one use. The page's DownloadUses object
 * admits uses, exactly as many as the block allows, before the first byte is sent.
 */

import { HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { ApiError } from "../../http/api-error.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { DOWNLOAD_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { Id } from "../../http/ids.ts";
import { onlyMethods } from "../../http/methods.ts";
import { newId } from "../../http/new-id.ts";
import { grant, type Offer, type OwnToken, refuseBots, requireOffer } from "./download-access.ts";
import { downloadAddress } from "./download-address.ts";
import { signToken, verifyToken } from "./download-token.ts";
import { DOWNLOAD_TOKEN_HOURS } from "./limits.ts";
import { sendFile } from "./send-file.ts";

const PATH = `${DOWNLOAD_PATH}/:file_id`;
const TOKEN_MS = DOWNLOAD_TOKEN_HOURS * HOUR_MS;

export const download = new Hono<AppEnv>();
download.use(PATH, exactLimit);

/**
 * `?token=`: 200 with the file as an attachment, 206 with one range of it, 304, or 416; for a creator's link
 * 302 to the same with a token of this person. `?page_id=&link_id=`, and `subscriber=` with a subscriber's
 * file token: 302 likewise, or to sign-in; with `t=<tap_id>` all requests of one tap get one token. HEAD the
 * same, but it is no use.
 *
 * 403 DOWNLOAD_REFUSED for a wrong token, a missing link, and bots where uses are limited; 403 TIP_REQUIRED,
 * SUBSCRIPTION_REQUIRED; 404 for an unknown page, block or file; 410 PAGE_SUSPENDED, or LINK_EXPIRED for an
 * expired token or block, or a token that is used up; 429, 502, 503, 504.
 */
download.get(PATH, async (c) => {
  const file_id = Id.safeParse(c.req.param("file_id")).data;
  if (file_id === undefined) throw new ApiError("NOT_FOUND");
  c.header("X-Robots-Tag", "noindex, nofollow");
  c.header("Cache-Control", "private, no-store");
  const text = c.req.query("token");
  if (text === undefined) {
    const page_id = Id.safeParse(c.req.query("page_id")).data;
    const link_id = Id.safeParse(c.req.query("link_id")).data;
    if (page_id === undefined || link_id === undefined) throw new ApiError("NOT_FOUND");
    const offer = await requireOffer(c, { page_id, link_id, file_id });
    refuseBots(c, offer, null);
    const own = await grant(c, offer);
    return own instanceof Response ? own : toOwnToken(c, offer, own);
  }
  const token = verifyToken(c.env, text);
  if (token === null || token.file_id !== file_id) throw new ApiError("DOWNLOAD_REFUSED");
  if (token.expires_s * SECOND_MS <= Date.now()) throw new ApiError("LINK_EXPIRED");
  const offer = await requireOffer(c, token);
  // The creator may have changed who may download.
  if (token.grant !== "link" && token.grant !== offer.block.access) {
    throw new ApiError("LINK_EXPIRED");
  }
  if (token.token_id === null) {
    refuseBots(c, offer, token.voucher);
    return toOwnToken(c, offer, { grant: "link", token_id: newId(), voucher: token.voucher });
  }
  return sendFile(c, offer, { ...token, token_id: token.token_id });
});
download.all(PATH, onlyMethods("GET"));

function toOwnToken(
  c: AppContext,
  { file_id, page_id, link_id }: Offer,
  { grant, token_id, voucher }: OwnToken,
): Response {
  const now_s = Math.floor(Date.now() / SECOND_MS);
  const expires_s = Math.min(
    now_s + TOKEN_MS / SECOND_MS,
    voucher?.expires_s ?? Number.POSITIVE_INFINITY,
  );
  const token = signToken(c.env, {
    ...{ grant, file_id, page_id, link_id, voucher, token_id, expires_s },
  });
  return c.redirect(downloadAddress(c.req.url, file_id, { token }), 302);
}
