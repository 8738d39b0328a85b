/** Makes zip files by hand, so that every field can be wrong. */
import { crc32 } from "node:zlib";
import { deflateSync } from "fflate";
import { utf8 } from "../../../../src/http/bytes.ts";

export interface MadeEntry {
  name: string;
  content: Uint8Array | string;
  is_deflated?: boolean;
  /** Wrong values instead of the right ones. */
  bytes?: number;
  crc?: number;
  flags?: number;
  method?: number;
  /** Shares the header and data of the entry with this number. */
  same_as?: number;
  /** The name in the header before the data. */
  local_name?: string;
}

export function makeZip(entries: readonly MadeEntry[], comment = ""): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, flags = 0x0800, same_as } = entry;
    const content = typeof entry.content === "string" ? utf8(entry.content) : entry.content;
    const data = entry.is_deflated ? deflateSync(content) : content;
    const method = entry.method ?? (entry.is_deflated ? 8 : 0);
    const crc = entry.crc ?? crc32(content);
    const bytes = entry.bytes ?? content.length;
    const offset = same_as === undefined ? at : (offsets[same_as] ?? 0);
    offsets.push(offset);
    const local = utf8(entry.local_name ?? name);
    if (same_as === undefined) {
      const sizes = [data.length, bytes, local.length];
      const head = fields("4222444422", [0x04034b50, 20, flags, method, 0, crc, ...sizes, 0]);
      parts.push(head, local, data);
      at += head.length + local.length + data.length;
    }
    const full = utf8(name);
    const values = [0x02014b50, 20, 20, flags, method, 0, crc, data.length, bytes, full.length];
    directory.push(fields("4222244442222244", [...values, 0, 0, 0, 0, 0, offset]), full);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const n = entries.length;
  const end = fields("42222442", [0x06054b50, 0, 0, n, n, size, at, comment.length]);
  return joined([...parts, ...directory, end, utf8(comment)]);
}

/** Numbers of 2 or 4 bytes each, the lowest byte first. */
function fields(widths: string, values: readonly number[]): Uint8Array {
  const bytes = [...widths].map(Number);
  const made = new DataView(new ArrayBuffer(bytes.reduce((sum, width) => sum + width, 0)));
  let at = 0;
  for (const [i, value] of values.entries()) {
    if (bytes[i] === 2) made.setUint16(at, value, true);
    else made.setUint32(at, value, true);
    at += bytes[i] ?? 0;
  }
  return new Uint8Array(made.buffer);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
