/**
 * One isolate of the router: the memories that src/middleware/limiter.ts, src/record.ts and
 * src/routes/redirect.ts keep, which are the project's own classes, and the way of a request through them as
 * those files, src/routes/beacon.ts and src/page-changes.ts have it. The platform around it is `isolate.ts`.
 */
import { withTimeout } from "../../objects/clock.ts";
import type { PageEvent, Receipt } from "../../objects/event.ts";
import type { Verdict } from "../../objects/sliding-window.ts";
import type { Check } from "../../objects/windows.ts";
import { Admission, type Decision } from "../../src/counting/admission.ts";
import { type DeliveryPorts, deliverChanges, keepDelivering } from "../../src/counting/delivery.ts";
import { keepCounting } from "../../src/counting/keep-counting.ts";
import { LimitedNumbers } from "../../src/counting/limited-numbers.ts";
import { ApiError, dependencyDown, ERRORS } from "../../src/errors.ts";
import {
  CEILING,
  CEILING_READ_MS,
  RECORD_TIMEOUT_MS,
  REDIRECT_BUDGET_MS,
} from "../../src/limits.ts";
import { type LinkTarget, LinkTargets } from "../../src/stores/link-targets.ts";
import { notePageChanged, notePageEnded } from "../../src/stores/page-changes.ts";
import { deletePage } from "../../src/stores/pages.ts";

/** What a client asks for. */
export interface Visit {
  sender: string;
  page_id: string;
  /** Without a key, the client gave no id. */
  event: Omit<PageEvent, "key"> & { key: string | null };
}

export interface Answer {
  status: number;
  outcome?: "counted" | "duplicate" | "limited";
  /** Where a redirect leads. */
  url?: string;
  /** When to come again, in milliseconds. */
  retry_ms?: number;
}

/** One request, as the platform and its client see it. */
export interface Context {
  waitUntil(promise: Promise<unknown>): void;
  /** The headers of the limit. */
  limited(decision: Decision): void;
}

export interface RouterPorts extends Omit<DeliveryPorts, "failed"> {
  /** In place of src/limits.ts's number of the scope. */
  limit: number;
  randomKey: () => string;
  check: (check: Check) => Promise<Verdict>;
  record: (page_id: string, event: PageEvent) => Promise<Receipt>;
  recordNumbers: (page_id: string, events: readonly PageEvent[]) => Promise<void>;
}

const SCOPE = "public";
const REFUSALS = {
  unknown_page: "PAGE_NOT_FOUND",
  unknown_link: "LINK_NOT_FOUND",
  suspended: "PAGE_SUSPENDED",
} as const;

type Counted = Extract<Receipt, { url: string }>;

export class SimRouter {
  readonly #ports: RouterPorts;
  readonly #admission: Admission;
  readonly #numbers: LimitedNumbers;
  readonly #targets: LinkTargets;
  #read_at = 0;

  constructor(ports: RouterPorts) {
    this.#ports = ports;
    this.#admission = new Admission(ports.clock);
    this.#targets = new LinkTargets(ports.clock);
    this.#numbers = new LimitedNumbers(ports.clock);
  }

