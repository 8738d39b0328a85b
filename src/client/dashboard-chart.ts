/**
 * The chart, drawn with uPlot from the table of the page. In Arabic, time runs from right to left.
 * The x values are row indexes and not times, so a day of 23 hours is as wide as any other.
 */
import uPlot from "uplot";
import { SCRIPT_TEXTS } from "../dashboard/stats/script-texts.ts";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";
import { counted, formatShort } from "../views/numbers.ts";
import { chartOptions } from "./dashboard-chart-look.ts";
import { seriesOf } from "./dashboard-series.ts";

interface Point {
  name: string;
  views: number;
  /** Null where clicks say nothing. */
  clicks: number | null;
  /** The number of edits and their changes in words; empty if there were none. */
  edits: string;
}

export interface Table {
  points: Point[];
  ticks: string[];
  /** The last point is of an hour, day or month that is not over. */
  is_open: boolean;
}

export function chartOf(page: HTMLElement, locale: ReaderLocale) {
  const plot = page.querySelector<HTMLElement>("[data-plot]");
  const rows = seriesOf(page);
  if (plot === null || rows.length === 0) return null;
  const is_open = page.querySelector("[data-series][data-open]") !== null;
  let table = read(rows, is_open);
  let chart: uPlot | null = null;
  const tip = tooltip();
  const showPoint = (place: number | null | undefined) => {
    const point = table.points[place ?? -1];
    tip.hidden = point === undefined;
    if (point === undefined || chart === null || typeof place !== "number") return;
    fillTip(tip, locale, point);
    placeTip(tip, chart, place);
    sayPoint(plot, locale, table, place);
  };

  const draw = () => {
    const { clientWidth: width, clientHeight: height } = plot;
    chart?.destroy();
    chart = null;
    if (width === 0) return;
    try {
      const options = chartOptions(plot, () => table.ticks, {
        locale,
        width,
        height,
        value: (n) => formatShort(locale, n),
        marked: () => table.points.flatMap(({ edits }, place) => (edits === "" ? [] : [place])),
        cursor: showPoint,
      });
      chart = new uPlot(options, columns(table), plot);
      chart.over.append(tip);
      followFingers(chart);
    } catch (error) {
      giveUp(page, plot, locale);
      throw error;
    }
  };

  bindKeys(plot, locale, () => ({ chart, table }));
  sayPoint(plot, locale, table, table.points.length - 1);
  new ResizeObserver(draw).observe(plot);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  document.fonts?.ready.then(draw);
  return {
    redraw(): void {
      table = read(rows, is_open);
      chart?.setData(columns(table));
    },
  };
}

function read(rows: readonly HTMLTableRowElement[], is_open: boolean): Table {
  const points = rows
    .filter(({ hidden }) => !hidden)
    .map((row) => {
      const [views, clicks] = row.querySelectorAll("td");
      return {
        name: row.querySelector("time")?.textContent ?? "",
        views: Number(views?.dataset.n),
        clicks: clicks === undefined ? null : Number(clicks.dataset.n),
        edits: row.querySelector(".edits")?.textContent ?? "",
      };
    });
  return { points, ticks: rows.map((row) => row.dataset.tick ?? ""), is_open };
}

/**
 * The way to the point that is not over is dashed: it would look like a fall. The points are joined
 * by straight lines, because a curve would invent values in between.
 */
function columns({ points, is_open }: Table): uPlot.AlignedData {
  const last = points.length - 1;
  const line = (kind: "views" | "clicks", isOf: (place: number) => boolean) =>
    points.map((point, place) => (isOf(place) ? point[kind] : null));
  const isOver = (place: number) => !is_open || place < last || last === 0;
  const isOpen = (place: number) => is_open && place >= last - 1;
  return [
    points.map((_, place) => place),
    line("views", isOver),
    line("clicks", isOver),
    line("views", isOpen),
    line("clicks", isOpen),
  ];
}

function tooltip(): HTMLElement {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  return tip;
}

