/** Makes zip files by hand, so that every field can be wrong. */
import { crc32 } from "node:zlib";
import { deflateSync } from "fflate";
import { utf8 } from "../../src/http/bytes.ts";

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
      const head = fields(
        [4, 0x04034b50],
        [2, 20],
        [2, flags],
        [2, method],
        [4, 0],
        [4, crc],
        [4, data.length],
        [4, bytes],
        [2, local.length],
        [2, 0],
      );
      parts.push(head, local, data);
      at += head.length + local.length + data.length;
    }
    const full = utf8(name);
    directory.push(
      fields(
        [4, 0x02014b50],
        [2, 20],
        [2, 20],
        [2, flags],
        [2, method],
        [4, 0],
        [4, crc],
        [4, data.length],
        [4, bytes],
        [2, full.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
        [4, offset],
      ),
      full,
    );
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const n = entries.length;
  const end = [
    fields(
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, n],
      [2, n],
      [4, size],
      [4, at],
      [2, comment.length],
    ),
    utf8(comment),
  ];
  return joined([...parts, ...directory, ...end]);
}

/** Numbers of 2 or 4 bytes, the lowest byte first. */
function fields(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const made = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of values) {
    if (bytes === 2) made.setUint16(at, value, true);
    else made.setUint32(at, value, true);
    at += bytes;
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
