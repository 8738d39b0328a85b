/**
 * The copy of a page's subscribers in a backup: those who have confirmed, with the hashes of their
 * tokens, so that the links of old mails go on working.
 *
 * A list has a random name, which is lost with the object's storage. A list with the name of the copy
 * has lost nothing and takes nothing, or a restore would bring back who has left since. Another list has
 * begun anew; it takes the copy, unless somebody has left it since, because that address may be in the
 * copy too. The version of a list grows with each confirmation and each departure: beyond the number of
 * subscribers it has grown by departures, so nothing is stored of those who left.
 */
import type { Storage } from "../platform/ports.ts";
import type { Subscriber } from "./subscriber-tables.ts";

/** A subscriber who has confirmed. */
export interface CopiedSubscriber extends Subscriber {
  confirmed_at: number;
  /** SHA-256 in hex of the valid tokens, the oldest first. */
  tokens: string[];
}

export interface SubscribersCopy {
  /** The name of the list; `''` where the object was never used. */
  list: string;
  /** Of the list; 0 where the object was never used. */
  version: number;
  /** In the order of their ids. */
  subscribers: CopiedSubscriber[];
}

/** A part of a page's copy, for a restore. */
export interface CopyPart extends SubscribersCopy {
  /** Whether no other part of the page follows. */
  is_last: boolean;
}

/**
 * `current`: the object lost nothing, or has this part already. `left`: somebody has left the new list
 * since the old one was lost, so nothing was taken.
 */
export type CopyTaken = { result: "taken" | "current" | "left"; taken: number };

const LIST = "list";
/** While a copy is being taken: its list, and the last id that was taken. */
const TAKING = "taking_copy";
interface Taking {
  list: string;
  after: string;
}

type Values = (string | number | null)[];

/** Up to `limit` confirmed subscribers with ids after this one. */
export function readCopy(
  storage: Storage,
  { version, newName }: { version: number; newName: () => string },
  after: string,
  limit: number,
): SubscribersCopy {
  const list = storage.kv.get<string>(LIST) ?? newName();
  storage.kv.put(LIST, list);
  const rows = all<CopiedSubscriber & { hashes: string }>(
    storage,
    `SELECT *, (SELECT json_group_array(hash) FROM
        (SELECT hash FROM tokens WHERE tokens.id = subscribers.id ORDER BY seq)) AS hashes
     FROM subscribers WHERE id > ?1 AND confirmed_at IS NOT NULL ORDER BY id LIMIT ?2`,
    after,
    limit,
  );
  const subscribers = rows.map(({ hashes, ...row }) => ({ ...row, tokens: JSON.parse(hashes) }));
  return { list, version, subscribers };
}

/**
 * Takes a part of a copy; the parts of a page must come in their order, and may be repeated. Belongs
 * into a transaction of the caller. `version` and `confirmed` are those of the object.
 */
export function takeCopy(
  storage: Storage,
  { version, confirmed }: { version: number; confirmed: number },
  part: CopyPart,
): CopyTaken {
  const { kv } = storage;
  let taking = kv.get<Taking>(TAKING);
  if (taking?.list !== part.list) {
    if (kv.get(LIST) === part.list) return { result: "current", taken: 0 };
    if (version > confirmed) return { result: "left", taken: 0 };
    taking = { list: part.list, after: "" };
  }
  let taken = 0;
  for (const subscriber of part.subscribers) {
    // Those up to here were taken before, and may have left since.
    if (subscriber.id <= taking.after) continue;
    if (insert(storage, subscriber)) taken += 1;
    taking = { ...taking, after: subscriber.id };
  }
  if (part.is_last) {
    kv.delete(TAKING);
    kv.put(LIST, part.list);
  } else kv.put(TAKING, taking);
  return { result: "taken", taken };
}

/**
 * False where the subscriber is in the list already. One who waits for the mail's link had confirmed
 * before, and need not again.
 */
function insert(storage: Storage, { tokens, ...row }: CopiedSubscriber): boolean {
  const [known] = all<{ id: string; confirmed_at: number | null }>(
    storage,
    "SELECT id, confirmed_at FROM subscribers WHERE address = ?1 OR id = ?2",
    row.address,
    row.id,
  );
  if (known !== undefined && known.confirmed_at !== null) return false;
  const { id } = known ?? row;
  all(
    storage,
    `INSERT INTO subscribers (id, email, address, link_id, locale, site, page_name, class, origin,
       asked_at, confirmed_at, welcomed_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
     ON CONFLICT (id) DO UPDATE SET
       confirmed_at = excluded.confirmed_at, welcomed_at = excluded.welcomed_at`,
    ...[id, row.email, row.address, row.link_id, row.locale, row.site, row.page_name],
    ...[row.class, row.origin, row.asked_at, row.confirmed_at, row.welcomed_at],
  );
  for (const hash of tokens) {
    all(storage, "INSERT INTO tokens (hash, id) VALUES (?1, ?2) ON CONFLICT DO NOTHING", hash, id);
  }
  return true;
}

function all<R>(storage: Storage, query: string, ...values: Values): R[] {
  return storage.sql.exec(query, ...values).toArray() as unknown as R[];
}
