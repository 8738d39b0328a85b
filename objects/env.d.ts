/** Bindings that the objects use; `src/env.d.ts` adds those of the router. */
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    PAGE: DurableObjectNamespace<import("./page/page-object.ts").PageObject>;
    LIMITER: DurableObjectNamespace<import("./limiter/rate-limiter.ts").RateLimiter>;
    /** Seconds between a page's first unflushed event and its flush, before jitter. */
    FLUSH_SECONDS: string;
    /** The same for a page with few events that nobody looks at. */
    QUIET_FLUSH_SECONDS: string;
    /** Sends mail; in development and tests it is the demo hub's mailbox. */
    MAIL: SendEmail;
    /** The sender of mail; `''`: there are no newsletters. */
    MAIL_FROM: string;
    /** Mails in any 24 hours, of all pages together. */
    MAIL_PER_DAY: string;
  }
}
