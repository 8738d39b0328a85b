/** The simulator's judge finds every kind of broken promise, and none where there is none. */
import { describe, expect, test } from "vitest";
import { type Evidence, judge, type Violation } from "../simulate/judge.ts";
import type { Attempt } from "../simulate/witness.ts";

const LIMIT = 60;

/** A request that took 10 ms and was answered `counted`. */
function attempt(key: string, sent_ms: number, but: Partial<Attempt> = {}): Attempt {
  return {
    key,
    sender: "192.0.2.1",
    sent_ms,
    ended_ms: sent_ms + 10,
    answer: "counted",
    charged: "admitted",
    retry_after_s: null,
    ...but,
  };
}

/** Two views and a click, all counted as they should be. */
function flawless(): Evidence {
  const event = (key: string, link_id: string) => {
    return [key, { key, event_id: `id-${key}`, page_id: "page", link_id }] as const;
  };
  const counted = [
    { page_id: "page", kind: "view", link_id: "", class: "human", n: 2 },
    { page_id: "page", kind: "click", link_id: "shop", class: "human", n: 1 },
  ];
  const stored = ["a", "b", "c"].map((key) => ({ page_id: "page", key }));
  return {
    sent: new Map([event("a", ""), event("b", ""), event("c", "shop")]),
    acknowledged: new Set(["a", "b", "c"]),
    attempts: [attempt("a", 0), attempt("b", 1), attempt("c", 2)],
    waits: [],
    stored,
    forgotten: [],
    totals: counted,
    sums: counted,
    stuck: new Set(),
    unexpected: [],
  };
}

/** Rules broken and by whom. */
function found(evidence: Evidence): Pick<Violation, "rule" | "id">[] {
  return judge(evidence).violations.map(({ rule, id }) => ({ rule, id }));
}

describe("the judge", () => {
  test("finds nothing where every event is counted once", () => {
    const { violations, ...numbers } = judge(flawless());
    expect(violations).toEqual([]);
    expect(numbers).toMatchObject({ sent: 3, acknowledged: 3, counted_in_d1: 3, lost: 0 });
  });

  test("an event that was never acknowledged may be counted or not", () => {
    const { attempts, ...evidence } = flawless();
    const unheard = {
      ...evidence,
      acknowledged: new Set(["a", "b"]),
      attempts: attempts.filter(({ key }) => key !== "c"),
    };
    expect(found(unheard)).toEqual([]);
    const stored = evidence.stored.filter(({ key }) => key !== "c");
    const totals = evidence.totals.slice(0, 1);
    expect(found({ ...unheard, stored, totals, sums: totals })).toEqual([]);
  });

  test("an acknowledged event that is not stored is lost, even if the numbers are right", () => {
    const evidence = flawless();
    const stored = evidence.stored.map(({ key, page_id }) => ({
      page_id,
      key: key === "b" ? "z" : key,
    }));
    expect(found({ ...evidence, stored })).toEqual([
      { rule: "phantom", id: "z" },
      { rule: "lost", id: "b" },
      { rule: "doubled", id: "page/" },
    ]);
  });

  test("an acknowledged event that its object does not remember is lost", () => {
    expect(found({ ...flawless(), forgotten: ["a"] })).toEqual([{ rule: "lost", id: "a" }]);
  });

  test("an event stored twice is doubled", () => {
    const evidence = flawless();
    const stored = [...evidence.stored, { page_id: "page", key: "a" }];
    expect(found({ ...evidence, stored })).toEqual([{ rule: "doubled", id: "a" }]);
  });

  test("an event acknowledged as new twice is doubled", () => {
    const evidence = flawless();
    const attempts = [...evidence.attempts, attempt("a", 50)];
    expect(found({ ...evidence, attempts })).toEqual([{ rule: "doubled", id: "a" }]);
  });

  test("a total above its ids is doubled, one below what was acknowledged is lost", () => {
    const evidence = flawless();
    const counted = [
      { page_id: "page", kind: "view", link_id: "", class: "human", n: 3 },
      { page_id: "page", kind: "click", link_id: "shop", class: "human", n: 0 },
    ];
    expect(found({ ...evidence, totals: counted, sums: counted })).toEqual([
      { rule: "doubled", id: "page/" },
      { rule: "lost", id: "page/shop" },
      { rule: "misclassed", id: "page/shop/human" },
    ]);
  });

  test("an event stored by a page that it was not sent to is a phantom", () => {
    const evidence = flawless();
    const stored = [...evidence.stored.slice(0, 2), { page_id: "other", key: "c" }];
    expect(found({ ...evidence, stored })).toEqual([{ rule: "phantom", id: "c" }]);
  });

  test("an event that is missing by its id and in a total is lost once", () => {
    const evidence = flawless();
    const stored = evidence.stored.filter(({ key }) => key !== "c");
    const totals = evidence.totals.slice(0, 1);
    expect(judge({ ...evidence, stored, totals, sums: totals })).toMatchObject({ lost: 1 });
  });

  test("an event counted under another class than was acknowledged is misclassed", () => {
    const evidence = flawless();
    const counted = evidence.totals.map((sum) => ({
      ...sum,
      class: sum.link_id ? "bot" : "human",
    }));
    expect(found({ ...evidence, totals: counted, sums: counted })).toEqual([
      { rule: "misclassed", id: "page/shop/human" },
      { rule: "misclassed", id: "page/shop/bot" },
    ]);
    const attempts = [attempt("c", 2, { answer: "limited", charged: "refused" })];
    expect(judge({ ...evidence, attempts }).violations).toContainEqual(
      expect.objectContaining({ rule: "misclassed", id: "page/shop/limited" }),
    );
  });

  test("D1 differs by class too", () => {
    const evidence = flawless();
    const sums = evidence.sums.map((sum) => ({ ...sum, class: sum.link_id ? "bot" : sum.class }));
    expect(found({ ...evidence, sums })).toEqual([
      { rule: "d1_differs", id: "page/click/shop/human" },
      { rule: "d1_differs", id: "page/click/shop/bot" },
    ]);
  });

  test("an event that cannot be had acknowledged, and an answer without a cause, are violations", () => {
    expect(found({ ...flawless(), stuck: new Set(["c"]), unexpected: ["404 to c"] })).toEqual([
      { rule: "stuck", id: "c" },
      { rule: "unexpected_answer", id: "404 to c" },
    ]);
  });
});

