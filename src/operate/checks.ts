import * as z from "zod/mini";

export const Check = z.object({ ok: z.boolean(), latency_ms: z.int().check(z.nonnegative()) });

/** Results of the deep probe by dependency. A client learns nothing else about them. */
export const Checks = z.object({
  d1: Check,
  kv: Check,
  r2: Check,
  hub: Check,
  config: Check,
});
