/** Bindings that the objects use; `src/env.d.ts` adds those of the router. */
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    /** Seconds between a page's first unflushed event and its flush, before jitter. */
    FLUSH_SECONDS: string;
    /** The same for a page with few events that nobody looks at. */
    QUIET_FLUSH_SECONDS: string;
  }
}
