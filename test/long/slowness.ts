/**
 * How much slower than usual this machine works at the moment. Promises in milliseconds were measured on an idle
 * machine with two cores; beside other work, and where cores are shared, everything takes longer.
 */
import { performance } from "node:perf_hooks";

/** Numbers that one round of the work sorts. */
const NUMBERS = 2_000_000;
/** What the work takes on an idle machine, in milliseconds. */
const USUAL_MS = 125;

export interface Slowness {
  /** By the clock on the wall, at least 1. */
  wall: number;
  /** By the CPU time of this process, at least 1: cores that share a cache slow each other down. */
  cpu: number;
}

/** Does some work that needs the CPU and the memory, and compares. */
export function slowness(): Slowness {
  const numbers = new Uint32Array(NUMBERS);
  const since = performance.now();
  const cpu = process.cpuUsage();
  let n = 1;
  for (let i = 0; i < NUMBERS; i += 1) {
    n = (Math.imul(n, 1_664_525) + 1_013_904_223) >>> 0;
    numbers[i] = n;
  }
  numbers.sort();
  const { user, system } = process.cpuUsage(cpu);
  return {
    wall: (performance.now() - since) / USUAL_MS,
    cpu: (user + system) / 1_000 / USUAL_MS,
  };
}