  /** `POST /api/analytics/view` */
  async beacon(c: Context, { sender, page_id, event }: Visit): Promise<Answer> {
    const decision = await this.#charge(c, sender);
    if (decision?.admitted === false) {
      this.#recordRefused(c, page_id, event.link_id);
      throw refusal(decision);
    }
    const key = event.key ?? this.#ports.randomKey();
    return { status: 202, outcome: (await this.#record(page_id, { ...event, key })).outcome };
  }

  /** `GET /r/:page_id/:link_id` */
  async redirect(c: Context, visit: Visit): Promise<Answer> {
    const { page_id, sender, event } = visit;
    const now = () => this.#ports.clock.now();
    const deadline = now() + REDIRECT_BUDGET_MS;
    const charging = this.#charge(c, sender);
    const { decision, target, finding } = await this.#prepare(visit, charging);
    if (target !== undefined) refuseAbsent(target);
    if (this.#isPastCeiling(decision)) {
      this.#recordRefused(c, page_id, event.link_id);
      return goTo(target?.url ?? (await this.#firstAddress([finding])));
    }
    const counting = this.#countClick(c, visit, charging);
    const counted = await this.#within(counting, Math.min(REDIRECT_BUDGET_MS, deadline - now()));
    const url = counted?.url || target?.url || (await this.#firstAddress([counting, finding]));
    return { ...goTo(url), ...(counted && { outcome: counted.outcome }) };
  }

  /** A change of a page: `statements` and a note of it in one transaction, which is then delivered. */
  async change(
    c: Context,
    page_id: string,
    statements: (db: D1Database) => D1PreparedStatement[],
  ): Promise<Answer> {
    const { db, clock } = this.#ports;
    await db.batch([notePageChanged(db, page_id, clock.now()), ...statements(db)]);
    c.waitUntil(keepDelivering(this.#delivery).catch(() => {}));
    return { status: 200 };
  }

  /** The end of a page for good; what its owner has read of it aside. */
  async end(c: Context, page_id: string): Promise<Answer> {
    const { db, clock } = this.#ports;
    await db.batch([notePageEnded(db, page_id, clock.now()), deletePage(db, page_id)]);
    c.waitUntil(keepDelivering(this.#delivery).catch(() => {}));
    return { status: 200 };
  }

  /** The cron's turn; answers whether nothing is left to be delivered. */
  async cron(): Promise<boolean> {
    return deliverChanges(this.#delivery, this.#ports.clock.now());
  }

  get #delivery(): DeliveryPorts {
    return { ...this.#ports, failed: () => {} };
  }

  async #charge(c: Context, sender: string): Promise<Decision | null> {
    try {
      const check = { sender, scope: SCOPE, limit: this.#ports.limit };
      const decision = await this.#admission.decide(check, (asked) => this.#ports.check(asked));
      c.limited(decision);
      return decision;
    } catch {
      return null;
    }
  }

  async #prepare({ page_id, event }: Visit, charging: Promise<Decision | null>) {
    const half_ms = REDIRECT_BUDGET_MS / 2;
    const known = this.#targets.recall(page_id, event.link_id);
    const decision = await this.#within(charging, half_ms);
    if (known !== undefined) return { decision, target: known, finding: Promise.resolve(known) };
    if (decision && this.#isPastCeiling(decision) && !this.#mayRead()) {
      const old = this.#targets.recallOld(page_id, event.link_id);
      if (old === undefined) throw refusal(decision);
      return { decision, target: old, finding: Promise.resolve(old) };
    }
    const finding = this.#targets.find(this.#ports.db, page_id, event.link_id);
    const found = await this.#within(finding, half_ms);
    const target = found === undefined ? this.#targets.recallOld(page_id, event.link_id) : found;
    return { decision, target, finding };
  }

  async #firstAddress(
    answers: readonly Promise<{ url: string } | LinkTarget | null>[],
  ): Promise<string | null> {
    const addresses = answers.map(async (answer) => {
      const found = await answer.catch(refusalOf);
      if (found instanceof ApiError) return found;
      if (found?.url === "") throw new Error("an object of before knows no slug");
      return found;
    });
    try {
      const first = Promise.any(addresses);
      const found = await withTimeout(first, RECORD_TIMEOUT_MS, this.#ports.clock);
      if (found instanceof ApiError) throw found;
      if (found === null || "status" in found) refuseAbsent(found);
      return found?.url ?? null;
    } catch (error) {
      throw isRefusal(error) ? error : dependencyDown(error);
    }
  }

  #countClick(c: Context, { page_id, event }: Visit, charging: Promise<Decision | null>) {
    const making = { ...event, key: event.key ?? this.#ports.randomKey() };
    const count = async () => {
      const limited = (await charging)?.admitted === false;
      const { url, outcome } = await this.#record(page_id, limited ? limitedEvent(making) : making);
      return { url, outcome: limited && outcome === "counted" ? ("limited" as const) : outcome };
    };
    const counting = keepCounting(count, isFinal, this.#ports.clock);
    c.waitUntil(counting.catch(() => {}));
    return counting;
  }

  async #record(page_id: string, event: PageEvent): Promise<Counted> {
    let receipt: Receipt;
    try {
      const recording = this.#ports.record(page_id, event);
      receipt = await withTimeout(recording, RECORD_TIMEOUT_MS, this.#ports.clock);
    } catch (error) {
      throw dependencyDown(error);
    }
    if ("url" in receipt) {
      this.#numbers.know(page_id);
      return receipt;
    }
    throw new ApiError(REFUSALS[receipt.outcome]);
  }

  #recordRefused(c: Context, page_id: string, link_id: string): void {
    if (!this.#numbers.add(page_id, link_id)) return;
    const handing = this.#numbers.handOver(page_id, (refused) => {
      const events = refused.map(({ link_id, n }) => ({
        ...limitedEvent({ key: this.#ports.randomKey(), link_id }),
        n,
      }));
      const recording = this.#ports.recordNumbers(page_id, events);
      return withTimeout(recording, RECORD_TIMEOUT_MS, this.#ports.clock);
    });
    c.waitUntil(handing.catch(() => {}));
  }

  #isPastCeiling(decision: Decision | null | undefined): boolean {
    return (decision?.refusals ?? 0) > (CEILING - 1) * this.#ports.limit;
  }

  #mayRead(): boolean {
    const now = this.#ports.clock.now();
    if (now >= this.#read_at && now - this.#read_at < CEILING_READ_MS) return false;
    this.#read_at = now;
    return true;
  }

  async #within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
    try {
      return await withTimeout(promise, Math.max(0, ms), this.#ports.clock);
    } catch (error) {
      if (isRefusal(error)) throw error;
      return undefined;
    }
  }
}

/** The answer that a route's error stands for; an error of another kind is a bug. */
export function toAnswer(error: unknown): Answer {
  if (!(error instanceof ApiError)) return { status: 500 };
  const { reset_ms } = error.details;
  const retry_ms = typeof reset_ms === "number" ? reset_ms : 1_000;
  return { status: ERRORS[error.code].status, retry_ms };
}

/** To the millisecond, where the route's header says whole seconds: so it is held to its word. */
function refusal({ reset_ms }: Verdict): ApiError {
  return new ApiError("RATE_LIMITED", { details: { reset_ms } });
}

function refuseAbsent(target: LinkTarget | null): void {
  if (target === null) throw new ApiError("LINK_NOT_FOUND");
  if (target.status === "suspended") throw new ApiError("PAGE_SUSPENDED");
  if (target.url === null) throw new ApiError("LINK_NOT_FOUND");
}

function limitedEvent({ key, link_id }: Pick<PageEvent, "key" | "link_id">): PageEvent {
  return { key, link_id, class: "limited", visitor: null, origin: null };
}

function goTo(url: string | null | undefined): Answer {
  if (!url) throw dependencyDown();
  return { status: 302, url };
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && isRefusal(error)) return error;
  throw error;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== "DEPENDENCY_DOWN";
}

function isFinal(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : error;
  const isOverloaded = cause instanceof Error && "overloaded" in cause && cause.overloaded === true;
  return isRefusal(error) || isOverloaded;
}
