/** The page is complete without this script, except for the chart and the live numbers. */

import { SCRIPT_TEXTS } from "../dashboard/stats/script-texts.ts";
import { SESSION_PATH } from "../http/endpoints.ts";
import { languageOf, parseReaderLocale } from "../views/numbering.ts";
import { formatNumber } from "../views/numbers.ts";
import { call } from "./call.ts";
import { chartOf } from "./dashboard-chart.ts";
import { exactMark } from "./dashboard-exact.ts";
import { liveNumbers } from "./dashboard-live.ts";
import { watch } from "./dashboard-socket.ts";
import { liveDownloads } from "./downloads-live.ts";
import { liveTips } from "./tips-live.ts";

const main = document.querySelector<HTMLElement>("main.dashboard");
const locale = parseReaderLocale(main?.dataset.locale);
const texts = SCRIPT_TEXTS[languageOf(locale)];

/** A socket does not report why it failed. Without a session the reloaded page links to sign-in. */
async function reloadIfSignedOut(): Promise<void> {
  const answer = await call(SESSION_PATH);
  if (answer?.ok && answer.body.authenticated === false) location.reload();
}

/** Another period takes a moment to load. */
function sayLoading(page: HTMLElement): void {
  const words = page.querySelector("[data-loading]");
  const set = (is_loading: boolean) => {
    page.classList.toggle("is-loading", is_loading);
    if (words !== null) words.textContent = is_loading ? texts.loading : "";
  };
  for (const link of page.querySelectorAll<HTMLElement>(".tabs a, .ranked a, .part-chip")) {
    link.addEventListener("click", ({ ctrlKey, metaKey, shiftKey }) => {
      if (!ctrlKey && !metaKey && !shiftKey) set(true);
    });
  }
  page.querySelector(".custom form")?.addEventListener("submit", () => set(true));
  // The page is back from the back/forward cache.
  addEventListener("pageshow", () => set(false));
}

function showSubscribers(page: HTMLElement, n: number | null): void {
  const number = page.querySelector<HTMLElement>("[data-subscribers]");
  if (number === null || n === null) return;
  number.hidden = n === 0;
  number.textContent = formatNumber(locale, n);
}

function start(page: HTMLElement): void {
  const { page: page_id, day, tz } = page.dataset;
  sayLoading(page);
  if (page_id === undefined || tz === undefined) return;
  const api = `/api/me/pages/${encodeURIComponent(page_id)}`;
  const chart = chartOf(page, locale);
  const check = exactMark(page, locale, { address: `${api}/audit`, tz });
  if (day === undefined) return;
  const numbers = liveNumbers(page, locale, { day, tz });
  const showTips = liveTips(page, page_id);
  const showDownloads = liveDownloads(page, locale);
  watch(`${api}/live`, {
    changed(message) {
      showTips(message);
      showDownloads(message);
      showSubscribers(page, message.subscribers);
      if (!numbers.move(message)) return;
      chart?.redraw();
      check?.();
    },
    stateChanged: numbers.stateChanged,
    failing: reloadIfSignedOut,
  });
}

if (main !== null) start(main);
