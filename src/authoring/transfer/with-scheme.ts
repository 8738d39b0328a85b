/** A scheme has no dot: `example.com:8080` starts with a host. */
const SCHEME = /^[a-z][a-z0-9+-]*:./i;
const MAIL = /^[^\s@/:?#]+@[^\s@/:?#]+\.[^\s@/:?#.]+$/;
const PHONE = /^\+[\d\s().-]{6,30}$/;
const HOST = /^(?:[\p{L}\p{M}\p{N}-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]*(?::\d+)?(?:[/?#]|$)/u;

/** Adds `https://`, `mailto:` or `tel:` where people leave it out; null for no address. */
export function withScheme(text: string): string | null {
  if (SCHEME.test(text)) return text;
  if (text.startsWith("//")) return `https:${text}`;
  if (MAIL.test(text)) return `mailto:${text}`;
  if (PHONE.test(text)) return `tel:${text.replace(/[^\d+]/g, "")}`;
  return HOST.test(text) ? `https://${text}` : null;
}
