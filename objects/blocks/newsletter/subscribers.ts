/** Subscribers: the Durable Object of one page's newsletter, keyed by `page_id`. */
import { BUDGET, mailboxName, takeMail, takeMailTo } from "../../mail/mail-budget.ts";
import { mailSettings } from "../../mail/mail-settings.ts";
import { logError } from "../../platform/log.ts";
import { MovableObject } from "../../platform/movable-object.ts";
import { pageIdOf, portsOf } from "../../platform/ports.ts";
import { secretIn } from "../../platform/secrets.ts";
import { NewsletterBook } from "./newsletter-book.ts";
import type {
  ListedSubscriber,
  SubscriberList,
  SubscriberQuery,
  SubscriptionRequest,
  TokenState,
} from "./subscription.ts";

export class Subscribers extends MovableObject {
  readonly #book: NewsletterBook;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    const pageId = () => pageIdOf(ctx);
    const { mail_from, site, per_day } = mailSettings(env);
    const sender_key = secretIn(env, "SENDER_KEY") ?? "";
    this.#book = new NewsletterBook({
      ...portsOf(ctx),
      pageId,
      db: env.DB,
      // Limits of mailboxes do not hold without the key that names them.
      mail_from: sender_key ? mail_from : "",
      site,
      sendMail: (mail) => env.MAIL.send(mail),
      admitMail: ({ mail_id, address }) =>
        takeMailTo(env.LIMITER.getByName(mailboxName(sender_key, address)), mail_id, () =>
          takeMail(env.LIMITER.getByName(BUDGET), pageId(), per_day),
        ),
      convert: (page_id, conversions) => env.PAGE.getByName(page_id).convert(conversions),
      announce: (n, version) => env.PAGE.getByName(pageId()).subscribersAre(n, version),
      randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
      failed: (event) => logError(event, { page_id: ctx.id.name }),
    });
    void ctx.blockConcurrencyWhile(() => this.#book.ready());
  }

  request(request: SubscriptionRequest): Promise<boolean> {
    return this.#book.request(request);
  }

  tokenState(token: string): TokenState {
    return this.#book.tokenState(token);
  }

  confirm(token: string): Promise<"confirmed" | "gone"> {
    return this.#book.confirm(token);
  }

  unsubscribe(token: string): Promise<void> {
    return this.#book.unsubscribe(token);
  }

  remove(id: string): Promise<boolean> {
    return this.#book.remove(id);
  }

  subscriberOf(token: string): string | null {
    return this.#book.subscriberOf(token);
  }

  isSubscriber(id: string): boolean {
    return this.#book.isSubscriber(id);
  }

  subscriber(id: string): ListedSubscriber | null {
    return this.#book.subscriber(id);
  }

  list(query: SubscriberQuery): SubscriberList {
    return this.#book.list(query);
  }

  end(): Promise<void> {
    return this.#book.end();
  }

  override alarm(): Promise<void> {
    return this.#book.onAlarm();
  }
}
