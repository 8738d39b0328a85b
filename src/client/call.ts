import { CSRF_HEADER } from "../http/endpoints.ts";
import { type OwnAnswer, REQUEST_TIMEOUT_MS, readOwn } from "./own-answer.ts";

/** Times out for the body, too. Browsers would keep some answers of others for ever, as a 410. */
export function request(address: string | URL, init?: RequestInit): Promise<Response> {
  const late = new AbortController();
  // Has no effect on an answer that has been read.
  setTimeout(() => late.abort(), REQUEST_TIMEOUT_MS);
  return fetch(address, { cache: "no-cache", ...init, signal: late.signal });
}

/**
 * Sends the token that only pages of this site can read. Null where no answer of the service
 * arrived: then it may have been done or not. Never rejects. `body` is sent as JSON.
 */
export async function call(
  path: string,
  method = "GET",
  body: string | null = null,
): Promise<OwnAnswer | null> {
  const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  const headers = { [CSRF_HEADER]: token, "Content-Type": "application/json" };
  try {
    return await readOwn(await request(path, { method, headers, body }));
  } catch {
    return null;
  }
}
