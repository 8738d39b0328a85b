/** The simulator's judge finds every kind of broken promise, and none where none is broken. */
import { describe, expect, test } from "vitest";
import type { Sum } from "../server/serve.ts";
import type { Edit } from "./edits.ts";
import type { Downtime } from "./faults.ts";
import { type Evidence, judge } from "./judge.ts";
import { judgeLimits } from "./limits.ts";
import type { SentEvent } from "./plan.ts";
import type { Attempt } from "./witness.ts";

const LIMIT = 60;
const SENDER = "192.0.2.1";

/** A request that took 10 ms and was answered `counted`. */
function attempt(key: string, sent_ms: number, but: Partial<Attempt> = {}): Attempt {
  return {
    key,
    sender: SENDER,
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

function event(key: string, link_id: string): [string, SentEvent] {
  const ids = { key, event_id: `id-${key}`, page_id: "page", link_id };
  const isView = link_id === "";
  return [key, { ...ids, by: isView ? "beacon" : "redirect", only_from: isView ? null : SENDER }];
}

function sum(link_id: string, visitor: string, n: number): Sum {
  return { page_id: "page", kind: link_id === "" ? "view" : "click", link_id, class: visitor, n };
}

const counted = (...sums: Sum[]) => ({ totals: sums, sums });
const stored = (...keys: string[]) => keys.map((key) => ({ page_id: "page", key }));
const VIEWS = sum("", "human", 2);
const CLICK = sum("shop", "human", 1);
const HEARD = [attempt("a", 0), attempt("b", 1), attempt("c", 2)];

/** Two views and a click, all counted correctly. */
const FLAWLESS: Evidence = {
  sent: new Map([event("a", ""), event("b", ""), event("c", "shop")]),
  acknowledged: new Set(["a", "b", "c"]),
  attempts: HEARD,
  waits: [],
  stored: stored("a", "b", "c"),
  handed_over: [],
  downtimes: [],
  edits: [],
  forgotten: [],
  ...counted(VIEWS, CLICK),
  stuck: new Set(),
  unexpected: [],
};

function found(change: Partial<Evidence>): string {
  const { violations } = judge({ ...FLAWLESS, ...change });
  return violations.map(({ rule, id }) => `${rule} ${id}`).join(", ");
}

const REFUSED = { answer: "refused", status: 429, charged: "unknown" } as const;
const WENT_ON = { answer: "went_on", status: 302, charged: "unknown", decided: false } as const;
const DOWN = { answer: "failed", status: 503, error_code: "DEPENDENCY_DOWN" } as const;
const BROKEN = { answer: "failed", status: null, charged: "unknown", decided: false } as const;

const KILL: Downtime = { what: "kill", page_id: null, from_ms: 5_000, until_ms: 5_500 };
const OUTAGE: Downtime = { ...KILL, what: "outage" };
const EVICTION: Downtime = { ...KILL, what: "eviction", page_id: "page" };

/** Nobody has heard whether the click was counted. */
const UNHEARD = { acknowledged: new Set(["a", "b"]), attempts: HEARD.slice(0, 2) };
/** And it was not. */
const UNCOUNTED = { ...UNHEARD, stored: stored("a", "b"), ...counted(VIEWS) };

describe("the judge", () => {
  test("an event counts once, or at most once if it was not acknowledged", () => {
    for (const change of [{}, UNHEARD, UNCOUNTED]) expect(found(change)).toBe("");
    expect(judge(FLAWLESS)).toMatchObject({ sent: 3, acknowledged: 3, counted_in_d1: 3, lost: 0 });
  });

  test("an acknowledged event that is not stored, remembered or in its total is lost", () => {
    expect(found({ stored: stored("a", "z", "c") })).toBe(
      "phantom z, lost b, doubled page/, misclassed page//human",
    );
    expect(found({ forgotten: ["a"] })).toBe("lost a");
    expect(found(counted(VIEWS))).toBe("lost page/shop, misclassed page/shop/human");
    const missing = { ...FLAWLESS, stored: stored("a", "b"), ...counted(VIEWS) };
    expect(judge(missing)).toMatchObject({ lost: 1 });
  });

  test("an event that is stored twice, new twice, or more often in its total is doubled", () => {
    expect(found({ stored: stored("a", "b", "c", "a") })).toBe("doubled a");
    expect(found({ attempts: [...HEARD, attempt("a", 50)] })).toBe("doubled a");
    expect(found(counted(sum("", "human", 3), CLICK))).toBe(
      "doubled page/, misclassed page//human",
    );
  });

  test("an event stored by a page that it was not sent to is a phantom", () => {
    const elsewhere = [...stored("a", "b"), { page_id: "other", key: "c" }];
    expect(found({ stored: elsewhere })).toBe("phantom c");
  });

  test("an event of another class than was acknowledged is misclassed, in D1 too", () => {
    const bot = sum("shop", "bot", 1);
    expect(found(counted(VIEWS, bot))).toBe("misclassed page/shop/human, misclassed page/shop/bot");
    expect(found({ sums: [VIEWS, bot] })).toBe(
      "d1_differs page/click/shop/human, d1_differs page/click/shop/bot",
    );
    const limited = [attempt("c", 2, { answer: "limited" })];
    expect(found({ attempts: limited })).toContain("misclassed page/shop/limited");
    // A beacon's event is never limited; a redirect's may be if its only answer was `duplicate`.
    const again = HEARD.map((one): Attempt => ({ ...one, answer: "duplicate" }));
    const totals = counted(sum("", "limited", 2), sum("shop", "limited", 1));
    expect(found({ attempts: again, ...totals })).toBe(
      "misclassed page//human, misclassed page//limited",
    );
  });

  test("an event that is never acknowledged, and an error without a cause, are violations", () => {
    expect(found({ stuck: new Set(["c"]), unexpected: ["404 to c"] })).toBe(
      "stuck c, unexpected_answer 404 to c",
    );
  });
});

describe("the judge of refusals that reach their page as numbers", () => {
  const attempts = [...HEARD, attempt("a", 50, REFUSED), attempt("b", 51, REFUSED)];
  const number = { page_id: "page", key: "n", link_id: "", class: "limited", n: 2 };
  const limited = (n: number) => counted(VIEWS, CLICK, sum("", "limited", n));
  /** Two more views were refused, and reached the page as one number of 2. */
  const HANDED = { attempts, handed_over: [number], stored: stored("a", "b", "c", "n") };

  test("they count exactly what they stand for, as limited", () => {
    expect(found({ ...HANDED, ...limited(2) })).toBe("");
    expect(found({ ...HANDED, ...limited(3) })).toBe("doubled page/, misclassed page//limited");
    expect(found({ ...HANDED, ...limited(1) })).toBe("lost page/, misclassed page//limited");
    const human = counted(sum("", "human", 4), CLICK);
    expect(found({ ...HANDED, ...human })).toBe("misclassed page//human, misclassed page//limited");
  });

  test("more than was refused, of another class, or of no router, is found", () => {
    const handed = { ...HANDED, ...limited(2) };
    expect(found({ ...handed, attempts: attempts.slice(0, -1) })).toBe("doubled page/");
    const people = [{ ...number, class: "human" }];
    expect(found({ ...handed, handed_over: people })).toContain("misclassed n");
    expect(found({ ...handed, handed_over: [] })).toContain("phantom n");
    const elsewhere = [...stored("a", "b", "c"), { page_id: "other", key: "n" }];
    expect(found({ ...handed, stored: elsewhere })).toContain("phantom n");
  });

  test("they get lost only with a router, or before it has counted an event of the page", () => {
    const lost = "refusal_lost page/";
    expect(found({ attempts })).toBe(lost);
    const killed = (from_ms: number) => [{ ...KILL, from_ms, until_ms: from_ms + 10 }];
    expect(found({ attempts, downtimes: killed(3_000) })).toBe("");
    expect(found({ attempts, downtimes: killed(3_062) })).toBe(lost);
    expect(found({ attempts, downtimes: killed(20) })).toBe("");
    const back = attempt("a", 31, { answer: "duplicate" });
    expect(found({ attempts: [...attempts, back], downtimes: killed(20) })).toBe(lost);
    const other = attempts.map((one) => (one.answer === "refused" ? { ...one, router: 1 } : one));
    expect(found({ attempts: other })).toBe("");
  });
});

describe("the judge of answers", () => {
  const answered = (but: Partial<Attempt>, ...downtimes: Downtime[]) =>
    found({ attempts: [...HEARD, attempt("a", 4_995, but)], downtimes });

  test("a 503 is right only while something that it needs is down", () => {
    const needless = "needless_5xx a";
    expect(answered(DOWN)).toBe(needless);
    for (const down of [KILL, EVICTION]) expect(answered(DOWN, down)).toBe("");
    expect(answered(DOWN, { ...KILL, from_ms: 2_000, until_ms: 2_500 })).toBe(needless);
    expect(answered(DOWN, { ...KILL, from_ms: 5_006 })).toBe(needless);
    // A limiter's eviction or lost answer explains nothing: without it a request goes on.
    for (const page_id of ["other", null]) {
      expect(answered(DOWN, { ...EVICTION, page_id })).toBe(needless);
    }
    expect(answered({ ...DOWN, dropped: ["LIMITER"] })).toBe(needless);
    expect(answered({ ...DOWN, dropped: ["LIMITER", "PAGE"] })).toBe("");
  });

  test("D1's outage explains errors of a page of which nothing has counted yet, or after an edit", () => {
    expect(answered(DOWN, OUTAGE)).toBe("needless_5xx a");
    const first = [attempt("a", 0, DOWN), attempt("a", 2), attempt("b", 3), attempt("c", 4)];
    expect(found({ attempts: first, downtimes: [{ ...OUTAGE, from_ms: 5 }] })).toBe("");
    const edit = { page_id: "page", link_id: "shop", begun_ms: 0, made_ms: 5_000, told_ms: null };
    const removed = [...HEARD, attempt("c", 4_995, DOWN)];
    expect(found({ attempts: removed, downtimes: [OUTAGE], edits: [edit] })).toBe("");
  });

  test("a 500, and an error that is not in the envelope, are bugs whatever was down", () => {
    for (const error_code of [null, "INTERNAL"]) {
      const bug = { ...DOWN, status: 500, error_code, dropped: ["PAGE"] };
      expect(answered(bug, KILL, OUTAGE, EVICTION)).toBe("crashed a");
    }
  });

  test("a request is answered, unless workerd is killed or the client hangs up", () => {
    expect(answered(BROKEN, OUTAGE, EVICTION)).toBe("unanswered a");
    expect(answered(BROKEN, KILL)).toBe("");
    expect(answered({ ...BROKEN, answer: "given_up" })).toBe("");
  });

  test("a redirect that goes on without its count is counted, unless something is down within 3 s", () => {
    const attempts = [...UNHEARD.attempts, attempt("c", 2, WENT_ON)];
    const down = (what: Downtime) => [{ ...what, from_ms: 2_900 }];
    expect(found({ ...UNHEARD, attempts })).toBe("");
    expect(found({ ...UNCOUNTED, attempts, downtimes: [KILL] })).toBe("uncounted c");
    for (const what of [KILL, OUTAGE, EVICTION]) {
      expect(found({ ...UNCOUNTED, attempts, downtimes: down(what) })).toBe("");
    }
  });
});

describe("the judge of edits", () => {
  const GONE = { answer: "gone", status: 410 } as const;
  const AGAIN = { answer: "duplicate" } as const;
  const TIMES = { begun_ms: 900, made_ms: 1_000, told_ms: 3_000 };
  const EDIT: Edit = { page_id: "page", link_id: null, ...TIMES };
  const answered = (key: string, sent_ms: number, but: Partial<Attempt>, edit = EDIT) =>
    found({ attempts: [...HEARD, attempt(key, sent_ms, but)], edits: [edit] });

  test("only an edited page or link is gone, and not before the edit", () => {
    const removal = { ...EDIT, link_id: "shop" };
    expect(answered("a", 1_000, GONE)).toBe("");
    expect(answered("c", 1_000, GONE, removal)).toBe("");
    for (const edit of [removal, { ...EDIT, page_id: "other" }, { ...EDIT, begun_ms: 2_000 }]) {
      expect(answered("a", 1_000, GONE, edit)).toBe("unexpected_answer a");
    }
  });

  test("nothing counts after the object was notified, or 60 s after the edit", () => {
    expect(answered("a", 2_999, AGAIN)).toBe("");
    expect(answered("a", 3_001, AGAIN)).toBe("outlived_edit a");
    const untold = { ...EDIT, told_ms: null };
    expect(answered("a", 60_999, AGAIN, untold)).toBe("");
    expect(answered("a", 61_001, AGAIN, untold)).toBe("outlived_edit a");
  });

  test("a redirect may still work for 60 s from its router's cache, and need not count", () => {
    const wentOn = (sent_ms: number) => {
      const attempts = [...UNHEARD.attempts, attempt("c", sent_ms, WENT_ON)];
      return found({ ...UNCOUNTED, attempts, edits: [EDIT] });
    };
    expect(wentOn(60_999)).toBe("");
    expect(wentOn(61_001)).toBe("outlived_edit c");
  });
});

describe("the judge of limits", () => {
  /** `n` requests of one sender, 0.1 s apart. */
  const requests = (n: number) => Array.from({ length: n }, (_, i) => attempt("a", 100 * i));
  const refused = (sent_ms: number) => attempt("a", sent_ms, { ...REFUSED, charged: "refused" });
  const limits = (attempts: Attempt[]) =>
    judgeLimits(attempts, []).violations.map(({ rule }) => rule);

  test("60 that were certainly admitted in a window are allowed, 61 are not", () => {
    expect(limits(requests(LIMIT))).toEqual([]);
    expect(judgeLimits(requests(LIMIT), []).peak).toBe(LIMIT);
    expect(limits(requests(LIMIT + 1))).toEqual(["over_limit"]);
    const last = attempt("a", 59_000, { ended_ms: 60_100 });
    expect(limits([...requests(LIMIT), last])).toEqual([]);
  });

  test("a refusal needs 60 that may have been admitted within the window before it", () => {
    expect(limits([...requests(LIMIT), refused(60_000)])).toEqual([]);
    expect(limits([...requests(LIMIT - 1), refused(60_000)])).toEqual(["false_refusal"]);
    // The first one has left the window by then.
    expect(limits([...requests(LIMIT), refused(60_200)])).toEqual(["false_refusal"]);
  });

  test("a request without an answer, or answered before its limiter, may have been admitted later", () => {
    const broken = attempt("a", 7_000, { ...BROKEN, answer: "given_up" });
    const others = [...requests(LIMIT - 1), refused(50_000)];
    expect(limits([...others, broken])).toEqual([]);
    expect(limits([...others, { ...broken, arrived: false }])).toEqual(["false_refusal"]);
    const undecided = attempt("a", 10, { charged: "unknown", decided: false });
    const later = [...requests(LIMIT).slice(1), refused(60_120)];
    expect(limits([undecided, ...later])).toEqual([]);
    expect(limits([{ ...undecided, decided: true }, ...later])).toEqual(["false_refusal"]);
  });

  test("a refusal after the Retry-After of the last one is a violation", () => {
    const wait = { key: "a", sender: SENDER, retry_after_s: 7 };
    expect(found({ waits: [{ ...wait, refused: false }] })).toBe("");
    expect(found({ waits: [{ ...wait, refused: true }] })).toBe(`untrue_retry_after ${SENDER}`);
  });
});
