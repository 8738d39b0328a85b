/**
 * The storage of a page object as the first version of the code left it: with events that are
 * flushed, events in a checkpoint that is not flushed, and events in the journal. Frozen: it must
 * not follow the code, because disks hold such storage already (docs/faults.md F16).
 */
import type { Storage } from "../../objects/platform/ports.ts";

/** Events that the old code has acknowledged. Keys are 16 hex digits. */
export const OLD_EVENTS = [
  { key: "00000000000000a1", link_id: "old1", at: "flushed" },
  { key: "00000000000000a2", link_id: "old2", at: "checkpoint" },
  { key: "00000000000000a3", link_id: "old3", at: "journal" },
] as const;

/** Views that the old code has flushed: two more reach the page's second milestone. */
export const OLD_VIEWS = 998;

const SCHEMA = [
  "CREATE TABLE journal (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, events TEXT NOT NULL)",
  `CREATE TABLE tallies (hour INTEGER, kind TEXT, link_id TEXT, class TEXT,
     n INTEGER NOT NULL, flushed INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (hour, kind, link_id, class)) WITHOUT ROWID`,
  `CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, keys BLOB NOT NULL,
     unflushed_from INTEGER NOT NULL)`,
  `CREATE TABLE days (day INTEGER PRIMARY KEY, visitors INTEGER NOT NULL, breakdowns TEXT NOT NULL,
     version INTEGER NOT NULL, flushed_version INTEGER NOT NULL DEFAULT 0)`,
  "CREATE TABLE visitors (day INTEGER, chunk INTEGER, keys BLOB NOT NULL, PRIMARY KEY (day, chunk)) WITHOUT ROWID",
];

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;

/** Writes that storage, as of `now`, and answers the rows that D1 has of it. */
export function writeOldState({ sql, kv, setAlarm }: Storage, now: number) {
  for (const statement of SCHEMA) sql.exec(statement);
  kv.put("schema_version", 1);
  const at = now - TEN_MINUTES_MS;
  const hour = (at - (at % HOUR_MS)) / 1_000;
  const [flushed, checkpointed, journaled] = OLD_EVENTS;
  const views = "INSERT INTO tallies VALUES (?1, 'view', '', 'human', ?2, ?2)";
  sql.exec(views, hour, OLD_VIEWS);
  const tally = "INSERT INTO tallies VALUES (?1, 'click', ?2, 'human', 1, ?3)";
  sql.exec(tally, hour, flushed.link_id, 1);
  sql.exec(tally, hour, checkpointed.link_id, 0);
  const packed = Buffer.from(flushed.key + checkpointed.key, "hex");
  sql.exec("INSERT INTO checkpoints VALUES (1, ?1, ?2, ?3)", at, Uint8Array.from(packed), hour);
  const { key, link_id } = journaled;
  sql.exec(
    "INSERT INTO journal VALUES (1, ?1, ?2)",
    at,
    JSON.stringify([{ key, link_id, class: "human", visitor: null, origin: null }]),
  );
  void setAlarm(now);
  return [
    { hour, kind: "view", link_id: "", n: OLD_VIEWS },
    { hour, kind: "click", link_id: flushed.link_id, n: 1 },
  ];
}
