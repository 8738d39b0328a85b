/** WebhookSender: the Durable Object of one page's webhooks, keyed by `page_id`. */
import type { PageNewsBatch, WantedEvents } from "../../events/page-news.ts";
import { allowsLoopback } from "../../platform/local-setting.ts";
import { logError } from "../../platform/log.ts";
import { MovableObject } from "../../platform/movable-object.ts";
import { pageIdOf, portsOf } from "../../platform/ports.ts";
import { ENDPOINT_RULES } from "../../platform/public-address.ts";
import { linkChecker, sender } from "./call-outside.ts";
import type {
  Delivery,
  DeliveryDetail,
  Endpoint,
  EndpointChange,
  EndpointInput,
} from "./webhook.ts";
import { Webhooks } from "./webhooks.ts";

export class WebhookSender extends MovableObject {
  readonly #webhooks: Webhooks;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    const pageId = () => pageIdOf(ctx);
    const allows_loopback = allowsLoopback(env);
    this.#webhooks = new Webhooks({
      ...portsOf(ctx),
      pageId,
      db: env.DB,
      send: sender({ ...ENDPOINT_RULES, allows_loopback }),
      checkLink: linkChecker(allows_loopback),
      findSubscriber: (id) => env.SUBSCRIBERS.getByName(pageId()).subscriber(id),
      randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
      failed: (error) => logError("webhook_send_failed", { page_id: ctx.id.name }, error),
    });
    void ctx.blockConcurrencyWhile(() => this.#webhooks.ready());
  }

  list(): { endpoints: Endpoint[]; dropped: number } {
    return this.#webhooks.list();
  }

  wanted(): WantedEvents {
    return this.#webhooks.wanted();
  }

  create(input: EndpointInput): Promise<Endpoint | null> {
    return this.#webhooks.create(input);
  }

  change(id: string, change: EndpointChange): Promise<Endpoint | null> {
    return this.#webhooks.change(id, change);
  }

  remove(id: string): Promise<boolean> {
    return this.#webhooks.remove(id);
  }

  rotate(id: string): Promise<Endpoint | null> {
    return this.#webhooks.rotate(id);
  }

  sendTest(id: string): Promise<number | "off" | null> {
    return this.#webhooks.sendTest(id);
  }

  deliveries(before: number | null, limit: number): Delivery[] {
    return this.#webhooks.deliveries(before, limit);
  }

  delivery(seq: number): Promise<DeliveryDetail | null> {
    return this.#webhooks.delivery(seq);
  }

  sendAgain(seq: number): Promise<number | "off" | null> {
    return this.#webhooks.sendAgain(seq);
  }

  take(batch: PageNewsBatch): Promise<WantedEvents> {
    return this.#webhooks.take(batch);
  }

  end(): Promise<void> {
    return this.#webhooks.end();
  }

  override alarm(): Promise<void> {
    return this.#webhooks.onAlarm();
  }
}
