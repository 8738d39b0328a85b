/**
 * Each live number is `shown + (live - flushed)`: the number in the page's HTML, plus the growth of
 * the lifetime number since then. Live numbers are absolute, so a lost or repeated message does no
 * harm.
 */
import { type Change, changeOf, rateChangeOf } from "../dashboard/stats/change.ts";
import { SCRIPT_TEXTS } from "../dashboard/stats/script-texts.ts";
import { timeAt } from "../views/dates.ts";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { counted, formatNumber, formatRate, formatRateInColumn } from "../views/numbers.ts";
import { presentPeople } from "./dashboard-present.ts";
import { seriesOf, startOf } from "./dashboard-series.ts";
import type { ConnectionState, ReceivedUpdate } from "./dashboard-socket.ts";

const HALF_DAY_MS = 12 * 3_600_000;

type Kind = keyof ReceivedUpdate["totals"];

const attribute = (element: HTMLElement, name: string) => Number(element.dataset[name] ?? 0);
const now = (element: HTMLElement, live: number) =>
  attribute(element, "shown") + live - attribute(element, "flushed");

/** `day` is the last day of the period, `YYYY-MM-DD`. */
export function liveNumbers(
  page: HTMLElement,
  locale: ReaderLocale,
  { day, tz }: { day: string; tz: string },
) {
  const texts = SCRIPT_TEXTS[languageOf(locale)];
  const state = page.querySelector<HTMLElement>("[data-live-state]");
  const words = page.querySelector("[data-live-words]");
  // Canadian English writes dates as YYYY-MM-DD.
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: tz });
  const links = linkRows(page, locale);
  const visitors = visitorsTile(page, locale);
  const showPresent = presentPeople(page, locale);
  const clicksOf = shownClicks(page);
  const addToSeries = seriesRows(page, locale);
  let at_ms = Date.parse(page.dataset.asOf ?? "") || Date.now();
  let is_live = false;

  return {
    move(message: ReceivedUpdate): boolean {
      at_ms = message.at_ms;
      // A new day has begun, so both periods have moved by a day.
      if (calendar.format(at_ms) > day) location.reload();
      let has_moved = false;
      const totals = { ...message.totals, clicks: clicksOf(message) };
      const moved = { views: 0, clicks: 0 };
      for (const element of page.querySelectorAll<HTMLElement>("[data-live]")) {
        const kind = element.dataset.live as Kind;
        const n = now(element, totals[kind]);
        if (kind === "views" || kind === "clicks") moved[kind] = n;
        if (set(element, formatNumber(locale, n))) has_moved = true;
      }
      if (visitors(message.visitors)) has_moved = true;
      showPresent(message.present);
      showChanges(page, locale, moved);
      showShare(page, locale, moved.clicks, message.totals.clicks);
      addToSeries(moved, at_ms);
      links(message.links, moved.views);
      if (moved.views + moved.clicks > 0) showFilled(page);
      return has_moved;
    },
    stateChanged(connection: ConnectionState): void {
      // Announced once, not at every message.
      if (connection === "live" && is_live) return;
      is_live = connection === "live";
      if (!is_live) showPresent(null);
      if (state === null || words === null) return;
      state.hidden = false;
      state.dataset.liveState = connection;
      const said =
        connection === "lost" ? texts.lost(timeAt(locale, at_ms, tz)) : texts[connection];
      if (words.textContent !== said) words.textContent = said;
    },
  };
}

/** True if the text changed; it is then highlighted for a moment. */
export function set(element: Element | null, text: string): boolean {
  if (element === null || element.textContent === text) return false;
  element.textContent = text;
  element.classList.remove("moved");
  // The layout in between restarts the animation.
  element.getBoundingClientRect();
  element.classList.add("moved");
  return true;
}

/** The number of the one link that the page is about comes with the first update, and when it has changed. */
function shownClicks(page: HTMLElement) {
  const { link } = page.dataset;
  const shown = page.querySelector<HTMLElement>("[data-live=clicks]");
  let last = shown === null ? 0 : attribute(shown, "flushed");
  return ({ totals, links }: ReceivedUpdate): number => {
    if (link === undefined) return totals.clicks;
    last = links.get(link) ?? last;
    return last;
  };
}

/** A day that begins while the page is open adds its visitors to those before. */
function visitorsTile(page: HTMLElement, locale: ReaderLocale) {
  const element = page.querySelector<HTMLElement>("[data-live-visitors]");
  const until_ms = Date.parse(element?.dataset.until ?? "");
  let day_ms = Date.parse(element?.dataset.day ?? "");
  let before = element === null ? 0 : attribute(element, "shown") - attribute(element, "flushed");
  let of_day = element === null ? 0 : attribute(element, "flushed");
  return (today: ReceivedUpdate["visitors"]): boolean => {
    // A day belongs to the date of its middle, which may be outside the period.
    if (element === null || today === null || today.day_ms + HALF_DAY_MS >= until_ms) return false;
    if (today.day_ms !== day_ms) {
      before += of_day;
      day_ms = today.day_ms;
    }
    of_day = today.n;
    const n = before + of_day;
    const { previous } = element.dataset;
    if (previous !== undefined) showChange(element, changeOf(locale, n, Number(previous)));
    return set(element, formatNumber(locale, n));
  };
}

