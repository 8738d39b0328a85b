/** PageStatus: whether D1 says that the page is suspended. Stores nothing. */
import { SECOND_MS, withTimeout } from "../../platform/clock.ts";
import type { WebhookPorts } from "./webhook-ports.ts";

const KEPT_MS = 10 * SECOND_MS;
const READ_TIMEOUT_MS = 10 * SECOND_MS;

export class PageStatus {
  readonly #ports: WebhookPorts;
  #last: { is_suspended: boolean; at: number } | null = null;

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
  }

  /** Uses the last answer, however old it is. */
  get wasSuspended(): boolean {
    return this.#last?.is_suspended === true;
  }

  /** A page that D1 does not have is going to end, and counts as suspended. Rejects if D1 fails. */
  async isSuspended(): Promise<boolean> {
    const { db, clock, pageId } = this.#ports;
    const age_ms = clock.now() - (this.#last?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#last !== null && age_ms >= 0 && age_ms < KEPT_MS) return this.#last.is_suspended;
    const { results } = await withTimeout(
      db
        .prepare("SELECT status FROM pages WHERE page_id = ?1 AND ends_at IS NULL")
        .bind(pageId())
        .all<{ status: string }>(),
      READ_TIMEOUT_MS,
      clock,
    );
    const is_suspended = (results[0]?.status ?? "suspended") === "suspended";
    this.#last = { is_suspended, at: clock.now() };
    return is_suspended;
  }
}
