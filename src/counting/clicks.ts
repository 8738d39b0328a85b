/**
 * Clicks through the redirect. The client gets its 302 whether or not its click can be counted
 * (docs/contract.md section 4). Has ports, so that the model can run it.
 */

import type { PageEvent } from "../../objects/events/event.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { type Decision, isPastCeiling } from "../http/admission.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { CEILING_READ_MS, RECORD_TIMEOUT_MS, REDIRECT_BUDGET_MS } from "./limits.ts";
import { type LinkTarget, LinkTargets } from "./link-targets.ts";
import { type Counted, limitedEvent, type Recorder, type RecordPorts } from "./recorder.ts";
import { retryCounting } from "./retry-counting.ts";

interface LinkOfPage {
  page_id: string;
  link_id: string;
}

interface ClickPorts extends RecordPorts {
  db: D1Database;
  limit: number;
  /** Null where the limiter fails: the redirect works without it. */
  charge: () => Promise<Decision | null>;
  refusal: (decision: Decision) => ApiError;
  /** False for HEAD, and where no event of this day is counted any more. */
  counts: boolean;
  /** Called once: each try must have the same key. Rejects if the click must not count. */
  makeEvent: () => Promise<PageEvent>;
  /** The page of an error is in the page's language. */
  setLocale: (locale: LinkTarget["locale"]) => void;
}

/** The click is still being counted where there is no outcome. */
interface Followed {
  url: string;
  outcome?: Counted["outcome"] | "limited";
}

/** Undefined where it did not come in time. */
interface Prepared {
  decision: Decision | null | undefined;
  target: LinkTarget | null | undefined;
  finding: Promise<LinkTarget | null>;
}

export class Clicks {
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  readonly #targets: LinkTargets;
  #read_at = 0;

  constructor(clock: Clock, recorder: Recorder) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#targets = new LinkTargets(clock);
  }

  /**
   * Counts a click and returns its address. Over the limit the click is classed `limited`; past ten
   * times the limit it is added to a batched count. After 300 ms the answer is sent and counting
   * continues in the background. Throws 404 for a link that does not exist, 410 for a suspended
   * page, 429 past ten times the limit for a page that is not cached, and 503 only when neither the
   * object nor D1 has the address.
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
    // A clock that is set back must not make the wait longer.
    const left_ms = Math.min(REDIRECT_BUDGET_MS, deadline - this.#clock.now());
    const counted = await this.#within(counting, left_ms);
    // Changes reach the object before this isolate's cache, so its address comes first. It is ''
    // where the object's stored copy of the page is of a version without slugs.
    const url =
      counted?.url || target?.url || (await this.#firstAddress(ports, [counting, finding]));
    return { url: addressFrom(url), ...(counted && { outcome: counted.outcome }) };
  }

  /** Each gets half the budget. Throws 429 for a read of D1 by a sender past its ceiling. */
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

  /** An isolate reads D1 for senders past their ceiling ten times a second at most. */
  #mayRead(): boolean {
    const now = this.#clock.now();
    if (now >= this.#read_at && now - this.#read_at < CEILING_READ_MS) return false;
    this.#read_at = now;
    return true;
  }

  /** The count goes on after the answer, and after the client has gone. */
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
   * Waits beyond the redirect's budget for the object or D1, whichever answers first. Throws 404 or
   * 410 where the first answer is one, and 503 where both fail or take over 10 s.
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

  /** Undefined after `ms` milliseconds, or for a failure, which is treated as late. */
  async #within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
    try {
      return await withTimeout(promise, Math.max(0, ms), this.#clock);
    } catch (error) {
      // A refusal is an answer; a failure is treated as late.
      if (isRefusal(error)) throw error;
      return undefined;
    }
  }
}

/** Throws 404 for a missing link or page, and 410 in the page's language if it is not open. */
function refuseAbsent(ports: ClickPorts, target: LinkTarget | null): void {
  if (target === null || target.status === "draft") throw new ApiError("LINK_NOT_FOUND");
  ports.setLocale(target.locale);
  if (target.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  if (target.url === null) throw new ApiError("LINK_NOT_FOUND");
  if (!target.is_open) throw new ApiError("LINK_EXPIRED");
}

function addressFrom(url: string | null): string {
  if (!url) throw dependencyDown();
  return url;
}

/** A refusal counts as an answer, so `Promise.any` need not wait for the other source. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && isRefusal(error)) return error;
  throw error;
}

/** An error that is the client's: a retry would fail too. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== "DEPENDENCY_DOWN";
}

/** An overloaded object must not get more calls (docs/faults.md F15). */
function isFinal(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : error;
  const isOverloaded = cause instanceof Error && "overloaded" in cause && cause.overloaded === true;
  return isRefusal(error) || isOverloaded;
}
