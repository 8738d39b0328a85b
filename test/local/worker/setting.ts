/** What is wrong with the world, in a file of its own: read on both sides of the wire. */
export interface Setting {
  /** Milliseconds from the router to an object, D1, KV or the hub, and back. */
  ms: number;
  /** D1 answers nothing to page objects. */
  d1_hangs: boolean;
  /**
   * What calls to page objects meet. `slow`: each takes 400 ms, and of those for one event every second fails,
   * before or after it was counted. `overloaded`: every second call fails as the platform's do then.
   * `silent`: no call is answered.
   */
  pages: "well" | "slow" | "overloaded" | "silent";
  /** What calls to limiter objects meet. `silent`: no call is answered. */
  limiters: "well" | "silent";
  /** What calls of the router to D1 and KV meet. `silent`: no call is answered. */
  stores: "well" | "silent";
  /** Errors that the bundle logs are only kept, not shown. */
  is_quiet: boolean;
}

/** Nothing is wrong, and nothing is far away. */
export const WELL: Setting = {
  ms: 0,
  d1_hangs: false,
  pages: "well",
  limiters: "well",
  stores: "well",
  is_quiet: false,
};
