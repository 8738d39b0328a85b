/**
 * Tells the service's answers from those that something on the way gives in its place: the error page of a
 * carrier, the form of a captive portal, an empty 200. A script believes nothing that only such an answer says:
 * for it that is a failed try (docs/contract.md section 3).
 */
import { API_VERSION, API_VERSION_HEADER } from "../http/endpoints.ts";

/** A request that takes longer counts as lost: on a phone that changes networks none may fail. */
export const REQUEST_TIMEOUT_MS = 20_000;

/** The service gave this answer, but something on the way may have cut its body off. */
export function isOwn({ headers }: Pick<Response, "headers">): boolean {
  return headers.get(API_VERSION_HEADER) === API_VERSION;
}

/** docs/contract.md section 3. */
export interface ErrorEnvelope {
  code: string;
  /** The text in Arabic. */
  error: string;
  message_en: string;
  details: Readonly<Record<string, unknown>>;
}

export type OwnAnswer =
  | { ok: true; status: number; headers: Headers; body: Readonly<Record<string, unknown>> }
  | { ok: false; status: number; headers: Headers; body: ErrorEnvelope };

/** Seconds until a repeated request is admitted; null where the answer does not say. */
export function retryAfter(headers: Headers): number | null {
  const after = headers.get("Retry-After") ?? "";
  return /^\d+$/.test(after) ? Number(after) : null;
}

/** Never rejects. Null for somebody else's answer, and if the body did not arrive whole. */
export async function readOwn(response: Response): Promise<OwnAnswer | null> {
  const text = await response.text().catch(() => "");
  return ownAnswer(response.status, response.headers, text);
}

/** {@link readOwn} of an answer that is read already. */
export function ownAnswer(status: number, headers: Headers, text: string): OwnAnswer | null {
  if (!isOwn({ headers })) return null;
  if (status === 204) return { ok: true, status, headers, body: {} };
  try {
    const body = Object(JSON.parse(text));
    const is_success = status >= 200 && status < 300;
    if (is_success) return body.ok === true ? { ok: true, status, headers, body } : null;
    if (body.ok !== false || typeof body.code !== "string") return null;
    const { code, error = "", message_en = "", details } = body;
    const envelope = { code, error, message_en, details: Object(details) };
    return { ok: false, status, headers, body: envelope };
  } catch {
    return null;
  }
}
