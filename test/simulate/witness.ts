/**
 * Sends events as browsers would and writes everything down: each request with its sender, its times and
 * its answer. What the system says of itself is compared with these notes, and with nothing else.
 */
import { type Dispatcher, Pool } from "undici";
import { parseSender } from "../../src/sender.ts";
import type { Delivery, SentEvent } from "./plan.ts";
import type { Address } from "./senders.ts";

/** A person's browser; without one, the event is classed as a bot's. */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36";
/** As undici spells headers. */
const OUTCOME_HEADER = "x-beacon-outcome";
/** The server answers within 10 s or says 503. */
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * `counted`, `duplicate` and `limited` acknowledge the event. `refused` is a 429; `failed` a 5xx, a broken
 * connection, or a redirect that could not count; `given_up` was broken off by the client.
 */
export type Answer = "counted" | "duplicate" | "limited" | "refused" | "failed" | "given_up";

/** One request, as its client knows it. Times are milliseconds of one steady clock. */
export interface Attempt {
  key: string;
  /** The address as the limiter sees it. */
  sender: string;
  sent_ms: number;
  ended_ms: number;
  answer: Answer;
  /** What the limiter decided, where the answer says so for certain. */
  charged: "admitted" | "refused" | "unknown";
  /** With `refused`: in how many seconds the sender is said to be admitted. */
  retry_after_s: number | null;
}

export class Witness {
  readonly #pool: Pool;
  readonly #unexpected: string[] = [];

  /** Every event that was sent at least once, by its key. */
  readonly sent = new Map<string, SentEvent>();
  readonly attempts: Attempt[] = [];
  readonly acknowledged = new Set<string>();
  /** Events whose clients will not try again, acknowledged or not. */
  readonly settled = new Set<string>();

  constructor(base: string, connections: number) {
    this.#pool = new Pool(base, {
      connections,
      headersTimeout: REQUEST_TIMEOUT_MS,
      bodyTimeout: REQUEST_TIMEOUT_MS,
    });
  }

  /** Answers that must never come, 4xx above all. */
  get unexpected(): readonly string[] {
    return this.#unexpected;
  }

  /** Sends an event once. The client gives up after `patience_ms`, if it is given. */
  async send(
    event: SentEvent,
    by: Delivery["by"],
    from: Address,
    patience_ms: number | null = null,
  ): Promise<Attempt> {
    const attempt: Attempt = {
      key: event.key,
      sender: parseSender(from),
      sent_ms: performance.now(),
      ended_ms: 0,
      answer: "failed",
      charged: "unknown",
      retry_after_s: null,
    };
    this.sent.set(event.key, event);
    this.attempts.push(attempt);
    const signal = patience_ms === null ? null : AbortSignal.timeout(patience_ms);
    try {
      const response = await this.#pool.request({ ...requestFor(event, by, from), signal });
      await response.body.dump();
      this.#read(attempt, response, by);
    } catch {
      if (signal?.aborted) attempt.answer = "given_up";
    }
    attempt.ended_ms = performance.now();
    if (isAcknowledged(attempt.answer)) {
      this.acknowledged.add(event.key);
      this.settled.add(event.key);
    }
    return attempt;
  }

  /** Whether the server answers at all. */
  readonly isUp = async (): Promise<boolean> => {
    try {
      const { statusCode, body } = await this.#pool.request({ path: "/health", method: "GET" });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  };

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #read(attempt: Attempt, response: Dispatcher.ResponseData, by: Delivery["by"]): void {
    const { statusCode, headers } = response;
    const outcome = headers[OUTCOME_HEADER];
    const remaining = /;r=(\d+)/.exec(String(headers.ratelimit ?? ""))?.[1];
    if (statusCode === 429) {
      attempt.answer = "refused";
      attempt.retry_after_s = Number(headers["retry-after"]);
    } else if (statusCode === (by === "beacon" ? 202 : 302) && isOutcome(outcome)) {
      attempt.answer = outcome;
    } else if (statusCode < 500 && !(statusCode === 302 && outcome === undefined)) {
      // A redirect may go on without its count; nothing else may come without one.
      this.#unexpected.push(`${statusCode} ${outcome} to ${attempt.key}`);
    }
    if (statusCode === 429 || outcome === "limited") attempt.charged = "refused";
    // The last admission and every refusal leave nothing; a redirect's duplicate may be either.
    else if (Number(remaining) > 0 || (remaining !== undefined && statusCode === 202)) {
      attempt.charged = "admitted";
    } else if (remaining !== undefined && outcome === "counted") attempt.charged = "admitted";
  }
}

export function isAcknowledged(answer: Answer): boolean {
  return isOutcome(answer);
}

function isOutcome(text: unknown): text is "counted" | "duplicate" | "limited" {
  return text === "counted" || text === "duplicate" || text === "limited";
}

function requestFor(event: SentEvent, by: Delivery["by"], from: Address) {
  const { event_id, page_id, link_id } = event;
  const headers = { "CF-Connecting-IP": from, "User-Agent": USER_AGENT };
  if (by === "redirect") {
    return { method: "GET", path: `/r/${page_id}/${link_id}?e=${event_id}`, headers } as const;
  }
  return {
    method: "POST",
    path: "/api/analytics/view",
    headers: { ...headers, "Content-Type": "text/plain;charset=UTF-8" },
    body: JSON.stringify({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }),
  } as const;
}
