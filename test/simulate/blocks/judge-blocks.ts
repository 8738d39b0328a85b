/** Compares what the clients of the blocks know with the hub's books, R2, the mailbox and D1. Pure. */
import { AI_REQUESTS_PER_PLAN } from "../../../src/blocks/ai/limits.ts";
import type { Sum } from "../../server/serve.ts";
import type { Rule, Violation } from "../judge.ts";
import { DOWNLOAD, JAR, NEWSLETTER, type Visitor } from "./blocks-page.ts";
import type { Notes } from "./notes.ts";

interface Tip {
  /** Unique: the client's key. */
  message: string;
  from_id: string;
  points: number;
}

export interface BlocksEvidence {
  notes: Notes;
  uses_max: number;
  /** Transfers to the owner in the hub's books, by the tip's id. */
  books: readonly { id: string; user_id: string; points: number }[];
  sent: readonly { id: string; message: string }[];
  tips: readonly Tip[];
  totals: readonly Sum[];
  sums: readonly Sum[];
  /** Uses of the download: in its object, and in D1. */
  uses: { object: number; d1: number };
  /** SHA-256 of the file in R2. */
  file_hash: string;
  subscribers: readonly string[];
}

const QUOTAS: Record<Visitor, number> = {
  "demo-free": AI_REQUESTS_PER_PLAN.free,
  "demo-business": AI_REQUESTS_PER_PLAN.business,
};

export function judgeBlocks(evidence: BlocksEvidence): Violation[] {
  return [
    ...judgeTips(evidence),
    ...judgeDownloads(evidence),
    ...judgeSubscribers(evidence),
    ...judgeSuggestions(evidence),
  ];
}

/** What the clients heard, which no time heals. */
export function judgeNotes({ stuck, unexpected }: Notes): Violation[] {
  return [
    ...stuck.map((detail) => broken("stuck", "blocks", detail)),
    ...unexpected.map((detail) => broken("unexpected_answer", "blocks", detail)),
  ];
}

/** Acknowledged ⊆ books = D1 = clicks of the jar, and nothing twice. */
function judgeTips({ notes, books, sent, tips, ...numbers }: BlocksEvidence): Violation[] {
  const found: Violation[] = [];
  const messages = new Map(sent.map(({ id, message }) => [id, message]));
  const booked: Tip[] = books.map(({ id, user_id, points }) => {
    return {
      message: messages.get(id) ?? `unknown to the tipper: ${id}`,
      from_id: user_id,
      points,
    };
  });
  const times = Map.groupBy(booked, ({ message }) => message);
  for (const [key, those] of times) {
    if (those.length > 1) {
      found.push(broken("tip_doubled", key, `${those.length} times in the books`));
    }
    if (notes.tips.get(key)?.outcome === "refused") {
      found.push(broken("tip_differs", key, "refused, but in the books"));
    }
  }
  const ids = new Set(books.map(({ id }) => id));
  for (const [key, { outcome, id }] of notes.tips) {
    if (outcome !== "sent" || (id !== null && ids.has(id) && times.has(key))) continue;
    found.push(broken("tip_lost", key, "acknowledged, but not in the books"));
  }
  const text = (list: readonly Tip[]) =>
    list.map(({ message, from_id, points }) => `${message} ${from_id} ${points}`).toSorted();
  found.push(...differing("tip_differs", "the books", text(booked), "D1", text(tips)));
  found.push(...judgeClicks("tip_differs", JAR, books.length, numbers));
  return found;
}

/** As many uses as were wanted and allowed, each with the whole file. */
function judgeDownloads({ notes, uses_max, uses, file_hash, ...numbers }: BlocksEvidence) {
  const { files, used_up } = notes;
  const found: Violation[] = [];
  for (const [token, hash] of files) {
    if (hash === file_hash) continue;
    found.push(broken("download_differs", token.slice(0, 16), "its bytes are not those in R2"));
  }
  const most = Math.min(uses_max, files.size + used_up);
  if (files.size > uses_max) {
    found.push(broken("over_uses", DOWNLOAD, `${files.size} got the file, ${uses_max} allowed`));
  } else if (files.size < most) {
    found.push(broken("download_differs", DOWNLOAD, `${files.size} got the file, not ${most}`));
  }
  for (const [where, n] of Object.entries(uses)) {
    if (n === files.size) continue;
    const detail = `${files.size} got the file, ${n} uses in ${where}`;
    found.push(broken(n > uses_max ? "over_uses" : "download_differs", DOWNLOAD, detail));
  }
  return [...found, ...judgeClicks("download_differs", DOWNLOAD, files.size, numbers)];
}

/** Accepted ⊆ mailed; confirmed ⊆ the owner's list ⊆ those who tried to confirm. */
function judgeSubscribers({ notes, subscribers, ...numbers }: BlocksEvidence): Violation[] {
  const found: Violation[] = [];
  for (const email of notes.accepted) {
    if (!notes.mailed.has(email)) found.push(broken("mail_lost", email, "accepted, but no mail"));
  }
  const listed = new Set(subscribers);
  for (const email of notes.confirmed) {
    if (listed.has(email)) continue;
    found.push(broken("subscriber_lost", email, "confirmed, but not in the list"));
  }
  for (const email of listed) {
    if (notes.confirming.has(email)) continue;
    found.push(broken("subscriber_differs", email, "in the list, but not confirmed"));
  }
  if (listed.size !== subscribers.length) {
    found.push(broken("subscriber_differs", NEWSLETTER, "an address is in the list twice"));
  }
  return [...found, ...judgeClicks("subscriber_differs", NEWSLETTER, listed.size, numbers)];
}

function judgeSuggestions({ notes }: BlocksEvidence): Violation[] {
  const found: Violation[] = [];
  let all = 0;
  for (const [user, n] of notes.suggested) {
    all += n;
    if (n <= QUOTAS[user]) continue;
    found.push(broken("over_quota", user, `${n} answered, where ${QUOTAS[user]} are allowed`));
  }
  if (all > notes.endpoint_calls) {
    const detail = `${all} answered, ${notes.endpoint_calls} calls at the endpoint`;
    found.push(broken("over_quota", "suggestions", detail));
  }
  return found;
}

/** The clicks of a block are its conversions, in the object and in D1. */
function judgeClicks(
  rule: Rule,
  link_id: string,
  expected: number,
  { totals, sums }: Pick<BlocksEvidence, "totals" | "sums">,
): Violation[] {
  const clicks = (list: readonly Sum[]) =>
    list
      .filter((sum) => sum.link_id === link_id && sum.kind === "click")
      .reduce((sum, { n }) => sum + n, 0);
  return [["the object", totals] as const, ["D1", sums] as const].flatMap(([where, list]) => {
    const n = clicks(list);
    if (n === expected) return [];
    return [broken(rule, link_id, `${n} clicks in ${where}, where ${expected} are expected`)];
  });
}

function differing(
  rule: Rule,
  one: string,
  of_one: readonly string[],
  other: string,
  of_other: readonly string[],
): Violation[] {
  const missing = (here: readonly string[], there: readonly string[], text: string) => {
    const known = new Set(there);
    return here.filter((id) => !known.has(id)).map((id) => broken(rule, id, text));
  };
  return [
    ...missing(of_one, of_other, `in ${one}, not in ${other}`),
    ...missing(of_other, of_one, `in ${other}, not in ${one}`),
    ...(of_one.length === of_other.length
      ? []
      : [broken(rule, one, `${of_one.length} in ${one}, ${of_other.length} in ${other}`)]),
  ];
}

function broken(rule: Rule, id: string, detail: string): Violation {
  return { rule, id, detail };
}
