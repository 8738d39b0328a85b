/** Compares totals, classes and D1's numbers with the sets of ids behind them. Pure. */
import type { Sum } from "../server/serve.ts";
import { concerns } from "./edits.ts";
import type { HandOver } from "./hand-overs.ts";
import type { Evidence, Violation } from "./judge.ts";
import type { SentEvent } from "./plan.ts";
import { type Attempt, isAcknowledged } from "./witness.ts";

/** All clients are human, within their limits or over them. */
const CLASSES = ["human", "limited"] as const;
/** The place of an event that no client sent. */
const NOWHERE = { page_id: "nowhere", link_id: "" };

/**
 * Totals are the sizes of the sets plus the numbers that were handed over. An event without a last answer
 * may be written after the objects were asked, so a total may be smaller than the stored ids, but never
 * smaller than the acknowledged ones.
 */
export function judgeTotals(evidence: Evidence): Violation[] {
  const { sent, acknowledged, totals } = evidence;
  const found: Violation[] = [];
  const counted = sizes(totals, cellOf);
  const ids = sizes(storedEvents(evidence), cellOf);
  const numbers = sizes(storedNumbers(evidence), cellOf);
  const certain = sizes(
    [...acknowledged].map((key) => ({ ...(sent.get(key) ?? NOWHERE), n: 1 })),
    cellOf,
  );
  for (const [cell, n] of counted) {
    const most = (ids.get(cell) ?? 0) + (numbers.get(cell) ?? 0);
    if (n <= most) continue;
    found.push({ rule: "doubled", id: cell, detail: `${n} counted, ${most} ids`, by: n - most });
  }
  for (const cell of new Set([...certain.keys(), ...numbers.keys()])) {
    const n = counted.get(cell) ?? 0;
    const least = (certain.get(cell) ?? 0) + (numbers.get(cell) ?? 0);
    if (n >= least) continue;
    const detail = `${n} counted, ${least} acknowledged or handed over`;
    found.push({ rule: "lost", id: cell, detail, by: least - n });
  }
  return found;
}

/**
 * `counted` means human, `limited` means limited: each class has at least these events, and there is no
 * other class. If only `duplicate` was answered, the class of a redirect's click is unknown; a beacon's
 * event is human. A number that was handed over is limited.
 */
export function judgeClasses(evidence: Evidence): Violation[] {
  const { sent, acknowledged, attempts, totals } = evidence;
  const heard = new Map<string, "human" | "limited">();
  for (const key of acknowledged) if (sent.get(key)?.by === "beacon") heard.set(key, "human");
  for (const { key, answer } of attempts) {
    if (answer === "counted") heard.set(key, "human");
    else if (answer === "limited") heard.set(key, "limited");
  }
  const certain = [...heard].map(([key, visitor]) => {
    return { ...(sent.get(key) ?? NOWHERE), class: visitor, n: 1 };
  });
  const possible = storedEvents(evidence).flatMap((event) => {
    const known = event.by === "beacon" ? "human" : heard.get(event.key);
    return (known === undefined ? CLASSES : [known]).map((visitor) => ({
      ...event,
      class: visitor,
    }));
  });
  const numbers = storedNumbers(evidence);
  const least = sizes([...certain, ...numbers], classCellOf);
  const most = sizes([...possible, ...numbers], classCellOf);
  const counted = sizes(totals, classCellOf);
  const found: Violation[] = [];
  for (const id of new Set([...least.keys(), ...counted.keys()])) {
    const n = counted.get(id) ?? 0;
    const [from, to] = [least.get(id) ?? 0, most.get(id) ?? 0];
    if (n >= from && n <= to) continue;
    const detail = `${n} counted, ${from} to ${to} acknowledged or handed over so`;
    found.push({ rule: "misclassed", id, detail });
  }
  return found;
}

/** A refusal reaches its page within this time, in milliseconds: a second, plus the delay of the call. */
const HANDED_OVER_MS = 3_000;

/**
 * Routers hand over refusals only: of class `limited`, and at most as many as clients were refused, or
 * may have been refused without an answer. All refusals arrive if their router had counted other events
 * of the same page, unless something goes down or an edit comes first, because waiting numbers are in
 * memory only. Of pages that a router does not know, it keeps the numbers of one at a time.
 */
