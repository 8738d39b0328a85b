import type { Measured } from "./client.ts";
import { LATE } from "./exactness.ts";
import { ADDRESSES, type Requests } from "./requests.ts";

/** Which Worker answers: the bare floor, or the product with so many limiter objects; `own`: one a sender. */
export type Setting = "bare" | "own" | "16" | "4" | "1";
export const SHARDS: Readonly<Record<Exclude<Setting, "bare">, string>> = {
  own: "0",
  "16": "16",
  "4": "4",
  "1": "1",
};

export interface Scenario {
  title: string;
  setting: Setting;
  /** The limiters have seen `returning` senders before; `new` ones send their first request. */
  senders: "returning" | "new" | "refused";
  answer: string;
  requests: Pick<Requests, "kind" | "lane" | "page_prefix" | "pages" | "in_order">;
  /** Connections, as a multiple of those of the other scenarios. */
  crowd: number;
  /** The largest part of the redirects that may be answered before their click is counted. */
  late_max: number;
}

/**
 * With two calls of 20 ms, 64 connections can send 1,600 requests/s at most, and the delay would be
 * measured instead of the work.
 */
const FAR_CROWD = 4;
/**
 * A late click is counted after its answer. With many of them, the rate would be of another kind of
 * request.
 */
const LATE_MAX = 0.05;

const beacon = { kind: "beacon", lane: null, in_order: false } as const;
const hot = { ...beacon, page_prefix: "hot-", pages: 1 } as const;
/** A page of its own, because its tallies in D1 must not collide with the product's. */
const naive = { ...hot, lane: "naive", page_prefix: "naive-" } as const;
const many = { ...beacon, page_prefix: "many-", pages: 100 } as const;
const redirect = { ...beacon, kind: "redirect", page_prefix: "click-", pages: 1 } as const;
const page = { ...beacon, kind: "page" } as const;
const shown = { ...page, page_prefix: "shown-", pages: 1 } as const;
const far = { ...hot, lane: "far" } as const;

const HOT = "one hot page";
const FAR = "one hot page, objects at 20 ms";

/** `satisfies`, so that the compiler knows the name of each scenario. */
export const SCENARIOS = {
  bare: scenario("the bare floor", "bare", "202", hot),
  framed: scenario("framework, schema and headers; no object", "own", "202", {
    ...hot,
    lane: "framed",
  }),
  hot_16: scenario(HOT, "16", "202 counted", hot),
  hot_4: scenario(HOT, "4", "202 counted", hot),
  hot_1: scenario(HOT, "1", "202 counted", hot),
  hot_own: scenario(HOT, "own", "202 counted", hot),
  far_16: scenario(FAR, "16", "202 counted", far, { crowd: FAR_CROWD }),
  far_4: scenario(FAR, "4", "202 counted", far, { crowd: FAR_CROWD }),
  far_1: scenario(FAR, "1", "202 counted", far, { crowd: FAR_CROWD }),
  many_16: scenario("100 pages", "16", "202 counted", many),
  new_16: scenario("one hot page, new senders", "16", "202 counted", hot, { senders: "new" }),
  new_own: scenario("one hot page, new senders", "own", "202 counted", hot, { senders: "new" }),
  redirect: scenario("redirect", "16", "302 counted", redirect),
  refused: scenario("a refused sender", "own", "429", hot, { senders: "refused" }),
  naive_16: scenario("naive design, one hot page", "16", "202 counted", naive),
  // A deployed Worker does not run Miniflare's simulator of the edge limit, so it is not measured.
  cached: scenario("cached page", "own", "200", { ...shown, lane: "limit" }, { senders: "new" }),
  uncached: scenario(
    "uncached page",
    "own",
    "200",
    { ...page, page_prefix: "cold-", pages: Number.MAX_SAFE_INTEGER, in_order: true },
    { senders: "new" },
  ),
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

function scenario(
  title: string,
  setting: Setting,
  answer: string,
  requests: Scenario["requests"],
  others: Partial<Pick<Scenario, "senders" | "crowd">> = {},
): Scenario {
  const usual = { senders: "returning", crowd: 1, late_max: LATE_MAX } as const;
  return { title, setting, answer, requests, ...usual, ...others };
}

export class Supply {
  #next_address = 0;
  #next_page = 0;

  addresses(count: number): number {
    const from = this.#next_address;
    this.#next_address += count;
    if (this.#next_address > ADDRESSES) throw new Error("every address of 10.0.0.0/8 was used");
    return from;
  }

  unused(count: number): void {
    this.#next_address -= count;
  }

  get page(): number {
    return this.#next_page;
  }

  visited(pages: number, of: number): void {
    this.#next_page += pages;
    if (this.#next_page > of) throw new Error("every cold page was visited: seed more of them");
  }
}

/** Throws on any other answer than the expected one, because the figure would be meaningless. */
export function assertAnswers(
  { answers, requests }: Measured,
  expected: readonly string[],
  late_max = LATE_MAX,
): void {
  const wrong = Object.entries(answers).filter(
    ([answer, times]) =>
      !expected.includes(answer) && !(answer === LATE && times <= requests * late_max),
  );
  if (wrong.length > 0) {
    throw new Error(`expected ${expected.join(" or ")}, got ${JSON.stringify(answers)}`);
  }
}
