/**
 * The tips of a page as they arrive: the total at once, by the page's socket; the list from the page of
 * all tips, where it is rendered as it stands in D1.
 */
import { tipsTotal } from "../dashboard/tips-total.ts";
import { parseReaderLocale } from "../views/numbering.ts";
import { request } from "./call.ts";
import type { ReceivedUpdate } from "./dashboard-socket.ts";
import { isOwn } from "./own-answer.ts";

/** Shortest time between two requests for the list: a sender has 60 requests in a minute. */
const LIST_EVERY_MS = 3_000;
/** The same after one that failed. */
const RETRY_MS = 30_000;

/** Returns a function that takes in an update. Does nothing on a page without tips. */
export function liveTips(page: HTMLElement, page_id: string): (update: ReceivedUpdate) => void {
  const total = page.querySelector<HTMLElement>("[data-tips-total]");
  const list = page.querySelector<HTMLElement>("[data-tips]");
  if (total === null || list === null) return () => {};
  const locale = parseReaderLocale(page.dataset.locale);
  const address = new URL(`/dashboard/${encodeURIComponent(page_id)}/tips`, location.href);
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang !== null) address.searchParams.set("lang", lang);
  /** The total of which the list shows the tips. */
  let listed = total.dataset.tipsTotal;
  let is_filling = false;
  const read = async () => {
    const answer = await request(address);
    const html = await answer.text();
    const found = new DOMParser().parseFromString(html, "text/html").querySelector("[data-tips]");
    if (!isOwn(answer) || found === null) throw new Error("no list");
    return [...found.children];
  };
  const fill = async () => {
    is_filling = listed !== total.dataset.tipsTotal;
    if (!is_filling) return;
    const asked = total.dataset.tipsTotal;
    let rest_ms = RETRY_MS;
    try {
      const tips = await read();
      page.querySelector("[data-no-tips]")?.remove();
      list.replaceChildren(...tips.slice(0, Number(list.dataset.tips) || tips.length));
      listed = asked;
      rest_ms = LIST_EVERY_MS;
    } catch {
      // No list of ours: the one that is shown stays.
    }
    setTimeout(fill, rest_ms);
  };
  return ({ tips }) => {
    if (tips === null || total.dataset.tipsTotal === String(tips.n)) return;
    total.dataset.tipsTotal = String(tips.n);
    total.textContent = tipsTotal(locale, tips.n, tips.points);
    if (!is_filling) fill();
  };
}
