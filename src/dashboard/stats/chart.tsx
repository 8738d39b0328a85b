/** Views and clicks over time: the script draws the chart from the tables here. */
import { HOUR_MS } from "../../../objects/platform/clock.ts";
import { dateAt, daysIn } from "../../stats/calendar.ts";
import { STATS_REVISIONS_MAX } from "../../stats/limits.ts";
import type { Edit, Stats } from "../../stats/stats-shape.ts";
import { languageOf } from "../../views/numbering.ts";
import { counted, formatNumber } from "../../views/numbers.ts";
import { revisionsAddress } from "./addresses.ts";
import { momentNames } from "./dates.ts";
import { PART_TEXTS } from "./part-texts.ts";
import type { StatsPageProps } from "./props.ts";
import { Intervals } from "./ranges.tsx";
import { SCRIPT_TEXTS } from "./script-texts.ts";
import { type Shown, shownOf } from "./shown.ts";
import { DASHBOARD_TEXTS } from "./texts.ts";

type ChartProps = StatsPageProps & { is_live: boolean };

export function Chart(props: ChartProps) {
  const { locale, stats, page } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const { revisions } = stats;
  const shown = shownOf(locale, stats);
  const is_open = stats.to >= dateAt(props.now_ms, stats.tz);
  return (
    <section class="card chart wider" data-chart>
      <div class="heading">
        <h2>{shown.has_clicks ? texts.chart : texts.views}</h2>
        <p class="legend">
          <span class="of-views" aria-hidden="true">
            {shown.views}
          </span>
          {shown.has_clicks && (
            <span class="of-clicks" aria-hidden="true">
              {shown.clicks}
            </span>
          )}
          {revisions.length > 0 && (
            <a class="of-edits" href={revisionsAddress(page.page_id)}>
              {texts.edited}
            </a>
          )}
        </p>
        <Intervals {...props} />
      </div>
      <div class="plot" data-plot data-label={texts.chart_label} />
      <noscript>
        <p class="why">{texts.chart_script}</p>
      </noscript>
      {revisions.length === STATS_REVISIONS_MAX && (
        <p class="why">{PART_TEXTS[locale].earlier_edits}</p>
      )}
      <details class="numbers">
        <summary>{texts.as_table}</summary>
        {/* `data-open`: the last point is of an hour, day or month that is not over. */}
        <div data-series data-open={is_open ? "" : undefined}>
          <Numbers {...props} shown={shown} />
        </div>
      </details>
    </section>
  );
}

interface Row {
  t: string;
  views: number;
  clicks: number;
  /** An hour of today, in which the script will show live numbers. */
  is_to_come: boolean;
}

function Numbers(props: ChartProps & { shown: Shown }) {
  const { locale, stats, shown, is_live } = props;
  const to_come = is_live ? hoursToCome(stats) : [];
  const rows: Row[] = [
    ...shown.points.map((point) => ({ ...point, is_to_come: false })),
    ...to_come.map((t) => ({ t, views: 0, clicks: 0, is_to_come: true })),
  ].reverse();
  if (stats.interval !== "hour" || daysIn(stats) === 1) return <Table {...props} rows={rows} />;
  const names = momentNames(locale, stats.tz, "day", true);
  const by_day = Map.groupBy(rows, ({ t }) => dateAt(Date.parse(t), stats.tz));
  return (
    <>
      {[...by_day.values()].map((of_day, i) => (
        <details class="day" open={i === 0} hidden={of_day.every(({ is_to_come }) => is_to_come)}>
          <summary>
            <span>{names(Date.parse(of_day[0]?.t ?? "")).full}</span>{" "}
            <span class="why" data-day-sum>
              {daySum(props, of_day)}
            </span>
          </summary>
          <Table {...props} rows={of_day} />
        </details>
      ))}
    </>
  );
}

function daySum({ locale, shown }: ChartProps & { shown: Shown }, rows: readonly Row[]): string {
  const sum = (kind: "views" | "clicks") => rows.reduce((total, row) => total + row[kind], 0);
  const views = counted(locale, "view", sum("views"));
  if (!shown.has_clicks) return views;
  return `${views}${SCRIPT_TEXTS[languageOf(locale)].and}${counted(locale, "click", sum("clicks"))}`;
}

/** Edits of the page are noted beside the hour, day or month; the chart marks these points. */
function Table(props: ChartProps & { shown: Shown; rows: readonly Row[] }) {
  const { locale, stats, page, shown } = props;
  const texts = DASHBOARD_TEXTS[locale];
  const names = momentNames(locale, stats.tz, stats.interval, daysIn(stats) > 1);
  const edits = editsByPoint(stats);
  return (
    <table>
      <caption class="sr">{texts.chart}</caption>
      <thead>
        <tr>
          <th scope="col">{texts[stats.interval]}</th>
          <th scope="col">{shown.views}</th>
          {shown.has_clicks && <th scope="col">{shown.clicks}</th>}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ t, views, clicks, is_to_come }) => {
          const { full, tick } = names(Date.parse(t));
          const edited = edits.get(t);
          return (
            <tr hidden={is_to_come} data-tick={tick}>
              <th scope="row">
                <time datetime={t}>{full}</time>
                {edited !== undefined && (
                  <a class="why edits" href={revisionsAddress(page.page_id)}>
                    {editWords(props, edited)}
                  </a>
                )}
              </th>
              <td data-n={views}>{formatNumber(locale, views)}</td>
              {shown.has_clicks && <td data-n={clicks}>{formatNumber(locale, clicks)}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function editWords({ locale }: ChartProps, edits: readonly Edit[]): string {
  const { changes } = PART_TEXTS[locale];
  const what = [...new Set(edits.flatMap((edit) => edit.what))].map((change) => changes[change]);
  const list = new Intl.ListFormat(locale, { type: "conjunction" }).format(what);
  const n = DASHBOARD_TEXTS[locale].edits(edits.length);
  return list === "" ? n : `${n} (${list})`;
}

function editsByPoint({ series, revisions }: Stats): Map<string, Edit[]> {
  return Map.groupBy(
    revisions.filter(({ at }) => series[0] !== undefined && !isBefore(at, series[0].t)),
    ({ at }) => series.findLast(({ t }) => !isBefore(at, t))?.t ?? "",
  );
}

function isBefore(at: string, t: string): boolean {
  return Date.parse(at) < Date.parse(t);
}

function hoursToCome({ series, interval, to, tz }: Stats): string[] {
  const hours: string[] = [];
  const last = series.at(-1);
  if (interval !== "hour" || last === undefined) return hours;
  let at_ms = Date.parse(last.t) + HOUR_MS;
  for (; dateAt(at_ms, tz) <= to; at_ms += HOUR_MS) hours.push(new Date(at_ms).toISOString());
  return hours;
}
