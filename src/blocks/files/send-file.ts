/** Answers somebody who may download: uses the token, sends the bytes from R2 and counts them. */
import type { Use } from "../../../objects/blocks/downloads/page-downloads.ts";
import { HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { logError } from "../../../objects/platform/log.ts";
import { ApiError } from "../../http/api-error.ts";
import { conditional } from "../../http/conditional.ts";
import type { AppContext } from "../../http/context.ts";
import { callDependency } from "../../http/dependency.ts";
import { type ByteRange, rangeOf } from "./byte-range.ts";
import { attachment, servedType } from "./disposition.ts";
import { type Offer, visitOf } from "./download-access.ts";
import type { DownloadToken } from "./download-token.ts";
import { fileKey } from "./files-store.ts";

export async function sendFile(
  c: AppContext,
  offer: Offer,
  token: DownloadToken & { token_id: string },
): Promise<Response> {
  const { name, type, size, etag } = offer.file;
  // Not set on `c`, which keeps headers: an error would become an attachment, too.
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

/** Counts the bytes while they are sent. Throws 404 and 503. */
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
    // The client left: what was sent until then counts.
    .catch(() => undefined)
    .then(() => c.env.DOWNLOADS.getByName(page_id).sent(link_id, bytes));
  c.executionCtx.waitUntil(counting.catch((error) => logError("bytes_lost", { page_id }, error)));
  return readable;
}
