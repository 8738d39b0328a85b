/** Decodes a path segment's percent-encoding once; null where it is not UTF-8. */
export function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
