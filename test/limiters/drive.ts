import { generator } from "../random.ts";
import type { Decision } from "./oracle.ts";
import type { Answer, Arrivals, Trace } from "./traces.ts";

/** A trace has the same arrivals in every run. */
export const SEED = 60_000;

export interface World {
  /** Lets true time pass until `at_ms` after the start of the trace; the clock then shows `clock_ms`. */
  pass(at_ms: number, clock_ms: number): void;
  evict(): Promise<void>;
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
    // The order of requests in one millisecond is not defined; the admitted ones count as the first.
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
