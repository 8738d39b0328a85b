/**
 * The ids of taps (docs/contract.md section 2). A tap is what a person means by one click on a
 * link: whatever the browser sends again by itself has the tap's id, and so has an impatient second
 * activation. The model runs this file (docs/proof.md).
 */

/** A second activation of a link is the same tap for this long. */
export const SAME_TAP_MS = 1000;

export interface Taps<Link> {
  /** `at_ms` is of any steady clock. */
  idOf(link: Link, at_ms: number): string;
  /** The page was left and is back: each activation from now on is a new tap. */
  forget(): void;
}

export function makeTaps<Link>(newId: () => string): Taps<Link> {
  const last = new Map<Link, { id: string; at_ms: number }>();
  return {
    idOf(link, at_ms) {
      let tap = last.get(link);
      if (!tap || at_ms - tap.at_ms >= SAME_TAP_MS) {
        tap = { id: newId(), at_ms };
        last.set(link, tap);
      }
      return tap.id;
    },
    forget: () => last.clear(),
  };
}
