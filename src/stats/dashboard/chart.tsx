/** Views and clicks over time: the script draws the chart from the table here. */
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { dateAt, daysIn } from "../calendar.ts";
import type { Stats } from "../stats-shape.ts";
import { momentNames } from "./dates.ts";
import { formatNumber } from "./numbers.ts";
import type { StatsPageProps } from "./props.ts";
import { Intervals } from "./ranges.tsx";
import { DASHBOARD_TEXTS } from "./texts.ts";

export function Chart(props: StatsPageProps & { is_live: boolean }) {
  const texts = DASHBOARD_TEXTS[props.locale];
  return (
    <section class="card chart wider" data-chart>
      <div class="heading">
        <h2>{texts.chart}</h2>
        <p class="legend" aria-hidden="true">
          <span class="of-views">{texts.views}</span> <span class="of-clicks">{texts.clicks}</span>
          {props.stats.revisions.length > 0 && (
            <>
              {" "}
              <span class="of-edits">{texts.edited}</span>
            </>
          )}
        </p>
        <Intervals {...props} />
      </div>
      <div class="plot" data-plot data-label={texts.chart_label} />
      <noscript>
        <p class="why">{texts.chart_script}</p>
      </noscript>
      <details class="numbers">
        <summary>{texts.as_table}</summary>
        <Numbers {...props} />
      </details>
    </section>
  );
}

/**
 * Future hours of today have hidden rows, in which the script will show live numbers. Edits of the
 * page are noted beside the hour or day; the chart marks these points.
 */
function Numbers(props: StatsPageProps & { is_live: boolean }) {
  const { locale, stats } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const names = momentNames(locale, stats.tz, stats.interval, daysIn(stats) > 1);
  const edits = editsByPoint(stats);
  const row = (t: string, views: number, clicks: number, is_to_come: boolean) => {
    const { full, tick } = names(Date.parse(t));
    const n = edits.get(t);
    return (
      <tr hidden={is_to_come} data-tick={tick}>
        <th scope="row">
          <time datetime={t}>{full}</time>
          {n !== undefined && <span class="why edits">{texts.edits(n)}</span>}
        </th>
        <td data-n={views}>{formatNumber(locale, views)}</td>
        <td data-n={clicks}>{formatNumber(locale, clicks)}</td>
      </tr>
    );
  };
  return (
    <table data-series>
      <caption class="sr">{texts.chart}</caption>
      <thead>
        <tr>
          <th scope="col">{texts[stats.interval]}</th>
          <th scope="col">{texts.views}</th>
          <th scope="col">{texts.clicks}</th>
        </tr>
      </thead>
      <tbody>
        {stats.series.map(({ t, views, clicks }) => row(t, views, clicks, false))}
        {props.is_live && hoursToCome(stats).map((t) => row(t, 0, 0, true))}
      </tbody>
    </table>
  );
}

/** How often the page was edited, by the start of the point of the series in which that was. */
function editsByPoint({ series, revisions }: Stats): Map<string, number> {
  const edits = new Map<string, number>();
  for (const { at } of revisions) {
    const point = series.findLast(({ t }) => Date.parse(t) <= Date.parse(at));
    if (point !== undefined) edits.set(point.t, (edits.get(point.t) ?? 0) + 1);
  }
  return edits;
}

/** The starts of the hours of the last day that are not in the series yet. */
function hoursToCome({ series, interval, to, tz }: Stats): string[] {
  const hours: string[] = [];
  const last = series.at(-1);
  if (interval === "day" || last === undefined) return hours;
  let at_ms = Date.parse(last.t) + HOUR_MS;
  for (; dateAt(at_ms, tz) <= to; at_ms += HOUR_MS) hours.push(new Date(at_ms).toISOString());
  return hours;
}
