/**
 * A click through the redirect: it is counted, and the person is led on whether or not that succeeds
 * (docs/contract.md section 4). On ports, so that the model runs it.
 */
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import type { PageEvent } from "../../objects/tables/event.ts";
import { type Decision, isPastCeiling } from "../http/admission.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { CEILING_READ_MS, RECORD_TIMEOUT_MS, REDIRECT_BUDGET_MS } from "../http/limits.ts";
import { type LinkTarget, LinkTargets } from "./link-targets.ts";
import { type Counted, limitedEvent, type Recorder, type RecordPorts } from "./recorder.ts";
import { retryCounting } from "./retry-counting.ts";

export interface LinkOfPage {
  page_id: string;
  link_id: string;
}

/** The request behind a click. */
export interface ClickPorts extends RecordPorts {
  db: D1Database;
  /** Requests that one sender may make in a minute. */
  limit: number;
  /** Charges the request to its sender; null where the limiter cannot be asked. */
  charge: () => Promise<Decision | null>;
  /** The 429. */
  refusal: (decision: Decision) => ApiError;
  /** False for HEAD, which counts nothing. */
  counts: boolean;
  /** Called once for a click that counts; its key is the same at each try. */
  makeEvent: () => Promise<PageEvent>;
  /** Called with the page's language, before an error that is to be said in it. */
  setLocale: (locale: LinkTarget["locale"]) => void;
}

/** Where a click leads; with an outcome if it was counted in time. */
export interface Followed {
  url: string;
  outcome?: Counted["outcome"] | "limited";
}

/** What must be known before a click is counted; undefined is what could not be had in time. */
interface Prepared {
  decision: Decision | null | undefined;
  target: LinkTarget | null | undefined;
  /** The target, however late it is. */
  finding: Promise<LinkTarget | null>;
}

/** One per isolate, for the addresses it remembers. */
export class Clicks {
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  readonly #targets: LinkTargets;
  /** When D1 was last read for a sender past its ceiling, in unix milliseconds. */
  #read_at = 0;

