/** The scenarios. Each is one kind of request from one kind of sender. */
import type { Measured } from "./client.ts";
import { ADDRESSES, type Requests } from "./requests.ts";

/** `own`: one limiter object per sender. `shared`: LIMITER_SHARDS=16. */
export type Setting = "own" | "shared";
export const SHARDS: Readonly<Record<Setting, string>> = { own: "0", shared: "16" };

export interface Scenario {
  title: string;
  setting: Setting;
  /** The limiters have seen `returning` senders before; `new` ones send their first request. */
  senders: "returning" | "new" | "refused";
  /** The expected answer, as `client.ts` names it. */
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
 * Fewer connections, because a redirect whose click is not counted within 300 ms is late; enough for
 * 3,200 requests/s.
 */
const FAR_REDIRECT_CROWD = 2;
/**
 * A late click is counted after its answer. With many of them, the rate would be of another kind of
 * request.
 */
const LATE_MAX = 0.05;
/** The delay takes 40 of the 300 ms, and twice as many requests wait for each other. */
const FAR_LATE_MAX = 0.25;

const beacon = { kind: "beacon", lane: null, in_order: false } as const;
const hot = { ...beacon, page_prefix: "hot-", pages: 1 } as const;
/** A page of its own, because its tallies in D1 must not collide with the product's. */
const naive = { ...hot, lane: "naive", page_prefix: "naive-" } as const;
const many = { ...beacon, page_prefix: "many-", pages: 100 } as const;
const redirect = { ...beacon, kind: "redirect", page_prefix: "click-", pages: 1 } as const;
const page = { ...beacon, kind: "page" } as const;
const shown = { ...page, page_prefix: "shown-", pages: 1 } as const;

/** `satisfies`, so that the compiler knows the name of each scenario. */
export const SCENARIOS = {
  floor: scenario("parse the beacon and answer: the floor", "own", "returning", "202", {
    ...hot,
    lane: "floor",
  }),
  hot_own: scenario("beacon, one hot page", "own", "returning", "202 counted", hot),
  hot_shared: scenario("beacon, one hot page", "shared", "returning", "202 counted", hot),
  naive_own: scenario("naive design, one hot page", "own", "returning", "202 counted", naive),
  naive_shared: scenario("naive design, one hot page", "shared", "returning", "202 counted", naive),
  alone: scenario("page object alone, no limiter", "own", "returning", "202 counted", {
    ...hot,
    lane: "page",
    page_prefix: "alone-",
  }),
  naive_alone: scenario("naive page object alone, no limiter", "own", "returning", "202 counted", {
    ...hot,
    lane: "naive-page",
    page_prefix: "naive-",
  }),
  many_own: scenario("beacon, 100 pages", "own", "returning", "202 counted", many),
  many_shared: scenario("beacon, 100 pages", "shared", "returning", "202 counted", many),
  new_own: scenario("beacon, one hot page, senders never seen", "own", "new", "202 counted", hot),
  new_shared: scenario(
    "beacon, one hot page, senders never seen",
    "shared",
    "new",
    "202 counted",
    hot,
  ),
  redirect: scenario("redirect", "own", "returning", "302 counted", redirect),
  far_own: far("beacon, one hot page", "own", "202 counted", hot, FAR_CROWD),
  far_shared: far("beacon, one hot page", "shared", "202 counted", hot, FAR_CROWD),
  far_many_own: far("beacon, 100 pages", "own", "202 counted", many, FAR_CROWD),
  far_many_shared: far("beacon, 100 pages", "shared", "202 counted", many, FAR_CROWD),
  far_redirect: far("redirect", "own", "302 counted", redirect, FAR_REDIRECT_CROWD),
  refused: scenario("a refused sender", "own", "refused", "429", hot),
  // A deployed Worker does not run Miniflare's simulator of the edge limit, so it is not measured.
  cached: scenario("cached page (edge limit's simulator replaced)", "own", "new", "200", {
    ...shown,
    lane: "limit",
  }),
  cached_simulated: scenario(
    "cached page, with Miniflare's limit simulator",
    "own",
    "new",
    "200",
    shown,
  ),
  uncached: scenario("uncached page", "own", "new", "200", {
    ...page,
    page_prefix: "cold-",
    pages: Number.MAX_SAFE_INTEGER,
    in_order: true,
  }),
} as const;

export type ScenarioName = keyof typeof SCENARIOS;

function scenario(
  title: string,
  setting: Setting,
  senders: Scenario["senders"],
  answer: string,
  requests: Scenario["requests"],
): Scenario {
  return { title, setting, senders, answer, requests, crowd: 1, late_max: LATE_MAX };
}

/** A scenario of returning senders, with its objects at a distance. */
function far(
  title: string,
  setting: Setting,
  answer: string,
  requests: Scenario["requests"],
  crowd: number,
): Scenario {
  return {
    title,
    setting,
    senders: "returning",
    answer,
    requests: { ...requests, lane: "far" },
    crowd,
    late_max: FAR_LATE_MAX,
  };
}

/** Hands out unused addresses and cold pages. */
export class Supply {
  #next_address = 0;
  #next_page = 0;

  addresses(count: number): number {
    const from = this.#next_address;
    this.#next_address += count;
    if (this.#next_address > ADDRESSES) throw new Error("every address of 10.0.0.0/8 was used");
    return from;
  }

  /** Returns the addresses and pages that a load did not use. */
  unused(count: number): void {
    this.#next_address -= count;
  }

  /** The first page that was never requested; `visited` moves it on. */
  get page(): number {
    return this.#next_page;
  }

  visited(pages: number, of: number): void {
    this.#next_page += pages;
    if (this.#next_page > of) throw new Error("every cold page was visited: seed more of them");
  }
}

/** The answer of a redirect whose click is not counted yet. */
const LATE = "302";

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
