import { inject } from "vitest";

/** So many that a stuck one is noticed soon. */
const SEEDS_PER_PART = 60;

export function parts(): { from: number; to: number }[] {
  const { from, to } = inject("seeds");
  return Array.from({ length: Math.ceil((to - from + 1) / SEEDS_PER_PART) }, (_, n) => ({
    from: from + n * SEEDS_PER_PART,
    to: Math.min(from + (n + 1) * SEEDS_PER_PART - 1, to),
  }));
}
