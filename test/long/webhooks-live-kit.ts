/** The deployed bundle with the demo hub, for tests of webhooks: an owner, their endpoints, and what was sent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryDetail, Endpoint } from "../../objects/blocks/webhooks/webhook.ts";
import { startWithHub, type WithHub } from "../demo/neighbours/with-neighbours.ts";
import { type PlainPage, plainPage, storePage } from "../plain-page.ts";
import { freePair } from "../server/ports.ts";
import { Steering } from "../server/steering.ts";

/** Longest wait for an answer while workerd restarts. */
const ANSWER_MS = 60_000;
export const OWNER = "demo-pro";

export type Headers = Record<string, string>;

export class Live {
  readonly statePath: string;
  readonly steering = new Steering();
  readonly #port: number;
  readonly #pages: PlainPage[];
  #running: WithHub | null = null;
  #senders = 0;

  private constructor(statePath: string, port: number, pages: PlainPage[]) {
    this.statePath = statePath;
    this.#port = port;
    this.#pages = pages;
  }

  static async start(pagesOf: (hub: URL) => PlainPage[]): Promise<Live> {
    const pair = await freePair(0);
    if ("taken" in pair) throw new Error("there is no free port");
    const statePath = await mkdtemp(join(tmpdir(), "sila-webhooks-"));
    const hub = new URL(`http://127.0.0.1:${pair.port + 1}`);
    const live = new Live(statePath, pair.port, pagesOf(hub));
    await live.#start(true);
    return live;
  }

  async restart(change: () => void): Promise<void> {
    await this.running.dispose();
    this.#running = null;
    change();
    await this.#start(false);
  }

  async #start(isNew: boolean): Promise<void> {
    this.#running = await startWithHub({
      port: this.#port,
      hostname: "127.0.0.1",
      statePath: this.statePath,
      around: this.steering.around,
      seed: async (db) => {
        const pages = isNew ? this.#pages : [];
        for (const page of pages) await storePage(db, plainPage({ owner_id: OWNER, ...page }));
      },
      vars: { LIMITER_SHARDS: "4", FLUSH_SECONDS: "1", QUIET_FLUSH_SECONDS: "1" },
      // Calls under way are lost on purpose.
      onLine: () => {},
    });
    this.steering.steer(this.running.server);
  }

  get running(): WithHub {
    if (this.#running === null) throw new Error("it does not run");
    return this.#running;
  }

  async dispose(): Promise<void> {
    await this.#running?.dispose();
    await rm(this.statePath, { recursive: true, force: true });
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    for (const since = Date.now(); Date.now() - since < ANSWER_MS; await pause(100)) {
      this.#senders += 1;
      try {
        const headers = {
          "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0",
          ...init.headers,
          "CF-Connecting-IP": `10.1.${(this.#senders >> 8) & 255}.${this.#senders & 255}`,
        };
        const response = await fetch(this.running.origin + path, { ...init, headers });
        const text = await response.text();
        if (response.status < 500 && response.status !== 429) {
          return new Response(text, { status: response.status });
        }
      } catch {
        // workerd is being started again.
      }
    }
    throw new Error(`no answer from ${path}`);
  }

  async signIn(user_id: string): Promise<Headers> {
    const { cookie } = (await this.running.hub.control("POST", "/sign-in", { user_id })) as {
      cookie: string;
    };
    const Cookie = `hub_session=${cookie}`;
    const session = await this.ask("/api/auth/session", { headers: { Cookie } });
    const { csrf_token } = (await session.json()) as { csrf_token: string };
    return {
      Cookie,
      "X-CSRF-Token": csrf_token,
      Origin: this.running.origin,
      "Content-Type": "application/json",
    };
  }

  async listen(
    page_id: string,
    headers: Headers,
    { url, events }: Pick<Endpoint, "url" | "events">,
  ): Promise<Endpoint> {
    const body = JSON.stringify({ url, events });
    const path = `/api/me/pages/${page_id}/webhooks`;
    const made = await this.ask(path, { method: "POST", headers, body });
    const { webhook } = (await made.json()) as { webhook: Endpoint };
    return webhook;
  }

  async delivery(page_id: string, headers: Headers, id: number): Promise<DeliveryDetail> {
    const path = `/api/me/pages/${page_id}/webhook-deliveries/${id}`;
    const { delivery } = (await (await this.ask(path, { headers })).json()) as {
      delivery: DeliveryDetail;
    };
    return delivery;
  }

  async arrived(): Promise<{ id: string; is_verified: number; body: string }[]> {
    const { hooks } = (await this.running.hub.control("GET", "/hooks")) as {
      hooks: { id: string; is_verified: number; body: string }[];
    };
    return hooks;
  }
}
