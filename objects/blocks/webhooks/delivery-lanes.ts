/**
 * DeliveryLanes: sends what is due, each endpoint in a lane of its own, so that a slow one holds up
 * no other. A delivery is stored before it is sent and changed after, so one whose end was lost is
 * sent again, with the same id and the same body.
 */
import { DAY_MS, SECOND_MS, withTimeout } from "../../platform/clock.ts";
import { type Answer, noAnswer } from "./call-outside.ts";
import { nextAttempt, REST_FROM_FAILURES, restAfter, retryAfter } from "./retry-schedule.ts";
import { signed } from "./sign.ts";
import type { EndpointState } from "./webhook.ts";
import type { WebhookPorts } from "./webhook-ports.ts";
import type { DeliveryRow, EndpointRow, WebhookTables } from "./webhook-tables.ts";

export const PARALLEL_MAX = 2;
/** A lane begins no further request after this time; the next alarm goes on. */
const LANE_MS = 10 * SECOND_MS;
export const ATTEMPTS_KEPT = 30;
/** Longest wait for the newsletter's object, and when it is asked again if it failed. */
const ASK_TIMEOUT_MS = 10 * SECOND_MS;
const ASK_AGAIN_MS = 30 * SECOND_MS;
/** The body of these events has somebody's address. */
const SUBSCRIBER_EVENT = "subscriber.confirmed";
const EVENT_AGE_MS = 3 * DAY_MS;

