declare namespace Cloudflare {
  interface Env {
    NAIVE_PAGE: DurableObjectNamespace<import("./naive.ts").NaivePage>;
    NAIVE_LIMITER: DurableObjectNamespace<import("./naive-limiter.ts").NaiveLimiter>;
    /** "1" turns the meter on. It costs time, so it is off while throughput is measured. */
    METER: string;
  }
}
