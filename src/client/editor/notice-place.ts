/** Where a notice stands, and how long. No text in this file: tests read it. */

/** Long enough to read the line. While it is pointed at or has the focus, it stays. */
export const NOTICE_MS = 6_000;
const TOOLBAR_GAP_PX = 8;

/** Where the last press was, from the window's top; null after a key. */
let pressed_y: number | null = null;

export function watchPresses(): () => void {
  const press = ({ clientY }: PointerEvent) => {
    pressed_y = clientY;
  };
  const forget = () => {
    pressed_y = null;
  };
  addEventListener("pointerup", press, true);
  addEventListener("keydown", forget, true);
  return () => {
    removeEventListener("pointerup", press, true);
    removeEventListener("keydown", forget, true);
  };
}

/** Puts the line in its place and calls `onEnd` after its time. Answers what ends the wait. */
export function showFor(line: HTMLElement, onEnd: () => void): () => void {
  place(line);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const held = new Set<"pointer" | "focus">();
  const wait = () => {
    clearTimeout(timer);
    timer = held.size > 0 ? undefined : setTimeout(onEnd, NOTICE_MS);
  };
  const hold = (by: "pointer" | "focus", is_held: boolean) => () => {
    if (is_held) held.add(by);
    else held.delete(by);
    wait();
  };
  const listeners = [
    ["pointerenter", hold("pointer", true)],
    ["pointerleave", hold("pointer", false)],
    ["focusin", hold("focus", true)],
    ["focusout", hold("focus", false)],
  ] as const;
  const onFocus = ({ target }: FocusEvent) => uncover(line, target as Element);
  for (const [name, listener] of listeners) line.addEventListener(name, listener);
  document.addEventListener("focusin", onFocus);
  wait();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("focusin", onFocus);
    for (const [name, listener] of listeners) line.removeEventListener(name, listener);
  };
}

/**
 * In the half of the window in which nothing was done just now: a notice must not cover what it is
 * about. At the top it stands under the toolbar.
 */
function place(line: HTMLElement): void {
  const { activeElement, body } = document;
  const focused = activeElement === body ? null : activeElement?.getBoundingClientRect();
  const y = pressed_y ?? focused?.top ?? 0;
  move(line, y > innerHeight / 2);
}

function move(line: HTMLElement, is_at_top: boolean): void {
  const bar = document.querySelector(".editor-toolbar")?.getBoundingClientRect().bottom ?? 0;
  line.style.insetBlockStart = is_at_top ? `${Math.max(0, bar) + TOOLBAR_GAP_PX}px` : "";
  // Else as in the sheet, above the bar.
  line.style.insetBlockEnd = is_at_top ? "auto" : "";
}

/** What gets the focus after something was done may be anywhere, and must be seen. */
function uncover(line: HTMLElement, target: Element): void {
  if (line.contains(target)) return;
  const [one, other] = [line.getBoundingClientRect(), target.getBoundingClientRect()];
  const is_covered = one.top < other.bottom && other.top < one.bottom;
  if (is_covered) move(line, line.style.insetBlockEnd !== "auto");
}
