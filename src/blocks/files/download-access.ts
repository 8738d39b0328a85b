import type { Use } from "../../../objects/blocks/downloads/page-downloads.ts";
import { isOpen } from "../../../objects/page/open-link.ts";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { findSession, sessionCookie } from "../../accounts/session.ts";
import { classify } from "../../counting/classify.ts";
import { ApiError } from "../../http/api-error.ts";
import { type AppContext, senderOf } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { LOGIN_PATH, TAP_PARAMETER } from "../../http/endpoints.ts";
import { Id } from "../../http/ids.ts";
import { newId } from "../../http/new-id.ts";
import { blockOf } from "../../pages/document/block-of.ts";
import { pathOf } from "../../pages/document/page-address.ts";
import type { BlockByKind } from "../../pages/document/page-document.ts";
import { subscriberOfFileToken } from "../newsletter/file-token.ts";
import { type DownloadToken, personalTokenId } from "./download-token.ts";
import { findOffered, type StoredFile } from "./files-store.ts";

export interface Offer {
  page_id: string;
  link_id: string;
  file_id: string;
  owner_id: string | null;
  block: BlockByKind["download"];
  file: Pick<StoredFile, "name" | "type" | "size"> & { etag: string };
}

/** Throws 404 or 410, in the page's language, and 503. */
export async function requireOffer(
  c: AppContext,
  { page_id, link_id, file_id }: { page_id: string; link_id: string; file_id: string },
): Promise<Offer> {
  const found = await callDependency("download_failed", () =>
    findOffered(c.env.DB, { page_id, link_id, file_id }),
  );
  if (found === null || found.status === "draft" || found.ends_at !== null) {
    throw new ApiError("PAGE_NOT_FOUND");
  }
  const { slug, status, locale, link, file, owner_id } = found;
  c.set("locale", locale);
  c.set("pageUrl", pathOf(slug, undefined));
  if (status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  const block = link === null ? null : blockOf(link, "download");
  if (link === null || block?.file_id !== file_id || !file?.etag) {
    throw new ApiError("LINK_NOT_FOUND");
  }
  if (!isOpen(link, Math.floor(Date.now() / SECOND_MS))) throw new ApiError("LINK_EXPIRED");
  return {
    ...{ page_id, link_id, file_id, owner_id, block },
    file: { ...file, etag: file.etag },
  };
}

export function visitOf(c: AppContext, { page_id }: Offer): Pick<Use, "class" | "origin"> {
  const visit = classify(c.env, c.req.raw, page_id, senderOf(c), {});
  return {
    class: visit.class === "limited" ? "human" : visit.class,
    origin: visit.origin,
  };
}

/**
 * With a token the page's object decides: a manager that resumes a download may look like a bot.
 */
export function refuseBots(c: AppContext, offer: Offer, voucher: DownloadToken["voucher"]): void {
  const isLimited = offer.block.uses_max !== null || (voucher?.uses_max ?? null) !== null;
  if (isLimited && visitOf(c, offer).class === "bot") throw new ApiError("DOWNLOAD_REFUSED");
}

export type OwnToken = Pick<DownloadToken, "grant" | "voucher"> & { token_id: string };

/** A person's token by the block's access, or the answer that sends them to sign in. */
export async function grant(c: AppContext, offer: Offer): Promise<OwnToken | Response> {
  const { page_id, block } = offer;
  const { access } = block;
  const own = (person: string): OwnToken => ({
    grant: access,
    token_id: personalTokenId(c.env, page_id, person),
    voucher: null,
  });
  switch (access) {
    case "free": {
      const tap_id = Id.safeParse(c.req.query(TAP_PARAMETER)).data;
      if (tap_id === undefined) return { grant: access, token_id: newId(), voucher: null };
      // A bot that follows the address of a tap must not use up the person's token.
      return own(`tap/${visitOf(c, offer).class === "bot"}/${tap_id}`);
    }
    case "link":
      throw new ApiError("DOWNLOAD_REFUSED");
    case "tip": {
      const cookie = sessionCookie(c.env, c.req.raw);
      const session = cookie === null ? null : await findSession(c, cookie);
      if (session === null) {
        const { pathname, search } = new URL(c.req.url);
        const return_to = new URLSearchParams({ return_to: pathname + search });
        return c.redirect(`${LOGIN_PATH}?${return_to}`, 302);
      }
      const { id } = session.user;
      const hasTipped =
        id === offer.owner_id ||
        (await callDependency("download_failed", () =>
          c.env.TIPS.getByName(id).hasTipped(page_id),
        ));
      if (!hasTipped) throw new ApiError("TIP_REQUIRED");
      return own(`user/${id}`);
    }
    case "subscriber": {
      const id = subscriberOfFileToken(c.env, page_id, c.req.query("subscriber") ?? "");
      const isSubscriber =
        id !== null &&
        (await callDependency("download_failed", async () =>
          c.env.SUBSCRIBERS.getByName(page_id).isSubscriber(id),
        ));
      if (!isSubscriber) throw new ApiError("SUBSCRIPTION_REQUIRED");
      return own(`subscriber/${id}`);
    }
  }
}
