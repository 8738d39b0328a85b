/**
 * A route whose requests share calls of one limiter: with the project's batcher, and with a broken one,
 * whose requests have no timers of their own while they wait. The runtime cancels such a request.
 */
import { systemClock } from "../../../objects/platform/ports.ts";
import { Batcher } from "../../../src/http/batcher.ts";

const SENDER_BYTES = 16;
const TIMEOUT_MS = 2_000;

const whole = new Batcher<Uint8Array, number>(systemClock, 250, TIMEOUT_MS);
const noTimers = { ...systemClock, after: () => () => {} };
const broken = new Batcher<Uint8Array, number>(noTimers, 250, TIMEOUT_MS);

/**
 * Checks a sender of its own.
 *
 * @param line whose requests share calls; a new one knows nothing of the load before
 */
export async function sharedCheck(
  { LIMITER }: Pick<Cloudflare.Env, "LIMITER">,
  ctx: ExecutionContext,
  line: string,
  isBroken: boolean,
): Promise<void> {
  const sender = crypto.getRandomValues(new Uint8Array(SENDER_BYTES));
  await (isBroken ? broken : whole).submit(line, sender, {
    call: async (items) => {
      const senders = new Uint8Array(items.length * SENDER_BYTES);
      for (const [i, item] of items.entries()) senders.set(item, i * SENDER_BYTES);
      const batch = { scope: "shared", limit: 1, senders };
      const answers = await LIMITER.getByName("shared").checkAll(batch);
      return items.map((_, i) => answers[2 * i] ?? 0);
    },
    waitUntil: (promise) => ctx.waitUntil(promise),
    shares: true,
  });
}
