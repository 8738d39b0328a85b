/** The simulator's judge finds every kind of broken promise, and none where none is broken. */
import { describe, expect, test } from "vitest";
import { type Evidence, judge, type Violation } from "./judge.ts";
import { judgeLimits } from "./limits.ts";
import type { Attempt } from "./witness.ts";

const LIMIT = 60;

/** A request that took 10 ms and was answered `counted`. */
function attempt(key: string, sent_ms: number, but: Partial<Attempt> = {}): Attempt {
  return {
    key,
    sender: "192.0.2.1",
    router: 0,
    sent_ms,
    ended_ms: sent_ms + 10,
    answer: "counted",
    arrived: true,
    status: 202,
    error_code: null,
    dropped: [],
    charged: "admitted",
    decided: true,
    retry_after_s: null,
    ...but,
  };
}

/** Requests without the answer that their client wanted. */
const REFUSED = { answer: "refused", status: 429, charged: "refused" } as const;
const WENT_ON = { answer: "went_on", status: 302, charged: "unknown", decided: false } as const;
const DOWN = { answer: "failed", status: 503, error_code: "DEPENDENCY_DOWN" } as const;
const BROKEN = { answer: "failed", status: null, charged: "unknown", decided: false } as const;

/** Two views and a click, all counted correctly. */
function flawless(): Evidence {
  const event = (key: string, link_id: string) => {
    const by = link_id === "" ? "beacon" : "redirect";
    const only_from = link_id === "" ? null : "192.0.2.1";
    return [key, { key, event_id: `id-${key}`, page_id: "page", link_id, by, only_from }] as const;
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
    handed_over: [],
    downtimes: [],
    edits: [],
    forgotten: [],
    totals: counted,
    sums: counted,
    stuck: new Set(),
    unexpected: [],
  };
}

