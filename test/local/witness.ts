/**
 * Clients that write down everything they do: every event with each answer it got, so that at the
 * end what was acknowledged can be compared with what was counted, set by set.
 *
 * A client keeps an event's id and sends it again, from another address, until it is acknowledged.
 */
import { setTimeout as pause } from "node:timers/promises";
import { eventKey } from "../../src/event-key.ts";

export interface SentEvent {
  event_id: string;
  page_id: string;
  /** `''` for a view. */
  link_id: string;
  /** Clicks come either way; views by the beacon alone. */
  by: "beacon" | "redirect";
}

/** Acknowledged: `counted` or `duplicate`. Not: `failed`, by a 5xx, a broken connection or no word of it. */
type Answer = "counted" | "duplicate" | "failed";

/** A person's browser; without one, the event is classed as a bot's. */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36";
const REQUEST_TIMEOUT_MS = 10_000;
/** While workerd is being started again; long enough not to compete with it for the processor. */
const RETRY_PAUSE_MS = 30;
/** More than a minute of nothing but failures is not a restart. */
const TRIES_MAX = 2_000;

export class Witness {
  readonly #base: string;
  readonly #senders: number;
  #requests = 0;

  /** Every event that was sent at least once, by its key, with its answers in order. */
  readonly log = new Map<string, { event: SentEvent; answers: Answer[] }>();
  /** Events that have been acknowledged, duplicates of them not counted again. */
  acknowledged = 0;
  /** Answers that must never come, 4xx above all. */
  readonly unexpected: string[] = [];

  /** @param senders how many addresses the requests are spread over, in turn */
  constructor(base: string, senders: number) {
    this.#base = base;
    this.#senders = senders;
  }

  /** Sends an event until it is acknowledged. */
  async deliver(event: SentEvent): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      if ((await this.send(event)) !== "failed") return;
      await pause(RETRY_PAUSE_MS);
    }
    throw new Error(`never acknowledged: ${JSON.stringify(event)}`);
  }

  /** Sends an event once and writes down the answer. */
  async send(event: SentEvent): Promise<Answer> {
    const key = await eventKey(event.event_id, event.link_id);
    const entry = this.log.get(key) ?? { event, answers: [] };
    this.log.set(key, entry);
    const answer = await this.#ask(event);
    if (answer !== "failed" && entry.answers.every((before) => before === "failed")) {
      this.acknowledged += 1;
    }
    entry.answers.push(answer);
    return answer;
  }

  async #ask(event: SentEvent): Promise<Answer> {
    let response: Response;
    try {
      response = await this.#request(event);
      await response.arrayBuffer();
    } catch {
      return "failed";
    }
    const outcome = response.headers.get("X-Beacon-Outcome");
    if (response.status >= 500) return "failed";
    if (response.status === (event.by === "beacon" ? 202 : 302)) {
      if (outcome === "counted" || outcome === "duplicate") return outcome;
      // A redirect goes on without its count; the beacon never answers so.
      if (outcome === null && event.by === "redirect") return "failed";
    }
    this.unexpected.push(`${response.status} ${outcome} to ${JSON.stringify(event)}`);
    return "failed";
  }

  #request({ event_id, page_id, link_id, by }: SentEvent): Promise<Response> {
    this.#requests += 1;
    const sender = this.#requests % this.#senders;
    const init = {
      headers: {
        "CF-Connecting-IP": `10.77.${sender >> 8}.${sender & 255}`,
        "User-Agent": USER_AGENT,
      },
      redirect: "manual",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    } as const;
    if (by === "redirect") return fetch(`${this.#base}r/${page_id}/${link_id}?e=${event_id}`, init);
    return fetch(`${this.#base}api/analytics/view`, {
      ...init,
      method: "POST",
      body: JSON.stringify({ page_id, event_id, ...(link_id === "" ? {} : { link_id }) }),
    });
  }
}
