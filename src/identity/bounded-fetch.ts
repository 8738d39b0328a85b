import { withTimeout } from "../../objects/platform/clock.ts";
import { readStream } from "../http/body.ts";
import { ISSUER_ANSWER_BYTES_MAX } from "./limits.ts";

interface Asking {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** All calls together take `timeout_ms`. No redirects; rejects for a late or large answer. */
export function boundedFetch(
  timeout_ms: number,
): (url: string, asking: Asking) => Promise<Response> {
  const ends_at = Date.now() + timeout_ms;
  return async (url, { method, headers, body }) => {
    const left_ms = () => Math.max(0, ends_at - Date.now());
    const controller = new AbortController();
    const { signal } = controller;
    try {
      const sent = (body ?? null) as BodyInit | null;
      const asked = fetch(url, { method, headers, body: sent, redirect: "manual", signal });
      const response = await withTimeout(asked, left_ms());
      const bytes = await readStream(response.body, ISSUER_ANSWER_BYTES_MAX, left_ms());
      if (bytes === null) throw new Error("the issuer answered too much");
      const type = { "Content-Type": response.headers.get("Content-Type") ?? "" };
      const { status } = response;
      // Some statuses must not have a body.
      return new Response(bytes.length > 0 ? bytes : null, { status, headers: type });
    } finally {
      controller.abort();
    }
  };
}
