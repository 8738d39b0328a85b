/** The name of a download in ASCII for old clients, and as it is (RFC 6266, RFC 8187). */
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

/** Types that a browser runs, applies as a style, or shows as a document. */
const ACTIVE_TYPE =
  /(?:^|[/.+-])(?:x?html|xml|xslt?|svg|x?(?:java|ecma|j|live)script[\d.]*|css)(?:$|[.+-])/;

/** The type that the creator stated, except for an active one. */
export function servedType(type: string): string {
  return ACTIVE_TYPE.test(type) ? "application/octet-stream" : type;
}
