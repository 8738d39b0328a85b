/** What reading a text needs beyond its own rules. Each is a file, loaded once a text needs it. */
export interface Tools {
  /** Null without its file: then only a number with its country code is known to be whole. */
  numberIn: ((digits: string, country: string | null) => string | null) | null;
  /** Null without its file: then letters are the end of a domain. */
  isTopLevel: ((ending: string) => boolean) | null;
  /** Of numbers without a country code, ISO 3166; null where nobody knows. */
  country: string | null;
}

export const NO_TOOLS: Tools = { numberIn: null, isTopLevel: null, country: null };

/** Seven digits, whatever stands between them. */
const NUMBER = /(?:[\d\u0660-\u0669\u06f0-\u06f9\uff10-\uff19][^\p{L}\n]{0,3}){7}/u;
const DOMAIN = /[\p{L}\p{N}_-]\.\p{L}/u;

/** Addresses with a scheme need neither. */
export function needsOf(text: string): { numbers: boolean; domains: boolean } {
  const rest = text.replace(/https?:\/\/\S+/gi, "");
  return { numbers: NUMBER.test(rest), domains: DOMAIN.test(rest) };
}
