declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("@cloudflare/vitest-pool-workers").D1Migration[];
    /** The demo hub, for what only tests ask of it. */
    HUB: Fetcher;
  }
}
