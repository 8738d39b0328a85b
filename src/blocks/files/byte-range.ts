export interface ByteRange {
  offset: number;
  length: number;
}

/** A start, an end, or both. Numbers of 16 digits and more are outside any file. */
const RANGE = /^bytes=(?:(\d{1,15})-(\d*)|-(\d+))$/i;

/**
 * The range that a request asks for (RFC 9110 section 14); `outside` if the file has no byte of it.
 * Null for the whole file: no header, a malformed one, several ranges, or another file's `If-Range`.
 */
export function rangeOf(
  { range, if_range }: { range: string | undefined; if_range: string | undefined },
  { size, etag }: { size: number; etag: string },
): ByteRange | "outside" | null {
  // A date in If-Range would be that of Last-Modified, which downloads do not have.
  if (range === undefined || (if_range !== undefined && if_range.trim() !== etag)) return null;
  const [, first, last, suffix] = RANGE.exec(range.trim()) ?? [];
  if (suffix !== undefined) {
    const length = Math.min(size, Number(suffix));
    return length === 0 ? "outside" : { offset: size - length, length };
  }
  if (first === undefined || last === undefined) return null;
  const offset = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < offset) return null;
  return offset >= size ? "outside" : { offset, length: end - offset };
}
