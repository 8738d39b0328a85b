/** Bindings that the objects use; `src/env.d.ts` adds those of the router. */
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    /** Databases of statistics that shall become empty, with commas between; `''`: none. */
    STATS_LEAVING: string;
    PAGE: DurableObjectNamespace<import("./page/page-object.ts").PageObject>;
    /** The name of an object is a `page_id`. */
    WEBHOOKS: DurableObjectNamespace<import("./blocks/webhooks/webhook-sender.ts").WebhookSender>;
    /** The name of an object is a `page_id`. */
    SUBSCRIBERS: DurableObjectNamespace<import("./blocks/newsletter/subscribers.ts").Subscribers>;
    /**
     * Bound by what runs the service on one machine, for development and tests: other services may
     * be on that machine too. No deployment has it: it is no text, as variables are.
     */
    ONE_MACHINE?: true;
    /** Secret: those of `platform/secrets.ts` that are not set are derived from it. */
    SILA_KEY?: string;
    /** Secret: key of the limiter objects' names, which must not reveal an address of any kind. */
    SENDER_KEY: string;
    /** The account hub's address; `''`: the accounts are in the identity Worker. */
    HUB_URL: string;
    HUB_SESSION_COOKIE: string;
    /** Secret, shared with the hub: signs its webhooks; `whsec_` and base64. */
    HUB_WEBHOOK_SECRET?: string;
    /** Secret: key of the session cache, of CSRF tokens, and of the signature of `owner_of`. */
    SESSION_KEY: string;
    LIMITER: DurableObjectNamespace<import("./limiter/rate-limiter.ts").RateLimiter>;
    /** There is one object, named `monitor`. */
    MONITOR: DurableObjectNamespace<import("./monitor/monitor.ts").Monitor>;
    /** Alerts are posted to this address; `''`: nowhere. */
    ALERT_URL: string;
    /** Alerts are mailed to this address; `''`: nowhere. */
    ALERT_MAIL: string;
    /** Secret: signs the alerts that are posted; `whsec_` and base64. Needed with `ALERT_URL`. */
    ALERT_SECRET?: string;
    /** Seconds between a page's first unflushed event and its flush, before jitter. */
    FLUSH_SECONDS: string;
    /** Seconds for a page with few events that nobody looks at. */
    QUIET_FLUSH_SECONDS: string;
    /** This service's origin, with which absolute addresses begin; `''`: no mail has links. */
    SITE_ORIGIN: string;
    /**
     * Absent on the free plan, where MAIL_FROM is refused; in development and tests it leads to a
     * mailbox of `test/demo/neighbours`.
     */
    MAIL: SendEmail;
    /** The sender of mail; `''`: there are no newsletters. */
    MAIL_FROM: string;
    /** Mails in any 24 hours, of all pages together; without a hub also those of accounts. */
    MAIL_PER_DAY: string;
  }
}
