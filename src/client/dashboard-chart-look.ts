import type uPlot from "uplot";
import { languageOf, type ReaderLocale } from "../views/numbering.ts";

const LINES_MAX = 4;
const LABEL_PX = 64;
const MARK_PX = 4;
/** Half a label fits at both ends of the time axis. */
const MARGIN_PX = 26;
const HOURS_APART = [1, 2, 3, 4, 6, 12, 24, 48];
const RIGHT = 1;
const LEFT = 3;

interface Look {
  locale: ReaderLocale;
  width: number;
  height: number;
  value: (n: number) => string;
  marked: () => number[];
  /** Gets the index of the point under the cursor; null for none. */
  cursor: (place: number | null | undefined) => void;
}

export function chartOptions(plot: HTMLElement, ticks: () => string[], look: Look): uPlot.Options {
  const style = getComputedStyle(plot);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const is_rtl = languageOf(look.locale) === "ar";
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: colour("muted"), font, ticks: { show: false } };
  const { length } = ticks();
  return {
    width: look.width,
    height: look.height,
    padding: [12, is_rtl ? 0 : MARGIN_PX, 0, is_rtl ? MARGIN_PX : 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { size: 10, width: 2 } },
    scales: {
      // A single point is in the middle.
      x: {
        time: false,
        dir: is_rtl ? -1 : 1,
        range: () => (length > 1 ? [0, length - 1] : [-1, 1]),
      },
      y: { range: (_, __, most) => [0, Math.max(...levels(most))] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 34,
        gap: 8,
        splits: (chart) => marks(length, chart.bbox.width / devicePixelRatio),
        values: (_, places) => places.map((place) => ticks()[place] ?? ""),
      },
      {
        ...axis,
        side: is_rtl ? RIGHT : LEFT,
        grid: { stroke: colour("line"), width: 1 },
        size: 46,
        gap: 8,
        splits: (_, __, ___, most) => levels(most),
        values: (_, splits) => splits.map(look.value),
      },
    ],
    series: [
      {},
      line(colour("accent"), true),
      line(colour("clicks"), false),
      dashed(colour("accent")),
      dashed(colour("clicks")),
    ],
    hooks: {
      draw: [(chart) => markEdits(chart, look.marked(), colour("muted"))],
      setCursor: [({ cursor }) => look.cursor((cursor.left ?? -1) < 0 ? null : cursor.idx)],
    },
  };
}

/** Views are a filled area, clicks a line. The last point has a dot: it is the one that changes. */
function line(stroke: string, is_filled: boolean): uPlot.Series {
  const fill = ({ ctx, bbox }: uPlot) => {
    const shade = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
    shade.addColorStop(0, `${stroke}38`);
    shade.addColorStop(1, `${stroke}05`);
    return shade;
  };
  return { stroke, width: 2.25, ...(is_filled ? { fill } : {}), points: dot(stroke) };
}

function dashed(stroke: string): uPlot.Series {
  return { stroke, width: 2.25, dash: [4, 4], points: dot(stroke) };
}

function dot(fill: string): uPlot.Series.Points {
  return {
    show: true,
    size: 7,
    width: 0,
    fill,
    filter: ({ data }, series) => {
      const last = data[0].length - 1;
      return typeof data[series]?.[last] === "number" ? [last] : [];
    },
  };
}

function markEdits({ ctx, bbox, valToPos }: uPlot, places: readonly number[], fill: string): void {
  const half = MARK_PX * devicePixelRatio;
  const axis = bbox.top + bbox.height;
  ctx.save();
  ctx.fillStyle = fill;
  for (const place of places) {
    const at = valToPos(place, "x", true);
    ctx.globalAlpha = 0.45;
    ctx.fillRect(at - devicePixelRatio / 2, bbox.top, devicePixelRatio, bbox.height);
    ctx.globalAlpha = 1;
    ctx.beginPath();
    ctx.moveTo(at - half, axis);
    ctx.lineTo(at, axis - half);
    ctx.lineTo(at + half, axis);
    ctx.lineTo(at, axis + half);
    ctx.fill();
  }
  ctx.restore();
}

/** Round whole numbers from 0 to at least `most`. */
function levels(most: number): number[] {
  const rough = Math.max(1, most) / LINES_MAX;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    Math.ceil([1, 2, 2.5, 5, 10].map((n) => n * magnitude).find((n) => n >= rough) ?? rough),
  );
  const lines = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: lines + 1 }, (_, i) => i * step);
}

/** Indexes with a label: at even distances, days at midnight, as many as fit. */
function marks(length: number, width_px: number): number[] {
  const room = Math.max(2, Math.floor(width_px / LABEL_PX));
  const apart = HOURS_APART.find((n) => Math.ceil(length / n) <= room) ?? Math.ceil(length / room);
  return Array.from({ length: Math.ceil(length / apart) }, (_, i) => i * apart);
}
