/** What the objects find in their environment; `src/env.d.ts` adds what only the router needs. */
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    /** Seconds between a page's first unflushed event and its flush, before jitter. */
    FLUSH_SECONDS: string;
  }
}
