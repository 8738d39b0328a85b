/**
 * What the creator works on now, which the preview shows: the row of a link, or a part of the
 * profile. And the new blocks, which visitors do not see before their rows are closed once. Nothing
 * of it is saved: after a reload a new block is one that is switched off.
 */
import { useEffect, useRef, useState } from "hono/jsx/dom";

export type ProfilePart = "avatar" | "name" | "bio" | "contact";

/** The preview goes to a place once for each object: an edit must not scroll it. */
export type Place = { row_key: string } | { part: ProfilePart };

interface AtHand {
  place: Place | null;
  /** Keys of rows, which stay when a new link is saved. */
  new_blocks: ReadonlySet<string>;
}

let now: AtHand = { place: null, new_blocks: new Set() };
const listeners = new Set<() => void>();

export function atHand(): AtHand {
  return now;
}

export function takeInHand(place: Place | null): void {
  set({ ...now, place });
}

/** The focus moves within a row, too. */
export function hasFocusIn(place: Place): void {
  if (JSON.stringify(place) !== JSON.stringify(now.place)) takeInHand(place);
}

export function noteNewBlock(row_key: string): void {
  set({ ...now, new_blocks: new Set([...now.new_blocks, row_key]) });
}

export function forgetNewBlock(row_key: string): void {
  if (!now.new_blocks.has(row_key)) return;
  set({ ...now, new_blocks: new Set([...now.new_blocks].filter((each) => each !== row_key)) });
}

/** Renders again for another value of this member alone, as `useEditing` does. */
export function useAtHand<M extends keyof AtHand>(member: M): AtHand[M] {
  const [, setVersion] = useState(0);
  const shown = useRef(now[member]);
  shown.current = now[member];
  useEffect(() => {
    const look = () => {
      if (now[member] !== shown.current) setVersion((version) => version + 1);
    };
    look();
    listeners.add(look);
    return () => {
      listeners.delete(look);
    };
  }, []);
  return now[member];
}

function set(next: AtHand): void {
  now = next;
  for (const listener of listeners) listener();
}
