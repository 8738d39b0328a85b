/** Reading a request's body: bounded while it streams, parsed once, checked once (SECURITY S6). */
import type * as z from "zod";
import { ApiError } from "./errors.ts";
import { parsed } from "./parsed.ts";

/** What sendBeacon and a plain fetch may call a JSON body (CONTRACT section 5). */
const JSON_TYPES = new Set(["application/json", "text/plain", ""]);

/**
 * The body as the schema's output. Throws 415 for another type, 413 past `max_bytes` whatever
 * Content-Length says, 400 for what is not UTF-8, not JSON, or not of the schema's shape.
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
  max_bytes: number,
): Promise<z.output<S>> {
  const type = (request.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (!JSON_TYPES.has(type ?? "")) throw new ApiError("UNSUPPORTED_MEDIA_TYPE");
  return parsed(schema, parseJson(await readBytes(request, max_bytes)));
}

/** The raw body. Throws 413 past `max_bytes`, whatever Content-Length says. */
export async function readBytes(
  request: Request,
  max_bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // A stream costs more than all the rest of a beacon. HTTP ends a body at its declared length.
  const declared = Number(request.headers.get("Content-Length") || Number.NaN);
  const whole = declared <= max_bytes && !request.headers.has("Transfer-Encoding");
  const bytes = whole
    ? new Uint8Array(await request.arrayBuffer())
    : await readStream(request.body, max_bytes);
  if (bytes === null || bytes.length > max_bytes) {
    throw new ApiError("PAYLOAD_TOO_LARGE", { details: { max_bytes } });
  }
  return bytes;
}

/** All of a stream, or null where it is longer. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  max_bytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, so a sender cannot make us read on.
  for await (const chunk of stream ?? []) {
    length += chunk.byteLength;
    if (length > max_bytes) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** JSON as it was sent. Throws 400 for what is not UTF-8 or not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new ApiError("INVALID_JSON");
  }
}