function showChanges(
  page: HTMLElement,
  locale: ReaderLocale,
  now: { views: number; clicks: number },
) {
  const before = { views: 0, clicks: 0 };
  let is_comparable = true;
  for (const kind of ["views", "clicks"] as const) {
    const element = page.querySelector<HTMLElement>(`[data-live=${kind}]`);
    if (element === null) return;
    // All time has no period before.
    is_comparable &&= element.dataset.previous !== undefined;
    before[kind] = attribute(element, "previous");
    if (is_comparable) showChange(element, changeOf(locale, now[kind], before[kind]));
  }
  const rate = page.querySelector<HTMLElement>("[data-live-rate]");
  set(rate, formatRate(locale, now.clicks, now.views));
  if (is_comparable) showChange(rate, rateChangeOf(locale, now, before));
}

function showShare(
  page: HTMLElement,
  locale: ReaderLocale,
  clicks: number,
  live_of_all: number,
): void {
  const share = page.querySelector<HTMLElement>("[data-live-share]");
  if (share !== null) set(share, formatRate(locale, clicks, now(share, live_of_all)));
}

function showChange(number: HTMLElement | null, change: Change | null): void {
  const pill = number?.closest(".tile")?.querySelector<HTMLElement>(".change");
  if (!pill) return;
  pill.hidden = change === null;
  if (change === null) return;
  pill.dataset.direction = change.direction;
  const [short, full] = pill.querySelectorAll("span");
  if (short) short.textContent = change.short;
  if (full) full.textContent = change.full;
}

function linkRows(page: HTMLElement, locale: ReaderLocale) {
  const cells = [...page.querySelectorAll<HTMLElement>("[data-live-link]")];
  const clicks = new Map(cells.map((cell) => [cell, attribute(cell, "shown")]));
  return (links: ReadonlyMap<string, number>, views: number) => {
    for (const cell of cells) {
      const live = links.get(cell.dataset.liveLink ?? "");
      if (live === undefined) continue;
      clicks.set(cell, now(cell, live));
    }
    const ranked = [...clicks].sort(([, one], [, other]) => other - one);
    const most = ranked[0]?.[1] ?? 0;
    for (const [place, [cell, n]] of ranked.entries()) {
      const row = cell.closest("tr");
      if (row === null) continue;
      set(cell, formatNumber(locale, n));
      const rate = row.querySelector("[data-link-rate]");
      if (rate !== null) rate.textContent = formatRateInColumn(locale, n, views);
      row.querySelector("rect")?.setAttribute("width", `${most === 0 ? 0 : (n / most) * 100}%`);
      const there = row.parentElement?.children[place];
      if (there !== row) row.parentElement?.insertBefore(row, there ?? null);
    }
  };
}

function seriesRows(page: HTMLElement, locale: ReaderLocale) {
  const rows = seriesOf(page);
  const starts = rows.map(startOf);
  const last_totals = { views: 0, clicks: 0 };
  for (const kind of ["views", "clicks"] as const) {
    const element = page.querySelector<HTMLElement>(`[data-live=${kind}]`);
    if (element !== null) last_totals[kind] = attribute(element, "shown");
  }
  return (now: { views: number; clicks: number }, at_ms: number) => {
    const last = starts.filter((start) => start <= at_ms).length - 1;
    for (const row of rows.slice(0, last + 1)) {
      row.hidden = false;
      const day = row.closest<HTMLElement>("details.day");
      if (day !== null) day.hidden = false;
    }
    const cells = rows[last]?.querySelectorAll<HTMLElement>("td") ?? [];
    for (const [place, kind] of (["views", "clicks"] as const).entries()) {
      const cell = cells[place];
      if (cell === undefined) return;
      const n = attribute(cell, "n") + now[kind] - last_totals[kind];
      last_totals[kind] = now[kind];
      cell.dataset.n = String(n);
      cell.textContent = formatNumber(locale, n);
    }
    sumDay(rows[last]?.closest<HTMLElement>("details.day") ?? null, locale);
  };
}

function sumDay(day: HTMLElement | null, locale: ReaderLocale): void {
  const words = day?.querySelector("[data-day-sum]");
  if (!words) return;
  const sums = { views: 0, clicks: 0 };
  for (const row of day?.querySelectorAll("tbody tr") ?? []) {
    const [views, clicks] = row.querySelectorAll<HTMLElement>("td");
    if (views) sums.views += attribute(views, "n");
    if (clicks) sums.clicks += attribute(clicks, "n");
  }
  const { and } = SCRIPT_TEXTS[languageOf(locale)];
  words.textContent = `${counted(locale, "view", sums.views)}${and}${counted(locale, "click", sums.clicks)}`;
}

function showFilled(page: HTMLElement): void {
  for (const part of page.querySelectorAll<HTMLElement>("[data-empty]")) part.hidden = true;
  for (const part of page.querySelectorAll<HTMLElement>("[data-filled]")) part.hidden = false;
}
