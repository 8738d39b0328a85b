/**
 * One isolate of the router: its admission, its recorder and its clicks, which are the project's
 * own classes with their memories, and the few lines of src/counting/beacon-route.ts,
 * src/counting/record.ts, src/http/exact-limit.ts and src/pages/cache/page-changes.ts that lead to them. The platform around it
 * is `isolate.ts`.
 */
import { createHash } from "node:crypto";
import type { PageEvent } from "../../objects/events/event.ts";
import type { Check } from "../../objects/limiter/sender-windows.ts";
import type { Verdict } from "../../objects/limiter/sliding-window.ts";
import { Clicks } from "../../src/counting/clicks.ts";
import { type ClickIds, clickKey } from "../../src/counting/event-key.ts";
import { type Counted, Recorder, type RecordPorts } from "../../src/counting/recorder.ts";
import { Admission, type Decision } from "../../src/http/admission.ts";
import { ApiError, ERRORS } from "../../src/http/api-error.ts";
import { type CheckPorts, LimiterCalls } from "../../src/http/limiter-calls.ts";
import { RequestTimers } from "../../src/http/request-timers.ts";
import type { Secret } from "../../src/http/secret.ts";
import {
  type DeliveryPorts,
  deliverChanges,
  keepDelivering,
} from "../../src/pages/cache/change-delivery.ts";
import { notePageChanged, notePageEnded } from "../../src/pages/document/page-changes-store.ts";
import { deletePage } from "../../src/pages/document/pages-store.ts";

export interface Visit {
  sender: string;
  page_id: string;
  /** Its key is that of a beacon's id. */
  event: PageEvent;
  /** In the address of a redirect. */
  ids: ClickIds;
}

export interface Answer {
  status: number;
  outcome?: "counted" | "duplicate" | "limited";
  url?: string;
  retry_ms?: number;
}

export interface Context {
  timers: RequestTimers;
  waitUntil(promise: Promise<unknown>): void;
  limited(decision: Decision): void;
}

export interface RouterPorts
  extends Omit<DeliveryPorts, "failed">,
    Pick<RecordPorts, "record" | "recordLimited" | "shares">,
    Pick<CheckPorts, "checkAll"> {
  /** In place of src/http/limits.ts's number of the scope. */
  limit: number;
  randomKey: () => string;
  secret: Secret;
  limiterOf: (sender: string) => string;
  /** A request begins to ask a limiter, or to send an event; another one may call for it. */
  asks: (name: string, check: Check) => void;
  submits: (page_id: string, event: PageEvent) => void;
  /** `waitUntil` of the request that calls, for the call alone. */
  keepsCall: (promise: Promise<unknown>) => void;
}

const SCOPE = "public";

/** Notes each try to send an event, and which promises are calls. */
class NotedRecorder extends Recorder {
  readonly #ports: RouterPorts;

  constructor(ports: RouterPorts) {
    super(ports.clock, ports.randomKey, () => {});
    this.#ports = ports;
  }

  override record(ports: RecordPorts, page_id: string, event: PageEvent): Promise<Counted> {
    const { submits, keepsCall } = this.#ports;
    submits(page_id, event);
    return super.record({ ...ports, waitUntil: keepsCall }, page_id, event);
  }
}

export class SimRouter {
  readonly #ports: RouterPorts;
  readonly #admission: Admission;
  readonly #calls: LimiterCalls;
  readonly #recorder: Recorder;
  readonly #clicks: Clicks;

  constructor(ports: RouterPorts) {
    this.#ports = ports;
    this.#admission = new Admission(ports.clock);
    this.#calls = new LimiterCalls(ports.clock);
    this.#recorder = new NotedRecorder(ports);
    this.#clicks = new Clicks(ports.clock, this.#recorder);
  }

  /** `POST /api/analytics/view` */
  async beacon(c: Context, visit: Visit): Promise<Answer> {
    const { sender, page_id, event } = visit;
    const ports = this.#recordPorts(c);
    const decision = await this.#charge(c, sender);
    if (decision?.admitted === false) {
      this.#recorder.queueLimited(ports, page_id, event.link_id);
      throw refusal(decision);
    }
    const { outcome } = await this.#recorder.record(ports, page_id, event);
    return { status: 202, outcome };
  }

  /** `GET /r/:page_id/:link_id` */
  async redirect(c: Context, visit: Visit): Promise<Answer> {
    const { db, limit } = this.#ports;
    const { page_id, sender, event } = visit;
    const followed = await this.#clicks.follow(
      {
        ...this.#recordPorts(c),
        db,
        limit,
        charge: () => this.#charge(c, sender),
        refusal,
        counts: true,
        makeEvent: async () => this.#clickOf(visit),
        setLocale: () => {},
      },
      { page_id, link_id: event.link_id },
    );
    return { status: 302, ...followed };
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

  timers(): RequestTimers {
    return new RequestTimers(this.#ports.clock);
  }

  #recordPorts({ waitUntil, timers }: Context): RecordPorts {
    const { record, recordLimited, shares } = this.#ports;
    return { record, recordLimited, failed: () => {}, waitUntil, shares, clock: timers };
  }

  #clickOf({ event, ids, sender }: Visit): PageEvent {
    const { secret, randomKey } = this.#ports;
    const by = { sender, is_bot: event.class === "bot" };
    return { ...event, key: clickKey(secret, by, ids, event.link_id) ?? randomKey() };
  }

  async #charge(c: Context, sender: string): Promise<Decision | null> {
    try {
      const check = { sender: hashOf(sender), scope: SCOPE, limit: this.#ports.limit };
      const decision = await this.#admission.decide(check, (asked) => this.#ask(c, asked));
      c.limited(decision);
      return decision;
    } catch {
      return null;
    }
  }

  #ask({ waitUntil, timers }: Context, check: Check): Promise<Verdict> {
    const { checkAll, shares, limiterOf, asks } = this.#ports;
    const name = limiterOf(check.sender);
    asks(name, check);
    return this.#calls.check({ checkAll, waitUntil, shares, clock: timers }, name, check);
  }
}

function hashOf(sender: string): string {
  return createHash("sha256").update(sender).digest("hex").slice(0, 32);
}

/** The answer that a route's error stands for; an error of another kind is a bug. */
export function toAnswer(error: unknown): Answer {
  if (!(error instanceof ApiError)) return { status: 500 };
  const { reset_ms } = error.details;
  const retry_ms = typeof reset_ms === "number" ? reset_ms : 1_000;
  return { status: ERRORS[error.code].status, retry_ms };
}

/** Gives the wait in milliseconds, where the route's header has whole seconds: the judge checks it exactly. */
function refusal({ reset_ms }: Verdict): ApiError {
  return new ApiError("RATE_LIMITED", { details: { reset_ms } });
}