/** The broken rules and their ids. */
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
      { rule: "misclassed", id: "page//human" },
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
      { rule: "misclassed", id: "page//human" },
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

  /** Two more views were refused, and reached the page as one number of 2. */
  function withNumbers(): Evidence {
    const evidence = flawless();
    const handed = { page_id: "page", key: "n", link_id: "", class: "limited", n: 2 };
    const limited = { page_id: "page", kind: "view", link_id: "", class: "limited", n: 2 };
    return {
      ...evidence,
      attempts: [...evidence.attempts, attempt("a", 50, REFUSED), attempt("b", 51, REFUSED)],
      stored: [...evidence.stored, { page_id: "page", key: "n" }],
      handed_over: [handed],
      totals: [...evidence.totals, limited],
      sums: [...evidence.sums, limited],
    };
  }

  /** The same, with `n` refused views in the totals. */
  function withLimited(n: number): Evidence {
    const evidence = withNumbers();
    const totals = evidence.totals.map((sum) => (sum.class === "limited" ? { ...sum, n } : sum));
    return { ...evidence, totals, sums: totals };
  }

  test("refusals that reach the page as numbers are no phantoms, and get lost only with a router", () => {
    const rules = (evidence: Evidence) => found(evidence).filter(isNotOfLimits);
    expect(rules(withNumbers())).toEqual([]);
    const { stored, totals, sums } = flawless();
    const unarrived = { ...withNumbers(), stored, totals, sums };
    expect(rules(unarrived)).toEqual([{ rule: "refusal_lost", id: "page/" }]);
    const kill = { what: "kill", page_id: null, from_ms: 3_000, until_ms: 3_500 } as const;
    expect(rules({ ...unarrived, downtimes: [kill] })).toEqual([]);
    const later = { ...kill, from_ms: 3_062 };
    expect(rules({ ...unarrived, downtimes: [later] })).toEqual([
      { rule: "refusal_lost", id: "page/" },
    ]);
  });

  test("a refusal may be lost if its router has counted nothing of the page since it started", () => {
    const rules = (evidence: Evidence) => found(evidence).filter(isNotOfLimits);
    const { stored, totals, sums } = flawless();
    const unarrived = { ...withNumbers(), stored, totals, sums };
    const lost = [{ rule: "refusal_lost", id: "page/" }];
    const refusedBy = (router: number): Evidence => ({
      ...unarrived,
      attempts: unarrived.attempts.map((one) =>
        one.answer === "refused" ? { ...one, router } : one,
      ),
    });
    expect(rules(refusedBy(0))).toEqual(lost);
    expect(rules(refusedBy(1))).toEqual([]);
    const killed = { what: "kill", page_id: null, from_ms: 20, until_ms: 30 } as const;
    expect(rules({ ...refusedBy(0), downtimes: [killed] })).toEqual([]);
    const back = attempt("a", 31, { answer: "duplicate" });
    const attempts = [...refusedBy(0).attempts, back];
    expect(rules({ ...refusedBy(0), attempts, downtimes: [killed] })).toEqual(lost);
  });

  test("a number counts exactly what it stands for, as limited", () => {
    const rules = (evidence: Evidence) => found(evidence).filter(isNotOfLimits);
    expect(rules(withLimited(3))).toEqual([
      { rule: "doubled", id: "page/" },
      { rule: "misclassed", id: "page//limited" },
    ]);
    expect(rules(withLimited(1))).toEqual([
      { rule: "lost", id: "page/" },
      { rule: "misclassed", id: "page//limited" },
    ]);
    const { totals, ...evidence } = withNumbers();
    const human = totals.map((sum) => {
      if (sum.link_id !== "") return sum;
      return { ...sum, n: sum.class === "human" ? 3 : 1 };
    });
    expect(rules({ ...evidence, totals: human, sums: human })).toEqual([
      { rule: "misclassed", id: "page//human" },
      { rule: "misclassed", id: "page//limited" },
    ]);
  });

  test("a number that no router handed over, or not to this page, is a phantom", () => {
    const rules = (evidence: Evidence) => found(evidence).filter(isNotOfLimits);
    const evidence = withNumbers();
    expect(rules({ ...evidence, handed_over: [] })).toContainEqual({ rule: "phantom", id: "n" });
    const stored = evidence.stored.map(({ key }) => ({
      key,
      page_id: key === "n" ? "other" : "page",
    }));
    expect(rules({ ...evidence, stored })).toContainEqual({ rule: "phantom", id: "n" });
  });

  test("more handed over than was refused is doubled, and of another class misclassed", () => {
    const evidence = withNumbers();
    const attempts = evidence.attempts.slice(0, -1);
    expect(found({ ...evidence, attempts }).filter(isNotOfLimits)).toEqual([
      { rule: "doubled", id: "page/" },
    ]);
    const handed_over = evidence.handed_over.map((number) => ({ ...number, class: "human" }));
    expect(found({ ...evidence, handed_over })).toContainEqual({ rule: "misclassed", id: "n" });
  });

  test("a beacon's event is never limited; a redirect's may be if its only answer was duplicate", () => {
    const evidence = flawless();
    const heard = ["a", "b", "c"].map((key, i) => attempt(key, i, { answer: "duplicate" }));
    const limited = evidence.totals.map((sum) => ({ ...sum, class: "limited" }));
    const rules = found({ ...evidence, attempts: heard, totals: limited, sums: limited });
    expect(rules).toEqual([
      { rule: "misclassed", id: "page//human" },
      { rule: "misclassed", id: "page//limited" },
    ]);
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

  test("an event that is never acknowledged, and an error without a cause, are violations", () => {
    expect(found({ ...flawless(), stuck: new Set(["c"]), unexpected: ["404 to c"] })).toEqual([
      { rule: "stuck", id: "c" },
      { rule: "unexpected_answer", id: "404 to c" },
    ]);
  });
});