function fillTip(tip: HTMLElement, locale: ReaderLocale, point: Point): void {
  const { name, views, clicks, edits } = point;
  const line = (kind: string, text: string) => {
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  };
  tip.dir = languageOf(locale) === "ar" ? "rtl" : "ltr";
  tip.replaceChildren(
    line("when", name),
    line("of-views", counted(locale, "view", views)),
    ...(clicks === null ? [] : [line("of-clicks", counted(locale, "click", clicks))]),
    ...(edits === "" ? [] : [line("of-edits", edits)]),
  );
}

function placeTip(tip: HTMLElement, chart: uPlot, place: number): void {
  const at = chart.valToPos(place, "x");
  const gap = 14;
  const has_room = at + gap + tip.offsetWidth <= chart.over.clientWidth;
  const start = has_room ? at + gap : Math.max(0, at - gap - tip.offsetWidth);
  tip.style.transform = `translate(${Math.round(start)}px, 0.25rem)`;
}

/** Screen readers have the chart as a slider along time; they read its value when it moves. */
function sayPoint(plot: HTMLElement, locale: ReaderLocale, { points }: Table, place: number): void {
  const point = points[place];
  if (point === undefined) return;
  const { name, views, clicks, edits } = point;
  const numbers = [counted(locale, "view", views)];
  if (clicks !== null) numbers.push(counted(locale, "click", clicks));
  if (edits !== "") numbers.push(edits);
  plot.setAttribute("aria-valuemax", String(points.length - 1));
  plot.setAttribute("aria-valuenow", String(place));
  plot.setAttribute(
    "aria-valuetext",
    `${name}: ${numbers.join(SCRIPT_TEXTS[languageOf(locale)].and)}`,
  );
}

function bindKeys(
  plot: HTMLElement,
  locale: ReaderLocale,
  now: () => { chart: uPlot | null; table: Table },
): void {
  plot.tabIndex = 0;
  plot.setAttribute("role", "slider");
  plot.setAttribute("aria-label", plot.dataset.label ?? "");
  plot.setAttribute("aria-valuemin", "0");
  const show = (place: number) => {
    const { chart, table } = now();
    const point = table.points[place];
    if (chart === null || point === undefined) return;
    chart.setCursor({ left: chart.valToPos(place, "x"), top: chart.valToPos(point.views, "y") });
  };
  const later = languageOf(locale) === "ar" ? "ArrowLeft" : "ArrowRight";
  plot.onkeydown = (event) => {
    const { chart, table } = now();
    const last = table.points.length - 1;
    const at = chart?.cursor.idx ?? last;
    const { key } = event;
    const to =
      key === "Home"
        ? 0
        : key === "End"
          ? last
          : key === "ArrowLeft" || key === "ArrowRight"
            ? at + (key === later ? 1 : -1)
            : null;
    if (to === null) return;
    event.preventDefault();
    show(Math.min(last, Math.max(0, to)));
  };
  // Safari before 15.4 throws at a selector that it does not have.
  const focused = CSS.supports("selector(:focus-visible)") ? ":focus-visible" : ":focus";
  plot.onfocus = () => {
    if (plot.matches(focused)) show(now().table.points.length - 1);
  };
  plot.onblur = () => now().chart?.setCursor({ left: -10, top: -10 });
}

/** uPlot handles the mouse only. */
function followFingers(chart: uPlot): void {
  const follow = ({ pointerType, clientX, clientY }: PointerEvent) => {
    if (pointerType === "mouse") return;
    const { left, top } = chart.over.getBoundingClientRect();
    chart.setCursor({ left: clientX - left, top: clientY - top });
  };
  chart.over.addEventListener("pointerdown", follow);
  chart.over.addEventListener("pointermove", follow);
}

function giveUp(page: HTMLElement, plot: HTMLElement, locale: ReaderLocale): void {
  const table = page.querySelector<HTMLDetailsElement>("details.numbers");
  if (table !== null) table.open = true;
  const words = document.createElement("p");
  words.className = "why";
  words.textContent = SCRIPT_TEXTS[languageOf(locale)].chart_failed;
  plot.replaceWith(words);
}
