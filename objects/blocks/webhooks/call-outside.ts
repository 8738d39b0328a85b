/**
 * Calls to addresses that creators wrote: attempts to deliver, and looks at links. Each ends within
 * its time whatever the other side does, reads little of the answer, and never rejects.
 */
import { SECOND_MS } from "../../platform/clock.ts";
import { type AddressRules, callable, LINK_RULES } from "../../platform/public-address.ts";
import type { AttemptOutcome } from "./webhook.ts";

export const SEND_TIMEOUT_MS = 15 * SECOND_MS;
const HEAD_TIMEOUT_MS = 4 * SECOND_MS;
const GET_TIMEOUT_MS = 6 * SECOND_MS;
export const ANSWER_CHARS_MAX = 1_000;
/** A character has at most four bytes in UTF-8. */
const ANSWER_BYTES_MAX = 4 * ANSWER_CHARS_MAX;
const HOPS_MAX = 3;
const USER_AGENT =
  "Sila (+https://github.com/sila-link/sila/blob/main/docs/contract.md#12-webhooks-out)";

export interface Answer {
  outcome: AttemptOutcome;
  status: number | null;
  latency_ms: number;
  answer: string;
  retry_after: string | null;
}

export function noAnswer(outcome: AttemptOutcome, latency_ms = 0): Answer {
  return { outcome, status: null, latency_ms, answer: "", retry_after: null };
}

export type SendEvent = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<Answer>;

/** A redirect is not followed: a signed event would go where its owner never asked. */
export function sender(rules: AddressRules): SendEvent {
  return async (address, headers, body) => {
    // Rules may be stricter than when the address was stored.
    const url = callable(address, rules);
    if (url === null) return noAnswer("refused");
    const begun_at = Date.now();
    const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
    try {
      const response = await fetch(url.href, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json", "User-Agent": USER_AGENT },
        body,
        redirect: "manual",
        signal,
      });
      const latency_ms = Date.now() - begun_at;
      const { status } = response;
      const outcome = response.ok
        ? "delivered"
        : status >= 300 && status < 400
          ? "redirected"
          : "answered";
      const answer = await beginningOf(response);
      return {
        outcome,
        status,
        latency_ms,
        answer,
        retry_after: response.headers.get("Retry-After"),
      };
    } catch {
      return noAnswer(signal.aborted ? "late" : "unreachable", Date.now() - begun_at);
    }
  };
}

/** Leaves out control characters, and what does not arrive in time. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk.subarray(0, ANSWER_BYTES_MAX), { stream: true });
      bytes += chunk.byteLength;
      if (bytes >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // The status decides.
  }
  return [...text.replace(/[^\P{C}\n\t]/gu, "")].slice(0, ANSWER_CHARS_MAX).join("");
}

/** A status, or `unreachable`. Null if the link may not be called. */
export type LinkAnswer = number | "unreachable" | null;
export type CheckLink = (url: string) => Promise<LinkAnswer>;

/**
 * Asks by HEAD, and by GET for one byte if HEAD fails, because many servers answer it wrongly.
 * Follows redirects to public addresses; another one counts as an answer.
 */
export function linkChecker(allows_loopback: boolean): CheckLink {
  const rules = { ...LINK_RULES, allows_loopback };
  return async (address) => {
    if (callable(address, rules) === null) return null;
    const status = await ask(address, "HEAD", rules, HEAD_TIMEOUT_MS).catch(() => null);
    if (status !== null && status < 400) return status;
    return ask(address, "GET", rules, GET_TIMEOUT_MS).catch(() => "unreachable");
  };
}

async function ask(
  address: string,
  method: "HEAD" | "GET",
  rules: AddressRules,
  timeout_ms: number,
): Promise<number> {
  const signal = AbortSignal.timeout(timeout_ms);
  let at = address;
  for (let hops = 0; ; hops += 1) {
    const response = await fetch(at, {
      method,
      headers: { "User-Agent": USER_AGENT, ...(method === "GET" ? { Range: "bytes=0-0" } : {}) },
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    const { status } = response;
    const to = URL.parse(response.headers.get("Location") ?? "", at);
    const isRedirect = status >= 300 && status < 400 && to !== null;
    if (!isRedirect || hops === HOPS_MAX || callable(to.href, rules) === null) return status;
    at = to.href;
  }
}
