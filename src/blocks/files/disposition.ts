/** The name under which a download is saved (RFC 6266, RFC 8187). */

/** `attachment` with the name in ASCII, for old clients, and as it is. */
export function attachment(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]+/g, "_")
    .replace(/["\\%]/g, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded(name)}`;
}

/** `encodeURIComponent` leaves `'()*`, which are no attr-chars. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Types of what a browser runs, styles by, or shows as a document: `text/html`, `image/svg+xml`. */
const ACTIVE_TYPE =
  /(?:^|[/.+-])(?:x?html|xml|xslt?|svg|x?(?:java|ecma|j|live)script[\d.]*|css)(?:$|[.+-])/;

/** The type of a file in an answer: as its creator stated it, but for one that could act. */
export function servedType(type: string): string {
  return ACTIVE_TYPE.test(type) ? "application/octet-stream" : type;
}
