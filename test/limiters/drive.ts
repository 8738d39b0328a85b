/** Runs a trace through a limiter, wherever that limiter lives, and writes down what it decided. */
import { generator } from "../random.ts";
import type { Decision } from "./oracle.ts";
import type { Answer, Arrivals, Trace } from "./traces.ts";

/** The arrivals of a trace are the same in every run: the numbers in docs/proof.md depend on them. */
export const SEED = 60_000;

/** A limiter and the time it lives in. */
export interface World {
  /** Lets true time pass until `at_ms` after the trace began; the clock then shows `clock_ms`. */
  pass(at_ms: number, clock_ms: number): void;
  /** Takes the limiter's memory away. */
  evict(): Promise<void>;
  /** All requests of these arrivals, sent at once. */
  ask(arrivals: Arrivals): Promise<Answer[]>;
}

export async function drive(trace: Trace, limit: number, world: World): Promise<Decision[]> {
  const decisions: Decision[] = [];
  const course = trace.course(limit, generator(SEED));
  let next = course.next();
  while (!next.done) {
    const arrivals = next.value;
    const { at_ms } = arrivals;
    const clock_ms = clockAt(trace, at_ms);
    world.pass(at_ms, clock_ms);
    if (arrivals.evicted) await world.evict();
    const answers = await world.ask(arrivals);
    // Which of the requests of one millisecond came first is nobody's to say: the admitted did.
    for (const answer of answers.toSorted((a, b) => Number(b.admitted) - Number(a.admitted))) {
      decisions.push({ at_ms, clock_ms, ...answer });
    }
    next = course.next(answers);
  }
  return decisions;
}

function clockAt({ clock_step }: Trace, at_ms: number): number {
  return clock_step !== undefined && at_ms >= clock_step.at_ms ? at_ms + clock_step.by_ms : at_ms;
}
