/** The editor's script has this file too, so there is no SQL in it. */
import type { Target } from "./page-row.ts";

export function isOpen({ enabled, from, until }: Omit<Target, "url">, now_s: number): boolean {
  return (
    enabled !== false && (from ?? Number.NEGATIVE_INFINITY) <= now_s && now_s < (until ?? Infinity)
  );
}
