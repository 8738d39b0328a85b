/** What a creator types where a slug is asked for: a handle, a profile's address, words. */

/** Parts of profile addresses that stand before the handle. */
const BEFORE_HANDLE = /^(?:add|c|channel|company|in|people|profile|user|u)$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:\/*/i;
const HOST_AND_PATH =
  /^(?:www\.)?([\p{L}\p{Nd}-]+(?:\.[\p{L}\p{Nd}-]+)+)(?::\d+)?(?:\/([^?#]*))?/iu;

/** The text that is meant as the slug: a handle, or words with dashes. It need not be a slug. */
export function slugMeant(typed: string): string {
  return handleMeant(typed) ?? typed.trim().replace(/\s+/g, "-");
}

/**
 * `@x` is "x", as is `https://www.instagram.com/x/?igsh=1`. A host without a path gives its first label.
 * Null for words. A bare "salma.attar" is no address: only a scheme, a path or `www.` says that.
 */
export function handleMeant(typed: string): string | null {
  const text = typed.trim();
  if (/\s/.test(text)) return null;
  const [, host, path] = HOST_AND_PATH.exec(text.replace(SCHEME, "")) ?? [];
  const is_address = SCHEME.test(text) || path !== undefined || /^www\./i.test(text);
  const meant = host !== undefined && is_address ? (handleIn(path ?? "") ?? labelOf(host)) : text;
  return meant === text && !text.startsWith("@") ? null : meant.replace(/^@+/, "");
}

function handleIn(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const handle = parts.find((part) => !BEFORE_HANDLE.test(part)) ?? parts[parts.length - 1];
  return handle === undefined ? undefined : decoded(handle);
}

function labelOf(host: string): string {
  return host.split(".")[0] ?? host;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