export function judgeHandOvers(evidence: Evidence): Violation[] {
  const { sent, attempts, handed_over, downtimes, edits } = evidence;
  const found: Violation[] = [];
  const arrived = sizes(storedNumbers(evidence), cellOf);
  const certain = sizes(
    attempts.flatMap((attempt) => {
      const { key, answer, sent_ms, ended_ms } = attempt;
      const event = sent.get(key);
      if (answer !== "refused" || event === undefined) return [];
      const until_ms = ended_ms + HANDED_OVER_MS;
      const hindered =
        !knowsPage(attempt, evidence) ||
        downtimes.some((down) => down.from_ms < until_ms && down.until_ms > sent_ms) ||
        edits.some((edit) => concerns(edit, event) && edit.begun_ms < until_ms);
      return hindered ? [] : [{ ...event, n: 1 }];
    }),
    cellOf,
  );
  for (const [id, least] of certain) {
    const n = arrived.get(id) ?? 0;
    if (n >= least) continue;
    const detail = `${n} counted as numbers, ${least} refused while nothing was down`;
    found.push({ rule: "refusal_lost", id, detail });
  }
  const refused = sizes(
    attempts.flatMap(({ key, answer, status, arrived }) => {
      const may_be_refused = answer === "refused" || (status === null && arrived);
      return may_be_refused ? [{ ...(sent.get(key) ?? NOWHERE), n: 1 }] : [];
    }),
    cellOf,
  );
  for (const [id, n] of sizes(handed_over, cellOf)) {
    const most = refused.get(id) ?? 0;
    if (n <= most) continue;
    const detail = `${n} handed over as numbers, ${most} refused`;
    found.push({ rule: "doubled", id, detail, by: n - most });
  }
  for (const { key, class: visitor } of handed_over) {
    if (visitor === "limited") continue;
    found.push({ rule: "misclassed", id: key, detail: `handed over as a number of ${visitor}` });
  }
  return found;
}

/** Whether the attempt's router had counted an event of the same page since its last start. */
function knowsPage({ key, router, sent_ms }: Attempt, { sent, attempts, downtimes }: Evidence) {
  const page_id = sent.get(key)?.page_id;
  const kills = downtimes.filter(({ what, from_ms }) => what === "kill" && from_ms < sent_ms);
  const started_ms = Math.max(0, ...kills.map(({ until_ms }) => until_ms));
  return attempts.some((earlier) => {
    const isOfLife = earlier.sent_ms >= started_ms && earlier.ended_ms <= sent_ms;
    const isOfPage = earlier.router === router && sent.get(earlier.key)?.page_id === page_id;
    return isOfLife && isOfPage && isAcknowledged(earlier.answer);
  });
}

/** D1 equals the objects for every page, kind, link and class. */
export function judgeD1({ totals, sums }: Pick<Evidence, "totals" | "sums">): Violation[] {
  const cell = (sum: Sum) => `${sum.page_id}/${sum.kind}/${sum.link_id}/${sum.class}`;
  const objects = sizes(totals, cell);
  const d1 = sizes(sums, cell);
  return [...new Set([...objects.keys(), ...d1.keys()])].flatMap((id): Violation[] => {
    const said = [objects.get(id) ?? 0, d1.get(id) ?? 0] as const;
    if (said[0] === said[1]) return [];
    return [{ rule: "d1_differs", id, detail: `${said[0]} in the object, ${said[1]} in D1` }];
  });
}

export function agree(totals: readonly Sum[], sums: readonly Sum[]): boolean {
  return judgeD1({ totals, sums }).length === 0;
}

function storedEvents({ sent, stored }: Evidence): (SentEvent & { n: number })[] {
  return [...new Set(stored.map(({ key }) => key))].flatMap((key) => {
    const event = sent.get(key);
    return event === undefined ? [] : [{ ...event, n: 1 }];
  });
}

export function storedNumbers({
  stored,
  handed_over,
}: Pick<Evidence, "stored" | "handed_over">): HandOver[] {
  const keys = new Set(stored.map(({ key }) => key));
  return handed_over.filter(({ key }) => keys.has(key));
}

interface Cell {
  page_id: string;
  link_id: string;
}

function cellOf({ page_id, link_id }: Cell): string {
  return `${page_id}/${link_id}`;
}

function classCellOf(item: Cell & { class: string }): string {
  return `${cellOf(item)}/${item.class}`;
}

function sizes<T extends { n: number }>(
  items: readonly T[],
  cell: (item: T) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(cell(item), (sums.get(cell(item)) ?? 0) + item.n);
  return sums;
}
