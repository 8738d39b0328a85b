/** Hosts as people read them: `قهوة.com` for `xn--ogb3cpe.com`. Never used as an address. */

import { parseUrl } from "./link-address.ts";

/** URLs put this in front of a label in Punycode. */
const PREFIX = "xn--";

/** Mixed scripts look like other names (UTS 39), as do scripts that our readers take for Latin. */
const ONE_SCRIPT =
  /^(?:[[\p{L}&&\p{Script=Latin}]0-9\-]+|[[\p{L}&&\p{Script=Arabic}]0-9\u0660-\u0669\u06f0-\u06f9\-]+)$/v;

/** Decodes labels in one script, Latin or Arabic, without `www.`; other hosts stay as they are. */
export function readableHost(hostname: string): string {
  const host = hostname.replace(/^www\./, "");
  if (!host.includes(PREFIX)) return host;
  const labels = host.split(".").map(readableLabel);
  const readable = labels.join(".");
  const is_readable = labels.every((label) => ONE_SCRIPT.test(label));
  // Whatever the decoder makes of a label, what is shown must lead to this host.
  return is_readable && parseUrl(`https://${readable}`)?.hostname === host ? readable : host;
}

function readableLabel(label: string): string {
  return label.startsWith(PREFIX) ? (decodePunycode(label.slice(PREFIX.length)) ?? label) : label;
}

// Bootstring for Punycode (RFC 3492 section 5).
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 0x80;

/** Decodes a label without its prefix (RFC 3492 section 6.2); null where it is malformed. */
function decodePunycode(encoded: string): string | null {
  const delimiter = encoded.lastIndexOf("-");
  const output = [...encoded.slice(0, Math.max(delimiter, 0))];
  let n = INITIAL_N;
  let i = 0;
  let bias = INITIAL_BIAS;
  let next = delimiter + 1;
  while (next < encoded.length) {
    const before = i;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = Number.parseInt(encoded[next] ?? "", BASE);
      if (Number.isNaN(digit)) return null;
      next += 1;
      // Letters are the digits 0 to 25 in Punycode, and 10 to 35 for parseInt.
      const value = (digit + T_MAX) % BASE;
      i += value * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(i - before, length, before === 0);
    n += Math.floor(i / length);
    i %= length;
    if (n > 0x10_ffff) return null;
    output.splice(i, 0, String.fromCodePoint(n));
    i += 1;
  }
  return output.join("");
}

/** The bias for the next delta (RFC 3492 section 6.1). */
function adapt(delta: number, length: number, is_first: boolean): number {
  let rest = Math.floor(is_first ? delta / DAMP : delta / 2);
  rest += Math.floor(rest / length);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
