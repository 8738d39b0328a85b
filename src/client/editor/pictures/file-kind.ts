/** The content tells what a file is: its name and its type may say anything. */

/** An SVG may begin with a long comment. */
export const HEAD_BYTES = 1_024;

/** Browsers decode a `picture`; whether this one does is seen when it tries. */
export type FileKind = "picture" | "heic" | "svg" | "gif" | "other";

const SIGNATURES: readonly (readonly [kind: FileKind, pattern: RegExp])[] = [
  ["picture", /^(\xff\xd8\xff|\x89PNG|RIFF.{4}WEBP|BM)/s],
  ["gif", /^GIF8/],
  ["heic", /^.{4}ftyp(hei[cmsx]|hev[cmsx]|(mif1|msf1)(?!.{0,60}avif))/s],
  ["picture", /^.{4}ftyp.{0,60}avif/s],
  ["svg", /^[^<]{0,8}<(svg|\?xml|!--|!DOCTYPE svg).*<svg|^[^<]{0,8}<svg/is],
];

export function kindOf(head: Uint8Array): FileKind {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  return SIGNATURES.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
}
