/** What the situations need of a browser, and how each engine gives it. */
import { setTimeout as pause } from "node:timers/promises";

/** Ways in which a person activates a link. The right button only opens a menu. */
export type Way = "mouse" | "enter" | "middle" | "ctrl" | "touch" | "right";

/** In CSS pixels of the page, which is not scrolled. */
export interface Point {
  x: number;
  y: number;
}

/** A tab with a profile of its own: no cache, cookies or connections of other tabs. */
export interface Tab {
  load(url: string): Promise<void>;
  /** The value of an expression in the page. Throws while the page is being replaced. */
  evaluate<T>(expression: string): Promise<T>;
  press(way: Way, at: Point): Promise<void>;
  /** Types ASCII into what has the focus. */
  type(text: string): Promise<void>;
  /** Closes the tab as a person does: its profile and other tabs stay. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  name: string;
  version: string;
  /** Ways that cannot be driven, each with the reason. */
  lacks: Partial<Record<Way, string>>;
  open(options?: { scripts: boolean }): Promise<Tab>;
  close(): Promise<void>;
}

/** The engine is not installed, or cannot run here. */
export class NoEngine extends Error {}

/** For what happens on this machine. */
const DEADLINE_MS = 15_000;
const POLL_MS = 20;

export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadline_ms = DEADLINE_MS,
): Promise<void> {
  const deadline = performance.now() + deadline_ms;
  let error: unknown;
  for (;;) {
    try {
      if (await isSo()) return;
    } catch (thrown) {
      error = thrown;
    }
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`, { cause: error });
    await pause(POLL_MS);
  }
}

export function untilIn(tab: Tab, expression: string): Promise<void> {
  return until(expression, () => tab.evaluate<boolean>(`Boolean(${expression})`));
}

export async function pointOf(tab: Tab, selector: string): Promise<Point> {
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  await untilIn(tab, `document.readyState === "complete" && ${element}`);
  return tab.evaluate<Point>(`(() => {
    ${element}.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = ${element}.getBoundingClientRect();
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  })()`);
}
