/**
 * What a day of a page costs in D1: the object's own code counts a day of events and flushes them
 * into a real D1 (Miniflare's), which tells the rows that it wrote, as they are billed. The rows are
 * then repeated for many pages and days in SQLite, in the order in which they come, to measure
 * their bytes at rest; free space that inserts leave in its pages is included, the WAL is not.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { EventClass, Origin, PageEvent } from "../../objects/events/event.ts";
import { packEvents } from "../../objects/events/packed-events.ts";
import { PageCounter } from "../../objects/page/page-counter.ts";
import type { Database } from "../../objects/platform/ports.ts";
import { ROOT } from "../../src/commands/root.ts";
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { migrate } from "../../src/commands/serve/migrate.ts";
import { Disk } from "../model/disk.ts";
import { generator, integer, type Random } from "../random.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 2);
const MIGRATIONS = join(ROOT, "migrations");

/** Those of the main database; a folder has those of the databases of statistics. */
function migrations(): string[] {
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  return files.sort().map((name) => readFileSync(join(MIGRATIONS, name), "utf8"));
}

export interface Kind {
  name: string;
  events: number;
  links: number;
}

export const KINDS: readonly Kind[] = [
  { name: "quiet", events: 20, links: 5 },
  { name: "middle", events: 1_000, links: 10 },
  { name: "busy", events: 100_000, links: 10 },
  { name: "hottest", events: 300_000, links: 20 },
];

interface TallyRow {
  hour: number;
  kind: string;
  link_id: string;
  class: string;
  n: number;
}

export interface PageDay {
  name: string;
  events: number;
  /** Rows of D1 that were written, as they are billed, and the flushes that wrote them. */
  rows_written: number;
  flushes: number;
  /** Rows at rest: tallies by the hour, and the same day rolled into one. */
  hour_rows: number;
  day_rows: number;
  /** Bytes at rest in D1 of one page-day. */
  hour_bytes: number;
  rolled_bytes: number;
  days_bytes: number;
}

export async function measurePageDays(kinds: readonly Kind[]): Promise<PageDay[]> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      compatibilityDate: "2026-10-23",
      d1Databases: ["DB"],
    }),
  );
  try {
    const db: D1Database = await miniflare.getD1Database("DB");
    await migrate(db, (await readCheckout()).migrations.main);
    const days: PageDay[] = [];
    for (const kind of kinds) days.push(await measure(db as unknown as D1, kind));
    return days;
  } finally {
    await miniflare.dispose();
  }
}

type D1 = Database & {
  batch<R>(statements: unknown[]): Promise<{ results: R[]; meta: { rows_written: number } }[]>;
};

async function measure(d1: D1, { name, events, links }: Kind): Promise<PageDay> {
  const page_id = `page-of-a-day-${name}`;
  const document = {
    locales: ["ar"],
    time_zone: "UTC",
    indexed: true,
    contact: null,
    links: linksOf(links),
  };
  await d1
    .prepare(
      `INSERT INTO pages (page_id, slug, status, version, save_id, document, created_at, updated_at)
       VALUES (?1, ?1, 'published', 1, '', ?2, 0, 0)`,
    )
    .bind(page_id, JSON.stringify(document))
    .all();
  let rows_written = 0;
  let flushes = 0;
  const db: Database = {
    prepare: (query) => d1.prepare(query),
    batch: async <R>(statements: unknown[]) => {
      const results = await d1.batch<R>(statements);
      rows_written += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
      flushes += 1;
      return results;
    },
  } as Database;
  const random = generator(events);
  let now = START_MS;
  const disk = new Disk({
    commitDelay: () => 0,
    after: (_, run) => void setImmediate(run),
    writeFails: () => false,
    broken: () => {},
    committed: () => {},
  });
  const counter = new PageCounter({
    storage: disk.open(
      () => true,
      () => false,
    ),
    db,
    clock: { now: () => now, after: () => () => {} },
    random,
    abort: () => {},
    pageId: () => page_id,
    flush_interval_ms: MINUTE_MS,
    quiet_interval_ms: HOUR_MS,
    onFlushFailed: (error) => {
      throw error;
    },
  });
  await counter.ready();
  await counter.changed();
  const alarmsUntil = async (until_ms: number) => {
    while (disk.alarm !== null && disk.alarm <= until_ms) {
      now = Math.max(now, disk.alarm);
      disk.clearAlarm();
      await counter.onAlarm();
    }
    now = until_ms;
  };
  const times = Array.from({ length: events }, () => timeOfDay(random)).sort((a, b) => a - b);
  for (let i = 0; i < times.length; ) {
    const at_ms = times[i] ?? 0;
    const group: PageEvent[] = [];
    for (
      ;
      i < times.length && (times[i] ?? 0) < at_ms + MINUTE_MS && group.length < 1_000;
      i += 1
    ) {
      group.push(eventOf(i, links, random));
    }
    await alarmsUntil(Math.max(now, START_MS + at_ms));
    const receipts = await counter.recordBatch(packEvents(group));
    for (const [n, { outcome }] of receipts.entries()) {
      const event = group[n];
      // The copy of the page was old, and D1 had to be asked: the router sends such an event alone.
      if (outcome === "unsettled" && event !== undefined) await counter.record(event);
    }
  }
  await alarmsUntil(START_MS + DAY_MS + HOUR_MS);
  await counter.flush();
  await disk.sync();
  disk.close();
  const { results: tallies } = await d1
    .prepare("SELECT hour, kind, link_id, class, n FROM tallies WHERE page_id = ?1")
    .bind(page_id)
    .all<TallyRow>();
  const { results: days } = await d1
    .prepare("SELECT breakdowns FROM days WHERE page_id = ?1")
    .bind(page_id)
    .all<{ breakdowns: string }>();
  const counted = tallies.reduce((sum, { n }) => sum + n, 0);
  if (counted !== events) throw new Error(`D1 has ${counted} of ${events} events`);
  const rolled = new Map<string, TallyRow>();
  for (const row of tallies) {
    const key = `${row.kind} ${row.link_id} ${row.class}`;
    rolled.set(key, { ...row, hour: START_MS / SECOND_MS, n: (rolled.get(key)?.n ?? 0) + row.n });
  }
  return {
    name,
    events,
    rows_written,
    flushes,
    hour_rows: tallies.length,
    day_rows: rolled.size,
    hour_bytes: bytesAtRest(tallies),
    rolled_bytes: bytesAtRest([...rolled.values()]),
    days_bytes: bytesAtRest([], days[0]?.breakdowns ?? "{}"),
  };
}