describe("the judge of answers", () => {
  const kill = { what: "kill", page_id: null, from_ms: 5_000, until_ms: 5_500 } as const;
  const outage = { ...kill, what: "outage" } as const;
  const eviction = { ...kill, what: "eviction", page_id: "page" } as const;
  const rules = (but: Partial<Attempt>, downtimes: Evidence["downtimes"] = []) => {
    const evidence = flawless();
    const attempts = [...evidence.attempts, attempt("a", 4_995, but)];
    return found({ ...evidence, attempts, downtimes });
  };

  test("a 503 is right only while something is down", () => {
    expect(rules(DOWN)).toEqual([{ rule: "needless_5xx", id: "a" }]);
    for (const down of [kill, eviction]) expect(rules(DOWN, [down])).toEqual([]);
    const earlier = { ...kill, from_ms: 2_000, until_ms: 2_500 };
    const later = { ...kill, from_ms: 5_006, until_ms: 5_500 };
    for (const down of [earlier, later]) {
      expect(rules(DOWN, [down])).toEqual([{ rule: "needless_5xx", id: "a" }]);
    }
  });

  test("D1's outage explains errors of a page of which nothing has counted yet, or after an edit", () => {
    expect(rules(DOWN, [outage])).toEqual([{ rule: "needless_5xx", id: "a" }]);
    const first = [attempt("a", 0, DOWN), attempt("a", 2), attempt("b", 3), attempt("c", 4)];
    const early = { ...outage, from_ms: 5 };
    expect(found({ ...flawless(), attempts: first, downtimes: [early] })).toEqual([]);
    const edit = { page_id: "page", link_id: "shop", begun_ms: 0, made_ms: 5_000, told_ms: null };
    const removed = [...flawless().attempts, attempt("c", 4_995, DOWN)];
    const evidence = { ...flawless(), attempts: removed, downtimes: [outage] };
    expect(found({ ...evidence, edits: [edit] })).toEqual([]);
    expect(found(evidence)).toEqual([{ rule: "needless_5xx", id: "c" }]);
  });

  test("an eviction explains only the errors of its own page, and a limiter's none", () => {
    for (const page_id of ["other", null]) {
      expect(rules(DOWN, [{ ...eviction, page_id }])).toEqual([{ rule: "needless_5xx", id: "a" }]);
    }
  });

  test("a lost answer of a page object explains a 503, a limiter's does not", () => {
    expect(rules({ ...DOWN, dropped: ["LIMITER", "PAGE"] })).toEqual([]);
    expect(rules({ ...DOWN, dropped: ["LIMITER"] })).toEqual([{ rule: "needless_5xx", id: "a" }]);
  });

  test("a 500, and an error that is not in the envelope, are bugs whatever was down", () => {
    const text = { ...DOWN, status: 500, error_code: null, dropped: ["PAGE"] };
    expect(rules(text, [kill, outage, eviction])).toEqual([{ rule: "crashed", id: "a" }]);
    const internal = { ...text, error_code: "INTERNAL" };
    expect(rules(internal, [kill])).toEqual([{ rule: "crashed", id: "a" }]);
    expect(rules({ ...DOWN, error_code: null }, [kill])).toEqual([{ rule: "crashed", id: "a" }]);
  });

  test("a request is answered, unless workerd is killed or the client hangs up", () => {
    expect(rules(BROKEN)).toEqual([{ rule: "unanswered", id: "a" }]);
    expect(rules(BROKEN, [outage, eviction])).toEqual([{ rule: "unanswered", id: "a" }]);
    expect(rules(BROKEN, [kill])).toEqual([]);
    expect(rules({ ...BROKEN, answer: "given_up" })).toEqual([]);
  });

  test("a redirect that goes on without its count is counted, unless something is down within 3 s", () => {
    const uncounted = (downtimes: Evidence["downtimes"]) => {
      const evidence = flawless();
      const [views] = evidence.totals;
      if (views === undefined) throw new Error("no views");
      return found({
        ...evidence,
        acknowledged: new Set(["a", "b"]),
        attempts: [attempt("a", 0), attempt("b", 1), attempt("c", 2, WENT_ON)],
        stored: evidence.stored.slice(0, 2),
        totals: [views],
        sums: [views],
        downtimes,
      });
    };
    expect(uncounted([])).toEqual([{ rule: "uncounted", id: "c" }]);
    expect(uncounted([kill])).toEqual([{ rule: "uncounted", id: "c" }]);
    for (const down of [kill, outage, eviction]) {
      expect(uncounted([{ ...down, from_ms: 2_900, until_ms: 3_500 }])).toEqual([]);
    }
    // It may also be counted.
    const evidence = flawless();
    const attempts = [...evidence.attempts.slice(0, 2), attempt("c", 2, WENT_ON)];
    const acknowledged = new Set(["a", "b"]);
    expect(found({ ...evidence, attempts, acknowledged })).toEqual([]);
  });
});

