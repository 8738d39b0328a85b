/**
 * Sends events as browsers do, and records each request with its sender, times and answer. The judge
 * compares the system's data with these notes alone.
 */
import { type Dispatcher, Pool } from "undici";
import { TAP_PARAMETER } from "../../src/http/endpoints.ts";
import { parseSender } from "../../src/http/sender.ts";
import { DROPPED_HEADER } from "./distance.ts";
import type { SentEvent } from "./plan.ts";
import type { Address } from "./senders.ts";

/** A browser; without this header the event is classed as a bot's. */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36";
/** Lower case, as undici has headers. */
const OUTCOME_HEADER = "x-beacon-outcome";
/** The server answers within 10 s, with a 503 if need be. */
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * `counted`, `duplicate` and `limited` acknowledge the event. `refused` is a 429; `went_on` a redirect
 * that did not wait for its count; `gone` a 404 or 410, as after an edit; `failed` a 5xx or no answer;
 * `given_up` was aborted by the client.
 */
export type Answer =
  | "counted"
  | "duplicate"
  | "limited"
  | "refused"
  | "went_on"
  | "gone"
  | "failed"
  | "given_up";

/** One request from the client's side. Times are milliseconds of one monotonic clock. */
export interface Attempt {
  key: string;
  /** The address in the limiter's form. */
  sender: string;
  router: number;
  sent_ms: number;
  ended_ms: number;
  answer: Answer;
  /** Whether it may have reached a router. False if the connection was refused while workerd restarted. */
  arrived: boolean;
  /** The answer's status, or null without an answer. */
  status: number | null;
  /** For a status of 500 and above, the code of the error's envelope; null if the answer is not Sila's. */
  error_code: string | null;
  /** Bindings of the objects whose answers were lost on the way to the router. */
  dropped: readonly string[];
  /** The limiter's decision, if the answer shows it. */
  charged: "admitted" | "refused" | "unknown";
  /** Whether the limiter had decided before the answer; if not, the request may be charged later. */
  decided: boolean;
  /** For `refused`, after how many seconds the sender should be admitted. */
  retry_after_s: number | null;
}

export class Witness {
  readonly #pools: readonly Pool[];
  readonly #unexpected: string[] = [];

  /** Every event that was sent at least once, by its key. */
  readonly sent = new Map<string, SentEvent>();
  readonly attempts: Attempt[] = [];
  readonly acknowledged = new Set<string>();
  /** Events whose clients do not try again, acknowledged or not. */
  readonly settled = new Set<string>();

  constructor(routers: readonly string[], connections: number) {
    this.#pools = routers.map(
      (base) =>
        new Pool(base, {
          connections,
          headersTimeout: REQUEST_TIMEOUT_MS,
          bodyTimeout: REQUEST_TIMEOUT_MS,
        }),
    );
  }

  /** Answers that must never come, above all 4xx. */
  get unexpected(): readonly string[] {
    return this.#unexpected;
  }

  /**
   * Sends an event once. The client aborts after `patience_ms`, if given.
   *
   * @param through number of the router, modulo the number of routers
   */
  async send(
    event: SentEvent,
    from: Address,
    through: number,
    patience_ms: number | null = null,
  ): Promise<Attempt> {
    const attempt: Attempt = {
      key: event.key,
      sender: parseSender(from),
      router: through % this.#pools.length,
      sent_ms: performance.now(),
      ended_ms: 0,
      answer: "failed",
      arrived: true,
      status: null,
      error_code: null,
      dropped: [],
      charged: "unknown",
      decided: false,
      retry_after_s: null,
    };
    this.sent.set(event.key, event);
    this.attempts.push(attempt);
    const signal = patience_ms === null ? null : AbortSignal.timeout(patience_ms);
    try {
      const response = await this.#pool(attempt.router).request({
        ...requestFor(event, from),
        signal,
      });
      const body = await response.body.text();
      this.#read(attempt, event, response, body);
    } catch (error) {
      if (signal?.aborted) attempt.answer = "given_up";
      else attempt.arrived = !isRefusedConnection(error);
    }
    attempt.ended_ms = performance.now();
    if (isAcknowledged(attempt.answer)) {
      this.acknowledged.add(event.key);
      this.settled.add(event.key);
    }
    return attempt;
  }

  readonly isUp = async (): Promise<boolean> => {
    try {
      const answers = await Promise.all(
        this.#pools.map(async (pool) => {
          const { statusCode, body } = await pool.request({ path: "/health", method: "GET" });
          await body.dump();
          return statusCode;
        }),
      );
      return answers.every((status) => status === 200);
    } catch {
      return false;
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  #pool(router: number): Pool {
    const pool = this.#pools[router];
    if (pool === undefined) throw new Error("there is no router");
    return pool;
  }

  #read(
    attempt: Attempt,
    { by, key }: SentEvent,
    { statusCode, headers }: Dispatcher.ResponseData,
    body: string,
  ): void {
    const outcome = headers[OUTCOME_HEADER];
    const remaining = /;r=(\d+)/.exec(String(headers.ratelimit ?? ""))?.[1];
    attempt.status = statusCode;
    const dropped = headers[DROPPED_HEADER];
    if (dropped !== undefined) attempt.dropped = String(dropped).split(",");
    attempt.decided = remaining !== undefined;
    if (statusCode === 429) {
      attempt.answer = "refused";
      attempt.retry_after_s = Number(headers["retry-after"]);
    } else if (statusCode === (by === "beacon" ? 202 : 302) && isOutcome(outcome)) {
      attempt.answer = outcome;
    } else if (statusCode === 302 && by !== "beacon" && outcome === undefined) {
      attempt.answer = "went_on";
    } else if (statusCode === 404 || statusCode === 410) {
      attempt.answer = "gone";
    } else if (statusCode >= 500) {
      attempt.error_code = codeIn(body);
    } else {
      this.#unexpected.push(`${statusCode} ${outcome} to ${key}`);
    }
    // The last admission and every refusal have 0 remaining; a redirect's duplicate may be either.
    if (statusCode === 429 || outcome === "limited") attempt.charged = "refused";
    else if (Number(remaining) > 0 || (remaining !== undefined && statusCode === 202)) {
      attempt.charged = "admitted";
    } else if (remaining !== undefined && outcome === "counted") attempt.charged = "admitted";
  }
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

/** The code of an error's envelope, or null if the body is not one. */
function codeIn(body: string): string | null {
  try {
    const { ok, code } = JSON.parse(body);
    return ok === false && typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}

export function isAcknowledged(answer: Answer): boolean {
  return isOutcome(answer);
}

function isOutcome(text: unknown): text is "counted" | "duplicate" | "limited" {
  return text === "counted" || text === "duplicate" || text === "limited";
}

function requestFor(event: SentEvent, from: Address) {
  const { event_id, page_id, link_id } = event;
  const headers = { "CF-Connecting-IP": from, "User-Agent": USER_AGENT };
  if (event.by !== "beacon") {
    const id = event.by === "tap" ? `${TAP_PARAMETER}=${event_id}` : `e=${event_id}`;
    return { method: "GET", path: `/r/${page_id}/${link_id}?${id}`, headers } as const;
  }
  return {
    method: "POST",
    path: "/api/analytics/view",
    headers: { ...headers, "Content-Type": "text/plain;charset=UTF-8" },
    body: JSON.stringify({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }),
  } as const;
}
