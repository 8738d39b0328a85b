/**
 * The live numbers. Each is `shown + (live - flushed)`: the number in the page's HTML, plus the
 * growth of the lifetime number since then. Live numbers are absolute, so a lost or repeated message
 * does no harm.
 */
import { type Change, changeOf, rateChangeOf } from "../stats/dashboard/change.ts";
import { formatNumber, formatRate, NUMBER_LOCALE } from "../stats/dashboard/numbers.ts";
import { SCRIPT_TEXTS } from "../stats/dashboard/script-texts.ts";
import type { Locale } from "../views/locale.ts";
import type { ConnectionState, ReceivedUpdate } from "./dashboard-socket.ts";

type Kind = keyof ReceivedUpdate["totals"];

const attribute = (element: HTMLElement, name: string) => Number(element.dataset[name] ?? 0);
const now = (element: HTMLElement, live: number) =>
  attribute(element, "shown") + live - attribute(element, "flushed");

/** `day` is the last day of the period, `YYYY-MM-DD`. */
export function liveNumbers(
  page: HTMLElement,
  locale: Locale,
  { day, tz }: { day: string; tz: string },
) {
  const texts = SCRIPT_TEXTS[locale];
  const state = page.querySelector<HTMLElement>("[data-live-state]");
  const words = page.querySelector("[data-live-words]");
  const clock = new Intl.DateTimeFormat(NUMBER_LOCALE[locale], {
    timeZone: tz,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  // Canadian English writes dates as YYYY-MM-DD.
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: tz });
  const links = linkRows(page, locale);
  const addToSeries = seriesRows(page, locale);
  let at_ms = Date.parse(page.dataset.asOf ?? "") || Date.now();
  let is_live = false;

  return {
    /** Returns whether any number changed. */
    move(message: ReceivedUpdate): boolean {
      at_ms = message.at_ms;
      // A new day has begun, so both periods have moved by a day.
      if (calendar.format(at_ms) > day) location.reload();
      let has_moved = false;
      const moved = { views: 0, clicks: 0 };
      for (const element of page.querySelectorAll<HTMLElement>("[data-live]")) {
        const kind = element.dataset.live as Kind;
        const n = now(element, message.totals[kind]);
        if (kind === "views" || kind === "clicks") moved[kind] = n;
        if (set(element, formatNumber(locale, n))) has_moved = true;
      }
      showChanges(page, locale, moved);
      addToSeries(moved, at_ms);
      links(message.links, moved.views);
      if (moved.views + moved.clicks > 0) showFilled(page);
      return has_moved;
    },
    stateChanged(connection: ConnectionState): void {
      // Announced once, not at every message.
      if (connection === "live" && is_live) return;
      is_live = connection === "live";
      if (state === null || words === null) return;
      state.hidden = false;
      state.dataset.liveState = connection;
      const said = connection === "lost" ? texts.lost(clock.format(at_ms)) : texts[connection];
      if (words.textContent !== said) words.textContent = said;
    },
  };
}

/** Sets a text and returns whether it changed; a changed one is highlighted for a moment. */
function set(element: Element | null, text: string): boolean {
  if (element === null || element.textContent === text) return false;
  element.textContent = text;
  element.classList.remove("moved");
  // The layout in between restarts the animation.
  element.getBoundingClientRect();
  element.classList.add("moved");
  return true;
}

function showChanges(page: HTMLElement, locale: Locale, now: { views: number; clicks: number }) {
  const before = { views: 0, clicks: 0 };
  for (const kind of ["views", "clicks"] as const) {
    const element = page.querySelector<HTMLElement>(`[data-live=${kind}]`);
    if (element === null) return;
    before[kind] = attribute(element, "previous");
    showChange(element, changeOf(locale, now[kind], before[kind]));
  }
  const rate = page.querySelector<HTMLElement>("[data-live-rate]");
  set(rate, formatRate(locale, now.clicks, now.views));
  showChange(rate, rateChangeOf(locale, now, before));
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

/** Returns a function that updates the links: numbers, rates, bars, and the order of the rows. */
function linkRows(page: HTMLElement, locale: Locale) {
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
      if (rate !== null) rate.textContent = formatRate(locale, n, views);
      row.querySelector("rect")?.setAttribute("width", `${most === 0 ? 0 : (n / most) * 100}%`);
      const there = row.parentElement?.children[place];
      if (there !== row) row.parentElement?.insertBefore(row, there ?? null);
    }
  };
}

/** Returns a function that adds the growth of the totals to the current hour or day of the series. */
function seriesRows(page: HTMLElement, locale: Locale) {
  const rows = [...page.querySelectorAll<HTMLTableRowElement>("[data-series] tbody tr")];
  const starts = rows.map((row) => Date.parse(row.querySelector("time")?.dateTime ?? ""));
  const last_totals = { views: 0, clicks: 0 };
  for (const kind of ["views", "clicks"] as const) {
    const element = page.querySelector<HTMLElement>(`[data-live=${kind}]`);
    if (element !== null) last_totals[kind] = attribute(element, "shown");
  }
  return (now: { views: number; clicks: number }, at_ms: number) => {
    const last = starts.filter((start) => start <= at_ms).length - 1;
    for (const row of rows.slice(0, last + 1)) row.hidden = false;
    const cells = rows[last]?.querySelectorAll<HTMLElement>("td") ?? [];
    for (const [place, kind] of (["views", "clicks"] as const).entries()) {
      const cell = cells[place];
      if (cell === undefined) return;
      const n = attribute(cell, "n") + now[kind] - last_totals[kind];
      last_totals[kind] = now[kind];
      cell.dataset.n = String(n);
      cell.textContent = formatNumber(locale, n);
    }
  };
}

/** After the first event, replaces the message for an empty period with the details. */
function showFilled(page: HTMLElement): void {
  for (const part of page.querySelectorAll<HTMLElement>("[data-empty]")) part.hidden = true;
  for (const part of page.querySelectorAll<HTMLElement>("[data-filled]")) part.hidden = false;
}