describe("the judge of edits", () => {
  const GONE = { answer: "gone", status: 410 } as const;
  const edit = { page_id: "page", link_id: null, begun_ms: 900, made_ms: 1_000, told_ms: 3_000 };
  const rules = (key: string, sent_ms: number, but: Partial<Attempt>, edits = [edit]) => {
    const evidence = flawless();
    const attempts = [...evidence.attempts, attempt(key, sent_ms, but)];
    return found({ ...evidence, attempts, edits });
  };

  test("only an edited page or link is gone, and not before the edit", () => {
    expect(rules("a", 1_000, GONE)).toEqual([]);
    for (const but of [{ page_id: "other" }, { begun_ms: 2_000, made_ms: 2_100 }]) {
      expect(rules("a", 1_000, GONE, [{ ...edit, ...but }])).toEqual([
        { rule: "unexpected_answer", id: "a" },
      ]);
    }
    const removal = [{ ...edit, link_id: "shop" }] as never;
    expect(rules("c", 1_000, GONE, removal)).toEqual([]);
    expect(rules("a", 1_000, GONE, removal)).toEqual([{ rule: "unexpected_answer", id: "a" }]);
  });

  test("nothing counts after the object was notified, or 60 s after the edit", () => {
    const outlived = [{ rule: "outlived_edit", id: "a" }];
    const again = { answer: "duplicate" } as const;
    expect(rules("a", 2_999, again)).toEqual([]);
    expect(rules("a", 3_001, again)).toEqual(outlived);
    const untold = [{ ...edit, told_ms: null }] as never;
    expect(rules("a", 60_999, again, untold)).toEqual([]);
    expect(rules("a", 61_001, again, untold)).toEqual(outlived);
  });

  test("a redirect may still work for 60 s from its router's cache, and need not count", () => {
    const evidence = flawless();
    const [views] = evidence.totals;
    if (views === undefined) throw new Error("no views");
    const uncounted = (sent_ms: number) =>
      found({
        ...evidence,
        acknowledged: new Set(["a", "b"]),
        attempts: [...evidence.attempts.slice(0, 2), attempt("c", sent_ms, WENT_ON)],
        stored: evidence.stored.slice(0, 2),
        totals: [views],
        sums: [views],
        edits: [edit],
      });
    expect(uncounted(60_999)).toEqual([]);
    expect(uncounted(61_001)).toEqual([{ rule: "outlived_edit", id: "c" }]);
  });
});

/** No sender in these notes has used up a window. */
function isNotOfLimits({ rule }: Pick<Violation, "rule">): boolean {
  return rule !== "false_refusal";
}

describe("the judge of limits", () => {
  /** `n` requests of one sender, 0.1 s apart. */
  const requests = (n: number, but: Partial<Attempt> = {}) =>
    Array.from({ length: n }, (_, i) =>
      attempt("a", 100 * i, { answer: "duplicate", ended_ms: 100 * i + 10, ...but }),
    );
  const limits = (attempts: Attempt[]) => {
    const { peak: limiter_peak, violations } = judgeLimits(attempts, []);
    return { limiter_peak, violations: violations.map(({ rule, id }) => ({ rule, id })) };
  };

  test("60 admitted in a window are allowed, 61 are not", () => {
    expect(limits(requests(LIMIT))).toEqual({ limiter_peak: LIMIT, violations: [] });
    expect(limits(requests(LIMIT + 1))).toEqual({
      limiter_peak: LIMIT + 1,
      violations: [{ rule: "over_limit", id: "192.0.2.1" }],
    });
  });

  test("a request that may have been decided in the next window is no violation", () => {
    const last = attempt("a", 59_000, { answer: "duplicate", ended_ms: 60_100 });
    expect(limits([...requests(LIMIT), last]).violations).toEqual([]);
  });

  test("a refusal needs 60 that may have been admitted within the window before it", () => {
    const refused = attempt("a", 60_000, REFUSED);
    expect(limits([...requests(LIMIT), refused]).violations).toEqual([]);
    expect(limits([...requests(LIMIT - 1), refused]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
    // The first one has left the window by then.
    const later = attempt("a", 60_200, REFUSED);
    expect(limits([...requests(LIMIT), later]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
  });

  test("a request without an answer may have been admitted", () => {
    const refused = attempt("a", 50_000, REFUSED);
    const broken = attempt("a", 7_000, { ...BROKEN, answer: "given_up" });
    expect(limits([...requests(LIMIT - 1), broken, refused]).violations).toEqual([]);
  });

  test("a request that met a closed port was not admitted", () => {
    const refused = attempt("a", 50_000, REFUSED);
    const unmet = attempt("a", 7_000, { ...BROKEN, answer: "given_up", arrived: false });
    expect(limits([...requests(LIMIT - 1), unmet, refused]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
  });

  test("a request that was answered before its limiter may have been admitted later", () => {
    const refused = attempt("a", 60_120, REFUSED);
    const undecided = attempt("a", 10, { answer: "duplicate", charged: "unknown", decided: false });
    const others = requests(LIMIT).slice(1);
    expect(limits([undecided, ...others, refused]).violations).toEqual([]);
    expect(limits([{ ...undecided, decided: true }, ...others, refused]).violations).toEqual([
      { rule: "false_refusal", id: "192.0.2.1" },
    ]);
  });

  test("a refusal after the Retry-After of the last one is a violation", () => {
    const wait = { key: "a", sender: "192.0.2.1", retry_after_s: 7 };
    expect(found({ ...flawless(), waits: [{ ...wait, refused: false }] })).toEqual([]);
    expect(found({ ...flawless(), waits: [{ ...wait, refused: true }] })).toEqual([
      { rule: "untrue_retry_after", id: "192.0.2.1" },
    ]);
  });
});
