/**
 * Transfers of points at the account hub (docs/contract.md section 11): made with the user's
 * cookie, and closed without one, by a request that is signed like a webhook (Standard Webhooks
 * 1.0).
 */
import { createHmac, randomUUID } from "node:crypto";
import { SECOND_MS } from "../../platform/clock.ts";
import { fetchHub, type HubSettings, hubSecret } from "../../platform/hub.ts";

export const HUB_WAIT_MS = 5 * SECOND_MS;
const ANSWER_BYTES_MAX = 65_536;

export interface Order {
  /** The hub's id of the user who gets the points. */
  to: string;
  points: number;
}

/** `refused`: not enough points. `failed` and `late`: the transfer may have been made. */
export type Transfer =
  | { outcome: "completed"; id: string }
  | { outcome: "refused" | "signed_out" | "failed" | "late" };

export interface Transfers {
  /** Moves points from the user of the cookie, once for each key. Never rejects. */
  make(cookie: string, key: string, order: Order): Promise<Transfer>;
  /** Null: there is no such transfer, and never will be. Rejects if the hub does not say. */
  close(user_id: string, key: string): Promise<string | null>;
}

export class HubTransfers implements Transfers {
  readonly #settings: HubSettings;
  readonly #onFailed: (error: unknown) => void;

  constructor(settings: HubSettings, onFailed: (error: unknown) => void) {
    this.#settings = settings;
    this.#onFailed = onFailed;
  }

  async make(cookie: string, key: string, { to, points }: Order): Promise<Transfer> {
    const signal = AbortSignal.timeout(HUB_WAIT_MS);
    const headers = { "Idempotency-Key": key };
    try {
      // This service notifies the recipient, of the message too.
      const body = JSON.stringify({ to, points, notify: false });
      const { status, answer } = await this.#post("/api/wallet/transfers", {
        ...{ body, headers, signal, cookie },
      });
      if (status === 402) return { outcome: "refused" };
      if (status === 401) return { outcome: "signed_out" };
      const { id } = answer;
      if (status === 201 && typeof id === "string") return { outcome: "completed", id };
      throw new Error(`the hub answered ${status} to a transfer`);
    } catch (error) {
      this.#onFailed(error);
      return { outcome: signal.aborted ? "late" : "failed" };
    }
  }

  async close(user_id: string, key: string): Promise<string | null> {
    const body = JSON.stringify({ user_id, key });
    const signal = AbortSignal.timeout(HUB_WAIT_MS);
    const headers = this.#signed(body);
    const path = "/api/wallet/transfers/close";
    const { status, answer } = await this.#post(path, { body, headers, signal });
    const { id } = answer;
    if (status === 200 && answer.status === "void") return null;
    if (status === 200 && answer.status === "completed" && typeof id === "string") return id;
    throw new Error(`the hub answered ${status} to the close of a transfer`);
  }

  async #post(
    path: string,
    { headers, ...order }: Omit<Parameters<typeof fetchHub>[2], "method">,
  ): Promise<{ status: number; answer: { status?: unknown; id?: unknown } }> {
    const response = await fetchHub(this.#settings, path, {
      ...order,
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
    });
    const { status } = response;
    if (status !== 200 && status !== 201) {
      await response.body?.cancel();
      return { status, answer: {} };
    }
    const answer: unknown = JSON.parse(await boundedText(response));
    return { status, answer: typeof answer === "object" && answer !== null ? answer : {} };
  }

  #signed(body: string): Record<string, string> {
    const id = `msg_${randomUUID().replaceAll("-", "")}`;
    const timestamp = String(Math.floor(Date.now() / SECOND_MS));
    const secret = Buffer.from(hubSecret(this.#settings).replace(/^whsec_/, ""), "base64");
    const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`);
    return {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature.digest("base64")}`,
    };
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error("the hub answered too much to a transfer");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
