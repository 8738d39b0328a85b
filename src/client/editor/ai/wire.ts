import { AI_TEXTS_CHARS_MAX, AI_TEXTS_MAX } from "../../../blocks/ai/limits.ts";

/** Counts suggestions in any 24 hours. */
export interface Left {
  n: number;
  of: number;
}

/** Reads `RateLimit` and `RateLimit-Policy`, which may name other limits, too. */
export function leftOf(headers: Headers): Left | null {
  const [, n] = /"ai";r=(\d+)/.exec(headers.get("RateLimit") ?? "") ?? [];
  const [, of] = /"ai";q=(\d+)/.exec(headers.get("RateLimit-Policy") ?? "") ?? [];
  return n === undefined || of === undefined ? null : { n: Number(n), of: Number(of) };
}

/** As few as the service's limits allow: each counts against the creator's plan. */
export function requestsOf(texts: readonly string[]): string[][] {
  const requests: string[][] = [];
  let request: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const length = [...text].length;
    if (request.length === AI_TEXTS_MAX || characters + length > AI_TEXTS_CHARS_MAX) {
      requests.push(request);
      request = [];
      characters = 0;
    }
    request.push(text);
    characters += length;
  }
  return request.length === 0 ? requests : [...requests, request];
}