/** Bytes of a page-day in a database of many, whose rows came hour by hour from all pages. */
function bytesAtRest(tallies: readonly TallyRow[], breakdowns?: string): number {
  const db = new DatabaseSync(":memory:");
  for (const migration of migrations()) db.exec(migration);
  const size = () =>
    Number((db.prepare("PRAGMA page_count").get() as { page_count: number }).page_count) * 4_096;
  const before = size();
  const random = generator(1);
  const ids = Array.from({ length: 16 }, () => hexId(random));
  const days = 7;
  const tally = db.prepare("INSERT INTO tallies VALUES (?, ?, ?, ?, ?, 0, ?)");
  const day = db.prepare("INSERT INTO days VALUES (?, ?, 0, 500, ?, 900, ?)");
  db.exec("BEGIN");
  for (let d = 0; d < days; d += 1) {
    const by_hour = Object.values(Object.groupBy(tallies, ({ hour }) => hour));
    for (const rows of by_hour) {
      for (const page_id of ids) {
        for (const row of rows ?? []) {
          tally.run(page_id, row.hour + d * 86_400, row.kind, row.link_id, row.class, row.n);
        }
      }
    }
    if (breakdowns !== undefined) {
      for (const page_id of ids)
        day.run(page_id, START_MS / SECOND_MS + d * 86_400, breakdowns, START_MS);
    }
  }
  db.exec("COMMIT");
  const bytes = (size() - before) / (ids.length * days);
  db.close();
  return Math.round(bytes);
}

/** As long as a real one. */
function hexId(random: Random): string {
  return Array.from({ length: 16 }, () => integer(16, random).toString(16)).join("");
}

function linksOf(n: number) {
  return Array.from({ length: n }, (_, i) => ({
    link_id: `link-${String(i).padStart(3, "0")}`,
    label: { ar: "رابط" },
    url: "https://example.org/",
    enabled: true,
  }));
}

/** Milliseconds after midnight: few at night, most in the evening. */
function timeOfDay(random: Random): number {
  for (;;) {
    const at = random();
    if (random() < 0.55 - 0.45 * Math.cos(2 * Math.PI * (at - 0.2))) return at * DAY_MS;
  }
}

function eventOf(i: number, links: number, random: Random): PageEvent {
  const share = random();
  const class_: EventClass =
    share < 0.85 ? "human" : share < 0.97 ? "bot" : share < 0.99 ? "limited" : "owner";
  const isClick = random() < 0.35;
  // The first links are clicked most.
  const link_id = isClick
    ? `link-${String(integer(Math.ceil(links * random()), random)).padStart(3, "0")}`
    : "";
  const isPerson = class_ === "human";
  return {
    key: (i + 1).toString(16).padStart(16, "0"),
    link_id,
    class: class_,
    visitor: isPerson ? `visitor ${integer(1 + Math.floor(i / 2), random)}` : null,
    origin: isPerson ? originOf(random) : null,
  };
}

/** A few values that most have, and a long tail. */
function originOf(random: Random): Origin {
  const of = (name: string, values: number) => `${name}${Math.floor(values * random() ** 3)}`;
  return {
    ...(random() < 0.6 && { referrer: `${of("site-", 120)}.example` }),
    country: of("C", 40),
    device: of("device", 3),
    language: of("l", 12),
    ...(random() < 0.1 && {
      utm_source: of("source", 10),
      utm_medium: of("m", 4),
      utm_campaign: of("c", 8),
    }),
  };
}
