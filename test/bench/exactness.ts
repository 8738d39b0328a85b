/**
 * Sends loads, and checks after each of them that nothing was lost or counted twice: what was acknowledged
 * is what the page objects have and, after a flush, what D1 has. The pages' totals are of all loads, so
 * they are compared with all that this server has acknowledged.
 */
import type { Load, Measured } from "./client.ts";
import type { Clients } from "./clients.ts";
import type { Requests } from "./requests.ts";
import { BenchServer, type Server } from "./server.ts";

/** The answer of a redirect whose click is counted later, or never. */
export const LATE = "302";
const ACKNOWLEDGED: ReadonlySet<string> = new Set(["202 counted", "302 counted"]);
/** A late click is retried for this long. */
const SETTLED_MS = 30_000;
const PAUSE_MS = 200;

interface Expected {
  acknowledged: number;
  late: number;
  unchecked: number;
}

type Pages = Pick<Requests, "lane" | "page_prefix" | "pages">;

export class Loads {
  readonly #clients: Clients;
  readonly #expected = new Map<Server, Map<string, Expected>>();
  readonly checked = { runs: 0, events: 0 };

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /** Throws where a count is not exact. `onAnswered` comes before the check, which costs the server CPU. */
  async run(
    server: Server,
    load: Omit<Load, "run" | "port">,
    onAnswered: () => Promise<void> = async () => {},
  ): Promise<Measured> {
    const measured = await this.send(server, load);
    await onAnswered();
    if (server instanceof BenchServer) await this.check(server, load.requests);
    return measured;
  }

  async send(server: Server, load: Omit<Load, "run" | "port">): Promise<Measured> {
    const measured = await this.#clients.run({ ...load, port: server.port });
    let counted = 0;
    for (const [answer, times] of Object.entries(measured.answers)) {
      if (ACKNOWLEDGED.has(answer)) counted += times;
    }
    this.acknowledged(server, load.requests, counted, measured.answers[LATE] ?? 0);
    return measured;
  }

  acknowledged(server: Server, { page_prefix }: Pages, counted: number, late = 0): void {
    const expected = this.#expectedOf(server, page_prefix);
    expected.acknowledged += counted;
    expected.late += late;
    expected.unchecked += counted;
  }

  /** Flushes the pages, and throws unless they and D1 have exactly what was acknowledged. */
  async check(server: BenchServer, { lane, page_prefix, pages }: Pages): Promise<void> {
    const expected = this.#expectedOf(server, page_prefix);
    if (expected.unchecked === 0) return;
    const naive = lane === "naive";
    const deadline = performance.now() + (expected.late > 0 ? SETTLED_MS : 0);
    for (;;) {
      const { objects, d1 } = await server.totals(page_prefix, pages, naive);
      const { acknowledged } = expected;
      const most = acknowledged + expected.late;
      if (objects === d1 && objects >= acknowledged && objects <= most) break;
      if (performance.now() > deadline) {
        throw new Error(
          `not exact: pages ${page_prefix}: ${acknowledged} acknowledged` +
            `${most > acknowledged ? ` and ${most - acknowledged} late` : ""}, ` +
            `${objects} in the objects, ${d1} in D1`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.checked.runs += 1;
    this.checked.events += expected.unchecked;
    expected.unchecked = 0;
  }

  #expectedOf(server: Server, page_prefix: string): Expected {
    const byPages = this.#expected.get(server) ?? new Map<string, Expected>();
    this.#expected.set(server, byPages);
    const expected = byPages.get(page_prefix) ?? { acknowledged: 0, late: 0, unchecked: 0 };
    byPages.set(page_prefix, expected);
    return expected;
  }
}
