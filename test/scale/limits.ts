/** List prices and limits of the platform, each with its source. docs/scale.md shows both tables. */

/** Cloudflare's documentation, read in November 2026 from copies of the years in brackets. */
const SOURCES = {
  workers: "developers.cloudflare.com/workers/platform/pricing (2026)",
  objects: "developers.cloudflare.com/durable-objects/platform/pricing (2026)",
  d1: "developers.cloudflare.com/d1/platform/pricing (2026)",
  d1_limits: "developers.cloudflare.com/d1/platform/limits (April 2026)",
  d1_limits_before: "developers.cloudflare.com/d1/platform/limits (2025)",
  objects_faq: "developers.cloudflare.com/durable-objects/reference/faq, not verified",
  d1_account:
    "250 GB in d1/platform/limits (2025), 1 TB by others since; not verified; raised on request",
  d1_queries: "for queries of 1 ms: developers.cloudflare.com/d1/platform/limits, not verified",
  ours: "chosen for F30, not a promise of D1",
  sweep: "docs/operations.md, Cron",
  workers_limits: "developers.cloudflare.com/workers/platform/limits (2026)",
  kv: "developers.cloudflare.com/kv/platform/limits (2025)",
  r2: "developers.cloudflare.com/r2/pricing, not verified",
} as const;

interface Price {
  unit: string;
  /** Dollars for `per` units, above what the paid plan includes each month. */
  dollars: number;
  per: number;
  included: number;
  source: string;
}

const MILLION = 1_000_000;

export const PRICES = {
  requests: {
    unit: "requests of the Worker",
    dollars: 0.3,
    per: MILLION,
    included: 10 * MILLION,
    source: SOURCES.workers,
  },
  cpu_ms: {
    unit: "ms of CPU of the Worker",
    dollars: 0.02,
    per: MILLION,
    included: 30 * MILLION,
    source: SOURCES.workers,
  },
  object_calls: {
    unit: "calls and alarms of objects",
    dollars: 0.15,
    per: MILLION,
    included: MILLION,
    source: SOURCES.objects,
  },
  object_gbs: {
    unit: "GB-s of objects",
    dollars: 12.5,
    per: MILLION,
    included: 400_000,
    source: SOURCES.objects,
  },
  object_rows: {
    unit: "rows that objects write",
    dollars: 1,
    per: MILLION,
    included: 50 * MILLION,
    source: SOURCES.objects,
  },
  object_gb: {
    unit: "GB-months in objects",
    dollars: 0.2,
    per: 1,
    included: 5,
    source: SOURCES.objects,
  },
  d1_rows: {
    unit: "rows written in D1",
    dollars: 1,
    per: MILLION,
    included: 50 * MILLION,
    source: SOURCES.d1,
  },
  d1_rows_read: {
    unit: "rows read in D1",
    dollars: 0.001,
    per: MILLION,
    included: 25_000 * MILLION,
    source: SOURCES.d1,
  },
  d1_gb: { unit: "GB-months in D1", dollars: 0.75, per: 1, included: 5, source: SOURCES.d1 },
} as const satisfies Record<string, Price>;
export type Line = keyof typeof PRICES;
export const LINES = Object.keys(PRICES) as Line[];

export const LIMITS = {
  database_gb: { what: "GB in one D1 database", limit: 10, source: SOURCES.d1_limits },
  account_gb: { what: "GB of D1 in one account", limit: 1_000, source: SOURCES.d1_account },
  flushes_per_s: { what: "flushes a second in one D1 database", limit: 200, source: SOURCES.ours },
  main_reads_per_s: {
    what: "flushes a second that ask DB for their page",
    limit: 1_000,
    source: SOURCES.d1_queries,
  },
  databases: {
    what: "D1 databases bound to one Worker",
    limit: 5_000,
    source: SOURCES.d1_limits_before,
  },
  hottest_per_s: {
    what: "requests a second to one object",
    limit: 1_000,
    source: SOURCES.objects_faq,
  },
  sweep_days: {
    what: "days until the cron sweep has visited each page, of the 35 that ended pages are known",
    limit: 35,
    source: SOURCES.sweep,
  },
} as const;
export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

interface DayLimit {
  what: string;
  /** In a UTC day. */
  limit: number;
  source: string;
  /** What the cron takes of it in a day without visits: of the service, and of each page. */
  idle: number;
  idle_page: number;
}

const A_DAY = 1_440;

/**
 * What a free account has in a day, and what the cron takes of it each minute, which `test/workers/flush/free-account.test.ts`
 * counts.
 */
export const FREE = {
  requests: {
    what: "requests of the Worker",
    limit: 100_000,
    source: SOURCES.workers_limits,
    idle: A_DAY,
    idle_page: 0,
  },
  object_calls: {
    what: "calls and alarms of objects",
    limit: 100_000,
    source: SOURCES.objects,
    idle: 2 * A_DAY,
    idle_page: A_DAY,
  },
  object_rows: {
    what: "rows that objects write",
    limit: 100_000,
    source: SOURCES.objects,
    // From the third day on, when each minute deletes the samples of one.
    idle: 7 * A_DAY,
    idle_page: 0,
  },
  d1_rows: {
    what: "rows written in D1",
    limit: 100_000,
    source: SOURCES.d1,
    idle: A_DAY,
    idle_page: 0,
  },
  d1_rows_read: {
    what: "rows read in D1",
    limit: 5_000_000,
    source: SOURCES.d1,
    idle: 30 * A_DAY,
    idle_page: 8 * A_DAY,
  },
  kv_writes: { what: "writes of KV", limit: 1_000, source: SOURCES.kv, idle: 0, idle_page: 0 },
  r2_writes: {
    what: "writes and lists of R2, of a million a month",
    limit: 1_000_000 / 31,
    source: SOURCES.r2,
    idle: 3 * A_DAY,
    idle_page: 0,
  },
} as const satisfies Record<string, DayLimit>;
export type FreeLimit = keyof typeof FREE;
