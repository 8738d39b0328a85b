declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    TEST_STATS_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    SPARE_0: D1Database;
    SPARE_1: D1Database;
    /** What `cases.ts` reads: whether the run is a long one, and the seed to repeat. Empty where not set. */
    TEST_WEEKLY: string;
    TEST_SEED: string;
    /** The demo hub's controls for tests. */
    HUB: Fetcher;
  }
}

/** The text of a fixture. */
declare module "*?raw" {
  const text: string;
  export default text;
}
