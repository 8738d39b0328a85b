/** What the bench's Worker has beside the product's environment. */
declare namespace Cloudflare {
  interface Env {
    NAIVE_PAGE: DurableObjectNamespace<import("./naive.ts").NaivePage>;
    NAIVE_LIMITER: DurableObjectNamespace<import("./naive-limiter.ts").NaiveLimiter>;
    /** "1" counts calls, alarms and rows; it costs time, so not while speed is measured. */
    METER: string;
  }
}
