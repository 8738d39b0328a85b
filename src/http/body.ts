/** Request bodies, bounded in bytes and time (docs/security.md S6). */
import type * as z from "zod/mini";
import { withTimeout } from "../../objects/platform/clock.ts";
import { type Clock, systemClock } from "../../objects/platform/ports.ts";
import { ApiError } from "./api-error.ts";
import { BODY_TIMEOUT_MS } from "./limits.ts";
import { validate } from "./validate.ts";

/** `sendBeacon` and `fetch` send a string as `text/plain` (docs/contract.md section 5). */
export const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "text/plain", ""]);

/**
 * Throws 415 for another type, 413 past `max_bytes` whatever Content-Length says, and 400 for a
 * body that does not arrive, is not JSON in UTF-8, or does not match the schema.
 */
export async function readJson<S extends z.ZodMiniType>(
  request: Request,
  schema: S,
  max_bytes: number,
  clock: Clock = systemClock,
): Promise<z.output<S>> {
  return validate(schema, await readAnyJson(request, JSON_TYPES, max_bytes, clock));
}

/** Throws what `readJson` throws before validation. */
export async function readAnyJson(
  request: Request,
  types: ReadonlySet<string>,
  max_bytes: number,
  clock: Clock = systemClock,
): Promise<unknown> {
  const type = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (!types.has(type ?? "")) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", {
      details: { types: [...types].filter(Boolean) },
    });
  }
  return parseJson(await readBytes(request, max_bytes, clock));
}

/** Throws 413 past `max_bytes`, 400 for broken framing, a closed connection or 10 s. */
export async function readBytes(
  request: Request,
  max_bytes: number,
  clock: Clock = systemClock,
): Promise<Uint8Array<ArrayBuffer>> {
  if (request.bodyUsed) throw new Error("the body was read before");
  // Faster than a stream, and HTTP ends a body at its declared length.
  const declared = Number(request.headers.get("Content-Length") || Number.NaN);
  const is_short = declared <= max_bytes && !request.headers.has("Transfer-Encoding");
  const bytes = await arrived(
    is_short
      ? withTimeout(request.arrayBuffer(), BODY_TIMEOUT_MS, clock).then(
          (all) => new Uint8Array(all),
        )
      : readStream(request.body, max_bytes, BODY_TIMEOUT_MS),
  );
  if (bytes === null || bytes.length > max_bytes) {
    throw new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes } });
  }
  return bytes;
}

/** A body that does not arrive is the client's error: 400, without a line in the log. */
async function arrived<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new ApiError("INVALID_JSON", { cause });
  }
}

/** Returns null past `max_bytes`. Rejects where the stream fails or takes too long. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  max_bytes: number,
  timeout_ms: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (stream === null) return new Uint8Array();
  const reader = stream.getReader();
  try {
    return await withTimeout(readAll(reader, max_bytes), timeout_ms);
  } finally {
    // Stops a sender that is still sending; at the end of a stream it does nothing.
    reader.cancel().catch(() => undefined);
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  max_bytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > max_bytes) return null;
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Throws 400 for bytes that are not JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw new ApiError("INVALID_JSON");
  }
}
