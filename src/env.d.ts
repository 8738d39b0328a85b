/**
 * What the router finds in its environment, beside what the objects need (`objects/env.d.ts`). Settings are what a
 * deployment should have, not what it has: only `config.ts` reads them, and checks them first.
 */
declare namespace Cloudflare {
  interface Env {
    PAGE: DurableObjectNamespace<import("../objects/page/page-object.ts").PageObject>;
    LIMITER: DurableObjectNamespace<import("../objects/limiter/rate-limiter.ts").RateLimiter>;
    ERROR_LOG: DurableObjectNamespace<import("../objects/errors/error-log.ts").ErrorLog>;
    KV: KVNamespace;
    MEDIA: R2Bucket;
    ASSETS: Fetcher;
    EDGE_LIMIT: RateLimit;
    /** Which cache stands in front of the page renderer: the platform's, or the stand-in of development. */
    EDGE_CACHE: "platform" | "local";
    /** Number of limiter objects all senders share; "0" gives every sender one of its own. */
    LIMITER_SHARDS: string;
    /** The account hub's address, without a slash at its end. */
    HUB_URL: string;
    /** Where the hub signs people in. */
    AUTH_URL: string;
    /** The cookie in which browsers carry the hub's session. */
    HUB_SESSION_COOKIE: string;
    /** Secret: names limiter objects without telling whom they belong to. */
    SENDER_KEY: string;
    /** Secret: names remembered sessions, makes their CSRF tokens, and signs `owner_of`. */
    SESSION_KEY: string;
    /** Secret, shared with the hub: signs its webhooks; `whsec_` and base64. */
    HUB_WEBHOOK_SECRET: string;
  }
  interface GlobalProps {
    mainModule: typeof import("./index.ts");
  }
}
