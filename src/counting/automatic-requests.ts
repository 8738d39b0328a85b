/**
 * Request headers by which a client says that no person sees the answer, or that none has asked for
 * it (docs/contract.md section 2). Each is believed: a false one hides no visit but its sender's.
 */

const RULES: readonly (readonly [header: string, says: RegExp])[] = [
  // Browsers that load ahead of a tap: Chromium and Firefox, older ones, previews of Safari.
  ["Sec-Purpose", /prefetch|prerender|preview/i],
  ["Purpose", /prefetch|prerender|preview/i],
  ["X-Purpose", /prefetch|prerender|preview/i],
  ["X-Moz", /prefetch/i],
  // Agents that sign their requests (Web Bot Auth, RFC 9421) and have the user agent of an ordinary browser.
  ["Signature-Agent", /\S/],
  ["Signature-Input", /;\s*tag="web-bot-auth"/i],
];

export function saysBot(headers: Headers): boolean {
  return RULES.some(([header, says]) => says.test(headers.get(header) ?? ""));
}
