/** Ranges of a file (RFC 9110 section 14). */

export interface ByteRange {
  offset: number;
  length: number;
}

/** One range, with its start, its end, or both. Numbers of 16 digits and more are outside any file. */
const RANGE = /^bytes=(?:(\d{1,15})-(\d*)|-(\d+))$/i;

/**
 * The range that a request asks for; null for the whole file: without the header, for one that is
 * malformed or has several ranges, and where `If-Range` names another file. `outside`: no byte of the
 * file is in it.
 */
export function rangeOf(
  { range, if_range }: { range: string | undefined; if_range: string | undefined },
  { size, etag }: { size: number; etag: string },
): ByteRange | "outside" | null {
  // A date in If-Range would have to be that of Last-Modified, which downloads do not have.
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
