import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { readJson } from "../../http/body.ts";
import { callDependency } from "../../http/dependency.ts";
import { DOWNLOAD_LINK_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { newId } from "../../http/new-id.ts";
import { blockOf } from "../../pages/document/block-of.ts";
import { findPage } from "../../pages/document/pages-store.ts";
import { downloadAddress } from "./download-address.ts";
import { signToken } from "./download-token.ts";
import { DownloadLinkInput } from "./file-input.ts";
import { FILE_INPUT_BYTES_MAX } from "./limits.ts";

export const downloadLinks = new Hono<SignedIn>();

downloadLinks.use(DOWNLOAD_LINK_PATH, exactLimit);

/**
 * Makes a link even to a file that needs a tip or a subscription (docs/contract.md section 11). 201
 * `{ok, url, expires_at, uses_max}`; 404 where the page has no such block.
 */
downloadLinks.post(DOWNLOAD_LINK_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency("file_failed", () => findPage(c.env.DB, owner_id, page_id));
  if (page === null || page.ends_at !== null) throw new ApiError("PAGE_NOT_FOUND");
  if (page.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  const link = page.links.find(({ link_id }) => link_id === c.req.param("link_id"));
  const block = link === undefined ? null : blockOf(link, "download");
  if (link === undefined || block === null) throw new ApiError("LINK_NOT_FOUND");
  const input = await readJson(c.req.raw, DownloadLinkInput, FILE_INPUT_BYTES_MAX);
  const expires_s = Math.floor(Date.now() / SECOND_MS) + input.expires_in_s;
  const token = signToken(c.env, {
    grant: "link",
    ...{ file_id: block.file_id, page_id, link_id: link.link_id },
    voucher: { id: newId(), uses_max: input.uses_max, expires_s },
    token_id: null,
    expires_s,
  });
  const url = downloadAddress(c.req.url, block.file_id, { token });
  const expires_at = new Date(expires_s * SECOND_MS).toISOString();
  return c.json({ ok: true, url, expires_at, uses_max: input.uses_max }, 201);
});
downloadLinks.all(DOWNLOAD_LINK_PATH, onlyMethods("POST"));
