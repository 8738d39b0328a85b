/**
 * One isolate of the router: its admission, its recorder and its clicks, which are the project's
 * own classes with their memories, and the few lines of src/counting/beacon-route.ts,
 * src/http/exact-limit.ts and src/pages/page-changes.ts that lead to them. The platform around it
 * is `isolate.ts`.
 */
import type { Check } from "../../objects/limiter/sender-windows.ts";
import type { Verdict } from "../../objects/limiter/sliding-window.ts";
import type { PageEvent } from "../../objects/tables/event.ts";
import { Clicks } from "../../src/counting/clicks.ts";
import { Recorder, type RecordPorts } from "../../src/counting/recorder.ts";
import { Admission, type Decision } from "../../src/http/admission.ts";
import { ApiError, ERRORS } from "../../src/http/api-error.ts";
import {
  type DeliveryPorts,
  deliverChanges,
  keepDelivering,
} from "../../src/pages/change-delivery.ts";
import { notePageChanged, notePageEnded } from "../../src/pages/page-changes-store.ts";
import { deletePage } from "../../src/pages/pages-store.ts";

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
  /** When to retry, in milliseconds. */
  retry_ms?: number;
}

/** One request, as the platform and its client see it. */
export interface Context {
  waitUntil(promise: Promise<unknown>): void;
  /** The headers of the limit. */
  limited(decision: Decision): void;
}

export interface RouterPorts
  extends Omit<DeliveryPorts, "failed">,
    Pick<RecordPorts, "record" | "recordLimited"> {
  /** In place of src/http/limits.ts's number of the scope. */
  limit: number;
  randomKey: () => string;
  check: (check: Check) => Promise<Verdict>;
}

const SCOPE = "public";

export class SimRouter {
  readonly #ports: RouterPorts;
  readonly #admission: Admission;
  readonly #recorder: Recorder;
  readonly #clicks: Clicks;

  constructor(ports: RouterPorts) {
    this.#ports = ports;
    this.#admission = new Admission(ports.clock);
    this.#recorder = new Recorder(ports.clock, ports.randomKey);
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
    const { outcome } = await this.#recorder.record(ports, page_id, this.#eventOf(visit));
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
        makeEvent: async () => this.#eventOf(visit),
        setLocale: () => {},
      },
      { page_id, link_id: event.link_id },
    );
    return { status: 302, ...followed };
  }

  /**
   * A change of a page: `statements` and a note of it in one transaction, which is then delivered.
   */
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

  #recordPorts({ waitUntil }: Context): RecordPorts {
    const { record, recordLimited } = this.#ports;
    return { record, recordLimited, failed: () => {}, waitUntil };
  }

  #eventOf({ event }: Visit): PageEvent {
    return { ...event, key: event.key ?? this.#ports.randomKey() };
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
