import { useEffect } from "hono/jsx/dom";
import { repeatable } from "../lazy.tsx";
import type { Desk } from "./desk.ts";

/** A finger that moves earlier than this scrolls the page. */
const HOLD_MS = 150;
const HOLD_PX = 6;
const SETTLE_MS = 150;
/** The library measures all rows at each step of an animation. */
const ANIMATED_ROWS_MAX = 30;

type Library = typeof import("./sortable.ts");
const library = repeatable<Library>(() => import("./sortable.ts"));

/** Null if the file did not arrive: then the keyboard and the buttons still reorder. */
async function load(): Promise<Library | null> {
  try {
    return await library();
  } catch {
    return null;
  }
}

export function useDrag(list: { current: HTMLElement | null }, desk: Desk): void {
  useEffect(() => {
    let undo: (() => void) | null = null;
    let is_over = false;
    void load().then((loaded) => {
      const { current } = list;
      if (loaded !== null && current !== null && !is_over) undo = attach(loaded, current, desk);
    });
    return () => {
      is_over = true;
      undo?.();
    };
  }, []);
}

function attach({ Sortable }: Library, list: HTMLElement, desk: Desk): () => void {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let next: Element | null = null;
  const sortable = Sortable.create(list, {
    handle: ".row-grip",
    draggable: "[data-row]",
    direction: "vertical",
    animation: calm || list.children.length > ANIMATED_ROWS_MAX ? 0 : SETTLE_MS,
    delay: HOLD_MS,
    delayOnTouchOnly: true,
    touchStartThreshold: HOLD_PX,
    // The browser's own dragging has no touch, and draws the row as a faint picture.
    forceFallback: true,
    fallbackTolerance: 4,
    ghostClass: "row-place",
    fallbackClass: "row-flying",
    scrollSensitivity: 96,
    scrollSpeed: 16,
    onStart: ({ item }) => {
      next = item.nextElementSibling;
      desk.startDrag(item.dataset.row ?? "");
    },
    onEnd: ({ item, oldDraggableIndex, newDraggableIndex }) => {
      // The rendering moves the row; it must find the elements as it left them.
      list.insertBefore(item, next?.parentNode === list ? next : null);
      const has_moved = newDraggableIndex !== undefined && newDraggableIndex !== oldDraggableIndex;
      desk.endDrag(item.dataset.row ?? "", has_moved ? newDraggableIndex : null);
    },
  });
  return () => sortable.destroy();
}
