/** What tests set in a Worker, and what it has seen; a file of its own, because two processes import it. */

export interface Setting {
  /** Milliseconds of a round trip from the router to an object, D1, KV or the hub. */
  ms: number;
  d1_hangs: boolean;
  /**
   * Faults of calls to page objects. `slow`: each takes 400 ms, and the first for an event fails, before
   * or after it was counted. `overloaded`: every call fails with the platform's error. `held`: each call
   * waits in its router for the next setting. `silent`: no call is answered.
   */
  pages: "well" | "slow" | "overloaded" | "held" | "silent";
  /** Faults of calls to limiter objects. `held` and `silent` as above. */
  limiters: "well" | "held" | "silent";
  /** Faults of the router's calls to D1 and KV. `silent`: no call is answered. */
  stores: "well" | "silent";
  timers: Time["timers"];
  /** `Date.now` stays what it is at this setting, until one without it. */
  clock_stands: boolean;
  /** The bundle's errors are recorded and not printed. */
  is_quiet: boolean;
}

export const WELL: Setting = {
  ms: 0,
  d1_hangs: false,
  pages: "well",
  limiters: "well",
  stores: "well",
  timers: {},
  clock_stands: false,
  is_quiet: false,
};

export interface FarSeen {
  delayed: number;
  checked: number;
  held: number;
  batches: number;
  refused: number;
  hung: string[];
  /** By their length in milliseconds. */
  timers: Record<number, TimerCounts>;
}

export interface Time {
  /** What `Date.now` answers, in unix milliseconds; null for the real time. */
  at: number | null;
  /**
   * By the length of a timer in milliseconds: `held` waits until it is no longer held, and ends at once
   * then; `over` ends at once. Timers of other lengths take their time.
   */
  timers: Readonly<Record<number, "held" | "over">>;
}

export interface TimerCounts {
  set: number;
  ended: number;
  cleared: number;
}

export interface Seen {
  requests: number;
  /** By their length in milliseconds. */
  timers: Record<number, TimerCounts>;
}
