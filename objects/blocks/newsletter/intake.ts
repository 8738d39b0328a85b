/**
 * Intake: requests to subscribe, from their row to a pending subscriber with a mail.
 *
 * A request costs one row whatever is known of its address, so its answer and its time tell nobody
 * who has subscribed. The alarm does the rest.
 */
import { SECOND_MS } from "../../platform/clock.ts";
import { type MailQueue, WELCOME_PAUSE_MS } from "./mail-queue.ts";
import { type NewsletterPorts, randomText } from "./newsletter-ports.ts";
import type { SubscriberTables } from "./subscriber-tables.ts";
import type { SubscriptionRequest } from "./subscription.ts";

export const INTAKE_MS = SECOND_MS;
/** Requests and unconfirmed subscribers of a page; further requests are refused. */
const WAITING_MAX = 20_000;
const REQUESTS_MAX = 500;

export class Intake {
  readonly #ports: NewsletterPorts;
  readonly #tables: SubscriberTables;
  readonly #mails: MailQueue;

  constructor(
    ports: NewsletterPorts,
    { tables, mails }: { tables: SubscriberTables; mails: MailQueue },
  ) {
    this.#ports = ports;
    this.#tables = tables;
    this.#mails = mails;
  }

  get isFull(): boolean {
    return this.#tables.waiting >= WAITING_MAX;
  }

  /** Belongs into a transaction of the caller, as `takeAll` does. */
  add(request: SubscriptionRequest): void {
    this.#tables.addRequest(request);
  }

  takeAll(now: number): void {
    const requests = this.#tables.requests(REQUESTS_MAX);
    for (const { request } of requests) this.#take(request, now);
    const last = requests.at(-1);
    if (last !== undefined) this.#tables.deleteRequestsTo(last.seq);
  }

  #take(request: SubscriptionRequest, now: number): void {
    const address = request.email.toLowerCase();
    const known = this.#tables.byAddress(address);
    if (known === null) {
      const id = randomText(16, this.#ports);
      this.#tables.insert(id, request, address, now);
      this.#mails.add({ ...request, id }, "confirm", now);
      return;
    }
    if (known.confirmed_at === null) this.#tables.askAgain(known.id, request);
    if (this.#mails.mayMailAt(address, now) > now || this.#tables.mail(known.id) !== null) return;
    const { welcomed_at } = known;
    if (welcomed_at !== null && now - welcomed_at < WELCOME_PAUSE_MS) return;
    // A subscriber gets the mail that says so, with a link to leave.
    const { locale, site, page_name } = known.confirmed_at === null ? request : known;
    const subscriber = { ...known, locale, site, page_name };
    this.#mails.add(subscriber, known.confirmed_at === null ? "confirm" : "welcome", now);
  }
}
