/** Compares numbers with the sets behind them: totals, classes, and what D1 says. Pure. */
import type { Sum } from "../local/serve.ts";
import type { Evidence, Violation } from "./judge.ts";

/**
 * The numbers are the sizes of the sets. An event that nobody heard of again may be written after the
 * objects were asked, so a total may stay behind the stored ids, but never behind the acknowledged ones.
 */
export function judgeTotals(evidence: Evidence): Violation[] {
  const { sent, acknowledged, stored, totals } = evidence;
  const found: Violation[] = [];
  const cellOf = (key: string) => {
    const event = sent.get(key);
    return event === undefined ? "nowhere" : `${event.page_id}/${event.link_id}`;
  };
  const counted = sizes(totals, (sum) => `${sum.page_id}/${sum.link_id}`);
  const ids = sizes(
    [...new Set(stored.map(({ key }) => key))].map((key) => ({ key, n: 1 })),
    ({ key }) => cellOf(key),
  );
  const certain = sizes(
    [...acknowledged].map((key) => ({ key, n: 1 })),
    ({ key }) => cellOf(key),
  );
  for (const [cell, n] of counted) {
    const most = ids.get(cell) ?? 0;
    if (n <= most) continue;
    found.push({ rule: "doubled", id: cell, detail: `${n} counted, ${most} ids`, by: n - most });
  }
  for (const [cell, least] of certain) {
    const n = counted.get(cell) ?? 0;
    if (n >= least) continue;
    const detail = `${n} counted, ${least} acknowledged`;
    found.push({ rule: "lost", id: cell, detail, by: least - n });
  }
  return found;
}

/**
 * Who was told `counted` is a person, and whoever was told `limited` was over the limit: each class has at
 * least these, and there is no other. Where only `duplicate` was heard, nobody knows the class.
 */
export function judgeClasses({ sent, attempts, totals }: Evidence): Violation[] {
  const cell = (page_id: string, link_id: string, visitor: string) =>
    `${page_id}/${link_id}/${visitor}`;
  const heard = new Map<string, Set<string>>();
  for (const { key, answer } of attempts) {
    const event = sent.get(key);
    if (event === undefined || (answer !== "counted" && answer !== "limited")) continue;
    const id = cell(event.page_id, event.link_id, answer === "counted" ? "human" : "limited");
    heard.set(id, (heard.get(id) ?? new Set()).add(key));
  }
  const counted = sizes(totals, (sum) => cell(sum.page_id, sum.link_id, sum.class));
  const found: Violation[] = [];
  for (const [id, keys] of heard) {
    const n = counted.get(id) ?? 0;
    if (n >= keys.size) continue;
    found.push({ rule: "misclassed", id, detail: `${n} counted, ${keys.size} acknowledged so` });
  }
  for (const { page_id, link_id, class: visitor, n } of totals) {
    if (visitor === "human" || visitor === "limited") continue;
    const id = cell(page_id, link_id, visitor);
    found.push({ rule: "misclassed", id, detail: `${n} counted, but all clients are people` });
  }
  return found;
}

/** D1 says the same as the objects, for every page, kind, link and class. */
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

/** Whether D1 and the objects agree. */
export function agree(totals: readonly Sum[], sums: readonly Sum[]): boolean {
  return judgeD1({ totals, sums }).length === 0;
}

function sizes<T extends { n: number }>(
  items: readonly T[],
  cell: (item: T) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(cell(item), (sums.get(cell(item)) ?? 0) + item.n);
  return sums;
}
