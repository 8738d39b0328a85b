/** The socket brings the total at once; the list is taken from the page of all tips. */
import { tipsTotal } from "../dashboard/tips-total.ts";
import { parseReaderLocale } from "../views/numbering.ts";
import { request } from "./call.ts";
import type { ReceivedUpdate } from "./dashboard-socket.ts";
import { isOwn } from "./own-answer.ts";

/** A sender has 60 requests in a minute. */
const LIST_EVERY_MS = 3_000;
const RETRY_MS = 30_000;

export function liveTips(page: HTMLElement, page_id: string): (update: ReceivedUpdate) => void {
  const total = page.querySelector<HTMLElement>("[data-tips-total]");
  const list = page.querySelector<HTMLElement>("[data-tips]");
  if (total === null || list === null) return () => {};
  const locale = parseReaderLocale(page.dataset.locale);
  const address = new URL(`/dashboard/${encodeURIComponent(page_id)}/tips`, location.href);
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang !== null) address.searchParams.set("lang", lang);
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
      // The answer has no list of ours, so the shown one stays.
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
