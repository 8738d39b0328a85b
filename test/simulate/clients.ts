/** The clients: each takes one delivery after another and sends it until it is acknowledged. */
import { setTimeout as pause } from "node:timers/promises";
import { generator, type Random } from "../random.ts";
import type { Delivery, SentEvent } from "./plan.ts";
import { type Address, type Senders, sameSender } from "./senders.ts";
import { isAcknowledged, type Witness } from "./witness.ts";

/** Pauses after failed tries. They double, so that clients do not slow down a restart. */
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 300;
/** Longest pause before a client that gave up sends again. */
const COME_BACK_MAX_MS = 300;
/** Refusals after which a client waits for `Retry-After` instead of trying another address. */
const REFUSALS_MAX = 5;
/** Times that a browser sends a tap's GET again by itself, at once, when its connection breaks. */
const REPEATS_MAX = 2;
/** Since the last fault is over: an event that fails for so long is stuck. */
const STUCK_MS = 60_000;

export interface Load {
  witness: Witness;
  senders: Senders;
  /** All clients take from the same iterator. */
  deliveries: Iterator<Delivery>;
  /** No delivery starts after this time, in milliseconds of `performance.now`. */
  ends_ms: number;
  /** Ends the load at once: clients that are sending reject. */
  signal: AbortSignal;
  /** When everything worked again for the last time, in milliseconds of `performance.now`. */
  recovered_ms(): number;
  /** Keys of the events that were not acknowledged within `STUCK_MS`. */
  stuck: Set<string>;
}

export async function client(load: Load): Promise<void> {
  while (performance.now() < load.ends_ms) {
    const next = load.deliveries.next();
    if (next.done === true) return;
    await visit(next.value, load);
  }
}

async function visit(delivery: Delivery, load: Load): Promise<void> {
  const { event, from, gives_up_after_ms, for_good, twice, seed } = delivery;
  const { witness } = load;
  const random = generator(seed);
  if (gives_up_after_ms !== null) {
    await witness.send(event, from, seed, gives_up_after_ms);
    if (for_good) {
      witness.settled.add(event.key);
      return;
    }
    await pause(random() * COME_BACK_MAX_MS);
    const again = { ...delivery, from: otherAddress(event, load, random), seed: seed + 1 };
    return perform(again, load);
  }
  if (!twice) return perform(delivery, load);
  const other = { ...delivery, from: otherAddress(event, load, random), seed: seed + 1 };
  await Promise.all([perform(delivery, load), perform(other, load)]);
}

/**
 * An address from which the same event may be sent again; for a shared address, one of the same sender. A
 * phone changes its network between two tries of one tap.
 */
function otherAddress({ only_from }: SentEvent, { senders }: Load, random: Random): Address {
  return only_from === null ? senders.ordinary(random) : sameSender(only_from, random);
}

type Errand = Pick<Delivery, "event" | "from" | "seed">;

/**
 * Sends until acknowledged: through another router each time, from another address after a refusal and
 * often after a failure. A client that was redirected does not retry, whether its click was counted or
 * not.
 */
export async function perform({ event, seed, ...errand }: Errand, load: Load): Promise<void> {
  const random = generator(seed);
  const started_ms = performance.now();
  let { from } = errand;
  let retry_ms = RETRY_MIN_MS;
  for (let refusals = 0, tries = 0; ; tries += 1) {
    load.signal.throwIfAborted();
    const sent = await load.witness.send(event, from, seed + tries);
    const { answer, retry_after_s, status, arrived } = sent;
    if (isAcknowledged(answer)) return;
    if (answer === "went_on" || answer === "gone") break;
    if (event.by === "tap" && status === null && arrived && tries < REPEATS_MAX) continue;
    if (answer === "refused") {
      refusals += 1;
      if (refusals >= REFUSALS_MAX) {
        const wait_ms = Number(retry_after_s) * 1_000;
        if (performance.now() + wait_ms > load.ends_ms) break;
        await pause(wait_ms, undefined, { signal: load.signal });
      }
      from = otherAddress(event, load, random);
      continue;
    }
    // Kills that follow one another by the second keep an event waiting for minutes on a slow machine.
    if (performance.now() - Math.max(started_ms, load.recovered_ms()) > STUCK_MS) {
      load.stuck.add(event.key);
      break;
    }
    await pause(retry_ms * (0.5 + random() / 2));
    retry_ms = Math.min(RETRY_MAX_MS, retry_ms * 2);
    if (random() < 0.5) from = otherAddress(event, load, random);
  }
  load.witness.settled.add(event.key);
}
