/**
 * Downloads (docs/contract.md section 11).
 *
 *   block's link ─▶ may this person? ─▶ 302 with a token of their own ─▶ use it ─▶ the file from R2
 *   creator's link (voucher) ─────────▶ 302 with a token of their own ─┘
 *
 * The token makes one person's ranges and resumptions one use. The page's DownloadUses object admits
 * uses, exactly as many as the block allows, before the first byte is sent.
 */
import { Hono } from "hono";
import type { Use } from "../../objects/downloads/page-downloads.ts";
import { isOpen } from "../../objects/page/open-link.ts";
import { HOUR_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { findSession, sessionCookie } from "../accounts/session.ts";
import { classify } from "../counting/classify.ts";
import { ApiError } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import { type AppContext, type AppEnv, senderOf } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { DOWNLOAD_PATH, LOGIN_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Id } from "../http/ids.ts";
import { DOWNLOAD_TOKEN_HOURS } from "../http/limits.ts";
import { onlyMethods } from "../http/methods.ts";
import { newId } from "../http/new-id.ts";
import { subscriberOfFileToken } from "../newsletter/file-token.ts";
import { blockOf } from "../pages/block-of.ts";
import { pathOf } from "../pages/page-address.ts";
import type { BlockByKind } from "../pages/page-document.ts";
import { type ByteRange, rangeOf } from "./byte-range.ts";
import { attachment, servedType } from "./disposition.ts";
import { downloadAddress } from "./download-address.ts";
import { type DownloadToken, personalTokenId, signToken, verifyToken } from "./download-token.ts";
import { fileKey, findOffered, type StoredFile } from "./files-store.ts";

const PATH = `${DOWNLOAD_PATH}/:file_id`;
const TOKEN_MS = DOWNLOAD_TOKEN_HOURS * HOUR_MS;

export const download = new Hono<AppEnv>();
download.use(PATH, exactLimit);

/** What is downloaded, by whom it is offered. */
interface Offer {
  page_id: string;
  link_id: string;
  file_id: string;
  owner_id: string | null;
  block: BlockByKind["download"];
  file: Pick<StoredFile, "name" | "type" | "size"> & { etag: string };
}

/**
 * `?token=`: 200 with the file as an attachment, 206 with one range of it, 304, or 416; a creator's link
 * is 302 to the same with a token of this person's own. `?page_id=&link_id=`, and `subscriber=` with the token
 * for files where a block is for subscribers: 302 likewise, where the block lets the person download, or to sign-in. HEAD the same, and uses nothing up.
 *
 * 403 DOWNLOAD_REFUSED for a wrong token, without a link where one is needed, and for bots where uses
 * are limited; 403 TIP_REQUIRED, SUBSCRIPTION_REQUIRED; 404 where there is no such page, block or file;
 * 410 PAGE_SUSPENDED, or LINK_EXPIRED for a token or block whose time is over and one that is used up;
 * 429, 502, 503, 504.
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
  // The creator may have changed since who may download.
  if (token.grant !== "link" && token.grant !== offer.block.access) {
    throw new ApiError("LINK_EXPIRED");
  }
  if (token.token_id === null) {
    refuseBots(c, offer, token.voucher);
    return toOwnToken(c, offer, { grant: "link", token_id: newId(), voucher: token.voucher });
  }
  return send(c, offer, { ...token, token_id: token.token_id });
});
download.all(PATH, onlyMethods("GET"));

/** The block that offers the file. Throws 404 or 410, in the page's language, and 503. */
async function requireOffer(
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

/** Who asks, as for a click. */
function visitOf(c: AppContext, { page_id }: Offer): Pick<Use, "class" | "origin"> {
  const visit = classify(c.env, c.req.raw, page_id, senderOf(c), {});
  return {
    class: visit.class === "limited" ? "human" : visit.class,
    origin: visit.origin,
  };
}

/**
 * Refuses bots a token where uses are limited. With a token the page's object decides: a download manager
 * that goes on with a person's use may look like a bot.
 */
function refuseBots(c: AppContext, offer: Offer, voucher: DownloadToken["voucher"]): void {
  const isLimited = offer.block.uses_max !== null || (voucher?.uses_max ?? null) !== null;
  if (isLimited && visitOf(c, offer).class === "bot") throw new ApiError("DOWNLOAD_REFUSED");
}

type OwnToken = Pick<DownloadToken, "grant" | "voucher"> & { token_id: string };

/** A person's right to the file by the block's access, or the answer that sends them to sign-in. */
async function grant(c: AppContext, offer: Offer): Promise<OwnToken | Response> {
  const { page_id, block } = offer;
  const { access } = block;
  const own = (person: string): OwnToken => ({
    grant: access,
    token_id: personalTokenId(c.env, page_id, person),
    voucher: null,
  });
  switch (access) {
    case "free":
      return { grant: access, token_id: newId(), voucher: null };
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

/** 302 to the file with a token of this person's own. */
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

/** The file, or the part of it that is asked for. */
async function send(
  c: AppContext,
  offer: Offer,
  token: DownloadToken & { token_id: string },
): Promise<Response> {
  const { name, type, size, etag } = offer.file;
  // Not yet in an answer of `c`, which keeps the headers: an error would be an attachment, too.
  const headers = {
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Content-Type": servedType(type),
    "Content-Disposition": attachment(name),
  };
  const { status: has_it } = conditional(c, new Response(null, { headers }));
  if (has_it === 304) return c.body(null, 304, { ETag: etag });
  const range = rangeOf(
    { range: c.req.header("Range"), if_range: c.req.header("If-Range") },
    offer.file,
  );
  if (range === "outside") {
    throw new ApiError("RANGE_NOT_SATISFIABLE", {
      headers: { "Content-Range": `bytes */${size}` },
    });
  }
  const takes = c.req.method !== "HEAD";
  const use = useOf(c, offer, token, takes);
  const outcome = await callDependency("download_failed", () =>
    c.env.DOWNLOADS.getByName(offer.page_id).use(use),
  );
  if (outcome === "used_up") {
    if (use.class === "bot") throw new ApiError("DOWNLOAD_REFUSED");
    throw new ApiError("LINK_EXPIRED", { details: { reason: "used_up" } });
  }
  const { offset, length } = range ?? { offset: 0, length: size };
  const status = range === null ? 200 : 206;
  const sent: Record<string, string> = { ...headers, "Content-Length": String(length) };
  if (range !== null) sent["Content-Range"] = `bytes ${offset}-${offset + length - 1}/${size}`;
  if (!takes) return c.body(null, status, sent);
  return c.body(await contentOf(c, offer, { offset, length }), status, sent);
}

function useOf(
  c: AppContext,
  offer: Offer,
  { token_id, grant, voucher, expires_s }: DownloadToken & { token_id: string },
  takes: boolean,
): Use {
  const isPersonal = grant === "tip" || grant === "subscriber";
  return {
    ...visitOf(c, offer),
    link_id: offer.link_id,
    token_id,
    // The clock of the object's machine may differ.
    until: isPersonal ? null : expires_s * SECOND_MS + HOUR_MS,
    uses_max: offer.block.uses_max,
    voucher:
      voucher === null
        ? null
        : {
            id: voucher.id,
            uses_max: voucher.uses_max,
            until: voucher.expires_s * SECOND_MS + HOUR_MS,
          },
    takes,
  };
}

/** The bytes from R2, which are counted as they are sent. Throws 404 and 503. */
async function contentOf(
  c: AppContext,
  { page_id, link_id, file_id }: Offer,
  range: ByteRange,
): Promise<ReadableStream> {
  const object = await callDependency("download_failed", () =>
    c.env.MEDIA.get(fileKey(file_id), { range }),
  );
  if (object === null) throw new ApiError("LINK_NOT_FOUND");
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  // The platform sends Content-Length for a stream of a known length only.
  const { readable, writable } = new FixedLengthStream(range.length);
  const counting = object.body
    .pipeThrough(counter)
    .pipeTo(writable)
    // The client went away: what was sent until then counts.
    .catch(() => undefined)
    .then(() => c.env.DOWNLOADS.getByName(page_id).sent(link_id, bytes));
  c.executionCtx.waitUntil(counting.catch((error) => logError("bytes_lost", { page_id }, error)));
  return readable;
}