export class DeliveryLanes {
  readonly #ports: WebhookPorts;
  readonly #tables: WebhookTables;
  /** The keys are endpoints; no lane rejects. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #sending = new Set<number>();

  constructor(ports: WebhookPorts, tables: WebhookTables) {
    this.#ports = ports;
    this.#tables = tables;
  }

  /** Sends what is due now, or most of it; never rejects. */
  async run(): Promise<void> {
    if (!this.#tables.exist) return;
    for (const { id, state } of this.#tables.endpoints()) {
      if (state !== "on" || this.#lanes.has(id)) continue;
      const lane = this.#run(id).catch(this.#ports.failed);
      this.#lanes.set(
        id,
        lane.then(() => void this.#lanes.delete(id)),
      );
    }
    await Promise.all(this.#lanes.values());
  }

  /** Null if the event's subscriber has left. Rejects if the newsletter fails. */
  async body({
    type,
    at,
    data,
  }: Pick<DeliveryRow, "type" | "at" | "data">): Promise<string | null> {
    const { pageId, findSubscriber, clock } = this.#ports;
    const known = JSON.parse(data) as Record<string, unknown>;
    let more = {};
    if (type === SUBSCRIBER_EVENT) {
      const finding = findSubscriber(String(known.subscriber_id));
      const found = await withTimeout(finding, ASK_TIMEOUT_MS, clock);
      if (found === null) return null;
      const { email, confirmed_at, source } = found;
      more = { email, confirmed_at, link_id: source.link_id, locale: source.locale };
    }
    return JSON.stringify({
      type,
      timestamp: new Date(at).toISOString(),
      data: { page_id: pageId(), ...known, ...more },
    });
  }

  async #run(endpoint_id: string): Promise<void> {
    const { clock } = this.#ports;
    const ends_at = clock.now() + LANE_MS;
    while (this.#tables.exist && clock.now() < ends_at) {
      const now = clock.now();
      const endpoint = this.#tables.endpoint(endpoint_id);
      if (endpoint?.state !== "on" || endpoint.rest_until > now) return;
      const parallel = endpoint.failures < REST_FROM_FAILURES ? PARALLEL_MAX : 1;
      const due = this.#tables
        .due(endpoint_id, now, parallel + this.#sending.size)
        .filter(({ seq }) => !this.#sending.has(seq))
        .slice(0, parallel);
      if (due.length === 0) return;
      await Promise.all(due.map((delivery) => this.#send(endpoint, delivery)));
    }
  }

  async #send(endpoint: EndpointRow, delivery: DeliveryRow): Promise<void> {
    const { storage, clock, send, failed } = this.#ports;
    const { seq } = delivery;
    this.#sending.add(seq);
    try {
      await storage.sync();
      let at = clock.now();
      let answer: Answer;
      try {
        const body = await this.body(delivery);
        at = clock.now();
        answer =
          body === null
            ? noAnswer("left")
            : await send(
                endpoint.url,
                signed(delivery.event_id, body, secretsOf(endpoint, at), at),
                body,
              );
      } catch (error) {
        failed(error);
        this.#postpone(seq, clock.now() + ASK_AGAIN_MS);
        return;
      }
      if (this.#tables.exist) this.#settle(seq, at, answer);
    } finally {
      this.#sending.delete(seq);
    }
  }

  /** Nothing was sent, so this is no attempt. */
  #postpone(seq: number, next_at: number): void {
    const delivery = this.#tables.exist ? this.#tables.delivery(seq) : null;
    if (delivery?.state === "waiting") this.#tables.setDelivery(seq, { ...delivery, next_at });
  }

  #settle(seq: number, at: number, answer: Answer): void {
    const { storage, clock, random } = this.#ports;
    const now = clock.now();
    storage.transactionSync(() => {
      const delivery = this.#tables.delivery(seq);
      const endpoint = delivery && this.#tables.endpoint(delivery.endpoint_id);
      // The endpoint was deleted meanwhile, with its deliveries.
      if (delivery === null || endpoint === null) return;
      const { retry_after, ...attempt } = answer;
      // An answer may repeat the body, and the address of a subscriber is stored nowhere here.
      if (delivery.type === SUBSCRIBER_EVENT) attempt.answer = "";
      this.#tables.addAttempt(seq, { at, ...attempt }, ATTEMPTS_KEPT);
      const tries = delivery.tries + 1;
      const settle = (change: Partial<DeliveryRow>) =>
        this.#tables.setDelivery(seq, { ...delivery, tries, ...change });
      if (answer.outcome === "delivered") {
        settle({ state: "delivered" });
        this.#tables.putEndpoint({ ...endpoint, failures: 0, rest_until: 0, ok_at: now });
        return;
      }
      // The endpoint is not at fault.
      if (answer.outcome === "left") return settle({ state: "failed" });
      const isAsked = answer.status === 429 || answer.status === 503;
      const retry_after_ms = isAsked ? retryAfter(retry_after, now) : 0;
      const failure = { now, tries, until: delivery.until, retry_after_ms, random: random() };
      const next_at = answer.status === 410 ? null : nextAttempt(failure);
      if (next_at === null) settle({ state: "failed" });
      else if (delivery.state === "waiting") settle({ next_at });
      const failures = endpoint.failures + 1;
      const rest_until = now + restAfter(failures, retry_after_ms);
      const resting = { ...endpoint, failures, rest_until };
      if (answer.status === 410) this.#switchOff(resting, "gone", now);
      // The delivery is given up after three days, in which nothing else arrived either.
      else if (next_at === null && (endpoint.ok_at ?? 0) < delivery.until - EVENT_AGE_MS)
        this.#switchOff(resting, "failing", now);
      else this.#tables.putEndpoint(resting);
    });
  }

  #switchOff(endpoint: EndpointRow, state: EndpointState, now: number): void {
    if (endpoint.state !== "on") return;
    this.#tables.putEndpoint({ ...endpoint, state });
    this.#tables.giveUp(endpoint.id);
    const id = Buffer.from(this.#ports.randomBytes(16)).toString("base64url");
    this.#tables.addNotice(id, new URL(endpoint.url).host, state, now);
  }
}

/** The newest comes first, then the one before while its time is not over. */
function secretsOf({ secret, old_secret, old_until }: EndpointRow, now: number): string[] {
  return old_secret !== null && (old_until ?? 0) > now ? [secret, old_secret] : [secret];
}