describe("the judge of limits", () => {
  /** So many requests of one sender, a tenth of a second apart. */
  const requests = (n: number, but: Partial<Attempt> = {}) =>
    Array.from({ length: n }, (_, i) =>
      attempt("a", 100 * i, { answer: "duplicate", ended_ms: 100 * i + 10, ...but }),
    );
  const limits = (attempts: Attempt[]) => {
    const { limiter_peak, violations } = judge({ ...flawless(), attempts });
    return { limiter_peak, violations: violations.map(({ rule, id }) => ({ rule, id })) };
  };

  test("60 admitted in a window are allowed, 61 are not", () => {
    expect(limits(requests(LIMIT))).toEqual({ limiter_peak: LIMIT, violations: [] });
    expect(limits(requests(LIMIT + 1))).toEqual({
      limiter_peak: LIMIT + 1,
      violations: [{ rule: "over_limit", id: "192.0.2.1" }],
    });
  });

  test("a request that may have been decided in the next window is given the benefit of the doubt", () => {
    const last = attempt("a", 59_000, { answer: "duplicate", ended_ms: 60_100 });
    expect(limits([...requests(LIMIT), last]).violations).toEqual([]);
  });

  test("a refusal needs 60 that may have been admitted within the window before it", () => {
    const refused = attempt("a", 60_000, { answer: "refused", charged: "refused" });
    expect(limits([...requests(LIMIT), refused]).violations).toEqual([]);
    expect(limits([...requests(LIMIT - 1), refused]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
    // The first has left the window by then.
    const later = attempt("a", 60_200, { answer: "refused", charged: "refused" });
    expect(limits([...requests(LIMIT), later]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
  });

  test("a request without an answer may have been admitted", () => {
    const refused = attempt("a", 50_000, { answer: "refused", charged: "refused" });
    const broken = attempt("a", 7_000, { answer: "failed", charged: "unknown" });
    expect(limits([...requests(LIMIT - 1), broken, refused]).violations).toEqual([]);
  });

  test("a refusal after the time one was told to wait makes Retry-After untrue", () => {
    const wait = { key: "a", sender: "192.0.2.1", retry_after_s: 7 };
    expect(found({ ...flawless(), waits: [{ ...wait, refused: false }] })).toEqual([]);
    expect(found({ ...flawless(), waits: [{ ...wait, refused: true }] })).toEqual([
      { rule: "untrue_retry_after", id: "192.0.2.1" },
    ]);
  });
});
