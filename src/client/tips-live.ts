/**
 * The tips of a page as they arrive: the total at once, by the page's socket; the list from the page of
 * all tips, where it is rendered as it stands in D1.
 */
import { tipsTotal } from "../dashboard/tips-total.ts";
import { parseReaderLocale } from "../views/numbering.ts";
import type { ReceivedUpdate } from "./dashboard-socket.ts";

/** Shortest time between two requests for the list: a sender has 60 requests in a minute. */
const LIST_EVERY_MS = 3_000;

/** Returns a function that takes in an update. Does nothing on a page without tips. */
export function liveTips(page: HTMLElement, page_id: string): (update: ReceivedUpdate) => void {
  const total = page.querySelector<HTMLElement>("[data-tips-total]");
  const list = page.querySelector<HTMLElement>("[data-tips]");
  if (total === null || list === null) return () => {};
  const locale = parseReaderLocale(page.dataset.locale);
  const address = new URL(`/dashboard/${encodeURIComponent(page_id)}/tips`, location.href);
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang !== null) address.searchParams.set("lang", lang);
  let is_waiting = false;
  let asked_ms = Number.NEGATIVE_INFINITY;
  const fill = async () => {
    is_waiting = false;
    asked_ms = performance.now();
    const answer = await fetch(address);
    if (!answer.ok) return;
    const read = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = [...(read.querySelector("[data-tips]")?.children ?? [])];
    const length_max = Number(list.dataset.tips) || fresh.length;
    page.querySelector("[data-no-tips]")?.remove();
    list.replaceChildren(...fresh.slice(0, length_max));
  };
  return ({ tips }) => {
    if (tips === null || total.dataset.tipsTotal === String(tips.n)) return;
    total.dataset.tipsTotal = String(tips.n);
    total.textContent = tipsTotal(locale, tips.n, tips.points);
    const wait_ms = Math.max(0, asked_ms + LIST_EVERY_MS - performance.now());
    if (is_waiting) return;
    is_waiting = true;
    setTimeout(() => fill().catch(() => {}), wait_ms);
  };
}
