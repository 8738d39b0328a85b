/** An isolate's checks of one limiter object and scope at one time share a call (`batcher.ts`). */
import { Buffer } from "node:buffer";
import { SENDER_BYTES } from "../../objects/limiter/packed-admissions.ts";
import type { Check, CheckBatch } from "../../objects/limiter/sender-windows.ts";
import type { Verdict } from "../../objects/limiter/sliding-window.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { Batcher, type BatchPorts } from "./batcher.ts";
import { CHECKS_PER_CALL_MAX, LIMITER_TIMEOUT_MS } from "./limits.ts";

export interface CheckPorts
  extends Pick<BatchPorts<never, never>, "waitUntil" | "shares" | "clock"> {
  checkAll: (name: string, batch: CheckBatch) => Promise<Int32Array>;
}

export class LimiterCalls {
  readonly #batcher: Batcher<string, Verdict>;

  constructor(clock: Clock) {
    this.#batcher = new Batcher(clock, CHECKS_PER_CALL_MAX, LIMITER_TIMEOUT_MS);
  }

  /**
   * Rejects where the call fails or takes over 2 s; the check may have been charged then, and is
   * never sent again (docs/faults.md F22).
   */
  check(
    { checkAll, ...ports }: CheckPorts,
    name: string,
    { sender, ...rule }: Check,
  ): Promise<Verdict> {
    const { scope, limit, window_ms = "" } = rule;
    return this.#batcher.submit(`${name}/${scope}/${limit}/${window_ms}`, sender, {
      call: async (senders) => verdicts(await checkAll(name, { ...rule, senders: pack(senders) })),
      ...ports,
    });
  }
}

function pack(senders: readonly string[]): Uint8Array {
  const bytes = Buffer.alloc(senders.length * SENDER_BYTES);
  for (const [i, sender] of senders.entries()) bytes.write(sender, i * SENDER_BYTES, "hex");
  return new Uint8Array(bytes);
}

/** Two numbers of each sender: `remaining`, or -1 for a refusal, and `reset_ms`. */
function verdicts(numbers: Int32Array): Verdict[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) => {
    const remaining = numbers[2 * i] ?? 0;
    const reset_ms = numbers[2 * i + 1] ?? 0;
    return { admitted: remaining >= 0, remaining: Math.max(0, remaining), reset_ms };
  });
}
