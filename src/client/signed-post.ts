/** Requests that change something, with the token that only pages of this site can read. */
import { CSRF_HEADER } from "../http/endpoints.ts";

export function signedPost(path: string, body?: unknown): Promise<Response> {
  const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  const headers: Record<string, string> = { [CSRF_HEADER]: token };
  if (body === undefined) return fetch(path, { method: "POST", headers });
  headers["Content-Type"] = "application/json";
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}
