/** The clients: each takes one delivery after the other and tries until it is acknowledged. */
import { setTimeout as pause } from "node:timers/promises";
import { generator } from "../random.ts";
import type { Delivery } from "./plan.ts";
import type { Senders } from "./senders.ts";
import { isAcknowledged, type Witness } from "./witness.ts";

/** Pauses between tries that failed: they double, so that a restart is not slowed down by knocking. */
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 300;
/** Before a client that gave up comes back, at most. */
const COME_BACK_MAX_MS = 300;
/** Refusals after which a client waits instead of looking for yet another address. */
const REFUSALS_MAX = 5;
/** A failure that lasts longer than this is none of the faults put in: the event is stuck. */
const STUCK_MS = 60_000;

export interface Load {
  witness: Witness;
  senders: Senders;
  /** Taken from the front by all clients. */
  deliveries: Iterator<Delivery>;
  /** No delivery begins after this moment, in milliseconds of `performance.now`. */
  ends_ms: number;
  /** Ends the load at once: whoever is at work rejects. */
  signal: AbortSignal;
  /** Events that nobody could get acknowledged, by key. */
  stuck: Set<string>;
}

/** One client at work until there are no more deliveries or the time is over. */
export async function client(load: Load): Promise<void> {
  while (performance.now() < load.ends_ms) {
    const next = load.deliveries.next();
    if (next.done === true) return;
    await visit(next.value, load);
  }
}

async function visit(delivery: Delivery, load: Load): Promise<void> {
  const { event, by, from, gives_up_after_ms, for_good, twice } = delivery;
  const { witness, senders } = load;
  const random = generator(delivery.seed);
  if (gives_up_after_ms !== null) {
    await witness.send(event, by, from, gives_up_after_ms);
    if (for_good) {
      witness.settled.add(event.key);
      return;
    }
    await pause(random() * COME_BACK_MAX_MS);
    return perform({ ...delivery, from: senders.ordinary(random) }, load);
  }
  if (!twice) return perform(delivery, load);
  const other = { ...delivery, from: senders.ordinary(random), seed: delivery.seed + 1 };
  await Promise.all([perform(delivery, load), perform(other, load)]);
}

type Errand = Pick<Delivery, "event" | "by" | "from" | "seed">;

/** Sends until acknowledged; from another address after a refusal, and often after a failure. */
export async function perform(errand: Errand, load: Load): Promise<void> {
  const { event, by } = errand;
  const random = generator(errand.seed);
  const started_ms = performance.now();
  let { from } = errand;
  let retry_ms = RETRY_MIN_MS;
  for (let refusals = 0; ; ) {
    load.signal.throwIfAborted();
    const { answer, retry_after_s } = await load.witness.send(event, by, from);
    if (isAcknowledged(answer)) return;
    if (answer === "refused") {
      refusals += 1;
      if (refusals >= REFUSALS_MAX) {
        const wait_ms = Number(retry_after_s) * 1_000;
        if (performance.now() + wait_ms > load.ends_ms) break;
        await pause(wait_ms, undefined, { signal: load.signal });
      }
      from = load.senders.ordinary(random);
      continue;
    }
    if (performance.now() - started_ms > STUCK_MS) {
      load.stuck.add(event.key);
      break;
    }
    await pause(retry_ms * (0.5 + random() / 2));
    retry_ms = Math.min(RETRY_MAX_MS, retry_ms * 2);
    if (random() < 0.5) from = load.senders.ordinary(random);
  }
  load.witness.settled.add(event.key);
}
