/** The faults and delays that are on; a file of its own, because two processes import it. */
export interface Setting {
  /** Milliseconds of a round trip from the router to an object, D1, KV or the hub. */
  ms: number;
  /** D1 never answers page objects. */
  d1_hangs: boolean;
  /**
   * Faults of calls to page objects. `slow`: each takes 400 ms, and the first for an event fails, before
   * or after it was counted. `overloaded`: every second call fails with the platform's
   * error. `silent`: no call is answered.
   */
  pages: "well" | "slow" | "overloaded" | "silent";
  /** Faults of calls to limiter objects. `silent`: no call is answered. */
  limiters: "well" | "silent";
  /** Faults of the router's calls to D1 and KV. `silent`: no call is answered. */
  stores: "well" | "silent";
  /** The bundle's errors are recorded and not printed. */
  is_quiet: boolean;
}

/** No fault and no delay. */
export const WELL: Setting = {
  ms: 0,
  d1_hangs: false,
  pages: "well",
  limiters: "well",
  stores: "well",
  is_quiet: false,
};