  constructor(clock: Clock, recorder: Recorder) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#targets = new LinkTargets(clock);
  }

  /**
   * Counts a click and says where it leads. Over the limit it is classed `limited`, and past ten times the limit
   * handed over as a number; after 300 ms the person goes on and the counting is tried again behind them. Throws
   * 404 for what does not exist, 410 for a suspended page, 429 past ten times the limit for a page that is not
   * known here, 503 only when nobody can say where the link leads.
   */
  async follow(ports: ClickPorts, link: LinkOfPage): Promise<Followed> {
    const deadline = this.#clock.now() + REDIRECT_BUDGET_MS;
    const charging = ports.charge();
    const { decision, target, finding } = await this.#prepare(ports, link, charging);
    if (target !== undefined) refuseAbsent(ports, target);
    if (!ports.counts || isPastCeiling(decision, ports.limit)) {
      if (ports.counts) this.#recorder.queueLimited(ports, link.page_id, link.link_id);
      return { url: addressFrom(target?.url ?? (await this.#firstAddress(ports, [finding]))) };
    }

    const counting = this.#count(ports, link, charging);
    // A clock that was set back meanwhile must not make the person wait for longer.
    const left_ms = Math.min(REDIRECT_BUDGET_MS, deadline - this.#clock.now());
    const counted = await this.#within(counting, left_ms);
    // The object learns of changes before this isolate does, so its address is preferred. '' comes from objects
    // whose stored copy is older than the slug in it.
    const url =
      counted?.url || target?.url || (await this.#firstAddress(ports, [counting, finding]));
    return { url: addressFrom(url), ...(counted && { outcome: counted.outcome }) };
  }

  /**
   * What must be known first, each within half the budget. Throws 429 where only D1 could say where the link
   * leads and the sender is past its ceiling.
   */
  async #prepare(
    ports: ClickPorts,
    { page_id, link_id }: LinkOfPage,
    charging: Promise<Decision | null>,
  ): Promise<Prepared> {
    const half_ms = REDIRECT_BUDGET_MS / 2;
    const known = this.#targets.recall(page_id, link_id);
    const decision = await this.#within(charging, half_ms);
    if (known !== undefined) return { decision, target: known, finding: Promise.resolve(known) };
    if (decision && isPastCeiling(decision, ports.limit) && !this.#mayRead()) {
      const old = this.#targets.recallStale(page_id, link_id);
      if (old === undefined) throw ports.refusal(decision);
      return { decision, target: old, finding: Promise.resolve(old) };
    }
    const finding = this.#targets.find(ports.db, page_id, link_id);
    const found = await this.#within(finding, half_ms);
    const target = found === undefined ? this.#targets.recallStale(page_id, link_id) : found;
    return { decision, target, finding };
  }

  /** Whether D1 may be read once more for senders past their ceiling: ten times a second in an isolate. */
  #mayRead(): boolean {
    const now = this.#clock.now();
    if (now >= this.#read_at && now - this.#read_at < CEILING_READ_MS) return false;
    this.#read_at = now;
    return true;
  }

  /** Counts the click until it is counted, behind the answer too and when the client has hung up. */
  #count(
    ports: ClickPorts,
    { page_id }: LinkOfPage,
    charging: Promise<Decision | null>,
  ): Promise<Required<Followed>> {
    const making = ports.makeEvent();
    const count = async () => {
      const event = await making;
      const limited = (await charging)?.admitted === false;
      const given = limited ? limitedEvent(event) : event;
      const { url, outcome } = await this.#recorder.record(ports, page_id, given);
      return { url, outcome: limited && outcome === "counted" ? ("limited" as const) : outcome };
    };
    const counting = retryCounting(count, isFinal, this.#clock);
    ports.waitUntil(
      counting.catch((error) => {
        if (!isRefusal(error)) ports.failed("click_not_counted", page_id, error);
      }),
    );
    return counting;
  }

  /**
   * Where the link leads, from whichever of the object and D1 answers first: none did in the redirect's time, and
   * one that fails says nothing about the other. Throws 404 and 410 by what the first one says, and 503 when none
   * answers within 10 s.
   */
  async #firstAddress(
    ports: ClickPorts,
    answers: readonly Promise<{ url: string } | LinkTarget | null>[],
  ): Promise<string | null> {
    const addresses = answers.map(async (answer) => {
      const found = await answer.catch(refusalOf);
      if (found instanceof ApiError) return found;
      if (found?.url === "") throw new Error("the object's copy has no slug");
      return found;
    });
    try {
      const first = Promise.any(addresses);
      const found = await withTimeout(first, RECORD_TIMEOUT_MS, this.#clock);
      if (found instanceof ApiError) throw found;
      if (found === null || "status" in found) refuseAbsent(ports, found);
      return found?.url ?? null;
    } catch (error) {
      throw isRefusal(error) ? error : dependencyDown(error);
    }
  }

  /** The promise's value if it comes within `ms` milliseconds, else undefined. */
  async #within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
    try {
      return await withTimeout(promise, Math.max(0, ms), this.#clock);
    } catch (error) {
      // What the client asked for wrongly stays an answer; what we failed at is not one.
      if (isRefusal(error)) throw error;
      return undefined;
    }
  }
}

/** Throws 404 for what does not exist and 410, in the page's language, where the page is suspended. */
function refuseAbsent(ports: ClickPorts, target: LinkTarget | null): void {
  if (target === null) throw new ApiError("LINK_NOT_FOUND");
  ports.setLocale(target.locale);
  if (target.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  if (target.url === null) throw new ApiError("LINK_NOT_FOUND");
}

/** Throws 503 where nobody could say where the link leads. */
function addressFrom(url: string | null): string {
  if (!url) throw dependencyDown();
  return url;
}

/** A refusal is an answer, which the other source must not keep waiting; a failure is none. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && isRefusal(error)) return error;
  throw error;
}

/** Whether the client asked for something that cannot be had, now or later. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== "DEPENDENCY_DOWN";
}

/** Another try would not help, and more calls are the last thing an overloaded object needs (docs/faults.md F15). */
function isFinal(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : error;
  const isOverloaded = cause instanceof Error && "overloaded" in cause && cause.overloaded === true;
  return isRefusal(error) || isOverloaded;
}
